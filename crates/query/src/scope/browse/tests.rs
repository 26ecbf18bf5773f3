//! Neighbours and columns in a small store.

use super::{Near, Same, columns, context, message};
use crate::tests::naive::{document, snapshot, with_value};
use crate::{MemoryBudget, MemoryPool, SearchScope};
use lookup::CancelToken;

fn store() -> SearchScope {
    let made = (0..50).map(|n| document(n, ["a", "b"][n as usize % 2], "p", &format!("line {n}")));
    snapshot(made.map(|line| if line.host == b"a" { with_value(line, "k", "v") } else { line }).collect(), 7)
        .into()
}

#[track_caller]
fn check(sequence: u64, around: (usize, usize), same: Same, want: &[u64]) {
    let near = Near { before: around.0, after: around.1, same };
    let mut memory = MemoryBudget::unlimited().permit("context");
    let found = context(&store(), sequence, near, &CancelToken::unlimited(), &mut memory).unwrap();
    let found: Vec<u64> = found.iter().map(|document| document.sequence).collect();
    assert_eq!(found, want);
}

#[test]
fn shows_neighbours_across_segments() {
    check(7, (2, 2), Same::None, &[5, 6, 7, 8, 9]);
    check(7, (2, 2), Same::Host, &[3, 5, 7, 9, 11]);
    check(0, (3, 1), Same::None, &[0, 1]);
    check(49, (1, 3), Same::Host, &[47, 49]);
    check(7, (2, 2), Same::Source, &[7]);
    check(50, (2, 2), Same::None, &[]);
}

#[test]
fn shows_one_message_with_its_tokens() {
    let found = message(&store(), 12, &CancelToken::unlimited()).unwrap().unwrap();
    assert_eq!((found.document.sequence, found.tokens), (12, vec![0..4, 5..7]));
    assert!(message(&store(), 50, &CancelToken::unlimited()).unwrap().is_none());
}

#[test]
fn lists_columns_by_use() {
    let found = columns(&store(), &CancelToken::unlimited()).unwrap();
    let of = |name: &str| {
        found.iter().find(|used| crate::column_name(&used.column) == name).map(|used| used.documents)
    };
    assert_eq!((of("host"), of("k"), of("msgid")), (Some(50), Some(25), None));
    assert!(found.is_sorted_by(|a, b| a.documents >= b.documents));
}

#[test]
fn h5_neighbours_are_within_the_memory_of_their_search() {
    let near = Near { before: 40, after: 0, same: Same::None };
    let refused = |kib: u64| {
        let mut memory =
            MemoryPool::new(kib << 10, kib << 10).budget(&CancelToken::unlimited()).permit("context");
        context(&store(), 45, near, &CancelToken::unlimited(), &mut memory).is_err()
    };
    assert!(refused(16) && !refused(64));
}
