//! One connection that sends at its pace.
//!
//! In: content. Out: bytes on a connection, counts. Holds: one buffer.
//! Limits: [`WRITE_BYTES`] per call; with `--reconnect` it tries again every [`RECONNECT_EVERY`] after a lost
//! connection.

use super::{
    Options,
    connection::{Connection, Target},
    content::Content,
};
use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Bytes of one write: large enough that the call's cost vanishes.
const WRITE_BYTES: usize = 128 * 1024;
/// Pause between attempts to reconnect.
const RECONNECT_EVERY: Duration = Duration::from_millis(500);
/// Shortest sleep when ahead of the rate.
const TICK: Duration = Duration::from_millis(1);

/// Totals of all connections so far.
#[derive(Default)]
pub(super) struct Progress {
    messages: AtomicU64,
    bytes: AtomicU64,
}

impl Progress {
    pub(super) fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, messages: u64, bytes: u64) {
        self.messages.fetch_add(messages, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// The rate, number and time limits of one connection.
#[derive(Clone)]
pub(super) struct Pace {
    start: Instant,
    end: Option<Instant>,
    /// Messages per second; `None` is as fast as possible.
    rate: Option<u64>,
    number: u64,
    burst: u64,
    reconnect: bool,
}

impl Pace {
    pub(super) fn new(options: &Options, start: Instant) -> Pace {
        let end = (!options.permanent).then(|| start + Duration::from_secs(options.interval));
        Pace {
            start,
            end,
            rate: (!options.perf).then_some(options.rate),
            number: options.number.unwrap_or(u64::MAX),
            burst: if options.rate_burst_start { options.rate } else { 0 },
            reconnect: options.reconnect,
        }
    }

    pub(super) fn over(&self, now: Instant) -> bool {
        self.end.is_some_and(|end| now >= end)
    }

    /// Returns how many messages may have been sent by now.
    pub(super) fn due(&self, now: Instant) -> u64 {
        let by_rate = match self.rate {
            Some(rate) => {
                let elapsed = now.duration_since(self.start).as_secs_f64();
                self.burst.saturating_add((rate as f64 * elapsed) as u64)
            }
            None => u64::MAX,
        };
        by_rate.min(self.number)
    }
}

/// Sends until the pace is over, the content ends, or `stop` is set.
pub(super) fn run(
    thread: usize,
    target: &Target,
    content: &Content,
    pace: &Pace,
    progress: &Progress,
    stop: &AtomicBool,
) -> io::Result<()> {
    let mut connection = target.open()?;
    let mut cursor = content.cursor(thread);
    let (mut sent, mut buffer) = (0, Vec::with_capacity(2 * WRITE_BYTES));
    loop {
        let now = Instant::now();
        if pace.over(now) || sent >= pace.number || stop.load(Ordering::Relaxed) {
            return connection.finish();
        }
        let due = pace.due(now).saturating_sub(sent);
        if due == 0 {
            thread::sleep(TICK);
            continue;
        }
        buffer.clear();
        let most = if connection.is_datagram() { 1 } else { due };
        let count = content.append(&mut cursor, most, WRITE_BYTES, &mut buffer);
        if count == 0 {
            return connection.finish();
        }
        if let Err(error) = connection.send(&buffer) {
            connection = reconnect(error, target, pace)?;
            continue;
        }
        sent += count;
        progress.add(count, buffer.len() as u64);
    }
}

/// Reconnects, or returns the reason why the connection was lost.
fn reconnect(error: io::Error, target: &Target, pace: &Pace) -> io::Result<Connection> {
    if !pace.reconnect {
        return Err(io::Error::new(error.kind(), format!("the connection was lost: {error}")));
    }
    loop {
        match target.open() {
            Ok(connection) => return Ok(connection),
            Err(error) if pace.over(Instant::now()) => return Err(error),
            Err(_) => thread::sleep(RECONNECT_EVERY),
        }
    }
}

impl Connection {
    fn is_datagram(&self) -> bool {
        !matches!(self, Connection::Stream(_))
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Connection::Stream(stream) => stream.write_all(bytes),
            Connection::Udp(socket) => match socket.send(bytes) {
                // No receiver yet: datagrams are lost, as on a network.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
                result => result.map(drop),
            },
            Connection::Dtls(secure) => secure.say(bytes),
            Connection::Unix(socket) => socket.send(bytes).map(drop),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        match self {
            Connection::Stream(stream) => stream.flush(),
            Connection::Udp(_) | Connection::Dtls(_) | Connection::Unix(_) => Ok(()),
        }
    }
}
