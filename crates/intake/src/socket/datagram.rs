//! Datagram listeners: UDP and unix-dgram.
//!
//! In: datagrams, many per system call. Out: batches of up to one read's size, of many senders. Holds: the slots.
//! Limits: senders of datagrams cannot be held back: when the window is closed the kernel's buffer fills and then
//! drops, and `kernel_dropped` shows how many.

use super::{
    gelf::Assembler,
    peer::{Peers, Sender, canonical},
};
use crate::{
    batch_reader::{BatchReader, Run, buffer},
    options::Form,
    source::SettingsCell,
};
use message::{Mark, Transport};
use socket2::Socket;
use std::{
    io,
    os::fd::AsFd,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use tokio::sync::watch;
use transport::{HostNames, InternalLog, stats, sys};

/// Largest datagram of UDP; unix sockets may send more.
const DATAGRAM_BYTES_MAX: usize = 64 << 10;
/// In a flood a batch of a few datagrams costs mostly waking up; a pause of this length makes it a hundred times
/// larger.
const GATHER: Duration = Duration::from_millis(1);
/// A batch of this many datagrams is a sign of a flood.
const GATHER_COUNT_MIN: usize = 8;
/// Smallest socket buffer that holds two pauses of a million datagrams per second, at 768 bytes each in the kernel.
const GATHER_BUFFER_BYTES_MIN: usize = 4 << 20;
/// How often the kernel's drop count is read.
const DROPS_EVERY: Duration = Duration::from_secs(1);

/// Receives until it is stopped.
pub(crate) async fn receive(
    socket: Socket,
    cell: Arc<SettingsCell>,
    names: HostNames,
    log: InternalLog,
    mut stop: watch::Receiver<bool>,
) {
    let opened =
        Receiver::new(&socket, &cell, names).and_then(|receiver| Ok((receiver, sys::readiness(socket)?)));
    let (mut receiver, socket) = match opened {
        Ok(opened) => opened,
        Err(error) => return log.error(&format!("Cannot wait for datagrams; error='{error}'")),
    };
    loop {
        let ready = async {
            receiver.batch_reader.window.wait_for_room().await;
            socket.readable().await
        };
        let ready = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            ready = tokio::time::timeout(DROPS_EVERY, ready) => ready,
        };
        match ready {
            Err(_) => receiver.count_drops(socket.get_ref()),
            Ok(Ok(mut guard)) => {
                let is_empty = receiver.read(socket.get_ref());
                if is_empty {
                    guard.clear_ready();
                }
                if is_empty && receiver.gathers {
                    tokio::time::sleep(GATHER).await;
                }
            }
            Ok(Err(error)) => return log.error(&format!("Cannot wait for datagrams; error='{error}'")),
        }
        tokio::task::coop::consume_budget().await;
    }
    receiver.count_drops(socket.get_ref());
}

struct Receiver {
    /// The socket's buffer is large enough to let datagrams gather while many come.
    can_gather: bool,
    /// Many come: the next batch waits a moment so that it becomes larger.
    gathers: bool,
    datagrams: sys::Datagrams,
    /// Bytes in a slot of the last call: many where datagrams come several as one.
    slot_bytes: usize,
    batch_reader: BatchReader,
    peers: Peers,
    runs: Vec<Run>,
    /// Puts the chunks of GELF together.
    assembler: Option<Assembler>,
    drops: u32,
    drops_asked: Instant,
}

impl Receiver {
    fn new(socket: &Socket, cell: &Arc<SettingsCell>, names: HostNames) -> io::Result<Receiver> {
        let local = socket.local_addr()?;
        let settings = cell.settings();
        let (transport, file_name) = match local.as_pathname() {
            Some(path) => (Transport::UnixDgram, path.display().to_string()),
            None => (Transport::Udp, String::new()),
        };
        // If several datagrams may arrive as one, a slot has space for all of them.
        let coalesces = transport == Transport::Udp && sys::coalesce(socket.as_fd()).is_ok();
        let shortest = if coalesces { DATAGRAM_BYTES_MAX } else { 1 };
        let slot_bytes = settings.options.message_bytes_max.clamp(shortest, DATAGRAM_BYTES_MAX);
        Ok(Receiver {
            can_gather: socket.recv_buffer_size()? >= GATHER_BUFFER_BYTES_MIN,
            gathers: false,
            peers: Peers::new(names, transport, local.as_socket().map(canonical), file_name),
            drops: sys::socket_drops(socket.as_fd()).unwrap_or(0),
            datagrams: sys::Datagrams::new(slot_bytes),
            slot_bytes: 1,
            batch_reader: BatchReader::new(cell),
            runs: Vec::new(),
            assembler: (settings.options.form == Form::Gelf).then(Assembler::new),
            drops_asked: Instant::now(),
        })
    }

