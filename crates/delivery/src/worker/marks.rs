//! `-- MARK --` messages: they show that the connection works although nothing happens.
//!
//! In: the time, when something was written, when sources received something. Out: a message now and then. Holds:
//! when the next one is due.
//! Limits: idleness of the host is known to the second.

use super::part::BatchPart;
use crate::options::{MarkMode, Marks};
use message::{Ack, Batch, Facility, Message, Origin, Priority, Selection, Severity, Stamp};
use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use transport::Registry;

/// The text of a mark.
pub(super) const TEXT: &[u8] = b"-- MARK --";

/// Makes the marks of one destination.
pub(super) struct Marker {
    marks: Marks,
    registry: Registry,
    own_name: String,
    due: Instant,
}

impl Marker {
    pub(super) fn new(marks: Marks, registry: Registry, own_name: String) -> Marker {
        let due = Instant::now() + marks.every;
        Marker { marks, registry, own_name, due }
    }

    /// When the next mark may be due.
    pub(super) fn due_at(&self) -> Instant {
        self.due
    }

    /// Notes that something was written.
    pub(super) fn wrote(&mut self, now: Instant) {
        if self.marks.mode == MarkMode::DestinationIdle {
            self.due = now + self.marks.every;
        }
    }

    /// The mark that is due.
    pub(super) fn take(&mut self, now: Instant, stamp: Stamp) -> Option<BatchPart> {
        if now < self.due {
            return None;
        }
        self.due = now + self.marks.every;
        if self.marks.mode == MarkMode::HostIdle {
            let idle = self.idle_for(stamp);
            if idle < self.marks.every {
                self.due = now + (self.marks.every - idle);
                return None;
            }
        }
        Some(BatchPart { batch: Arc::new(mark(&self.own_name, stamp)), selection: Selection::all(1) })
    }

    /// Returns for how long no source of this machine received anything.
    fn idle_for(&self, now: Stamp) -> Duration {
        let entries = self.registry.list();
        let heard = entries.iter().filter(|counters| counters.hears_machine.load(Ordering::Relaxed));
        let last = heard.map(|counters| counters.stamp_s.load(Ordering::Relaxed)).max().unwrap_or(0);
        Duration::from_secs(u64::try_from(now.unix_s()).unwrap_or(0).saturating_sub(last))
    }
}

/// A mark.
pub fn mark(host: &str, now: Stamp) -> Batch {
    let mut batch = Batch::new(Arc::default(), vec![Arc::new(Origin::default())], now, Ack::none());
    let mut message = Message::default();
    (message.pri, message.event) = (Priority::new(Facility::SYSLOG, Severity::INFORMATIONAL), now);
    message.host = batch.add_extra(host.as_bytes());
    message.text = batch.add_extra(TEXT);
    batch.messages.push(message);
    batch
}

#[cfg(test)]
mod tests {
    //! When marks come.

    use super::*;

    #[track_caller]
    fn check(mode: MarkMode, wrote: bool, heard_s: Option<(bool, u64)>, want: bool) {
        let registry = Registry::default();
        if let Some((of_machine, second)) = heard_s {
            let counters = registry.register("src.test", "s#0", "");
            counters.hears_machine.store(of_machine, Ordering::Relaxed);
            counters.stamp_s.store(second, Ordering::Relaxed);
        }
        let every = Duration::from_secs(60);
        let mut marker = Marker::new(Marks { mode, every }, registry, "gate".to_owned());
        let start = marker.due_at() - every;
        assert!(marker.take(start + Duration::from_secs(59), Stamp::known(159_000_000, 0)).is_none());
        if wrote {
            marker.wrote(start + Duration::from_secs(30));
        }
        let taken = marker.take(start + every, Stamp::known(160_000_000, 0));
        assert_eq!(taken.is_some(), want);
        if let Some(part) = taken {
            assert_eq!(part.batch.fixed(0, message::Field::Message), TEXT);
            assert_eq!(part.batch.fixed(0, message::Field::Host), b"gate");
        }
    }

    #[test]
    fn marks_come_as_their_mode_says() {
        check(MarkMode::Periodical, true, None, true);
        check(MarkMode::DestinationIdle, true, None, false);
        check(MarkMode::DestinationIdle, false, None, true);
        check(MarkMode::HostIdle, true, Some((true, 100)), true);
        check(MarkMode::HostIdle, false, Some((true, 101)), false);
        check(MarkMode::HostIdle, false, Some((false, 155)), true);
    }
}
