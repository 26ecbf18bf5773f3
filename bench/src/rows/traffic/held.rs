//! The rows of held connections: thousands are open, of which a tenth sends.
//!
//! In: a server that listens. Out: what each connection costs it in memory, before and after the traffic, and how long
//! the traffic took. Every line is counted; no connection may be closed by the server before the end.
//! Limits: loopback only; [`SENDERS`] threads send. Memory that the kernel needs for a connection is not
//! counted.

use super::load::Sent;
use crate::{
    process::resident_kib,
    rows::{
        corpus::Corpus,
        outcome::ConnectionMemory,
        row::{Row, share},
    },
    tls,
};
use rustix::process::{Resource, getrlimit, setrlimit};
use rustls::{ClientConnection, StreamOwned};
use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, TcpStream},
    thread,
    time::{Duration, Instant},
};

/// One of this number of connections sends.
const SILENT: usize = 10;
/// Threads that send.
const SENDERS: usize = 4;
/// Lines that a connection sends before the next one takes its turn.
const PIECE_LINES: u64 = 50;
/// Memory that has not changed for this long is final.
const SETTLED: Duration = Duration::from_millis(600);
/// Longest wait for that.
const SETTLE_WITHIN: Duration = Duration::from_secs(20);

/// The open connections.
pub(crate) struct Held {
    peers: Vec<Peer>,
    /// KiB of the server before any connection was open.
    before: f64,
    /// KiB for each connection that has not sent yet.
    idle: f64,
}

enum Peer {
    Plain(TcpStream),
    Encrypted(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Held {
    /// Opens the connections of a row.
    pub(crate) fn open(row: Row, port: u16, server: u32) -> io::Result<Held> {
        allow_many()?;
        let before = settled(server)?;
        let connect = |_| {
            Ok(match row {
                Row::HeldTls1000 => Peer::Encrypted(Box::new(tls::connect(port)?)),
                _ => Peer::Plain(TcpStream::connect((Ipv4Addr::LOCALHOST, port))?),
            })
        };
        let peers: Vec<Peer> = (0..row.connections()).map(connect).collect::<io::Result<_>>()?;
        let idle = (settled(server)? - before) / peers.len() as f64;
        Ok(Held { peers, before, idle })
    }

    /// Sends messages over a tenth of the connections, which stay open.
    pub(crate) fn send(&mut self, corpus: &Corpus, messages: u64) -> io::Result<Sent> {
        let count = self.peers.len().div_ceil(SILENT);
        let mut active: Vec<(&mut Peer, u64)> = self
            .peers
            .iter_mut()
            .step_by(SILENT)
            .enumerate()
            .map(|(number, peer)| (peer, share(messages, number, count)))
            .collect();
        let start = Instant::now();
        let each = active.len().div_ceil(SENDERS);
        thread::scope(|scope| {
            let senders: Vec<_> =
                active.chunks_mut(each).map(|part| scope.spawn(|| send_in_turn(part, corpus))).collect();
            senders.into_iter().try_for_each(|sender| {
                sender.join().map_err(|_| io::Error::other("a sender ended by a bug"))?
            })
        })?;
        Ok(Sent { start })
    }

    /// Returns the cost of each connection after the traffic. Fails when the server closed one of them.
    pub(crate) fn cost(&mut self, server: u32) -> io::Result<ConnectionMemory> {
        let after = (settled(server)? - self.before) / self.peers.len() as f64;
        for peer in &mut self.peers {
            peer.check()?;
        }
        Ok(ConnectionMemory { idle_kib: self.idle, after_kib: after })
    }
}

impl Peer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Peer::Plain(stream) => stream.write_all(bytes),
            Peer::Encrypted(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
        }
    }

    /// Fails when the server has closed the connection.
    fn check(&mut self) -> io::Result<()> {
        let socket = match self {
            Peer::Plain(stream) => stream,
            Peer::Encrypted(stream) => &mut stream.sock,
        };
        socket.set_nonblocking(true)?;
        let mut rest = [0; 4096];
        loop {
            match socket.read(&mut rest) {
                Ok(0) => return Err(io::Error::other("the server closed a connection that was held open")),
                // TLS session tickets.
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }
}

/// Each connection of a part sends a few lines, then the next one, until all have sent their share.
fn send_in_turn(part: &mut [(&mut Peer, u64)], corpus: &Corpus) -> io::Result<()> {
    let mut from = 0;
    while part.iter().any(|(_, left)| *left > 0) {
        for (peer, left) in part.iter_mut().filter(|(_, left)| *left > 0) {
            let room = (corpus.ends.len() - from) as u64;
            let lines = PIECE_LINES.min(*left).min(room);
            let start = from.checked_sub(1).map_or(0, |before| corpus.ends[before]);
            from += lines as usize;
            peer.write(&corpus.bytes[start..corpus.ends[from - 1]])?;
            from %= corpus.ends.len();
            *left -= lines;
        }
    }
    Ok(())
}

/// Resident KiB of a process once they no longer change.
fn settled(pid: u32) -> io::Result<f64> {
    let (start, mut since) = (Instant::now(), Instant::now());
    let mut seen = resident_kib(pid)?;
    while since.elapsed() < SETTLED && start.elapsed() < SETTLE_WITHIN {
        thread::sleep(Duration::from_millis(50));
        let now = resident_kib(pid)?;
        if now != seen {
            (seen, since) = (now, Instant::now());
        }
    }
    Ok(seen)
}

/// Lets this process open as many files as the system allows.
fn allow_many() -> io::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}
