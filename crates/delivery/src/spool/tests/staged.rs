//! Messages that a receiver has staged: they leave memory and stay on the disk, over a start, and are read again when they are lost.

use super::*;
use message::{Batch, Stamp};
use receivers::{
    contract::{Batches, Cell, Connection, Receiver, RowError},
    sequences::SequenceSet,
    staging::{DiskSpace, StagedBefore, Staging},
};
use std::{io, ops::Range};

/// A receiver that has some messages from earlier.
struct Holder(StagedBefore);

impl Receiver for Holder {
    fn begin(&mut self, _now: Stamp) {}

    fn row(&mut self, _: &Batch, _: usize, _: u64, _: &mut String) -> Result<Vec<Cell>, RowError> {
        Err(RowError::bad_name("no rows"))
    }

    fn connection(&self) -> Box<dyn Connection> {
        unreachable!("the test plays the destination")
    }

    fn batches(&self) -> Batches {
        Batches { lines: 1, bytes: 0, wait: None, workers: 1, retries: None }
    }

    fn instance(&self) -> String {
        "holder".to_owned()
    }

    fn stage_at(&mut self, _staging: Arc<Staging>) -> io::Result<StagedBefore> {
        Ok(self.0.clone())
    }
}

fn set(runs: &[(u64, u64)]) -> SequenceSet {
    let mut set = SequenceSet::default();
    runs.iter().for_each(|(start, end)| set.insert_run(*start..*end));
    set
}

/// Begins a life whose receiver has some messages from earlier.
fn begin(settings: &DiskBuffer, known: SequenceSet, settled: SequenceSet) -> Life {
    let mut life = Life::begin(settings.clone());
    life.keeper.adopt(&mut Holder(StagedBefore { known, settled })).unwrap();
    life
}

fn texts(range: Range<u64>) -> Vec<String> {
    range.map(|number| format!("m{number}")).collect()
}

fn feed(life: &mut Life, range: Range<u64>) {
    let messages: Vec<String> = range.map(|number| format!("h|m{number}")).collect();
    let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
    life.entrance.deliver(delivery(&messages, Ack::none(), true), &WriteBudget::none());
    life.work();
}

#[test]
fn staged_messages_stay_on_the_disk_until_they_are_delivered() {
    let disk = SimDisk::new();
    let settings = DiskBuffer { disk: Arc::new(disk.clone()), ..buffer(Path::new("/q"), 1 << 20) };
    let mut life = Life::begin(settings.clone());
    let staging = life.queue.staging.get().unwrap().clone();
    feed(&mut life, 0..4);
    feed(&mut life, 4..10);
    staging.hold(1, 2);
    assert_eq!(life.drained(), texts(0..10));
    life.work();
    assert_eq!(staging.cursor(), 2);
    life.keeper.end(None);
    // The next start reads what the receiver does not have: in the middle of a record, too.
    let known = set(&[(2, 3), (5, 7)]);
    let mut life = begin(&settings, known.clone(), set(&[(2, 3)]));
    assert_eq!(life.keeper.waiting(), 7);
    let staging = life.queue.staging.get().unwrap().clone();
    staging.hold(1, 5);
    assert_eq!(life.drained(), ["m3", "m4", "m7", "m8", "m9"]);
    life.work();
    assert_eq!(staging.cursor(), 5);
    staging.deliver(1, 2, 20);
    life.work();
    assert_eq!(staging.cursor(), 10);
}

#[test]
fn lost_messages_are_read_again_and_only_they() {
    let disk = SimDisk::new();
    let settings =
        DiskBuffer { disk: Arc::new(disk.clone()), memory_messages: 4, ..buffer(Path::new("/q"), 1 << 20) };
    let mut life = Life::begin(settings.clone());
    let staging = life.queue.staging.get().unwrap().clone();
    (0..6).for_each(|start| feed(&mut life, 3 * start..3 * start + 3));
    staging.hold(1, 1);
    assert_eq!(life.drained(), texts(0..18));
    staging.read_again(set(&[(1, 2), (4, 8), (17, 18)]));
    staging.release(1);
    life.work();
    // Not more at a time than fits in memory; they keep the queue, and new ones come too.
    let first: Vec<(Vec<String>, Ack)> = life.taken();
    let read: usize = first.iter().map(|(texts, _)| texts.len()).sum();
    assert!((1..6).contains(&read), "{read}");
    life.work();
    assert_eq!(staging.cursor(), 1);
    let mut all: Vec<String> = first.into_iter().flat_map(|(texts, _)| texts).collect();
    feed(&mut life, 18..20);
    all.extend(life.drained());
    all.sort();
    assert_eq!(all, ["m1", "m17", "m18", "m19", "m4", "m5", "m6", "m7"]);
    life.work();
    assert_eq!(staging.cursor(), 20);
}

#[test]
fn lost_messages_that_are_given_up_at_the_stop_are_there_at_the_start() {
    let disk = SimDisk::new();
    let settings = DiskBuffer { disk: Arc::new(disk.clone()), ..buffer(Path::new("/q"), 1 << 20) };
    let mut life = Life::begin(settings.clone());
    let staging = life.queue.staging.get().unwrap().clone();
    feed(&mut life, 0..3);
    staging.hold(1, 0);
    assert_eq!(life.drained(), texts(0..3));
    staging.read_again(set(&[(1, 3)]));
    staging.release(1);
    life.work();
    life.taken().iter().for_each(|(_, ack)| ack.fail());
    life.work();
    assert_eq!(staging.cursor(), 1);
    life.keeper.end(None);
    assert_eq!(begin(&settings, SequenceSet::default(), SequenceSet::default()).drained(), texts(1..3));
}

#[test]
fn a_disk_of_which_half_is_used_is_short() {
    let disk = SimDisk::new();
    let settings = DiskBuffer { disk: Arc::new(disk.clone()), ..buffer(Path::new("/q"), 1 << 20) };
    let mut life = Life::begin(settings);
    let staging = life.queue.staging.get().unwrap().clone();
    let large = format!("h|{}", "x".repeat(30_000));
    staging.hold(1, 0);
    for _ in 0..16 {
        assert_eq!(staging.disk_space(), DiskSpace::Ample);
        life.entrance.deliver(delivery(&[&large], Ack::none(), true), &WriteBudget::none());
        life.drained();
    }
    life.entrance.deliver(delivery(&[&large, &large], Ack::none(), true), &WriteBudget::none());
    life.drained();
    assert_eq!(staging.disk_space(), DiskSpace::Short);
    staging.deliver(1, 18, 0);
    life.work();
    assert_eq!(staging.disk_space(), DiskSpace::Ample);
}
