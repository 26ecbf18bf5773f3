//! Queues that are in memory while the destination keeps up, against a model: order, and nothing lost.

use super::{Life, Seen, buffer};
use crate::{options::DiskBuffer, spool::entrance::Way};
use message::{Ack, Outcome, Outlet, WriteBudget};
use sim::{Chance, SimDisk};
use std::{
    collections::{BTreeSet, VecDeque},
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use transport::testing::{delivery, token};

const HOUR: Duration = Duration::from_secs(3600);

fn settings(disk: &SimDisk) -> DiskBuffer {
    DiskBuffer {
        reliable: false,
        memory_for: HOUR,
        disk: Arc::new(disk.clone()),
        ..buffer(Path::new("/q"), 1 << 20)
    }
}

/// How a life of a queue ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// The server stops, or a reload removes the destination.
    Stop,
    /// The process is killed.
    Kill,
    /// The power fails, at a sync that the life makes.
    Power,
}

/// All that came in, what the destination has and has written, over several lives of one queue.
struct Model {
    seed: u64,
    chance: Chance,
    disk: SimDisk,
    life: Life,
    /// Every message that came in, by number: its token.
    tokens: Vec<Seen>,
    /// With the destination: numbers and tokens.
    taken: VecDeque<(Vec<usize>, Ack)>,
    written: BTreeSet<usize>,
    /// The number that the destination got last in this life.
    last: Option<usize>,
    /// May be missing: they were not safe when the process was killed.
    unsafe_at_kill: BTreeSet<usize>,
}

impl Model {
    fn new(seed: u64) -> Model {
        let mut chance = Chance::new(seed);
        let disk = SimDisk::new();
        let life = Model::begin(&disk, &mut chance);
        Model {
            seed,
            chance,
            disk,
            life,
            tokens: Vec::new(),
            taken: VecDeque::new(),
            written: BTreeSet::new(),
            last: None,
            unsafe_at_kill: BTreeSet::new(),
        }
    }

    fn begin(disk: &SimDisk, chance: &mut Chance) -> Life {
        let memory_for = if chance.below(3) == 0 { Duration::ZERO } else { HOUR };
        let memory_messages = 1 + chance.below(30) as usize;
        Life::begin(DiskBuffer { memory_for, memory_messages, ..settings(disk) })
    }

