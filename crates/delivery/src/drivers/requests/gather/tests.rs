//! Requests that grow, are full, and are due.

use super::*;
use message::{Ack, Batch, RecordId};
use receivers::contract::Cell;
use std::time::Duration;

const START: u64 = 100;

fn limits(rows: usize, bytes: usize, wait: Option<u64>) -> RequestLimits {
    RequestLimits { rows, bytes, wait: wait.map(Duration::from_millis) }
}

struct Setup {
    gathering: Gathering,
    limits: RequestLimits,
    start: Instant,
    number: u64,
}

impl Setup {
    fn new(limits: RequestLimits) -> Setup {
        Setup { gathering: Gathering::default(), limits, start: Instant::now(), number: 0 }
    }

    fn at(&self, ms: u64) -> Instant {
        self.start + Duration::from_millis(START + ms)
    }

    /// Adds a row of so many bytes; shows the requests that are full by it.
    fn add(&mut self, group: &str, size: usize, ms: u64) -> String {
        let id = RecordId { incarnation: 1, sequence: self.number };
        let row = Row { id, cells: vec![Cell::Text("x".repeat(size))] };
        self.number += 1;
        let batch: Arc<Batch> = transport::testing::delivery(&["h|a"], Ack::none(), true).batch;
        let source = RowSource {
            batch,
            index: 0,
            sequence: self.number,
            lane: None,
            ack: Ack::none(),
            attempts: 0,
            held_bytes: 7,
        };
        let now = self.at(ms);
        show(&self.gathering.add(group, row, source, &self.limits, now))
    }
}

/// `GROUP:NUMBERS`, requests with blanks between.
fn show(requests: &[Open]) -> String {
    let one = |open: &Open| {
        assert_eq!(open.rows.len(), open.sources.len());
        let numbers: Vec<String> = open.rows.iter().map(|row| row.id.sequence.to_string()).collect();
        format!("{}:{}", open.group, numbers.join(","))
    };
    requests.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_largest_request_goes_first() {
    let mut setup = Setup::new(limits(9, 0, None));
    assert!(setup.gathering.take_largest().is_none());
    for (group, size) in [("a", 5), ("b", 3), ("b", 3), ("c", 1)] {
        assert_eq!(setup.add(group, size, 0), "");
    }
    assert_eq!((setup.gathering.bytes(), setup.gathering.held_bytes()), (12, 28));
    let mut largest = || show(&setup.gathering.take_largest().into_iter().collect::<Vec<_>>());
    assert_eq!([largest(), largest(), largest(), largest()], ["b:1,2", "a:0", "c:3", ""]);
}

#[test]
fn a_request_is_full_by_its_rows() {
    let mut setup = Setup::new(limits(2, 0, None));
    assert_eq!(setup.add("a", 1_000, 0), "");
    assert_eq!(setup.add("b", 1, 0), "");
    assert_eq!((setup.gathering.rows(), setup.gathering.bytes()), (2, 1_001));
    assert_eq!(setup.add("a", 1_000, 0), "a:0,2");
    assert_eq!((setup.gathering.rows(), setup.gathering.bytes()), (1, 1));
    let mut none = Setup::new(limits(0, 0, None));
    assert_eq!(none.add("a", 1, 0), "a:0", "there is always one row");
}

#[test]
fn a_request_is_full_by_its_bytes() {
    let mut setup = Setup::new(limits(10, 5, None));
    assert_eq!(setup.add("a", 3, 0), "");
    assert_eq!(setup.add("a", 2, 0), "", "to the limit it has room");
    assert_eq!(setup.add("b", 5, 0), "", "each group has its own");
    assert_eq!(setup.add("a", 1, 0), "a:0,1");
    assert_eq!((setup.gathering.rows(), setup.gathering.bytes()), (2, 6));
    assert_eq!(setup.add("c", 100, 0), "", "the first row always fits");
    assert_eq!(setup.add("c", 1, 0), "c:4");
}

#[test]
fn one_row_may_fill_two_requests() {
    let mut setup = Setup::new(limits(1, 0, None));
    setup.limits.rows = 2;
    assert_eq!(setup.add("a", 3, 0), "");
    setup.limits = limits(1, 4, None);
    assert_eq!(setup.add("a", 3, 0), "a:0 a:1");
}

#[test]
fn requests_are_due_in_the_order_in_which_they_began() {
    let mut setup = Setup::new(limits(10, 0, Some(50)));
    assert_eq!(setup.gathering.next_due(&setup.limits), None);
    setup.add("a", 1, 0);
    setup.add("b", 1, 20);
    setup.add("a", 1, 40);
    assert_eq!(setup.gathering.next_due(&setup.limits), Some(setup.at(50)));
    let due = |setup: &mut Setup, now: u64| {
        let now = setup.at(now);
        show(&setup.gathering.take_due(setup.limits.wait.unwrap_or_default(), now))
    };
    assert_eq!(due(&mut setup, 49), "");
    assert_eq!(due(&mut setup, 50), "a:0,2");
    assert_eq!(setup.gathering.next_due(&setup.limits), Some(setup.at(70)));
    assert_eq!(show(&setup.gathering.take_first().into_iter().collect::<Vec<_>>()), "b:1");
    let mut hasty = Setup::new(limits(10, 0, None));
    hasty.add("a", 1, 0);
    assert_eq!(hasty.gathering.next_due(&hasty.limits), Some(hasty.at(0)));
    assert_eq!(due(&mut hasty, 0), "a:0", "without a wait nothing waits");
}
