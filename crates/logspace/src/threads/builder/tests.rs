//! Rows for the limits of a segment, for parts of batches, and for losses.

use super::*;
use crate::{
    options::{LogspaceOptions, Unheard},
    segments::Indexed,
    shared::segment_set::SegmentSet,
};
use message::{Ack, Message, Origin, Span, Stamp};
use sim::SimClock;

const DAY_US: i64 = 86_400_000_000;
/// 2026-01-01T00:00:00Z.
const MORNING_US: i64 = 1_767_225_600_000_000;

/// A batch of lines of `width` bytes.
fn batch(count: usize, width: usize, received_us: i64) -> Batch {
    let text = b"x".repeat(count * width);
    let message = |at: usize| {
        let mut message = Message::default();
        message.raw = Span::received(at * width, width);
        message.text = message.raw;
        message
    };
    let received = Stamp::known(received_us, 0);
    let mut batch = Batch::new(Arc::new(text), vec![Arc::new(Origin::default())], received, Ack::none());
    batch.messages = (0..count).map(message).collect();
    batch
}

fn builder(change: impl FnOnce(&mut LogspaceOptions), next: u64) -> Builder {
    let mut options = LogspaceOptions::default();
    change(&mut options);
    let set = SegmentSet::new(Vec::new(), next, Vec::new(), None);
    let clock = Arc::new(SimClock::new(MORNING_US));
    let shared = Shared::new(std::path::Path::new("/l"), options, clock, Arc::new(Unheard), set, next);
    Builder::new(Arc::new(shared), Arc::new(Queue::new(1000)), &Indexed, next)
}

impl Builder {
    fn add_all(&mut self, batch: &Batch, first: u64) {
        self.add(batch, &Selection::all(batch.len()), first);
    }

    /// The complete segments so far: the number of the first message of each, and how many it has.
    fn complete_ones(&self) -> Vec<(u64, u32)> {
        match self.seals.take(u64::MAX, Instant::now()) {
            PopResult::Items(items) => {
                items.iter().map(|segment| (segment.first_sequence(), segment.len())).collect()
            }
            _ => Vec::new(),
        }
    }
}

#[test]
fn a_segment_is_complete_at_its_number_of_messages() {
    let mut builder = builder(|options| options.segment_messages_max = 10, 5);
    builder.add_all(&batch(4, 1, MORNING_US), 5);
    builder.add_all(&batch(6, 1, MORNING_US), 9);
    assert_eq!((builder.complete_ones(), builder.next_sequence()), (vec![], 15), "it is full, not over");
    builder.add_all(&batch(1, 1, MORNING_US), 15);
    assert_eq!(builder.complete_ones(), [(5, 10)]);
    // A batch of more than a segment is spread; one that does not fit the rest begins the next.
    builder.add_all(&batch(25, 1, MORNING_US), 16);
    assert_eq!((builder.complete_ones(), builder.next_sequence()), (vec![(15, 1), (16, 10), (26, 10)], 41));
    builder.add_all(&batch(6, 1, MORNING_US), 41);
    assert_eq!(builder.complete_ones(), [(36, 5)]);
}

#[test]
fn a_segment_is_complete_at_its_received_bytes() {
    let mut builder = builder(|options| options.segment_bytes_max = 100, 0);
    builder.add_all(&batch(9, 11, MORNING_US), 0);
    builder.add_all(&batch(1, 1, MORNING_US), 9);
    assert_eq!(builder.complete_ones(), []);
    builder.add_all(&batch(1, 1, MORNING_US), 10);
    assert_eq!(builder.complete_ones(), [(0, 10)]);
    // Each segment counts from 0.
    builder.add_all(&batch(1, 98, MORNING_US), 11);
    builder.add_all(&batch(1, 50, MORNING_US), 12);
    builder.add_all(&batch(1, 50, MORNING_US), 13);
    assert_eq!(builder.complete_ones(), [(10, 3)]);
}

#[test]
fn a_segment_is_complete_at_its_memory() {
    let mut builder = builder(|options| options.segment_memory_max = 4 << 20, 0);
    let mut first = 0;
    let mut complete = Vec::new();
    while complete.is_empty() && first < 1000 {
        builder.add_all(&batch(10, 10_000, MORNING_US), first);
        first += 10;
        complete = builder.complete_ones();
    }
    let (begin, count) = complete[0];
    assert!(begin == 0 && count > 0 && first < 1000, "{complete:?} at {first}");
}

#[test]
fn large_batches_are_added_in_parts() {
    let parts = |memory: u64, batch: &Batch| {
        builder(|options| (options.segment_memory_max, options.segment_messages_max) = (memory, 50), 0)
            .part_max(batch)
    };
    let whole = batch(100, 1000, MORNING_US);
    let held = whole.held_bytes() as u64;
    assert_eq!(parts(held * PARTS_OF_MEMORY, &whole), 50, "it fits: only the number of messages counts");
    assert_eq!(parts((held - 1) * PARTS_OF_MEMORY, &whole), 50);
    assert_eq!(parts(held / 4 * PARTS_OF_MEMORY, &whole), 25);
    assert_eq!(parts(held / 10 * PARTS_OF_MEMORY, &whole), 10);
    assert_eq!(parts(PARTS_OF_MEMORY, &whole), 1, "at least one");
}

