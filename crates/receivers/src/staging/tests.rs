//! What a queue is kept for.

use super::*;
use std::sync::atomic::AtomicUsize;

fn staging(cursor: u64) -> (Arc<Staging>, Arc<AtomicUsize>) {
    let woken = Arc::new(AtomicUsize::new(0));
    let counter = woken.clone();
    let wake = Box::new(move || {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    (Arc::new(Staging::new("/q".into(), 7, cursor, wake)), woken)
}

fn id(sequence: u64) -> RecordId {
    RecordId { incarnation: 7, sequence }
}

fn set(run: Range<u64>) -> SequenceSet {
    let mut set = SequenceSet::default();
    set.insert_run(run);
    set
}

#[test]
fn the_first_message_of_a_stage_keeps_all_after_it() {
    let (staging, woken) = staging(10);
    assert_eq!(staging.limit(20), 20);
    staging.hold(1, 25);
    staging.hold(2, 22);
    staging.hold(1, 24);
    assert_eq!((staging.limit(21), staging.limit(40)), (21, 22));
    staging.deliver(2, 5, 500);
    assert_eq!((staging.limit(40), woken.load(Ordering::Relaxed)), (24, 1));
    staging.deliver(1, 3, 300);
    assert_eq!((staging.limit(40), staging.take_delivered()), (40, (8, 800)));
    assert_eq!(staging.take_delivered(), (0, 0));
}

#[test]
fn lost_messages_are_kept_until_they_are_settled_again() {
    let (staging, _) = staging(0);
    staging.hold(1, 5);
    staging.read_again(set(5..9));
    staging.release(1);
    assert_eq!(staging.limit(40), 5);
    let mut rereads = staging.take_rereads();
    assert!(staging.take_rereads().is_empty());
    let (places, guard) = rereads.pop().unwrap();
    assert_eq!(places, set(5..9));
    let other = guard.clone();
    drop(guard);
    assert_eq!(staging.limit(40), 5);
    drop(other);
    assert_eq!(staging.limit(40), 40);
    // Such as were given up stay on the disk.
    staging.read_again(set(41..43));
    let (_, guard) = staging.take_rereads().pop().unwrap();
    guard.fail();
    drop(guard);
    assert_eq!(staging.limit(50), 41);
    staging.read_again(SequenceSet::default());
    assert!(staging.take_rereads().is_empty());
}

#[test]
fn only_messages_that_the_queue_still_has_can_be_staged() {
    let (staging, _) = staging(10);
    assert!(staging.can_hold(id(10)) && !staging.can_hold(id(9)));
    assert!(!staging.can_hold(RecordId { incarnation: 8, sequence: 10 }));
    // A dead letter that is sent again.
    staging.settle(id(12));
    staging.settle(RecordId { incarnation: 8, sequence: 13 });
    assert!(!staging.can_hold(id(12)) && staging.can_hold(id(13)));
    staging.limit(13);
    assert!(!staging.can_hold(id(12)) && staging.can_hold(id(13)));
    staging.adopt(&set(20..30));
    assert_eq!((staging.settled_within(0..25), staging.can_hold(id(29))), (5, false));
}

#[test]
fn a_disk_that_becomes_short_is_told_once() {
    let (staging, _) = staging(0);
    assert_eq!(staging.disk_space(), DiskSpace::Ample);
    assert!(!staging.set_disk_space(DiskSpace::Ample) && staging.set_disk_space(DiskSpace::Short));
    assert_eq!(staging.disk_space(), DiskSpace::Short);
    assert!(!staging.set_disk_space(DiskSpace::Short) && !staging.set_disk_space(DiskSpace::Ample));
}
