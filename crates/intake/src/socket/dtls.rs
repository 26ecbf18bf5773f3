//! DTLS listeners (RFC 6012): many peers on one socket, each with an association of its own.
//!
//! In: datagrams, many per system call. Out: batches of up to one read's size, of many senders; the other half of
//! handshakes. Holds: the slots, the associations.
//! Limits: `max-connections()` associations; senders of datagrams cannot be held back: when the window is closed the
//! kernel's buffer fills and then drops, and `kernel_dropped` shows how many. Records that are damaged, duplicated or
//! of no association count in `frame_errors`.

mod peers;

use super::peer::canonical;
use crate::{
    batch_reader::{BatchReader, Run, buffer},
    source::SettingsCell,
};
use message::Origin;
pub(crate) use peers::DtlsCounts;
use peers::{Events, Peers};
use socket2::{SockAddr, Socket};
use std::{
    io,
    net::SocketAddr,
    os::fd::AsFd,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use tokio::sync::watch;
use transport::{HostNames, InternalLog, dtls::Cookies, stats, sys};

/// Largest datagram of UDP.
const DATAGRAM_BYTES_MAX: usize = 64 << 10;
/// How often the timers of handshakes are checked.
const TICK: Duration = Duration::from_millis(200);
/// How often to check for silent peers and read the kernel's drop count.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Most senders of one batch: each has its origin there.
const SENDERS_MAX: usize = 4_096;

/// Receives until stopped; then sends every peer a close notification.
pub(crate) async fn receive_dtls(
    socket: Socket,
    cell: Arc<SettingsCell>,
    (names, log): (HostNames, InternalLog),
    counts: DtlsCounts,
    mut stop: watch::Receiver<bool>,
) {
    let opened = Receiver::new(&socket, &cell, (names, log.clone()), counts)
        .and_then(|receiver| Ok((receiver, sys::readiness(socket)?)));
    let (mut receiver, socket) = match opened {
        Ok(opened) => opened,
        Err(error) => return log.error(&format!("Cannot wait for datagrams; error='{error}'")),
    };
    loop {
        let ready = async {
            receiver.batch_reader.window.wait_for_room().await;
            socket.readable().await
        };
        let patience = if receiver.peers.is_handshaking() { TICK } else { LOOK_EVERY };
        let ready = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            ready = tokio::time::timeout(patience, ready) => ready,
        };
        match ready {
            Err(_) => {}
            Ok(Ok(mut guard)) => {
                if receiver.read(socket.get_ref()) {
                    guard.clear_ready();
                }
            }
            Ok(Err(error)) => return log.error(&format!("Cannot wait for datagrams; error='{error}'")),
        }
        receiver.tick(socket.get_ref());
        tokio::task::coop::consume_budget().await;
    }
    receiver.count_drops(socket.get_ref());
    let settings = receiver.batch_reader.settings().clone();
    receiver.peers.close(&settings.counters, |to, datagram| send(socket.get_ref(), to, datagram));
}

struct Receiver {
    datagrams: sys::Datagrams,
    batch_reader: BatchReader,
    peers: Peers,
    runs: Vec<Run>,
    drops: u32,
    ticked: Instant,
    looked: Instant,
}

impl Receiver {
    fn new(
        socket: &Socket,
        cell: &Arc<SettingsCell>,
        names: (HostNames, InternalLog),
        counts: DtlsCounts,
    ) -> io::Result<Receiver> {
        let local = socket.local_addr()?.as_socket().map(canonical);
        let now = Instant::now();
        let cookies = Cookies::new(now).map_err(io::Error::other)?;
        Ok(Receiver {
            drops: sys::socket_drops(socket.as_fd()).unwrap_or(0),
            datagrams: sys::Datagrams::new(DATAGRAM_BYTES_MAX),
            batch_reader: BatchReader::new(cell),
            peers: Peers::new(names, counts, cookies, local),
            runs: Vec::new(),
            ticked: now,
            looked: now,
        })
    }

