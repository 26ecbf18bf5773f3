//! The paced sender of datagrams.
//!
//! In: a corpus, a rate, a time. Out: datagrams in small bursts, from several sockets in turn, one by one or in runs.
//! Limits: it never sends faster than the rate; when it cannot keep up it reports the rate it reached.

use super::batch::{self, BATCH};
use crate::rows::corpus::Corpus;
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
    grouping: Grouping,
}

/// How datagrams are passed to the kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grouping {
    /// One by one.
    Single,
    /// Datagrams of the same size together.
    Runs,
}

impl Sender {
    pub(crate) fn new(corpus: Corpus, port: u16, sockets: usize, grouping: Grouping) -> io::Result<Sender> {
        let open = || {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            socket.connect((Ipv4Addr::LOCALHOST, port))?;
            Ok(socket)
        };
        let sockets = (0..sockets).map(|_| open()).collect::<io::Result<_>>()?;
        Ok(Sender { corpus, sockets, grouping })
    }

    /// Sends for a time; returns how many datagrams were sent, and how long it took.
    pub(crate) fn send(&self, rate: f64, time: Duration) -> io::Result<(u64, Duration)> {
        let mut lines: Vec<&[u8]> = self.corpus.lines().collect();
        if self.grouping == Grouping::Runs {
            // The same lines, sorted by size.
            lines.sort_by_key(|line| line.len());
        }
        let total = (rate * time.as_secs_f64()) as u64;
        let start = Instant::now();
        let (mut sent, mut turn) = (0_u64, 0);
        // It took twice the time, so the rate cannot be reached.
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
            let burst = &lines[first..first + count];
            sent += match self.grouping {
                Grouping::Single => batch::send(socket, burst)?,
                Grouping::Runs => {
                    let same = burst.iter().take_while(|line| line.len() == burst[0].len()).count();
                    batch::send_run(socket, &burst[..same])?
                }
            } as u64;
        }
        Ok((sent, start.elapsed()))
    }
}
