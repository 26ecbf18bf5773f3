//! The paced sender of datagrams.
//!
//! In: a corpus, a rate, a time. Out: datagrams in small bursts, from several sockets in turn.
//! Limits: it never sends faster than the rate; when it cannot keep up it says what it reached.

use super::batch::{self, BATCH};
use crate::corpus::Corpus;
use std::{
    io,
    net::{Ipv4Addr, UdpSocket},
    thread,
    time::{Duration, Instant},
};

/// Pause between bursts.
const TICK: Duration = Duration::from_micros(100);

pub(crate) struct Sender {
    corpus: Corpus,
    sockets: Vec<UdpSocket>,
}

impl Sender {
    pub(crate) fn new(corpus: Corpus, port: u16, sockets: usize) -> io::Result<Sender> {
        let open = || {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            socket.connect((Ipv4Addr::LOCALHOST, port))?;
            Ok(socket)
        };
        let sockets = (0..sockets).map(|_| open()).collect::<io::Result<_>>()?;
        Ok(Sender { corpus, sockets })
    }

    /// Sends for a time; how many went, and how long it took.
    pub(crate) fn send(&self, rate: f64, time: Duration) -> io::Result<(u64, Duration)> {
        let lines: Vec<&[u8]> = self.corpus.lines().collect();
        let total = (rate * time.as_secs_f64()) as u64;
        let start = Instant::now();
        let (mut sent, mut turn) = (0_u64, 0);
        // Twice the time: the rate is out of reach.
        while sent < total && start.elapsed() < time * 2 {
            let due = ((rate * start.elapsed().as_secs_f64()) as u64).min(total);
            if due <= sent {
                thread::sleep(TICK);
                continue;
            }
            let first = (sent % lines.len() as u64) as usize;
            let count = ((due - sent) as usize).min(BATCH).min(lines.len() - first);
            turn += 1;
            let socket = &self.sockets[turn % self.sockets.len()];
            sent += batch::send(socket, &lines[first..first + count])? as u64;
        }
        Ok((sent, start.elapsed()))
    }
}
