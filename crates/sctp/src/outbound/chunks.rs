//! Chunks that have a TSN, until the peer has acknowledged everything up to them.
//!
//! In: messages that depart, what became of their chunks. Out: chunks to send, settled messages.
//! Holds: the payload; which chunks wait, are on their way, and have copies to come. Limits: the caller bounds bytes and TSNs.

use super::lanes::{MESSAGE_COST, Queued};
use super::rate::Snapshot;
use crate::codec::serial::wrap;
use crate::codec::{Chunk as Encoded, Data, Fragment, Numbering};
use crate::interface::{MessageId, Policy, Time};
use std::collections::{BTreeSet, VecDeque};

/// The state of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ChunkState {
    /// It was never sent.
    Unsent,
    Flight,
    /// It was sent, and has to be sent again.
    Lost,
    /// It has arrived above a gap.
    Acked,
    Abandoned,
}

/// A chunk with a TSN.
pub(super) struct Chunk {
    pub(super) id: MessageId,
    /// Index in its message, and how many chunks that has.
    index: usize,
    count: usize,
    stream: u16,
    unordered: bool,
    protocol: u32,
    numbering: Numbering,
    payload: Vec<u8>,
    pub(super) policy: Policy,
    since: Time,
    pub(super) state: ChunkState,
    pub(super) first_sent: Time,
    pub(super) last_sent: Time,
    /// Numbers of the packets that had it first and last.
    pub(super) first_packet: u64,
    pub(super) packet: u64,
    pub(super) sends: u32,
    pub(super) is_repeated: bool,
    pub(super) copies_left: u8,
    pub(super) snapshot: Snapshot,
}

impl Chunk {
    /// Returns the bytes that it takes in a packet.
    pub(super) fn size(&self) -> usize {
        let head = if matches!(self.numbering, Numbering::Sequence(_)) { 16 } else { 20 };
        (head + self.payload.len()).next_multiple_of(4)
    }

    pub(super) fn is_important(&self) -> bool {
        self.policy.copies > 0
    }

    pub(super) fn life_ends(&self) -> Option<Time> {
        self.policy.life.map(|life| self.since + life)
    }

    pub(super) fn is_expired(&self, now: Time) -> bool {
        self.life_ends().is_some_and(|end| now > end)
    }

    /// Returns whether it has been sent as often as it may be.
    pub(super) fn is_exhausted(&self, repeats: u32) -> bool {
        self.policy.retransmissions_max.is_some_and(|most| repeats > most)
    }
}

/// A message of which nothing is left here.
pub(super) struct Settled {
    pub(super) id: MessageId,
    pub(super) is_abandoned: bool,
}

/// Number of an abandoned message, for the peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Skipped {
    pub(super) stream: u16,
    pub(super) unordered: bool,
    pub(super) numbering: Numbering,
}

/// The chunks by TSN; TSNs have 64 bits inside.
pub(super) struct Chunks {
    /// TSN of the first chunk: one after the cumulative TSN of the peer.
    base: u64,
    chunks: VecDeque<Chunk>,
    /// Lane and TSN of chunks that are to be sent.
    waiting: BTreeSet<(u8, u64)>,
    /// Packet and TSN of chunks on their way, from the oldest to the newest.
    flight: BTreeSet<(u64, u64)>,
    /// Time and TSN of copies.
    copies: BTreeSet<(Time, u64)>,
    flight_bytes: usize,
    cost: usize,
}

