//! GELF datagrams: assembles chunks into messages, and splits messages into chunks.
//!
//! In: datagrams with their sender, and the time. Out: complete payloads, still compressed if they were; in the other
//! direction, the datagrams of a payload. Holds: the chunks of incomplete messages.
//! Limits: [`CHUNKS_MAX`] chunks per message, as the format requires, [`WAIT`] for the last one, [`PENDING_MAX`]
//! messages and [`PENDING_BYTES_MAX`] bytes of waiting chunks. At a limit the oldest message is dropped and counted:
//! a flood of first chunks costs bounded memory and never a message that has arrived completely.

use std::{
    collections::{HashMap, VecDeque},
    net::SocketAddr,
    time::Duration,
};

/// Most chunks of a message.
const CHUNKS_MAX: usize = 128;
/// Bytes before the data of a chunk: magic, message id, number, count.
const CHUNK_HEADER_BYTES: usize = 12;
/// Longest wait for the chunks of a message.
const WAIT: Duration = Duration::from_secs(5);
/// Most messages that wait for chunks.
const PENDING_MAX: usize = 4_096;
/// Most bytes of waiting chunks.
const PENDING_BYTES_MAX: usize = 16 << 20;

const MAGIC: [u8; 2] = [0x1e, 0x0f];

/// The sender of a message, and its id.
type Key = (Option<SocketAddr>, [u8; 8]);

/// The result of one datagram.
#[derive(PartialEq, Eq, Debug)]
pub enum Payload<'a> {
    /// A complete message.
    Whole(&'a [u8]),
    /// The last missing chunk: the complete message.
    Joined(Vec<u8>),
    /// A chunk that waits for others, or a repetition of one.
    Waiting,
    /// A chunk that cannot be part of a message.
    Broken,
}

/// Puts chunks together.
#[derive(Default)]
pub struct Chunks {
    pending: HashMap<Key, Pending>,
    /// Keys in the order of their first chunk; those removed from `pending` stay for a while.
    order: VecDeque<(Key, u64)>,
    bytes: usize,
    lost: usize,
    serial: u64,
}

struct Pending {
    chunks: Vec<Option<Box<[u8]>>>,
    missing: usize,
    bytes: usize,
    since: Duration,
    serial: u64,
}

/// Returns the bytes that a pending message costs besides its data.
fn overhead(count: usize) -> usize {
    count * size_of::<Option<Box<[u8]>>>() + size_of::<Pending>()
}

impl Chunks {
    /// Takes a datagram. `now` is of any monotonic clock.
    pub fn take<'a>(&mut self, datagram: &'a [u8], sender: Option<SocketAddr>, now: Duration) -> Payload<'a> {
        if !datagram.starts_with(&MAGIC) {
            return Payload::Whole(datagram);
        }
        let Some((header, data)) = datagram.split_first_chunk::<CHUNK_HEADER_BYTES>() else {
            return Payload::Broken;
        };
        let [_, _, id @ .., number, count] = *header;
        let (number, count) = (usize::from(number), usize::from(count));
        if count == 0 || count > CHUNKS_MAX || number >= count {
            return Payload::Broken;
        }
        if count == 1 {
            return Payload::Whole(data);
        }
        self.expire(now);
        let key = (sender, id);
        self.serial += 1;
        let serial = self.serial;
        let pending = self.pending.entry(key).or_insert_with(|| {
            self.order.push_back((key, serial));
            self.bytes += overhead(count);
            let bytes = overhead(count);
            Pending { chunks: vec![None; count], missing: count, bytes, since: now, serial }
        });
        if pending.chunks.len() != count {
            return Payload::Broken;
        }
        let slot = &mut pending.chunks[number];
        if slot.is_some() {
            return Payload::Waiting;
        }
        *slot = Some(data.into());
        pending.missing -= 1;
        pending.bytes += data.len();
        self.bytes += data.len();
        if pending.missing == 0 {
            return self.join(key);
        }
        while self.pending.len() > PENDING_MAX || self.bytes > PENDING_BYTES_MAX {
            self.drop_oldest();
        }
        Payload::Waiting
    }

    fn join(&mut self, key: Key) -> Payload<'static> {
        let Some(pending) = self.pending.remove(&key) else { return Payload::Waiting };
        self.bytes -= pending.bytes;
        if self.pending.is_empty() {
            self.order.clear();
        }
        Payload::Joined(pending.chunks.into_iter().flatten().flatten().collect())
    }

    /// Drops messages whose chunks take too long.
    pub fn expire(&mut self, now: Duration) {
        while let Some((key, serial)) = self.order.front() {
            let is_due = match self.pending.get(key).filter(|pending| pending.serial == *serial) {
                Some(pending) => now.saturating_sub(pending.since) > WAIT,
                None => true,
            };
            if !is_due {
                return;
            }
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some((key, serial)) = self.order.pop_front() else { return };
        if self.pending.get(&key).is_some_and(|pending| pending.serial == serial)
            && let Some(pending) = self.pending.remove(&key)
        {
            self.bytes -= pending.bytes;
            self.lost += 1;
        }
    }

    /// Returns the number of messages that were given up since the last call.
    pub fn take_lost(&mut self) -> usize {
        std::mem::take(&mut self.lost)
    }

    /// Returns the number of bytes of waiting chunks.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Splits a payload into datagrams of at most `size` bytes, each passed to `send`. Returns false when it needs too many
/// chunks.
pub fn gelf_chunks<E>(
    payload: &[u8],
    id: u64,
    size: usize,
    mut send: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<bool, E> {
    if payload.len() <= size {
        send(payload)?;
        return Ok(true);
    }
    let data_bytes = size.saturating_sub(CHUNK_HEADER_BYTES).max(1);
    let count = payload.len().div_ceil(data_bytes);
    if count > CHUNKS_MAX {
        return Ok(false);
    }
    let mut chunk = Vec::with_capacity(size);
    for (number, data) in payload.chunks(data_bytes).enumerate() {
        chunk.clear();
        chunk.extend_from_slice(&MAGIC);
        chunk.extend_from_slice(&id.to_be_bytes());
        chunk.extend_from_slice(&[number as u8, count as u8]);
        chunk.extend_from_slice(data);
        send(&chunk)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
