//! `on-full()` of a queue on disk.
//!
//! In: deliveries, how full the disk is. Out: which messages may wait for space, and which are dropped. Holds: nothing.
//! Limits: a queue on disk does not remove messages it already has, so space for severe messages is reserved.

use crate::options::{OverflowPolicy, Victim};
use message::{Delivery, Selection, Severity};
use transport::stats::DropReason;

/// Part of the capacity that is reserved for more severe messages: a quarter.
const KEPT_PART: u64 = 4;

/// Returns true when the sources of a delivery wait until there is space for it.
pub(crate) fn may_wait(policy: OverflowPolicy, delivery: &Delivery) -> bool {
    match policy {
        OverflowPolicy::ByPath => delivery.controlled,
        OverflowPolicy::Hold => true,
        OverflowPolicy::Drop(_) => false,
    }
}

/// Returns what is counted for what does not wait.
pub(crate) fn reason(policy: OverflowPolicy) -> DropReason {
    match policy {
        OverflowPolicy::Drop(Victim::LeastSevere) => DropReason::QueueFullSeverity,
        _ => DropReason::QueueFull,
    }
}

/// Returns the messages of a delivery that are not severe enough for the remaining space.
pub(crate) fn too_mild(
    policy: OverflowPolicy,
    delivery: &Delivery,
    used: u64,
    capacity: u64,
) -> Option<Selection> {
    if policy != OverflowPolicy::Drop(Victim::LeastSevere) || used < limit(capacity, Severity::DEBUG) {
        return None;
    }
    let mut mild = Selection::none(delivery.batch.len());
    let severity = |index: usize| delivery.batch.messages[index].pri.severity();
    let found = delivery.selection.iter().filter(|index| used >= limit(capacity, severity(*index)));
    found.for_each(|index| mild.add(index));
    (!mild.is_empty()).then_some(mild)
}

/// Returns the fill level in bytes from which on messages of a severity are dropped: three quarters of the capacity
/// for the least severe, all of it for the most severe.
fn limit(capacity: u64, severity: Severity) -> u64 {
    capacity - capacity / KEPT_PART / u64::from(Severity::DEBUG.0) * u64::from(severity.0)
}

#[cfg(test)]
mod tests;
