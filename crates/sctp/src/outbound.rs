//! The sending half of an association: lanes by importance, copies, repeats, abandonment (RFC 9260, 6; 3758; 7496; 8985).
//!
//! In: messages with their policies, SACKs, time. Out: chunks for packets, the fate of each message.
//! Holds: messages until they are settled. A message gets its TSN only when it departs, so that a shed one leaves no trace.
//! Limits: `send_bytes`, each message with what it costs to keep; above it messages of the last lanes are shed, or a new one is
//! refused.

mod acknowledge;
mod chunks;
mod copies;
mod fill;
mod lanes;
mod loss;
mod rate;
mod state;

pub(crate) use acknowledge::FalseAcknowledgement;

use crate::codec::Sack;
use crate::interface::{AbandonReason, Event, LANES, Message, MessageId, Options, SendError, Time};
use crate::secrets::Agreement;
use acknowledge::{acknowledge, acknowledge_through, detect};
use fill::fill;
use lanes::{MESSAGE_COST, Queued};
use state::State;
use std::time::Duration;

/// Lives of waiting messages are looked at this often.
const EXPIRY_INTERVAL: Duration = Duration::from_millis(100);
/// Timers go no finer than this.
const TIMER_GRAIN: Duration = Duration::from_micros(10);
/// After so many waits without an answer the path may have shrunk.
const SILENT_WAITS_OF_SHRUNK_PATH: u32 = 4;
/// Chunks that one probe sends again.
const PROBE_CHUNKS: usize = 2;

/// The sending half.
pub(crate) struct Outbound {
    state: State,
    send_bytes: usize,
    message_bytes_max: usize,
    streams: u16,
    next_id: u64,
}

impl Outbound {
    /// Creates it.
    pub(crate) fn new(options: &Options, agreement: &Agreement, packet_bytes: usize) -> Outbound {
        Outbound {
            state: State::new(options, agreement, packet_bytes),
            send_bytes: options.send_bytes,
            message_bytes_max: options.message_bytes_max,
            streams: agreement.outbound_streams,
            next_id: 0,
        }
    }

    /// Takes a message.
    pub(crate) fn send(&mut self, now: Time, mut message: Message) -> Result<MessageId, SendError> {
        if message.stream >= self.streams {
            return Err(SendError::Stream);
        }
        if message.payload.is_empty() || message.payload.len() > self.message_bytes_max {
            return Err(SendError::Size);
        }
        let last_lane = u8::try_from(LANES - 1).unwrap_or(u8::MAX);
        message.policy.lane = message.policy.lane.min(last_lane);
        let cost = message.payload.len() + MESSAGE_COST;
        self.state.expire(now);
        while self.state.lanes.cost() + self.state.chunks.cost() + cost > self.send_bytes {
            let shed = self.state.lanes.shed(message.policy.lane).ok_or(SendError::Full)?;
            self.state.report(shed.id, AbandonReason::Shed);
        }
        let id = MessageId(self.next_id);
        self.next_id += 1;
        self.state.lanes.push(Queued { id, message, since: now });
        Ok(id)
    }

    /// Takes a SACK.
    pub(crate) fn acknowledge(&mut self, now: Time, sack: &Sack) -> Result<(), FalseAcknowledgement> {
        acknowledge(&mut self.state, now, sack)
    }

    /// Takes the TSN of SHUTDOWN.
    pub(crate) fn acknowledge_through(&mut self, now: Time, tsn: u32) -> Result<(), FalseAcknowledgement> {
        acknowledge_through(&mut self.state, now, tsn)
    }

    /// Returns chunks for a packet with this room; none if nothing is to be sent now.
    pub(crate) fn fill(&mut self, now: Time, room: usize) -> Vec<u8> {
        fill(&mut self.state, now, room)
    }

    /// Takes the largest packet that the path is known to pass.
    pub(crate) fn set_packet_bytes(&mut self, bytes: usize) {
        self.state.packet_bytes = bytes;
    }

    /// Returns whether nothing is left to send and everything is acknowledged.
    pub(crate) fn is_idle(&self) -> bool {
        self.state.lanes.is_empty() && self.state.chunks.is_empty()
    }

    /// Returns whether the path gives no answers, perhaps because packets are too large for it.
    pub(crate) fn path_is_doubtful(&self) -> bool {
        self.state.loss.silent_waits == SILENT_WAITS_OF_SHRUNK_PATH
    }

    /// Returns how long an answer is waited for.
    pub(crate) fn wait(&self) -> Duration {
        self.state.loss.wait()
    }

    /// Takes what has happened.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.state.events)
    }

    /// Begins again with a peer that has lost its state: messages that have departed are abandoned, the others stay.
    pub(crate) fn restart(&mut self, options: &Options, agreement: &Agreement, packet_bytes: usize) {
        let old = std::mem::replace(&mut self.state, State::new(options, agreement, packet_bytes));
        self.state.events = old.events;
        let unsettled: Vec<MessageId> = old.chunks.unsettled().collect();
        unsettled.into_iter().for_each(|id| self.state.report(id, AbandonReason::Restarted));
        self.state.lanes = old.lanes;
        self.streams = agreement.outbound_streams;
    }

    /// Does what is due.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        self.state.expire(now);
        if self.state.loss_at.is_some_and(|at| at <= now) {
            detect(&mut self.state, now);
        }
        if self.probe_at().is_some_and(|at| at <= now) {
            self.state.loss.silent_waits = self.state.loss.silent_waits.saturating_add(1);
            self.state.loss.probed = Some(now);
            let oldest = self.state.chunks.flight_before(u64::MAX).take(PROBE_CHUNKS);
            let oldest: Vec<u64> = oldest.map(|(tsn, _)| tsn).collect();
            oldest.into_iter().for_each(|tsn| self.state.lose(tsn, now));
        }
    }

    /// Returns when the oldest chunk on its way has been silent for too long, and the last probe as well.
    fn probe_at(&self) -> Option<Time> {
        let (_, oldest) = self.state.chunks.flight_before(u64::MAX).next()?;
        let since = self.state.loss.probed.map_or(oldest.last_sent, |probed| probed.max(oldest.last_sent));
        Some(since + self.state.loss.wait())
    }

    pub(crate) fn next_timeout(&self) -> Option<Time> {
        let state = &self.state;
        let has_work = !state.lanes.is_empty() || state.chunks.first_waiting().is_some();
        // Data that was due and not sent is limited by the window: only an acknowledgement opens it, not a timer.
        let later = |at: &Time| *at > state.polled;
        let next_send = Some(state.rate.next_send()).filter(|_| has_work).filter(later);
        let copy = state.chunks.copies().next().map(|(due, _)| due);
        let sweep = (!state.lanes.is_empty()).then(|| state.polled + EXPIRY_INTERVAL);
        let times = [next_send, copy, sweep, state.loss_at, self.probe_at(), state.forward_at()];
        let next = times.into_iter().flatten().min();
        next.map(|at| at.max(state.polled + TIMER_GRAIN))
    }
}
