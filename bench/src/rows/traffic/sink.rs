//! The end of a relay: accepts connections and counts their lines.
//!
//! In: connections on a port of its own. Out: the number of lines, and when the last of them arrived.
//! Limits: loopback only; its threads end with the program.

use std::{
    io::{self, Read},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

/// Bytes of one read.
const READ_BYTES: usize = 256 << 10;

/// Accepts connections and counts their lines.
pub(crate) struct Sink {
    port: u16,
    count: Arc<LineCount>,
}

/// The lines of all connections so far.
struct LineCount {
    lines: AtomicU64,
    last: Mutex<SystemTime>,
}

impl Sink {
    /// Listens.
    pub(crate) fn start() -> io::Result<Sink> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let count =
            Arc::new(LineCount { lines: AtomicU64::new(0), last: Mutex::new(SystemTime::UNIX_EPOCH) });
        let shared = count.clone();
        thread::spawn(move || {
            for peer in listener.incoming().flatten() {
                let count = shared.clone();
                thread::spawn(move || count.read(peer));
            }
        });
        Ok(Sink { port, count })
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Waits for a number of lines; returns when the last of them arrived. Fails when nothing more comes for `still`.
    pub(crate) fn last_line(&self, wanted: u64, still: Duration) -> io::Result<SystemTime> {
        let (mut seen, mut since) = (0, Instant::now());
        loop {
            let lines = self.count.lines.load(Ordering::Acquire);
            if lines >= wanted {
                return Ok(*self.count.last.lock().unwrap_or_else(PoisonError::into_inner));
            }
            if lines != seen {
                (seen, since) = (lines, Instant::now());
            } else if since.elapsed() > still {
                return Err(io::Error::other(format!("{lines} lines of {wanted} were passed on")));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl LineCount {
    /// Reads one connection to its end.
    fn read(&self, mut peer: TcpStream) {
        let mut buffer = vec![0; READ_BYTES];
        while let Ok(read @ 1..) = peer.read(&mut buffer) {
            let lines = buffer[..read].iter().filter(|byte| **byte == b'\n').count() as u64;
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = SystemTime::now();
            self.lines.fetch_add(lines, Ordering::AcqRel);
        }
    }
}
