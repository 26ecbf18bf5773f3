//! How many copies an important chunk gets, and how many all may have.
//!
//! In: the share of losses, bytes sent. Out: a number. Holds: bytes that copies may still take.
//! Limits: copies take at most their percentage of other bytes, over some seconds; none go while messages queue up, because
//! then it is not chance that loses packets.

use std::time::Duration;

/// A chunk and its copies may all be lost this often.
const ALL_LOST_MAX: f64 = 0.0005;
/// Bytes that copies may save up, and those that they begin with.
const SAVED_MAX: f64 = 65_536.0;
const SAVED_FIRST: f64 = 8_192.0;
/// A first copy goes alone if no other packet has taken it along by then.
pub(super) const FIRST_GAP: Duration = Duration::from_millis(1);
/// A second one waits: losses that come together must not take all.
pub(super) const NEXT_GAP: Duration = Duration::from_millis(6);

/// Which copy of a chunk it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CopyTurn {
    First,
    Later,
}

/// The budget.
pub(super) struct Copies {
    saved: f64,
    part: f64,
}

impl Copies {
    pub(super) fn new(percent: u8) -> Copies {
        Copies { saved: SAVED_FIRST, part: f64::from(percent) / 100.0 }
    }

    /// Notes bytes that are no copies.
    pub(super) fn sent(&mut self, bytes: usize) {
        self.saved = (self.saved + bytes as f64 * self.part).min(SAVED_MAX);
    }

    /// Takes the bytes of a copy; returns whether there were enough. Second copies leave some for first ones.
    pub(super) fn spend(&mut self, bytes: usize, turn: CopyTurn) -> bool {
        let left = if turn == CopyTurn::First { 0.0 } else { SAVED_FIRST / 2.0 };
        let is_enough = self.saved >= left + bytes as f64;
        if is_enough {
            self.saved -= bytes as f64;
        }
        is_enough
    }

    /// Returns how many copies the losses ask for.
    pub(super) fn count(share: f64, copies_max: u8) -> u8 {
        let mut all_lost = share * share;
        let mut count = 1;
        while all_lost > ALL_LOST_MAX && count < copies_max {
            all_lost *= share;
            count += 1;
        }
        count.min(copies_max)
    }
}