    /// Reads one batch. Returns true when the socket is empty.
    fn read(&mut self, socket: &Socket) -> bool {
        if self.batch_reader.refresh() {
            self.peers.forget();
            let is_gelf = self.batch_reader.settings().options.form == Form::Gelf;
            if is_gelf != self.assembler.is_some() {
                self.assembler = is_gelf.then(Assembler::new);
            }
        }
        let mut bytes = buffer::take(buffer::READ_BYTES + DATAGRAM_BYTES_MAX);
        let now = Instant::now();
        self.peers.age(now);
        let mut more = true;
        while more && bytes.len() < buffer::READ_BYTES && !self.peers.is_full() {
            more = self.read_some(socket, &mut bytes, now);
        }
        self.gathers = self.can_gather && self.batch_reader.frames() >= GATHER_COUNT_MIN;
        if self.batch_reader.frames() > 0 {
            let size = bytes.len();
            self.batch_reader.forward_runs(buffer::share(bytes, size), &self.runs, None);
        } else {
            buffer::recycle(bytes);
        }
        self.runs.clear();
        if now.duration_since(self.drops_asked) >= DROPS_EVERY {
            self.drops_asked = now;
            self.count_drops(socket);
        }
        !more
    }

    /// Makes one system call. Returns true when there may be more.
    fn read_some(&mut self, socket: &Socket, bytes: &mut Vec<u8>, now: Instant) -> bool {
        // A batch must not be much larger than one read, however much each slot brings.
        let free = buffer::READ_BYTES.saturating_sub(bytes.len());
        let limit = (free / self.slot_bytes).clamp(1, sys::Datagrams::SLOTS);
        let start = bytes.len();
        let Receiver { datagrams, batch_reader, peers, runs, assembler, .. } = self;
        let mut broken = 0;
        let received = datagrams.receive(socket.as_fd(), limit, |datagram| {
            let sender = datagram.peer.map_or(Sender::Local(datagram.credentials), Sender::Ip);
            let origin = peers.origin(sender, batch_reader.settings(), now);
            let size = if datagram.segment == 0 { usize::MAX } else { datagram.segment };
            let mut rest = datagram.bytes;
            while let Some((one, more)) =
                rest.split_at_checked(size.min(rest.len())).filter(|(one, _)| !one.is_empty())
            {
                rest = more;
                let mut add = |one: &[u8]| {
                    let start = bytes.len();
                    batch_reader.append(one, bytes);
                    batch_reader.add_datagram(
                        bytes,
                        start..bytes.len(),
                        datagram.cut.then_some(Mark::Truncated),
                    );
                };
                match assembler {
                    None => add(one),
                    Some(assembler) => broken += usize::from(!assembler.take(one, datagram.peer, now, add)),
                }
            }
            match runs.last_mut() {
                Some(run) if Arc::ptr_eq(&run.origin, &origin) => run.frames = batch_reader.frames(),
                _ => runs.push(Run { frames: batch_reader.frames(), origin }),
            }
        });
        if broken > 0 {
            stats::add(&batch_reader.settings().counters.frame_errors, broken);
        }
        // An error here is that of an earlier answer (ICMP) or an empty socket: the next wait shows which.
        let count = received.unwrap_or(0);
        self.slot_bytes = ((bytes.len() - start) / count.max(1)).max(1);
        count == limit
    }

    fn count_drops(&mut self, socket: &Socket) {
        if let Some(assembler) = &mut self.assembler {
            let lost = assembler.take_lost(Instant::now());
            stats::add(&self.batch_reader.settings().counters.frame_errors, lost);
        }
        let Ok(drops) = sys::socket_drops(socket.as_fd()) else { return };
        let fresh = drops.wrapping_sub(self.drops);
        self.drops = drops;
        self.batch_reader.settings().counters.kernel_dropped.fetch_add(u64::from(fresh), Ordering::Relaxed);
    }
}
