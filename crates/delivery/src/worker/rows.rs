//! Counts messages whose driver settles each separately.
//!
//! In: what the driver took and settled. Out: counters. Holds: nothing. Limits: none.
//!
//! Such messages leave the queue when the driver takes them, and stay `queued` until they are settled, so that
//! `processed = written + dead + dropped + queued` holds at any time.

use super::Worker;
use crate::queue::Item;
use transport::stats::{self, DropReason};

impl Worker {
    /// Notes that the driver has the messages of an item, and their token.
    pub(super) fn leave_queue(&mut self, item: &Item) {
        self.queue.leave(item.count, item.bytes());
        self.count_added();
    }

    /// Counts messages that were added without coming through the queue, and those from the queue that were held back.
    pub(super) fn count_added(&mut self) {
        if !self.driver.settles_rows() {
            return;
        }
        let counters = &self.queue.counters;
        stats::add(&counters.processed, self.summaries);
        stats::add(&counters.queued, self.summaries);
        stats::add(counters.dropped_for(DropReason::Suppressed), self.held);
        if !self.queue.is_backed {
            stats::add(counters.dropped_for(DropReason::Stopped), self.lost);
            stats::subtract(&counters.queued, self.lost);
        }
        stats::subtract(&counters.queued, self.held);
        (self.summaries, self.held, self.lost) = (0, 0, 0);
    }

    /// Counts what was settled.
    pub(super) fn count_settled(&mut self) {
        if !self.driver.settles_rows() {
            return;
        }
        let settled = self.driver.take_settled();
        let counters = &self.queue.counters;
        stats::add(&counters.written, settled.delivered);
        stats::add(&counters.bytes, settled.bytes);
        settled.dead.iter().for_each(|reason| counters.dead.add(*reason));
        stats::add(counters.dropped_for(DropReason::Refused), settled.dropped);
        stats::subtract(&counters.queued, settled.delivered + settled.dropped + settled.dead.len());
        if self.stop_at.is_none() {
            counters.set_trouble(self.driver.trouble());
        }
    }

    /// Counts messages that a driver dropped at the stop. Returns those that were in the queue.
    pub(super) fn count_abandoned(&mut self, lost: usize) -> usize {
        if !self.driver.settles_rows() {
            return lost;
        }
        if lost > 0 && !self.queue.is_backed {
            let counters = &self.queue.counters;
            stats::add(counters.dropped_for(DropReason::Stopped), lost);
            stats::subtract(&counters.queued, lost);
            self.log.error(&format!(
                "Destination took no more before the stop, dropping messages; id='{}', messages='{lost}'",
                self.id
            ));
        }
        0
    }
}
