//! The checks before segments are removed: that the clock is right, and that losses are in the chain of evidence.
//!
//! In: readings of the clocks; losses that opening found. Out: whether segments may be removed by age; signed records.
//! Limits: a record that cannot be written is tried again at the next check.

use super::Sealer;
use crate::{
    files::clock::{ClockEvent, ClockReading},
    options::Notice,
};
use evidence::{Event, Facts};
use lookup::Locked;
use std::sync::atomic::Ordering::Relaxed;

impl Sealer {
    /// Reads the clocks; returns true when old segments may be removed.
    pub(super) fn may_remove_by_age(&mut self) -> bool {
        let seen = self.clock.observe(ClockReading::of(&*self.shared.clock));
        let confirmed = match self.shared.is_confirmed.swap(false, Relaxed) {
            true => self.clock.confirm(),
            false => None,
        };
        let retention = *self.shared.retention();
        // A logspace that removes nothing by age needs no notice.
        let is_used = retention.age.is_some() && !retention.hold;
        for event in seen.into_iter().chain(confirmed).filter(|_| is_used) {
            self.shared.notices.notice(match event {
                ClockEvent::Jumped(by_us) => Notice::ClockJumped { by_us },
                event => Notice::ClockRight { is_accepted: event == ClockEvent::Accepted },
            });
        }
        let trouble = self.clock.trouble().filter(|_| is_used);
        self.shared.troubles.set_clock(trouble.map(|trouble| trouble.to_string()));
        if let Err(error) = self.clock.keep(&*self.disk) {
            let error = format!("cannot keep what the clock says: {error}");
            self.shared.complain(Notice::UpkeepFailed { error });
        }
        self.clock.is_trusted()
    }

    /// Returns true when old segments may be moved to the archive.
    pub(in crate::threads) fn is_clock_trusted(&self) -> bool {
        self.clock.is_trusted()
    }

    /// Records lost messages in the chain of evidence.
    pub(super) fn record_losses(&mut self) {
        for extent in self.shared.troubles.take_unrecorded() {
            let Locked { first, count, received_us } = extent;
            let facts = Facts {
                id: [0; 16],
                first,
                count,
                received_us,
                messages: Default::default(),
                contents: Default::default(),
            };
            let record = self.evidence_log.record(Event::Gap, facts, self.shared.clock.wall_us());
            let recorded = record.ok_or_else(|| "the record cannot be signed".to_owned());
            let recorded = recorded
                .and_then(|record| self.evidence_log.append(record).map_err(|error| error.to_string()));
            if let Err(error) = recorded {
                let error = format!("cannot record that messages are lost: {error}");
                self.shared.complain(Notice::UpkeepFailed { error });
                self.shared.troubles.put_back(extent);
            }
        }
    }
}
