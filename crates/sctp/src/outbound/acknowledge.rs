//! What a SACK says: deliveries, round trips, rates, losses.
//!
//! In: SACKs. Out: settled messages, chunks to be sent again. Limits: blocks are read as far as they ascend, so that each
//! chunk is looked at once.

use super::chunks::{Chunk, ChunkState};
use super::loss::Fate;
use super::rate::Sample;
use super::state::State;
use crate::codec::Sack;
use crate::codec::serial::unwrap;
use crate::interface::{Event, Time};
use std::time::Duration;

/// A SACK with this many blocks may have had no room for more; some receivers send no more than twenty.
const BLOCKS_FULL: usize = 20;

/// After so many waits without an answer the line was down.
const SILENT_WAITS_OF_OUTAGE: u32 = 3;

/// The peer acknowledges what was never sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FalseAcknowledgement;

/// The newest chunk that a SACK acknowledges for the first time.
struct Newest {
    sample: Sample,
    packet: u64,
    /// It was sent once, so that the round trip is known.
    is_exact: bool,
}

/// Takes a SACK.
pub(super) fn acknowledge(state: &mut State, now: Time, sack: &Sack) -> Result<(), FalseAcknowledgement> {
    let cumulative = unwrap(state.chunks.base() - 1, sack.cumulative);
    if cumulative + 1 < state.chunks.base() {
        return Ok(());
    }
    if cumulative >= state.chunks.next() {
        return Err(FalseAcknowledgement);
    }
    state.peer_window = sack.window as usize;
    for tsn in &sack.duplicates {
        state.loss.doubled(unwrap(cumulative, *tsn));
    }
    let mut newest = None;
    settle_through(state, now, cumulative, &mut newest)?;
    let mut next = cumulative + 2;
    for gap in &sack.gaps {
        let (first, last) = (cumulative + u64::from(gap.start), cumulative + u64::from(gap.end));
        if first < next || last < first {
            break;
        }
        if last >= state.chunks.next() {
            return Err(FalseAcknowledgement);
        }
        (first..=last).try_for_each(|tsn| arrived(state, now, tsn, &mut newest))?;
        next = last + 1;
    }
    state.loss.known_through = if sack.gaps.len() >= BLOCKS_FULL { next - 1 } else { u64::MAX };
    // The peer has dropped what it had acknowledged above a gap.
    let first = state.chunks.base();
    if state.chunks.get(first).is_some_and(|chunk| chunk.state == ChunkState::Acked) {
        state.chunks.lost(first);
    }
    state.forward.through = state.chunks.abandoned_through();
    if let Some(newest) = newest {
        learn(state, now, &newest);
        detect(state, now);
    }
    Ok(())
}

/// Settles everything up to a TSN: from a SACK, or from SHUTDOWN.
pub(super) fn acknowledge_through(
    state: &mut State,
    now: Time,
    tsn: u32,
) -> Result<(), FalseAcknowledgement> {
    let sack = Sack {
        cumulative: tsn,
        window: u32::try_from(state.peer_window).unwrap_or(u32::MAX),
        ..Sack::default()
    };
    acknowledge(state, now, &sack)
}

fn settle_through(
    state: &mut State,
    now: Time,
    cumulative: u64,
    newest: &mut Option<Newest>,
) -> Result<(), FalseAcknowledgement> {
    while state.chunks.base() <= cumulative {
        arrived(state, now, state.chunks.base(), newest)?;
        if let Some(settled) = state.chunks.pop()
            && !settled.is_abandoned
        {
            state.events.push(Event::Delivered(settled.id));
        }
    }
    Ok(())
}

/// Notes that a chunk has arrived.
fn arrived(
    state: &mut State,
    now: Time,
    tsn: u64,
    newest: &mut Option<Newest>,
) -> Result<(), FalseAcknowledgement> {
    if state.chunks.get(tsn).is_some_and(|chunk| chunk.state == ChunkState::Unsent) {
        return Err(FalseAcknowledgement);
    }
    let shortest = state.loss.shortest();
    let Some(chunk) = state.chunks.acked(tsn) else { return Ok(()) };
    state.rate.delivered(now, chunk.size());
    if !chunk.is_important() && chunk.sends == 1 {
        state.loss.fate(Fate::Arrived);
    }
    let candidate = newest_of(chunk, now, shortest);
    if newest.as_ref().is_none_or(|newest| candidate.sample.sent > newest.sample.sent) {
        *newest = Some(candidate);
    }
    Ok(())
}

/// Credits a chunk that was sent more than once to its first time, so that no round trip is taken for shorter than it was;
/// one that was repeated to the repeat, if the answer took at least the shortest round trip (RFC 8985, 6.2).
fn newest_of(chunk: &Chunk, now: Time, shortest: Duration) -> Newest {
    let is_exact = chunk.sends == 1;
    let is_of_last = is_exact || (chunk.is_repeated && now.since(chunk.last_sent) >= shortest);
    let (sent, packet) =
        if is_of_last { (chunk.last_sent, chunk.packet) } else { (chunk.first_sent, chunk.first_packet) };
    Newest { sample: Sample { sent, snapshot: chunk.snapshot }, packet, is_exact }
}

fn learn(state: &mut State, now: Time, newest: &Newest) {
    if state.loss.silent_waits >= SILENT_WAITS_OF_OUTAGE {
        state.rate.comes_back();
        state.loss.came_back = Some(now);
    }
    state.loss.silent_waits = 0;
    // What went before a probe was acknowledged late, perhaps long after it had arrived.
    if newest.is_exact && state.loss.probed.is_none_or(|probed| newest.sample.sent > probed) {
        state.loss.round_trip(now, now.since(newest.sample.sent));
        state.rate.sample(now, newest.sample, state.loss.shortest(), state.packet_bytes);
    }
    state.loss.arrived(newest.packet);
}

/// Finds the chunks that were overtaken for too long.
pub(super) fn detect(state: &mut State, now: Time) {
    let mut lost = Vec::new();
    state.loss_at = None;
    for (tsn, chunk) in state.chunks.flight_before(state.loss.newest_packet()) {
        if tsn > state.loss.known_through {
            continue;
        }
        let at = state.loss.lost_at(chunk);
        if at <= now {
            lost.push(tsn);
        } else {
            state.loss_at = Some(state.loss_at.map_or(at, |other: Time| other.min(at)));
        }
    }
    lost.into_iter().for_each(|tsn| state.lose(tsn, now));
}
