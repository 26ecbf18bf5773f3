//! All that the sending half knows.
//!
//! In: options, what both sides agreed on. Out: the parts, for the modules that work on them. Limits: see those.

use super::chunks::{ChunkState, Chunks};
use super::copies::Copies;
use super::lanes::Lanes;
use super::loss::{Fate, Loss};
use super::rate::Rate;
use crate::codec::{Numbering, serial};
use crate::interface::{AbandonReason, Event, MessageId, Options, Time};
use crate::secrets::Agreement;
use std::collections::BTreeMap;

/// Most TSNs between the first that is not acknowledged and the next: blocks of a SACK reach no further than 65,535, and
/// receivers keep numbers of streams apart by half of that.
pub(super) const TSNS_MAX: u64 = 8_192;

/// The state.
pub(super) struct State {
    pub(super) lanes: Lanes,
    pub(super) chunks: Chunks,
    pub(super) rate: Rate,
    pub(super) loss: Loss,
    pub(super) copies: Copies,
    pub(super) forward: Forward,
    pub(super) numbers: Numbers,
    pub(super) events: Vec<Event>,
    /// Bytes that the peer had room for when it sent its last SACK.
    pub(super) peer_window: usize,
    pub(super) packet_bytes: usize,
    /// Number of the last packet with payload.
    pub(super) packet: u64,
    /// The last time at which packets could go.
    pub(super) polled: Time,
    /// A chunk that others have overtaken is lost at this time.
    pub(super) loss_at: Option<Time>,
    /// The peer understands FORWARD-TSN: without it nothing that has a TSN can be abandoned.
    pub(super) can_abandon: bool,
    /// Chunks of ordinary messages may use this much memory: the rest is for those that are yet to come and matter more.
    pub(super) chunk_bytes_max: usize,
}

/// State of the reports to the peer on abandoned chunks.
#[derive(Default)]
pub(super) struct Forward {
    /// Everything up to this TSN is acknowledged or abandoned.
    pub(super) through: u64,
    pub(super) sent: Option<Time>,
    /// The TSN of the last one that was sent.
    pub(super) told: u64,
}

/// Messages with numbers of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct StreamKey {
    pub(super) stream: u16,
    pub(super) unordered: bool,
}

/// Numbers of the next messages in their streams.
pub(super) struct Numbers {
    pub(super) interleaves: bool,
    next: BTreeMap<StreamKey, u32>,
}

impl Numbers {
    /// Returns the number of the next message of a stream.
    pub(super) fn number(&mut self, key: StreamKey) -> Numbering {
        if key.unordered && !self.interleaves {
            return Numbering::Sequence(0);
        }
        let next = self.next.entry(key).or_default();
        let id = *next;
        *next = next.wrapping_add(1);
        if self.interleaves {
            return Numbering::Message { id, fragment: 0 };
        }
        let [.., three, four] = id.to_be_bytes();
        Numbering::Sequence(u16::from_be_bytes([three, four]))
    }
}

impl State {
    pub(super) fn new(options: &Options, agreement: &Agreement, packet_bytes: usize) -> State {
        let base = serial::first(agreement.local_tsn);
        State {
            lanes: Lanes::default(),
            chunks: Chunks::new(base),
            rate: Rate::new(),
            loss: Loss::new(options),
            copies: Copies::new(options.copies_percent),
            forward: Forward { through: base - 1, ..Forward::default() },
            numbers: Numbers { interleaves: agreement.abilities.interleaves, next: BTreeMap::new() },
            events: Vec::new(),
            peer_window: agreement.window as usize,
            packet_bytes,
            packet: 0,
            polled: Time::default(),
            loss_at: None,
            can_abandon: agreement.abilities.forwards,
            chunk_bytes_max: options.send_bytes / 2,
        }
    }

    pub(super) fn window(&self) -> usize {
        self.rate.window(self.loss.shortest(), self.packet_bytes)
    }

    /// Returns whether messages queue up more than a path at rest would make them.
    pub(super) fn has_backlog(&self) -> bool {
        self.lanes.payload_bytes() >= 8 * self.packet_bytes
    }

    pub(super) fn report(&mut self, id: MessageId, reason: AbandonReason) {
        self.events.push(Event::Abandoned(id, reason));
    }

    /// Abandons the message of a chunk.
    pub(super) fn abandon(&mut self, tsn: u64, reason: AbandonReason) {
        if let Some(id) = self.chunks.abandon(tsn) {
            self.report(id, reason);
            self.forward.through = self.chunks.abandoned_through();
        }
    }

    /// Notes that a chunk is lost: it will be sent again, or is abandoned if its policy says so.
    pub(super) fn lose(&mut self, tsn: u64, now: Time) {
        // A chunk before it may have taken the whole message with it.
        let chunk = self.chunks.get(tsn).filter(|chunk| chunk.state == ChunkState::Flight);
        let Some(chunk) = chunk else { return };
        // Losses while the line was down say nothing about queues and chance.
        if self.loss.came_back.is_none_or(|came_back| chunk.last_sent > came_back) {
            self.rate.lost(chunk.size());
            if !chunk.is_important() {
                self.loss.fate(Fate::Lost);
            }
        }
        let (is_expired, is_exhausted) = (chunk.is_expired(now), chunk.is_exhausted(chunk.sends));
        self.chunks.lost(tsn);
        if self.can_abandon && is_expired {
            self.abandon(tsn, AbandonReason::Expired);
        } else if self.can_abandon && is_exhausted {
            self.abandon(tsn, AbandonReason::Retransmissions);
        }
    }

    /// Drops messages whose life is over from the queues.
    pub(super) fn expire(&mut self, now: Time) {
        while let Some(queued) = self.lanes.expired(now) {
            self.report(queued.id, AbandonReason::Expired);
        }
    }
}
