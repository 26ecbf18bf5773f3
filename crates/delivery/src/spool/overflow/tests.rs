//! Rows for what waits and what is dropped, by severity and by how full the disk is.

use super::*;
use message::{Ack, Priority};
use std::sync::Arc;
use transport::testing;

/// A delivery with messages of these severities.
fn delivery(severities: &[u8], controlled: bool) -> Delivery {
    let texts = vec!["h|a"; severities.len()];
    let mut delivery = testing::delivery(&texts, Ack::none(), controlled);
    let mut batch = (*delivery.batch).clone();
    for (message, severity) in batch.messages.iter_mut().zip(severities) {
        message.pri = Priority::new(message.pri.facility(), Severity(*severity));
    }
    delivery.batch = Arc::new(batch);
    delivery
}

const LEAST_SEVERE: OverflowPolicy = OverflowPolicy::Drop(Victim::LeastSevere);

#[test]
fn who_waits_and_what_is_counted() {
    let newest = OverflowPolicy::Drop(Victim::Newest);
    for (policy, by_path, without, counted) in [
        (OverflowPolicy::ByPath, true, false, DropReason::QueueFull),
        (OverflowPolicy::Hold, true, true, DropReason::QueueFull),
        (newest, false, false, DropReason::QueueFull),
        (LEAST_SEVERE, false, false, DropReason::QueueFullSeverity),
    ] {
        assert_eq!(may_wait(policy, &delivery(&[6], true)), by_path, "{policy:?}");
        assert_eq!(may_wait(policy, &delivery(&[6], false)), without, "{policy:?}");
        assert_eq!(reason(policy), counted, "{policy:?}");
    }
}

/// Checks which messages of severities 0 to 7 are too mild when so much of 2,800 bytes is used: a quarter is kept, in
/// seven steps of 100 bytes.
#[track_caller]
fn check_mild(policy: OverflowPolicy, used: u64, want: Option<&[usize]>) {
    let all = delivery(&[0, 1, 2, 3, 4, 5, 6, 7], true);
    let mild = too_mild(policy, &all, used, 2_800).map(|mild| mild.iter().collect::<Vec<_>>());
    assert_eq!(mild.as_deref(), want, "{used}");
}

#[test]
fn the_last_quarter_is_kept_for_severe_messages() {
    check_mild(LEAST_SEVERE, 0, None);
    check_mild(LEAST_SEVERE, 2_099, None);
    check_mild(LEAST_SEVERE, 2_100, Some(&[7]));
    check_mild(LEAST_SEVERE, 2_199, Some(&[7]));
    check_mild(LEAST_SEVERE, 2_200, Some(&[6, 7]));
    check_mild(LEAST_SEVERE, 2_799, Some(&[1, 2, 3, 4, 5, 6, 7]));
    check_mild(LEAST_SEVERE, 2_800, Some(&[0, 1, 2, 3, 4, 5, 6, 7]));
    for policy in [OverflowPolicy::ByPath, OverflowPolicy::Hold, OverflowPolicy::Drop(Victim::Newest)] {
        check_mild(policy, 5_000, None);
    }
    let severe = delivery(&[0, 1], true);
    assert!(too_mild(LEAST_SEVERE, &severe, 2_200, 2_800).is_none());
}
