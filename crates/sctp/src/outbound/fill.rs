//! What goes into the next packet.
//!
//! In: room, time. Out: chunks with payload, FORWARD-TSN. Limits: the window and the pace of the path, the room of the peer;
//! an important chunk may go a few packets ahead of the pace and above the window.

use super::chunks::{ChunkState, Immediate};
use super::copies::{self, Copies, CopyTurn};
use super::rate::Limit;
use super::state::{State, StreamKey, TSNS_MAX};
use crate::codec::serial::wrap;
use crate::codec::{Chunk, ForwardTsn, Numbering, SkippedMessage};
use crate::interface::{AbandonReason, Message, Time};
use std::collections::BTreeMap;
use std::time::Duration;

/// Payload of a fragment: any path takes a packet with it, so that a path that shrinks strands no chunk.
const FRAGMENT_BYTES: usize = 1_160;
/// Packets that important chunks may go ahead of the pace and above the window.
const IMPORTANT_PACKETS: usize = 6;
/// Headers of UDP, IP and SCTP, which use the path as well.
const HEADER_BYTES: usize = 40;
/// FORWARD-TSN goes at most this often for new abandoned chunks.
const FORWARD_GAP: Duration = Duration::from_millis(10);
/// Copies that are looked at for one packet.
const COPIES_LOOKED_AT: usize = 64;

/// Origin of the next chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A chunk with a TSN.
    Waiting(u64),
    /// The first message of the lanes.
    Queued,
}

/// The next chunk or message.
struct Candidate {
    origin: Origin,
    is_important: bool,
    size: usize,
}

/// A packet being filled.
struct Packet {
    now: Time,
    number: u64,
    out: Vec<u8>,
    room: usize,
    /// Bytes of chunks that are no copies.
    fresh_bytes: usize,
}

impl Packet {
    fn fits(&self, size: usize) -> bool {
        self.out.len() + size <= self.room
    }
}

/// Returns the chunks of the next packet, at most `room` bytes; none if there is nothing to send now.
pub(super) fn fill(state: &mut State, now: Time, room: usize) -> Vec<u8> {
    state.polled = now;
    state.expire(now);
    if state.chunks.flight_bytes() == 0 {
        state.rate.wakes(now);
    }
    let mut packet = Packet { now, number: state.packet + 1, out: Vec::new(), room, fresh_bytes: 0 };
    forward(state, &mut packet);
    fill_with(state, &mut packet, Urgency::Important);
    fill_with_copies(state, &mut packet);
    fill_with(state, &mut packet, Urgency::Any);
    if packet.fresh_bytes > 0 {
        let bytes = packet.fresh_bytes + HEADER_BYTES;
        state.rate.sent(now, bytes, state.loss.shortest());
        state.copies.sent(bytes);
    }
    if !packet.out.is_empty() {
        state.packet = packet.number;
    }
    let is_users = state.lanes.is_empty() && state.chunks.flight_bytes() < state.window();
    state.rate.set_limited(if is_users { Limit::User } else { Limit::Path });
    packet.out
}

/// Which chunks are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Urgency {
    Important,
    Any,
}

fn fill_with(state: &mut State, packet: &mut Packet, urgency: Urgency) {
    while let Some(candidate) = candidate(state, packet.now) {
        let Candidate { origin, is_important, size } = candidate;
        if urgency == Urgency::Important && !is_important || !may_go(state, packet.now, &candidate) {
            return;
        }
        match origin {
            Origin::Waiting(tsn) => {
                if !packet.fits(size) {
                    return;
                }
                send(state, packet, tsn);
            }
            Origin::Queued => {
                if size <= FRAGMENT_BYTES && !packet.fits(size + 20) {
                    return;
                }
                depart(state);
            }
        }
    }
}

/// Returns the next chunk or message.
fn candidate(state: &mut State, now: Time) -> Option<Candidate> {
    let waiting = loop {
        // A peer that is full takes only what fills its gaps, and has room again when the lowest TSN has come.
        let is_full = state.peer_window < 2 * state.packet_bytes;
        let next = if is_full { state.chunks.lowest_waiting() } else { state.chunks.first_waiting() };
        let Some(tsn) = next else { break None };
        let chunk = state.chunks.get(tsn)?;
        if !(state.can_abandon && chunk.is_expired(now)) {
            let lane = if is_full { 0 } else { chunk.policy.lane };
            break Some((tsn, lane, chunk.is_important(), chunk.size()));
        }
        state.abandon(tsn, AbandonReason::Expired);
    };
    let queued = state.lanes.first().filter(|queued| may_depart(state, &queued.message));
    match (waiting, queued) {
        (Some((tsn, lane, is_important, size)), queued)
            if queued.is_none_or(|queued| lane <= queued.message.policy.lane) =>
        {
            Some(Candidate { origin: Origin::Waiting(tsn), is_important, size })
        }
        (_, queued) => queued.map(|queued| {
            let message = &queued.message;
            let size = message.payload.len().next_multiple_of(4);
            Candidate { origin: Origin::Queued, is_important: message.policy.copies > 0, size }
        }),
    }
}

