//! Messages generated while they are sent, without a file.
//!
//! In: a rate, or none, and a connection. Out: lines of the fictitious site. Holds: one piece of them.
//! Limits: with a rate, messages that could not be sent in time are sent as soon as possible, and the delay
//! is recorded.

use crate::{site::Site, tls};
use std::{
    io::{self, Write},
    net::{Ipv4Addr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Bytes of one call.
const PIECE_BYTES: usize = 1 << 20;
/// Pieces that are generated ahead.
const PIECES_AHEAD: usize = 4;
/// Time between two pieces of a sender with a rate.
const TICK: Duration = Duration::from_millis(50);

/// Sends the next `messages` lines of the site as fast as the server accepts them; `each` gets every piece of
/// whole lines.
pub(super) fn send_made(
    site: &mut Site,
    messages: u64,
    port: u16,
    mut each: impl FnMut(&[u8]),
) -> io::Result<()> {
    let (pieces, taken) = mpsc::sync_channel::<Vec<u8>>(PIECES_AHEAD);
    let mut peer = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    let sender = thread::spawn(move || {
        taken.iter().try_for_each(|piece| peer.write_all(&piece))?;
        super::plain::finish(&mut peer)
    });
    let mut piece = Vec::with_capacity(PIECE_BYTES + 4096);
    for left in (0..messages).rev() {
        site.write_line(&mut piece);
        if piece.len() >= PIECE_BYTES || left == 0 {
            each(&piece);
            // The sender itself reports what went wrong.
            if pieces.send(std::mem::replace(&mut piece, Vec::with_capacity(PIECE_BYTES + 4096))).is_err() {
                break;
            }
        }
    }
    drop(pieces);
    sender.join().map_err(|_| io::Error::other("the sender ended by a bug"))?
}

/// Does the same over TLS, without `each`.
pub(super) fn send_made_encrypted(site: &mut Site, messages: u64, port: u16) -> io::Result<()> {
    let mut peer = tls::connect(port)?;
    let mut piece = Vec::with_capacity(PIECE_BYTES + 4096);
    for left in (0..messages).rev() {
        site.write_line(&mut piece);
        if piece.len() >= PIECE_BYTES || left == 0 {
            peer.write_all(&piece)?;
            piece.clear();
        }
    }
    peer.conn.send_close_notify();
    peer.flush()?;
    super::plain::finish(&mut peer.sock)
}

/// A sender at a fixed rate over TLS.
pub(super) struct Steady {
    pub(super) shared: Arc<Progress>,
    worker: JoinHandle<io::Result<()>>,
}

/// The progress of a sender.
#[derive(Default)]
pub(super) struct Progress {
    sent: AtomicU64,
    /// Longest delay of a piece since it was last read, in milliseconds.
    late_ms_max: AtomicU64,
    stop: AtomicBool,
}

impl Progress {
    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    /// The longest delay since the last call.
    pub(super) fn take_late_ms(&self) -> u64 {
        self.late_ms_max.swap(0, Relaxed)
    }
}

impl Steady {
    /// Starts to send `rate` messages per second over one TLS connection.
    pub(super) fn start(mut site: Site, rate: f64, port: u16) -> io::Result<Steady> {
        let shared = Arc::new(Progress::default());
        let progress = shared.clone();
        let mut peer = tls::connect(port)?;
        let worker = thread::spawn(move || {
            let start = Instant::now();
            let (mut sent, mut piece) = (0u64, Vec::new());
            while !progress.stop.load(Relaxed) {
                let due = (start.elapsed().as_secs_f64() * rate) as u64;
                piece.clear();
                (sent..due).for_each(|_| site.write_line(&mut piece));
                peer.write_all(&piece)?;
                peer.flush()?;
                sent = due;
                progress.sent.store(sent, Relaxed);
                let late = start.elapsed().as_secs_f64() - sent as f64 / rate;
                progress.late_ms_max.fetch_max((late * 1e3) as u64, Relaxed);
                thread::sleep(TICK);
            }
            peer.conn.send_close_notify();
            peer.flush()?;
            super::plain::finish(&mut peer.sock)
        });
        Ok(Steady { shared, worker })
    }

    /// Stops it and returns how many messages it sent.
    pub(super) fn stop(self) -> io::Result<u64> {
        self.shared.stop.store(true, Relaxed);
        self.worker.join().map_err(|_| io::Error::other("the sender ended by a bug"))??;
        Ok(self.shared.sent())
    }
}
