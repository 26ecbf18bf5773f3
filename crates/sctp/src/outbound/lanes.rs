//! Messages that have no TSN yet: one queue for each lane.
//!
//! In: messages. Out: the next one; those that are shed or expired. Holds: messages. Limits: the caller bounds the sum of
//! their bytes.

use crate::interface::{LANES, Message, MessageId, Time};
use std::collections::VecDeque;

/// A message costs this much besides its bytes.
pub(super) const MESSAGE_COST: usize = 128;

/// A message that waits.
pub(super) struct Queued {
    pub(super) id: MessageId,
    pub(super) message: Message,
    pub(super) since: Time,
}

impl Queued {
    pub(super) fn is_expired(&self, now: Time) -> bool {
        self.message.policy.life.is_some_and(|life| now.since(self.since) > life)
    }

    fn cost(&self) -> usize {
        self.message.payload.len() + MESSAGE_COST
    }
}

/// The queues.
#[derive(Default)]
pub(super) struct Lanes {
    lanes: [VecDeque<Queued>; LANES],
    payload_bytes: usize,
    cost: usize,
}

impl Lanes {
    pub(super) fn push(&mut self, queued: Queued) {
        self.payload_bytes += queued.message.payload.len();
        self.cost += queued.cost();
        let lane = usize::from(queued.message.policy.lane).min(LANES - 1);
        self.lanes[lane].push_back(queued);
    }

    /// Returns the message that goes next.
    pub(super) fn first(&self) -> Option<&Queued> {
        self.lanes.iter().find_map(VecDeque::front)
    }

    /// Takes the message that goes next.
    pub(super) fn pop(&mut self) -> Option<Queued> {
        let lane = self.lanes.iter().position(|lane| !lane.is_empty())?;
        let queued = self.lanes[lane].pop_front();
        self.account(queued)
    }

    /// Takes the oldest message that may be shed from the last lane, if that is behind `lane`.
    pub(super) fn shed(&mut self, lane: u8) -> Option<Queued> {
        for behind in (usize::from(lane) + 1..LANES).rev() {
            let sheddable = self.lanes[behind].iter().position(|queued| queued.message.policy.sheddable);
            if let Some(index) = sheddable {
                let queued = self.lanes[behind].remove(index);
                return self.account(queued);
            }
        }
        None
    }

    /// Takes an expired message from the front of a queue.
    pub(super) fn expired(&mut self, now: Time) -> Option<Queued> {
        let is_expired = |lane: &VecDeque<Queued>| lane.front().is_some_and(|queued| queued.is_expired(now));
        let lane = self.lanes.iter().position(is_expired)?;
        let queued = self.lanes[lane].pop_front();
        self.account(queued)
    }

    fn account(&mut self, queued: Option<Queued>) -> Option<Queued> {
        let queued = queued?;
        self.payload_bytes -= queued.message.payload.len();
        self.cost -= queued.cost();
        Some(queued)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cost == 0
    }

    /// Returns the bytes of the messages alone.
    pub(super) fn payload_bytes(&self) -> usize {
        self.payload_bytes
    }

    /// Returns the bytes with what they cost to keep.
    pub(super) fn cost(&self) -> usize {
        self.cost
    }
}