impl Chunks {
    pub(super) fn new(base: u64) -> Chunks {
        Chunks {
            base,
            chunks: VecDeque::new(),
            waiting: BTreeSet::new(),
            flight: BTreeSet::new(),
            copies: BTreeSet::new(),
            flight_bytes: 0,
            cost: 0,
        }
    }

    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// Returns the TSN of the next chunk.
    pub(super) fn next(&self) -> u64 {
        self.base + self.chunks.len() as u64
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    pub(super) fn flight_bytes(&self) -> usize {
        self.flight_bytes
    }

    /// Returns the bytes that are held, with what they cost to keep.
    pub(super) fn cost(&self) -> usize {
        self.cost
    }

    pub(super) fn get(&self, tsn: u64) -> Option<&Chunk> {
        self.chunks.get(usize::try_from(tsn.checked_sub(self.base)?).ok()?)
    }

    fn get_mut(&mut self, tsn: u64) -> Option<&mut Chunk> {
        self.chunks.get_mut(usize::try_from(tsn.checked_sub(self.base)?).ok()?)
    }

    /// Gives the chunks of a message their TSNs.
    pub(super) fn depart(&mut self, queued: Queued, numbering: Numbering, fragment_bytes: usize) {
        let Queued { id, message, since } = queued;
        let count = message.payload.len().div_ceil(fragment_bytes);
        let mut rest = message.payload;
        for index in 0..count {
            let tail = if rest.len() > fragment_bytes { rest.split_off(fragment_bytes) } else { Vec::new() };
            let payload = std::mem::replace(&mut rest, tail);
            let numbering = match numbering {
                Numbering::Message { id, .. } => {
                    Numbering::Message { id, fragment: u32::try_from(index).unwrap_or(u32::MAX) }
                }
                sequence @ Numbering::Sequence(_) => sequence,
            };
            self.cost += payload.len() + MESSAGE_COST;
            self.waiting.insert((message.policy.lane, self.next()));
            self.chunks.push_back(Chunk {
                id,
                index,
                count,
                stream: message.stream,
                unordered: message.unordered,
                protocol: message.protocol,
                numbering,
                payload,
                policy: message.policy,
                since,
                state: ChunkState::Unsent,
                first_sent: Time::default(),
                last_sent: Time::default(),
                first_packet: 0,
                packet: 0,
                sends: 0,
                is_repeated: false,
                copies_left: 0,
                snapshot: Snapshot::default(),
            });
        }
    }

    /// Returns the TSN of the chunk that is to be sent first.
    pub(super) fn first_waiting(&self) -> Option<u64> {
        self.waiting.first().map(|(_, tsn)| *tsn)
    }

    /// Returns the lowest TSN that is to be sent.
    pub(super) fn lowest_waiting(&self) -> Option<u64> {
        self.waiting.iter().map(|(_, tsn)| *tsn).min()
    }

    /// Returns the chunks on their way, from the oldest to the newest, up to the one in a packet.
    pub(super) fn flight_before(&self, packet: u64) -> impl Iterator<Item = (u64, &Chunk)> {
        self.flight.range(..(packet, 0)).filter_map(|(_, tsn)| Some((*tsn, self.get(*tsn)?)))
    }

    /// Returns copies, from the first that is due.
    pub(super) fn copies(&self) -> impl Iterator<Item = (Time, u64)> {
        self.copies.iter().copied()
    }

    /// Appends a chunk to a packet.
    pub(super) fn encode(&self, tsn: u64, immediate: Immediate, out: &mut Vec<u8>) {
        let Some(chunk) = self.get(tsn) else { return };
        let fragment = Fragment::of(chunk.index, chunk.count);
        let data = Data {
            tsn: wrap(tsn),
            stream: chunk.stream,
            numbering: chunk.numbering,
            protocol: chunk.protocol,
            fragment,
            unordered: chunk.unordered,
            immediate: immediate == Immediate::Yes,
            payload: &chunk.payload,
        };
        Encoded::Data(data).encode(out);
    }

    /// Notes that a chunk was sent, for the first time or again.
    pub(super) fn sent(&mut self, tsn: u64, packet: u64, now: Time, snapshot: Snapshot) {
        let Some(chunk) = self.get_mut(tsn) else { return };
        if chunk.sends == 0 {
            (chunk.first_sent, chunk.first_packet) = (now, packet);
        }
        chunk.is_repeated |= chunk.state == ChunkState::Lost;
        chunk.state = ChunkState::Flight;
        chunk.sends += 1;
        (chunk.last_sent, chunk.packet, chunk.snapshot) = (now, packet, snapshot);
        let (lane, size) = (chunk.policy.lane, chunk.size());
        self.waiting.remove(&(lane, tsn));
        self.flight.insert((packet, tsn));
        self.flight_bytes += size;
    }

    /// Plans copies of a chunk that was just sent.
    pub(super) fn plan_copies(&mut self, tsn: u64, count: u8, due: Time) {
        let Some(chunk) = self.get_mut(tsn).filter(|_| count > 0) else { return };
        chunk.copies_left = count;
        self.copies.insert((due, tsn));
    }

    /// Notes that a copy was sent; the next one is due at `next`.
    pub(super) fn copied(&mut self, due: Time, tsn: u64, packet: u64, now: Time, next: Time) {
        self.copies.remove(&(due, tsn));
        let Some(chunk) = self.get_mut(tsn) else { return };
        let before = (chunk.packet, tsn);
        chunk.copies_left -= 1;
        chunk.sends += 1;
        (chunk.last_sent, chunk.packet) = (now, packet);
        let is_last = chunk.copies_left == 0;
        self.flight.remove(&before);
        self.flight.insert((packet, tsn));
        if !is_last {
            self.copies.insert((next, tsn));
        }
    }

    /// Drops the plan to copy a chunk.
    pub(super) fn drop_copies(&mut self, due: Time, tsn: u64) {
        self.copies.remove(&(due, tsn));
        if let Some(chunk) = self.get_mut(tsn) {
            chunk.copies_left = 0;
        }
    }

    /// Notes that a chunk is lost.
    pub(super) fn lost(&mut self, tsn: u64) {
        let state = self.leave(tsn);
        let Some(chunk) = self.get_mut(tsn) else { return };
        debug_assert!(
            matches!(state, Some(ChunkState::Flight | ChunkState::Acked)),
            "only what was sent is lost"
        );
        chunk.state = ChunkState::Lost;
        let lane = chunk.policy.lane;
        self.waiting.insert((lane, tsn));
    }

    /// Notes that a chunk has arrived; returns it if that is news.
    pub(super) fn acked(&mut self, tsn: u64) -> Option<&Chunk> {
        let state = self.get(tsn)?.state;
        if !matches!(state, ChunkState::Flight | ChunkState::Lost) {
            return None;
        }
        self.leave(tsn);
        let chunk = self.get_mut(tsn)?;
        chunk.state = ChunkState::Acked;
        Some(chunk)
    }

    /// Takes a chunk out of the lists of its state.
    fn leave(&mut self, tsn: u64) -> Option<ChunkState> {
        let chunk = self.get_mut(tsn)?;
        let (state, lane, packet, size) = (chunk.state, chunk.policy.lane, chunk.packet, chunk.size());
        let had_copies = std::mem::take(&mut chunk.copies_left) > 0;
        match state {
            ChunkState::Unsent | ChunkState::Lost => {
                self.waiting.remove(&(lane, tsn));
            }
            ChunkState::Flight => {
                self.flight.remove(&(packet, tsn));
                self.flight_bytes -= size;
            }
            ChunkState::Acked | ChunkState::Abandoned => {}
        }
        if had_copies {
            self.copies.retain(|(_, other)| *other != tsn);
        }
        Some(state)
    }

    /// Abandons the message of a chunk; returns it.
    pub(super) fn abandon(&mut self, tsn: u64) -> Option<MessageId> {
        let chunk = self.get(tsn).filter(|chunk| chunk.state != ChunkState::Abandoned)?;
        let (id, first, count) = (chunk.id, tsn.saturating_sub(chunk.index as u64), chunk.count as u64);
        for tsn in first.max(self.base)..first + count {
            self.leave(tsn);
            let Some(chunk) = self.get_mut(tsn) else { continue };
            chunk.state = ChunkState::Abandoned;
            let freed = std::mem::take(&mut chunk.payload).len();
            self.cost -= freed;
        }
        Some(id)
    }

    /// Takes the first chunk; returns its message if that is settled with it.
    pub(super) fn pop(&mut self) -> Option<Settled> {
        self.leave(self.base);
        let chunk = self.chunks.pop_front()?;
        self.base += 1;
        self.cost -= chunk.payload.len() + MESSAGE_COST;
        let is_abandoned = chunk.state == ChunkState::Abandoned;
        (chunk.index + 1 == chunk.count).then_some(Settled { id: chunk.id, is_abandoned })
    }

    /// Returns the last TSN before which everything, from the first one on, is abandoned.
    pub(super) fn abandoned_through(&self) -> u64 {
        let abandoned = self.chunks.iter().take_while(|chunk| chunk.state == ChunkState::Abandoned);
        self.base - 1 + abandoned.count() as u64
    }

    /// Returns what the abandoned messages up to a TSN leave to tell.
    pub(super) fn skipped_through(&self, tsn: u64) -> impl Iterator<Item = Skipped> {
        let count = usize::try_from((tsn + 1).saturating_sub(self.base)).unwrap_or(usize::MAX);
        self.chunks.iter().take(count).map(|chunk| Skipped {
            stream: chunk.stream,
            unordered: chunk.unordered,
            numbering: chunk.numbering,
        })
    }

    /// Returns the messages that are not settled, each once.
    pub(super) fn unsettled(&self) -> impl Iterator<Item = MessageId> {
        let last = |chunk: &&Chunk| chunk.index + 1 == chunk.count && chunk.state != ChunkState::Abandoned;
        self.chunks.iter().filter(last).map(|chunk| chunk.id)
    }
}

/// The peer is asked to acknowledge at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Immediate {
    No,
    Yes,
}