    fn deliver(&mut self) {
        let (ack, outcome) = token();
        let filler = "x".repeat(self.chance.below(4) as usize * 900);
        let texts: Vec<String> = (0..=self.chance.below(3))
            .map(|_| {
                self.tokens.push(outcome.clone());
                format!("h|{:06}{filler}", self.tokens.len() - 1)
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.life.entrance.deliver(delivery(&texts, ack, true), &WriteBudget::none());
    }

    fn take(&mut self) {
        for (texts, ack) in self.life.taken() {
            let numbers: Vec<usize> = texts.iter().map(|text| text[..6].parse().unwrap()).collect();
            for number in &numbers {
                let from = self.last.map_or(0, |last| last + 1);
                let may_miss =
                    |number| self.unsafe_at_kill.contains(&number) || self.written.contains(&number);
                let missing: Vec<usize> = (from..*number).filter(|number| !may_miss(*number)).collect();
                assert!(missing.is_empty(), "seed {}: {missing:?} are missing before {number}", self.seed);
                assert!(*number >= from, "seed {}: {number} comes after {:?}", self.seed, self.last);
                self.last = Some(*number);
            }
            self.taken.push_back((numbers, ack));
        }
    }

    /// The destination writes one of the deliveries that it has, mostly the oldest.
    fn write(&mut self) {
        let index = if self.chance.below(5) == 0 { self.chance.below(4) as usize } else { 0 };
        if let Some((numbers, ack)) = self.taken.remove(index.min(self.taken.len().saturating_sub(1))) {
            self.written.extend(numbers);
            drop(ack);
        }
    }

    fn is_safe(&self, number: usize) -> bool {
        *self.tokens[number].lock().unwrap() == Some(Outcome::Done)
    }

    fn end(&mut self, end: End) {
        if end == End::Power {
            self.disk.cut_power_at_sync(1 + self.chance.below(3));
            for _ in 0..80 {
                self.deliver();
                self.life.work();
                self.take();
                self.write();
            }
        }
        let disk =
            if end == End::Power { self.disk.after_power_cut(&mut self.chance) } else { self.disk.clone() };
        // Holds the place until the files are closed.
        let next = Model::begin(&SimDisk::new(), &mut self.chance);
        let Life { keeper, queue, .. } = std::mem::replace(&mut self.life, next);
        let mut keeper = Some(keeper);
        if end != End::Stop {
            // Nothing that still happens counts.
            let lost = (0..self.tokens.len()).filter(|number| end == End::Power || !self.is_safe(*number));
            self.unsafe_at_kill.extend(lost.collect::<Vec<_>>());
            keeper = None;
        }
        let waiting = queue.take_all();
        waiting.iter().for_each(|item| item.delivery.ack.fail());
        self.taken.iter().for_each(|(_, ack)| ack.fail());
        (self.taken, self.last) = (VecDeque::new(), None);
        drop(waiting);
        if let Some(keeper) = keeper {
            keeper.end(None);
            let lost: Vec<usize> = (0..self.tokens.len())
                .filter(|number| !self.unsafe_at_kill.contains(number) && !self.is_safe(*number))
                .collect();
            assert!(lost.is_empty(), "seed {}: {lost:?} were not saved at the stop", self.seed);
        }
        self.disk = disk;
        self.life = Model::begin(&self.disk, &mut self.chance);
    }
}

/// Several lives of one queue. Returns how often new deliveries had to go to the disk, and how many messages were in memory
/// only when a process was killed.
fn check_lives(seed: u64, ends: &[End]) -> (usize, usize) {
    let mut model = Model::new(seed);
    let mut on_disk = 0;
    for end in ends {
        for _ in 0..120 {
            match model.chance.below(8) {
                0..2 => model.deliver(),
                2 => model.life.work(),
                3..5 => model.take(),
                _ => model.write(),
            }
            on_disk += usize::from(model.life.entrance.way() == Way::Disk);
            let used = model.life.queue.counters.memory_usage.load(Ordering::Relaxed);
            assert!(used < 4 << 20, "seed {seed}: {used} bytes in memory");
        }
        model.life.work();
        model.end(*end);
    }
    let mut idle = 0;
    while idle < 2 {
        model.life.work();
        model.take();
        idle = if model.taken.is_empty() { idle + 1 } else { 0 };
        while !model.taken.is_empty() {
            model.write();
        }
    }
    let missing: Vec<usize> = (0..model.tokens.len())
        .filter(|number| !model.written.contains(number) && !model.unsafe_at_kill.contains(number))
        .collect();
    assert!(missing.is_empty(), "seed {seed}: {missing:?} never arrived");
    let counters = &model.life.queue.counters;
    let left = [&counters.queued, &counters.memory_usage].map(|gauge| gauge.load(Ordering::Relaxed));
    assert_eq!(left, [0, 0], "seed {seed}: messages and bytes that wait");
    assert_eq!(model.life.entrance.way(), Way::Memory, "seed {seed}");
    (on_disk, model.unsafe_at_kill.len())
}

#[test]
fn keeps_order_and_loses_nothing_at_a_stop() {
    let on_disk: usize = (0..60).map(|seed| check_lives(seed, &[End::Stop; 4]).0).sum();
    assert!((8_000..24_000).contains(&on_disk), "in {on_disk} of 28,800 steps the disk was needed");
}

#[test]
fn loses_nothing_acknowledged_when_the_process_is_killed() {
    let lost: usize = (0..60).map(|seed| check_lives(seed, &[End::Kill, End::Stop, End::Kill]).1).sum();
    assert!(lost > 0, "no message was in memory only when the process was killed");
}

#[test]
fn goes_on_after_the_power_failed() {
    for seed in 0..40 {
        check_lives(seed, &[End::Power, End::Stop, End::Power]);
    }
}

/// Checks where messages are after so many deliveries, of which the destination writes some.
#[track_caller]
fn check_way(
    (memory_messages, memory_for): (usize, Duration),
    (deliveries, written): (usize, usize),
    want: (Way, u64),
) {
    let disk = SimDisk::new();
    let mut life = Life::begin(DiskBuffer { memory_messages, memory_for, ..settings(&disk) });
    let outcomes: Vec<Seen> = (0..deliveries)
        .map(|number| {
            let (ack, outcome) = token();
            let text = format!("h|{number}");
            life.entrance.deliver(delivery(&[&text], ack, true), &WriteBudget::none());
            outcome
        })
        .collect();
    let mut taken = life.taken();
    drop(taken.drain(..written).collect::<Vec<_>>());
    life.work();
    let on_disk = look_at(&disk);
    assert_eq!((life.entrance.way(), on_disk), want);
    // A source whose messages are in memory only is not acknowledged.
    let safe = outcomes.iter().filter(|outcome| outcome.lock().unwrap().is_some()).count();
    assert_eq!(safe, written.max(if want.1 > 0 { deliveries } else { 0 }));
    drop(taken);
    life.drained();
    assert_eq!(life.entrance.way(), Way::Memory, "once the destination has caught up");
    life.entrance.deliver(delivery(&["h|one more"], Ack::none(), true), &WriteBudget::none());
    assert_eq!(life.taken().len(), 1, "which it gets at once");
    assert_eq!(life.figures(), format!("in={} queued=0 dropped=0", deliveries + 1));
}

/// Records on a disk.
fn look_at(disk: &SimDisk) -> u64 {
    let files = disk.paths().into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "dj"));
    let bytes: usize = files.filter_map(|path| disk.bytes(&path)).map(|bytes| bytes.len()).sum();
    bytes.min(1) as u64
}