/// Returns whether window, pace and peer take it now.
fn may_go(state: &State, now: Time, candidate: &Candidate) -> bool {
    let Candidate { is_important, size, .. } = *candidate;
    let flight = state.chunks.flight_bytes();
    // A peer without room is probed by one chunk at a time.
    if flight > 0 && flight + size > state.peer_window {
        return false;
    }
    let window = state.window();
    if is_important {
        let ahead = IMPORTANT_PACKETS * state.packet_bytes;
        return flight < window + ahead && state.rate.may_hurry(now, ahead);
    }
    // With a backlog only full packets go: queues on the way count packets.
    let needed = if state.lanes.payload_bytes() > 2 * state.packet_bytes { state.packet_bytes } else { 1 };
    now >= state.rate.next_send() && flight + needed <= window.max(state.packet_bytes)
}

/// Returns whether there are TSNs and memory for a message to depart. One that has to wait does not hold up chunks that have
/// departed: they free both.
fn may_depart(state: &State, message: &Message) -> bool {
    let size = message.payload.len();
    let tsns = state.chunks.next() - state.chunks.base() + size.div_ceil(FRAGMENT_BYTES) as u64;
    let is_crowded = message.policy.copies == 0 && state.chunks.cost() + size > state.chunk_bytes_max;
    state.chunks.is_empty() || (tsns <= TSNS_MAX && !is_crowded)
}

/// Gives the first message of the lanes its TSNs.
fn depart(state: &mut State) {
    let Some(queued) = state.lanes.pop() else { return };
    let Message { stream, unordered, .. } = queued.message;
    let numbering = state.numbers.number(StreamKey { stream, unordered });
    state.chunks.depart(queued, numbering, FRAGMENT_BYTES);
}

/// Sends a chunk that has a TSN.
fn send(state: &mut State, packet: &mut Packet, tsn: u64) {
    let Some(chunk) = state.chunks.get(tsn) else { return };
    let (policy, size) = (chunk.policy, chunk.size());
    let (is_important, is_repeat) = (chunk.is_important(), chunk.state == ChunkState::Lost);
    let immediate = if is_important || is_repeat { Immediate::Yes } else { Immediate::No };
    state.chunks.encode(tsn, immediate, &mut packet.out);
    packet.fresh_bytes += size;
    let snapshot = state.rate.snapshot();
    state.chunks.sent(tsn, packet.number, packet.now, snapshot);
    // Doubles of a chunk with copies say nothing: the copies make them.
    if is_repeat && !is_important {
        state.loss.repeated(tsn);
    }
    if is_important && !state.has_backlog() {
        let count = Copies::count(state.loss.share(), policy.copies);
        state.chunks.plan_copies(tsn, count, packet.now + copies::FIRST_GAP);
    }
}

/// Adds copies: those that are due, and first ones as long as the packet goes anyway.
fn fill_with_copies(state: &mut State, packet: &mut Packet) {
    let looked_at: Vec<(Time, u64)> = state.chunks.copies().take(COPIES_LOOKED_AT).collect();
    let goes_anyway = !looked_at.is_empty()
        && (!packet.out.is_empty()
            || candidate(state, packet.now).is_some_and(|candidate| may_go(state, packet.now, &candidate)));
    for (due, tsn) in looked_at {
        let Some(chunk) = state.chunks.get(tsn) else { continue };
        let is_first = chunk.sends == 1;
        let rides = is_first && goes_anyway && chunk.packet < packet.number;
        let size = chunk.size();
        if due > packet.now && !rides {
            continue;
        }
        if !packet.fits(size) {
            return;
        }
        let turn = if is_first { CopyTurn::First } else { CopyTurn::Later };
        if !state.copies.spend(size, turn) {
            state.chunks.drop_copies(due, tsn);
            continue;
        }
        state.chunks.encode(tsn, Immediate::Yes, &mut packet.out);
        state.chunks.copied(due, tsn, packet.number, packet.now, packet.now + copies::NEXT_GAP);
    }
}

/// Tells the peer what is abandoned, if that is due.
fn forward(state: &mut State, packet: &mut Packet) {
    if state.forward_at().is_none_or(|at| at > packet.now) {
        return;
    }
    let (through, interleaves) = (state.forward.through, state.numbers.interleaves);
    let mut last: BTreeMap<StreamKey, Numbering> = BTreeMap::new();
    for skipped in state.chunks.skipped_through(through) {
        if interleaves || !skipped.unordered {
            let key = StreamKey { stream: skipped.stream, unordered: skipped.unordered };
            last.insert(key, skipped.numbering);
        }
    }
    let skipped = last.into_iter().map(|(StreamKey { stream, unordered }, numbering)| {
        let numbering = match numbering {
            Numbering::Message { id, .. } => Numbering::Message { id, fragment: 0 },
            sequence @ Numbering::Sequence(_) => sequence,
        };
        SkippedMessage { stream, numbering, unordered }
    });
    let forward = ForwardTsn { cumulative: wrap(through), skipped: skipped.collect() };
    let size = 8 + forward.skipped.len() * 8;
    if !packet.fits(size) {
        return;
    }
    let chunk = if interleaves { Chunk::IForwardTsn(forward) } else { Chunk::ForwardTsn(forward) };
    chunk.encode(&mut packet.out);
    state.forward.sent = Some(packet.now);
    state.forward.told = through;
}

impl State {
    /// Returns when the peer is to be told of abandoned chunks, if there are any.
    pub(super) fn forward_at(&self) -> Option<Time> {
        let forward = &self.forward;
        if forward.through < self.chunks.base() {
            return None;
        }
        Some(match forward.sent {
            None => self.polled,
            Some(sent) if forward.through > forward.told => sent + FORWARD_GAP,
            Some(sent) => sent + self.loss.wait(),
        })
    }
}