#[test]
fn messages_that_are_there_are_left_out() {
    let mut builder = builder(|options| options.segment_messages_max = 1000, 0);
    builder.add_all(&batch(10, 1, MORNING_US), 0);
    builder.add_all(&batch(10, 1, MORNING_US), 4);
    assert_eq!((builder.next_sequence(), builder.active.len()), (14, 14));
    builder.add_all(&batch(5, 1, MORNING_US), 2);
    builder.add_all(&batch(14, 1, MORNING_US), 0);
    assert_eq!((builder.next_sequence(), builder.complete_ones()), (14, vec![]));
    let batch = batch(10, 1, MORNING_US);
    let mut some = Selection::none(10);
    [1, 5, 9].into_iter().for_each(|index| some.add(index));
    builder.add(&batch, &some, 13);
    assert_eq!(builder.next_sequence(), 16, "numbers count selected messages");
}

#[test]
fn a_gap_begins_a_segment() {
    let mut builder = builder(|_| {}, 0);
    builder.add_all(&batch(3, 1, MORNING_US), 0);
    builder.add_all(&batch(3, 1, MORNING_US), 7);
    assert_eq!((builder.complete_ones(), builder.next_sequence()), (vec![(0, 3)], 10));
    assert_eq!(builder.active.first_sequence(), 7);
    let mut empty = self::builder(|_| {}, 0);
    empty.add_all(&batch(3, 1, MORNING_US), 7);
    assert_eq!((empty.complete_ones(), empty.active.first_sequence()), (vec![], 7));
}

#[test]
fn a_segment_has_messages_of_one_day() {
    let mut builder = builder(|_| {}, 0);
    builder.end_day(MORNING_US + DAY_US);
    builder.add_all(&batch(1, 1, MORNING_US), 0);
    builder.add_all(&batch(1, 1, MORNING_US + DAY_US - 1), 1);
    assert_eq!(builder.complete_ones(), []);
    builder.add_all(&batch(1, 1, MORNING_US + DAY_US), 2);
    assert_eq!(builder.complete_ones(), [(0, 2)]);
    builder.end_day(MORNING_US + 2 * DAY_US - 1);
    assert_eq!(builder.complete_ones(), []);
    // A clock that went back ends no day.
    builder.end_day(MORNING_US);
    assert_eq!(builder.complete_ones(), []);
    builder.end_day(MORNING_US + 2 * DAY_US);
    assert_eq!(builder.complete_ones(), [(2, 1)]);
}

#[test]
fn losses_are_those_that_are_not_there() {
    let lost = |builder: &Builder| {
        let lost = builder.shared.segment_set.snapshot().lost.clone();
        lost.iter().map(|extent| (extent.first, extent.count, extent.received_us)).collect::<Vec<_>>()
    };
    let mut builder = builder(|_| {}, 10);
    builder.lose(3..10, 50);
    builder.lose(10..10, 50);
    assert_eq!(lost(&builder), [], "what lies before is sealed");
    builder.lose(8..15, 50);
    assert_eq!(lost(&builder), [(10, 5, (0, 50))]);
    builder.add_all(&batch(2, 1, MORNING_US), 15);
    builder.lose(16..20, MORNING_US + 7);
    builder.lose(20..21, MORNING_US - 7);
    assert_eq!(
        lost(&builder)[1..],
        [(17, 3, (MORNING_US, MORNING_US + 7)), (20, 1, (MORNING_US - 7, MORNING_US - 7))]
    );
}

#[test]
fn what_is_added_is_published_when_it_is_due() {
    let published = |builder: &Builder| builder.shared.segment_set.snapshot().sequence;
    let mut lazy = builder(|options| options.refresh = Duration::from_secs(3600), 0);
    lazy.add_all(&batch(3, 1, MORNING_US), 0);
    lazy.publish_when_due();
    assert_eq!(published(&lazy), 0);
    lazy.publish();
    assert_eq!(published(&lazy), 3);
    let mut eager = builder(|options| options.refresh = Duration::ZERO, 0);
    eager.add_all(&batch(3, 1, MORNING_US), 0);
    eager.publish_when_due();
    assert_eq!(published(&eager), 3);
    let at = eager.published;
    eager.publish_when_due();
    assert_eq!(eager.published, at, "nothing was added");
}

#[test]
fn a_caller_that_waits_gets_a_complete_segment() {
    let mut builder = builder(|_| {}, 0);
    let sealed = builder.shared.seal_waiters.add(3).unwrap();
    builder.add_all(&batch(2, 1, MORNING_US), 0);
    builder.complete_for_waiters();
    assert_eq!(builder.complete_ones(), [], "it wants one message more");
    builder.add_all(&batch(2, 1, MORNING_US), 2);
    builder.complete_for_waiters();
    assert_eq!((builder.complete_ones(), sealed.try_recv().is_err()), (vec![(0, 4)], true));
    builder.shared.seal_waiters.sealed(4);
    assert_eq!(sealed.try_recv(), Ok(4));
    // Nothing is left to seal: the answer comes at once.
    builder.shared.sealed_below.store(4, Relaxed);
    let sealed = builder.shared.seal_waiters.add(4).unwrap();
    builder.complete_for_waiters();
    assert_eq!((builder.complete_ones(), sealed.try_recv()), (vec![], Ok(4)));
}