#[test]
fn uses_the_disk_only_when_it_has_to() {
    check_way((10, HOUR), (0, 0), (Way::Memory, 0));
    check_way((10, HOUR), (10, 0), (Way::Memory, 0));
    check_way((10, HOUR), (10, 4), (Way::Memory, 0));
    check_way((10, HOUR), (11, 0), (Way::Disk, 1));
    check_way((10, Duration::ZERO), (3, 0), (Way::Memory, 1));
    check_way((10, Duration::ZERO), (3, 3), (Way::Memory, 0));
}

#[test]
fn a_full_disk_holds_or_drops_what_memory_has_no_room_for() {
    let disk = SimDisk::new();
    // Half of the capacity may be in memory: a delivery more than that.
    let mut life = Life::begin(settings(&disk));
    let long = format!("h|{}", "x".repeat(200 << 10));
    let mut outcomes = Vec::new();
    let mut deliver = |life: &mut Life, controlled| {
        let (ack, outcome) = token();
        life.entrance.deliver(delivery(&[&long], ack, controlled), &WriteBudget::none());
        life.work();
        outcomes.push(outcome);
    };
    (0..8).for_each(|_| deliver(&mut life, true));
    deliver(&mut life, false);
    assert_eq!(life.figures(), "in=9 queued=8 dropped=1");
    let memory = life.queue.counters.memory_usage.load(Ordering::Relaxed);
    assert!(memory < 2 << 20, "{memory} bytes in memory");
    let safe = || outcomes.iter().filter(|outcome| outcome.lock().unwrap().is_some()).count();
    assert_eq!(safe(), 5 + 1, "so many fit into a mebibyte, and one was dropped");
    life.queue.take_all().iter().for_each(|item| item.delivery.ack.fail());
    life.keeper.end(None);
    let mut life = Life::begin(settings(&disk));
    assert_eq!(life.drained().len(), 8, "what waited for room was saved at the stop");
}

#[test]
fn saves_at_the_stop_what_is_in_memory_also_beyond_the_capacity() {
    let disk = SimDisk::new();
    let mut life = Life::begin(DiskBuffer { memory_for: Duration::ZERO, ..settings(&disk) });
    for kibibytes in [300, 900] {
        let text = format!("h|{}", "x".repeat(kibibytes << 10));
        life.entrance.deliver(delivery(&[&text], Ack::none(), false), &WriteBudget::none());
        life.work();
    }
    let counters = life.queue.counters.clone();
    assert!(counters.disk_usage.load(Ordering::Relaxed) < 400 << 10, "the second one does not fit");
    assert!(life.keeper.retry_at() > Some(Instant::now()), "nor is it tried without end");
    life.queue.take_all().iter().for_each(|item| item.delivery.ack.fail());
    life.keeper.end(None);
    assert_eq!(counters.dropped(), 0);
    assert_eq!(Life::begin(settings(&disk)).drained().len(), 2);
}

#[test]
fn counts_what_a_broken_disk_cannot_save_at_the_stop() {
    let disk = SimDisk::new();
    let life = Life::begin(settings(&disk));
    let (ack, outcome) = token();
    life.entrance.deliver(delivery(&["h|one", "h|two"], ack, true), &WriteBudget::none());
    disk.set_capacity(Some(0));
    let counters = life.queue.counters.clone();
    life.queue.take_all().iter().for_each(|item| item.delivery.ack.fail());
    life.keeper.end(None);
    assert_eq!(counters.dropped_stopped.load(Ordering::Relaxed), 2);
    assert_eq!(counters.queued.load(Ordering::Relaxed), 0);
    assert_eq!(*outcome.lock().unwrap(), Some(Outcome::Failed));
}
