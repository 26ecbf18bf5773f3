//! Rows for the registry.

use super::*;

#[test]
fn an_entry_survives_under_its_name() {
    let registry = Registry::default();
    let first = registry.register("src.tcp", "s#0", "a");
    add(&first.processed, 3);
    first.orphan();
    assert_eq!(registry.list()[0].state(), State::Orphaned);
    let again = registry.register("src.tcp", "s#0", "a");
    assert_eq!((again.processed.load(Ordering::Relaxed), again.state()), (3, State::Active));
    registry.reset();
    assert_eq!(first.processed.load(Ordering::Relaxed), 0);
    first.orphan();
    registry.remove_orphans();
    assert!(registry.list().is_empty());
}

#[test]
fn names_made_by_peers_cannot_fill_the_memory() {
    let registry = Registry::default();
    (0..ENTRIES_MAX + 5).for_each(|peer| add(&registry.register("c", "i", &peer.to_string()).processed, 1));
    assert_eq!(registry.list().len(), ENTRIES_MAX + 1);
    assert_eq!(registry.register("c", "i", "other").processed.load(Ordering::Relaxed), 5);
}

#[test]
fn parts_make_room_for_others_when_they_are_gone() {
    let registry = Registry::default();
    let whole = registry.register("dst.file", "d#0", "/log/");
    let part = |number: usize| registry.register_part(&whole, &format!("/log/{number}"));
    assert!(registry.register_part(&whole, "/log/").is_none(), "the name of the whole is no part");
    let parts: Vec<_> = (0..PARTS_MAX).map(|number| part(number).unwrap()).collect();
    assert!(part(PARTS_MAX).is_none());
    assert!(Arc::ptr_eq(&part(7).unwrap(), &parts[7]));
    parts[7].orphan();
    assert!(part(PARTS_MAX).unwrap().is_part() && !whole.is_part());
    assert_eq!(registry.list().len(), PARTS_MAX + 1);
}

const DROP_REASONS: [DropReason; 6] = [
    DropReason::QueueFull,
    DropReason::Unwritable,
    DropReason::Refused,
    DropReason::Damaged,
    DropReason::Stopped,
    DropReason::Suppressed,
];

fn load(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

#[test]
fn each_reason_of_a_drop_has_its_counter() {
    let counters = Counters::default();
    for (index, reason) in DROP_REASONS.into_iter().enumerate() {
        add(counters.dropped_for(reason), 1 << index);
    }
    let by_name = [
        &counters.dropped_queue_full,
        &counters.dropped_unwritable,
        &counters.dropped_refused,
        &counters.dropped_damaged,
        &counters.dropped_stopped,
        &counters.dropped_suppressed,
    ];
    assert_eq!(by_name.map(load), [1, 2, 4, 8, 16, 32]);
    assert_eq!(counters.dropped(), 63);
    subtract(counters.dropped_for(DropReason::Damaged), 5);
    assert_eq!(counters.dropped(), 58);
}

#[test]
fn a_reset_keeps_what_goes_up_and_down() {
    let counters = Counters::default();
    let now = Instant::now();
    let totals = [
        &counters.written,
        &counters.kernel_dropped,
        &counters.bytes,
        &counters.errors,
        &counters.frame_errors,
        &counters.written_in_parts,
        &counters.bytes_in_parts,
        &counters.dead.evicted,
    ];
    let present = [
        &counters.queued,
        &counters.memory_usage,
        &counters.disk_usage,
        &counters.disk_capacity,
        &counters.connections,
        &counters.stamp_s,
        &counters.dead.stored,
        &counters.dead.stored_bytes,
    ];
    totals.into_iter().chain(present).for_each(|counter| add(counter, 7));
    DROP_REASONS.into_iter().for_each(|reason| add(counters.dropped_for(reason), 1));
    add(&counters.processed, 100);
    counters.refuse(RefusalReason::PerAddress, now);
    counters.dead.add(DeadReason::Cast);
    counters.reset();
    assert_eq!(totals.map(load), [0; 8]);
    assert_eq!(present.map(load), [7; 8]);
    assert_eq!((counters.dropped(), counters.refusals.total(), counters.dead.total()), (0, 0, 0));
    assert_eq!(load(&counters.processed), 7, "what waits counts as taken just now");
}

#[test]
fn what_waits_on_a_disk_counts_as_taken_once() {
    let counters = Counters::default();
    let figures = || (load(&counters.queued), load(&counters.processed), counters.state());
    counters.own(5);
    assert_eq!(figures(), (5, 5, State::Active));
    // A second owner while the destination is changed, then none.
    counters.own(2);
    assert_eq!(figures(), (7, 7, State::Active));
    counters.disown();
    assert_eq!(figures(), (7, 7, State::Active));
    counters.disown();
    assert_eq!(figures(), (7, 7, State::Orphaned));
    // It returns to the same queue, from which someone has removed three messages.
    counters.own(4);
    assert_eq!((load(&counters.queued), load(&counters.processed)), (4, 4));
}

#[test]
fn says_why_nothing_can_be_written() {
    let counters = Counters::default();
    assert_eq!(counters.trouble(), None);
    counters.set_trouble(Some("disk full".to_owned()));
    assert_eq!(counters.trouble().as_deref(), Some("disk full"));
    counters.set_trouble(None);
    assert_eq!(counters.trouble(), None);
}

#[test]
fn dead_messages_count_by_their_reason() {
    let dead = DeadCounts::default();
    let names = DEAD_REASONS.map(DeadReason::name);
    let want = [
        "rejected",
        "type",
        "constraint",
        "too-large",
        "unroutable",
        "bad-name",
        "cast",
        "retries",
        "unnamed",
    ];
    assert_eq!(names, want);
    for (index, reason) in DEAD_REASONS.into_iter().enumerate() {
        assert_eq!(DeadReason::of_name(reason.name()), Some(reason));
        (0..=index).for_each(|_| dead.add(reason));
    }
    assert_eq!(DeadReason::of_name("Cast"), None);
    assert_eq!(DEAD_REASONS.map(|reason| dead.count(reason)), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!((dead.total(), dead.is_kept()), (45, false));
    dead.keep();
    assert!(dead.is_kept());
}

#[test]
fn refusals_have_the_names_of_their_options() {
    let names = REFUSAL_REASONS.map(RefusalReason::name);
    assert_eq!(names, ["max_connections", "max_connections_per_address", "handshakes", "open_files"]);
}

#[test]
fn those_whose_owner_is_gone_are_given_back() {
    let registry = Registry::default();
    let kept = registry.register("src.tcp", "s#0", "kept");
    registry.register("src.tcp", "s#0", "gone").orphan();
    let gone = registry.remove_orphans();
    assert_eq!(gone.iter().map(|entry| entry.instance.as_str()).collect::<Vec<_>>(), ["gone"]);
    assert_eq!(registry.list().len(), 1);
    assert!(Arc::ptr_eq(&registry.list()[0], &kept));
    assert!(!kept.is_part());
}
