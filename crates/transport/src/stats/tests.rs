//! Rows for the registry.

use super::*;

#[test]
fn an_entry_lives_on_under_its_name() {
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