    /// Reads one batch. Returns true when the socket is empty.
    fn read(&mut self, socket: &Socket) -> bool {
        self.refresh(socket);
        let mut bytes = buffer::take(buffer::READ_BYTES + DATAGRAM_BYTES_MAX);
        let now = Instant::now();
        let mut more = true;
        while more && bytes.len() < buffer::READ_BYTES && self.runs.len() < SENDERS_MAX {
            more = self.read_some(socket, &mut bytes, now);
        }
        if self.batch_reader.frames() > 0 {
            let size = bytes.len();
            self.batch_reader.forward_runs(buffer::share(bytes, size), &self.runs, None);
        } else {
            buffer::recycle(bytes);
        }
        self.runs.clear();
        !more
    }

    /// Takes new settings over.
    fn refresh(&mut self, socket: &Socket) {
        if self.batch_reader.refresh() {
            let settings = self.batch_reader.settings().clone();
            self.peers.reload(&settings, |to, datagram| send(socket, to, datagram));
        }
    }

    /// Makes one system call. Returns true when there may be more.
    fn read_some(&mut self, socket: &Socket, bytes: &mut Vec<u8>, now: Instant) -> bool {
        let Receiver { datagrams, batch_reader, peers, runs, .. } = self;
        let settings = batch_reader.settings().clone();
        let received = datagrams.receive(socket.as_fd(), sys::Datagrams::SLOTS, |datagram| {
            let Some(peer) = datagram.peer else { return };
            let mut taking =
                Taking { socket, batch_reader: &mut *batch_reader, bytes: &mut *bytes, runs: &mut *runs };
            peers.take(peer, datagram.bytes, now, &settings, &mut taking);
        });
        // An error here is that of an earlier answer (ICMP) or an empty socket: the next wait shows which.
        received.is_ok_and(|count| count == sys::Datagrams::SLOTS)
    }

    /// Does periodic work.
    fn tick(&mut self, socket: &Socket) {
        let now = Instant::now();
        if now.duration_since(self.ticked) < TICK {
            return;
        }
        self.ticked = now;
        self.refresh(socket);
        let settings = self.batch_reader.settings().clone();
        let mut say = |to: SocketAddr, datagram: &[u8]| send(socket, to, datagram);
        self.peers.tick(now, &settings, &mut say);
        if now.duration_since(self.looked) >= LOOK_EVERY {
            self.looked = now;
            self.peers.part_with_silent(now, &settings, &mut say);
            self.count_drops(socket);
        }
    }

    fn count_drops(&mut self, socket: &Socket) {
        let Ok(drops) = sys::socket_drops(socket.as_fd()) else { return };
        let fresh = drops.wrapping_sub(self.drops);
        self.drops = drops;
        self.batch_reader.settings().counters.kernel_dropped.fetch_add(u64::from(fresh), Ordering::Relaxed);
    }
}

/// Receiver of the events of associations: texts go to the reader, answers to the socket.
struct Taking<'a> {
    socket: &'a Socket,
    batch_reader: &'a mut BatchReader,
    bytes: &'a mut Vec<u8>,
    runs: &'a mut Vec<Run>,
}

impl Events for Taking<'_> {
    fn text(&mut self, record: &[u8], origin: &Arc<Origin>) {
        self.batch_reader.add_record(record, self.bytes);
        match self.runs.last_mut() {
            Some(run) if Arc::ptr_eq(&run.origin, origin) => run.frames = self.batch_reader.frames(),
            _ => self.runs.push(Run { frames: self.batch_reader.frames(), origin: origin.clone() }),
        }
    }

    fn answer(&mut self, to: SocketAddr, datagram: &[u8]) {
        send(self.socket, to, datagram);
    }

    fn odd(&mut self) {
        stats::add(&self.batch_reader.settings().counters.frame_errors, 1);
    }
}

/// Sends, or loses it like any datagram: the peer will ask again.
fn send(socket: &Socket, to: SocketAddr, datagram: &[u8]) {
    let _ = socket.send_to(datagram, &SockAddr::from(to));
}

#[cfg(test)]
mod tests;
