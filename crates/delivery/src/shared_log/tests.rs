//! Shared logs: over kills and power cuts, at the limits of one destination, when destinations come and go.

mod entry;
mod golden;
mod limits;

use super::{
    consumers,
    files::LogFiles,
    inbox::{Inbox, JoinRequest, LogPlace},
    look, shrink,
    thread::LogThread,
};
use crate::{
    options::{DiskBuffer, OverflowPolicy, Queueing},
    queue::{Item, WhenFull},
    spool::QueueAppender,
    worker::DestinationQueue,
};
use message::{Ack, Batch, Delivery, Field, Outcome, Selection};
use sim::{Chance, SimDisk};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    time::Instant,
};
use transport::{
    InternalLog, Registry,
    testing::{delivery, token},
};

/// How a token came back, once it has.
type Seen = Arc<Mutex<Option<Outcome>>>;

fn settings(folder: &Path, disk: Arc<dyn journal::Disk>) -> DiskBuffer {
    let buffer = DiskBuffer::new(folder.to_owned(), 1 << 20);
    DiskBuffer { reliable: true, consumer: Some("d".to_owned()), disk, ..buffer }
}

/// A log without a thread.
struct Life {
    thread: LogThread,
    inbox: Arc<Inbox>,
    destinations: Vec<Destination>,
    is_over: bool,
}

/// A destination that the test plays.
struct Destination {
    queue: Arc<DestinationQueue>,
    place: LogPlace,
    /// Taken out of the queue, not settled.
    in_hand: Vec<Item>,
    written: u64,
}

impl Life {
    fn begin(settings: &[(&str, DiskBuffer)]) -> Life {
        let log = InternalLog::new("test", None);
        let (_, first) = &settings[0];
        let files = LogFiles::open(first.disk.clone(), &first.folder, &log).unwrap();
        let inbox = Arc::new(Inbox::new());
        let thread = LogThread::new(files, inbox.clone(), log);
        let mut life = Life { thread, inbox, destinations: Vec::new(), is_over: false };
        settings.iter().for_each(|(name, settings)| life.join(name, settings.clone()));
        life
    }

    fn join(&mut self, name: &str, settings: DiskBuffer) {
        let queueing = Queueing { disk: Some(settings.clone()), ..Queueing::default() };
        let settings = Box::new(settings);
        let counters = Registry::default().register("dst.test", name, "x");
        let queue = Arc::new(DestinationQueue::new(&queueing, WhenFull::Drops, counters));
        let (reply, answer) = mpsc::channel();
        let (id, name) = (name.to_owned(), name.to_owned());
        let request = JoinRequest { id, name, settings, queue: queue.clone(), reply };
        assert!(self.inbox.request(request).is_ok());
        self.work();
        let place = answer.try_recv().unwrap().unwrap();
        queue.counters.own(place.waiting);
        self.destinations.push(Destination { queue, place, in_hand: Vec::new(), written: 0 });
    }

    fn work(&mut self) {
        self.is_over = self.thread.round(Some(Instant::now()));
    }

    /// Delivers messages of one batch: `parts` are those of each destination.
    fn deliver(&self, messages: &[&str], parts: &[(usize, Selection)], ack: Ack, controlled: bool) {
        let batch = delivery(messages, Ack::none(), true).batch;
        for (index, selection) in parts {
            let Destination { queue, place, .. } = &self.destinations[*index];
            let delivery = Delivery {
                batch: batch.clone(),
                selection: selection.clone(),
                ack: ack.clone(),
                controlled,
                first: None,
            };
            self.inbox.deliver(place.number, queue, delivery);
        }
    }

    /// Delivers one message to all destinations. Returns its token.
    fn deliver_to_all(&self, message: &str) -> Seen {
        let (ack, seen) = token();
        let all: Vec<(usize, Selection)> =
            (0..self.destinations.len()).map(|index| (index, Selection::all(1))).collect();
        self.deliver(&[message], &all, ack, true);
        seen
    }

    /// The destination takes what waits for it, and settles nothing.
    fn take(&mut self, index: usize) -> Vec<String> {
        let destination = &mut self.destinations[index];
        let items = destination.queue.take_all();
        let texts = items.iter().flat_map(texts_of).collect();
        destination.in_hand.extend(items);
        texts
    }

    /// The destination writes one of the deliveries that it has.
    fn settle(&mut self, index: usize, place: usize) -> Vec<String> {
        let destination = &mut self.destinations[index];
        let item = destination.in_hand.remove(place);
        destination.queue.done(item.count, item.bytes(), 0);
        destination.written += item.count as u64;
        texts_of(&item)
    }

    /// The destination writes everything that comes until nothing is left.
    fn drain(&mut self, index: usize) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            self.work();
            self.take(index);
            if self.destinations[index].in_hand.is_empty() {
                return all;
            }
            while !self.destinations[index].in_hand.is_empty() {
                all.extend(self.settle(index, 0));
            }
        }
    }

    /// The thread of the destination ends: what it has not written stays where it is.
    fn leave(&mut self, index: usize) {
        let destination = &mut self.destinations[index];
        for item in destination.in_hand.drain(..).chain(destination.queue.take_all()) {
            item.delivery.ack.fail();
        }
        self.inbox.note_end(destination.place.number);
        self.work();
    }

    fn figures(&self, index: usize) -> String {
        let Destination { queue, written, .. } = &self.destinations[index];
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (queued, dropped) = (read(&queue.counters.queued), queue.counters.dropped());
        assert_eq!(read(&queue.counters.processed), queued + dropped + written, "of {index}");
        format!("written={written} queued={queued} dropped={dropped}")
    }
}

fn texts_of(item: &Item) -> Vec<String> {
    let batch: &Batch = &item.delivery.batch;
    let text = |index| String::from_utf8_lossy(batch.fixed(index, Field::Message)).into_owned();
    item.delivery.selection.iter().map(text).collect()
}

fn is_done(seen: &Seen) -> bool {
    *seen.lock().unwrap() == Some(Outcome::Done)
}

const NAMES: [&str; 3] = ["a", "b", "c"];

/// The messages of a batch for each destination.
type Parts = Vec<(usize, Vec<String>)>;

/// The messages of a destination that the test knows of.
#[derive(Default)]
struct Known {
    /// Messages for it whose source knows that they are safe.
    safe: BTreeSet<String>,
    /// Messages for it.
    meant: BTreeSet<String>,
    /// Messages that it has written.
    written: BTreeSet<String>,
}

/// How fast the destinations of a test are, and how long their messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// All as fast as each other.
    Equal,
    /// The last one takes next to nothing, so that others make the log long behind it.
    OneSlow,
}

impl Pace {
    fn settings(self, settings: DiskBuffer) -> DiskBuffer {
        match self {
            Pace::Equal => settings,
            // Nothing may be dropped.
            Pace::OneSlow => {
                DiskBuffer { capacity_bytes: 100 << 10, on_full: OverflowPolicy::Hold, ..settings }
            }
        }
    }

    /// Of so many turns, a destination takes one to write.
    fn turns(self, index: usize) -> u64 {
        if self == Pace::OneSlow && index + 1 == NAMES.len() { 30 } else { 3 }
    }

    fn padding(self) -> usize {
        if self == Pace::OneSlow { 2 << 10 } else { 0 }
    }
}

/// Random deliveries to random destinations, which write them in any order, until the process dies or the power goes:
/// several lives of one disk. Returns how many batches were not safe at an end, and after how many lives something had moved out of the log.
fn check_lives(seed: u64, pace: Pace) -> (usize, usize) {
    let mut chance = Chance::new(seed);
    let mut disk = SimDisk::new();
    let mut known: BTreeMap<usize, Known> = (0..NAMES.len()).map(|index| (index, Known::default())).collect();
    let (mut number, mut cuts, mut moved) = (0, 0, 0);
    for round in 0..4 {
        let settings = DiskBuffer {
            memory_messages: 1 + chance.below(12) as usize,
            ..pace.settings(settings(Path::new("/x.shared"), Arc::new(disk.clone())))
        };
        let mut life = Life::begin(&NAMES.map(|name| (name, settings.clone())));
        // The first lives of all seeds end at every sync there may be.
        let power = round == 0 || chance.below(3) > 0;
        if power {
            disk.cut_power_at_sync(1 + if round == 0 { seed % 40 } else { chance.below(25) });
        }
        let mut tokens: Vec<(Seen, Parts)> = Vec::new();
        for _ in 0..60 {
            for _ in 0..chance.below(4) {
                tokens.push(deliver_some(&life, &mut number, &mut chance, &mut known, pace));
            }
            life.work();
            for (index, known) in &mut known {
                if chance.below(pace.turns(*index)) == 0 {
                    life.take(*index);
                }
                let in_hand = life.destinations[*index].in_hand.len() as u64;
                for left in (1..=in_hand).rev().filter(|_| chance.below(2) == 0).collect::<Vec<_>>() {
                    let place = chance.below(left.min(3)) as usize;
                    known.written.extend(life.settle(*index, place).iter().map(short));
                }
                life.figures(*index);
            }
        }
        for (seen, parts) in &tokens {
            for (index, texts) in parts.iter().filter(|_| is_done(seen)) {
                known.entry(*index).or_default().safe.extend(texts.iter().cloned());
            }
        }
        moved += usize::from(disk.paths().iter().any(|path| path.to_string_lossy().contains("backlog-")));
        cuts += tokens.iter().filter(|(seen, _)| !is_done(seen)).count();
        if power {
            drop(life);
            disk = disk.after_power_cut(&mut chance);
        } else if chance.below(2) == 0 {
            (0..NAMES.len()).for_each(|index| life.leave(index));
            assert!(life.is_over);
        }
    }
    check_rest(seed, disk, &known);
    (cuts, moved)
}

/// Delivers a batch: every destination gets some of its messages, or none.
fn deliver_some(
    life: &Life,
    number: &mut u64,
    chance: &mut Chance,
    known: &mut BTreeMap<usize, Known>,
    pace: Pace,
) -> (Seen, Parts) {
    let texts: Vec<String> = (0..=chance.below(4))
        .map(|_| {
            *number += 1;
            format!("m{number:06}")
        })
        .collect();
    let mut parts = Vec::new();
    let mut for_each = Vec::new();
    for index in 0..NAMES.len() {
        let mut selection = Selection::none(texts.len());
        match chance.below(3) {
            0 => {}
            1 => selection = Selection::all(texts.len()),
            _ => (0..texts.len()).filter(|_| chance.below(2) == 0).for_each(|index| selection.add(index)),
        }
        let own: Vec<String> = selection.iter().map(|place| texts[place].clone()).collect();
        known.entry(index).or_default().meant.extend(own.iter().cloned());
        parts.push((index, selection));
        for_each.push((index, own));
    }
    let (ack, seen) = token();
    let shown: Vec<String> =
        texts.iter().map(|text| format!("h|{text}{}", " ".repeat(pace.padding()) + ".")).collect();
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    life.deliver(&shown, &parts, ack, chance.below(2) == 0);
    (seen, for_each)
}

/// Returns a message without its padding.
#[expect(clippy::ptr_arg, reason = "it is passed to iterators of strings")]
fn short(text: &String) -> String {
    text.chars().take(7).collect()
}

/// Everything that was safe was written, or is still there, in order; and nothing else.
fn check_rest(seed: u64, disk: SimDisk, known: &BTreeMap<usize, Known>) {
    let settings = settings(Path::new("/x.shared"), Arc::new(disk));
    let mut life = Life::begin(&NAMES.map(|name| (name, settings.clone())));
    for (index, known) in known {
        let waiting = life.destinations[*index].place.waiting;
        let rest: Vec<String> = life.drain(*index).iter().map(short).collect();
        assert_eq!(rest.len() as u64, waiting, "seed {seed}: {index} counts what waits");
        assert!(rest.is_sorted(), "seed {seed}: {index} gets them out of order: {rest:?}");
        let rest: BTreeSet<String> = rest.into_iter().collect();
        assert!(rest.is_subset(&known.meant), "seed {seed}: {index} gets what is not for it");
        let found: BTreeSet<String> = rest.union(&known.written).cloned().collect();
        let missing: Vec<&String> = known.safe.difference(&found).collect();
        assert!(missing.is_empty(), "seed {seed}: safe for {index} and gone: {missing:?}");
        assert!(life.figures(*index).ends_with("queued=0 dropped=0"), "seed {seed}");
    }
}

#[test]
fn nothing_safe_is_lost_and_nothing_goes_to_others() {
    let cuts: usize = (0..80).map(|seed| check_lives(seed, Pace::Equal).0).sum();
    assert!(cuts > 300, "only {cuts} batches were not safe when a life ended");
}

#[test]
fn nothing_safe_is_lost_while_it_moves_out_of_the_log() {
    let lives: Vec<_> = (0..30).map(|seed| check_lives(seed, Pace::OneSlow)).collect();
    let (cuts, moved) = lives.iter().fold((0, 0), |sums, life| (sums.0 + life.0, sums.1 + life.1));
    assert!(cuts > 300, "only {cuts} batches were not safe when a life ended");
    assert!(moved > 30, "something had moved after only {moved} lives");
}

#[test]
fn after_a_clean_stop_nothing_comes_twice() {
    let disk = SimDisk::new();
    let settings = settings(Path::new("/x.shared"), Arc::new(disk.clone()));
    let mut life = Life::begin(&[("a", settings.clone()), ("b", settings.clone())]);
    for number in 0..10 {
        life.deliver_to_all(&format!("h|{number}"));
        life.work();
    }
    life.take(0);
    // Out of order: 0, 1 and 2 wait, 3, and 5 to 9.
    [4, 3].into_iter().for_each(|place| drop(life.settle(0, place)));
    let written = life.drain(1);
    assert_eq!(written.len(), 10);
    life.leave(0);
    life.leave(1);
    assert!(life.is_over);
    drop(life);
    let mut life = Life::begin(&[("a", settings.clone()), ("b", settings)]);
    assert_eq!((life.destinations[0].place.waiting, life.destinations[1].place.waiting), (8, 0));
    assert_eq!(life.drain(0), ["0", "1", "2", "5", "6", "7", "8", "9"]);
    assert_eq!(life.drain(1), Vec::<String>::new());
}

#[test]
fn messages_of_several_destinations_are_on_disk_once() {
    let disk = SimDisk::new();
    let settings = settings(Path::new("/x.shared"), Arc::new(disk.clone()));
    let mut life = Life::begin(&[("a", settings.clone()), ("b", settings.clone()), ("c", settings)]);
    life.deliver_to_all(&format!("h|{}", "once ".repeat(100)));
    life.work();
    let journals = disk.paths().into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "dj"));
    let bytes: Vec<u8> = journals.flat_map(|path| disk.bytes(&path).unwrap()).collect();
    assert_eq!(bytes.windows(5).filter(|window| window == b"once ").count(), 100);
    (0..3).for_each(|index| assert_eq!(life.drain(index).len(), 1));
}

#[test]
fn destinations_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let shared = folder.path().join("x.shared");
    let settings = settings(&shared, Arc::new(journal::OsDisk));
    let mut life = Life::begin(&[("a", settings.clone()), ("b", settings.clone())]);
    (0..5).for_each(|number| drop(life.deliver_to_all(&format!("h|{number}"))));
    life.work();
    life.leave(1);
    // One that is new begins at the end; one that was there continues.
    life.join("c", settings.clone());
    let (ack, seen) = token();
    life.deliver(&["h|5"], &[(0, Selection::all(1)), (2, Selection::all(1))], ack, true);
    assert_eq!((life.drain(0).len(), life.drain(2)), (6, vec!["5".to_owned()]));
    assert!(is_done(&seen));
    life.join("b", settings.clone());
    assert_eq!(life.destinations[3].place.waiting, 5);
    life.take(3);
    assert_eq!(life.settle(3, 0), ["0"]);
    [0, 2, 3].into_iter().for_each(|index| life.leave(index));
    assert!(life.is_over);
    drop(life);
    let shown = consumers(&shared).unwrap();
    let counts: Vec<u64> = shown.iter().map(|path| look(path, &mut |_, _| {}).unwrap().messages).collect();
    assert_eq!(counts, [0, 4, 0], "{shown:?}");
    let mut texts = Vec::new();
    let mut each =
        |batch: &Batch, _| texts.extend((0..batch.len()).map(|at| batch.fixed(at, Field::Message).to_vec()));
    look(&shown[1], &mut each).unwrap();
    assert_eq!(texts, [b"1", b"2", b"3", b"4"]);
}

#[test]
fn a_queue_of_its_own_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("a");
    let mut queue = QueueAppender::open(&own).unwrap();
    queue.append(&delivery(&["h|old-0", "h|old-1"], Ack::none(), true).batch).unwrap();
    queue.close().unwrap();
    let settings = settings(&folder.path().join("x.shared"), Arc::new(journal::OsDisk));
    let mut life = Life::begin(&[("a", settings.clone()), ("b", settings)]);
    assert_eq!((life.destinations[0].place.waiting, life.destinations[1].place.waiting), (2, 0));
    assert!(!own.exists());
    life.deliver_to_all("h|new");
    assert_eq!(life.drain(0), ["old-0", "old-1", "new"]);
    assert_eq!(life.drain(1), ["new"]);
}

#[test]
fn messages_of_a_destination_that_is_gone_move_out_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let shared = folder.path().join("x.shared");
    let settings = settings(&shared, Arc::new(journal::OsDisk));
    let mut life = Life::begin(&[("a", settings.clone()), ("gone", settings.clone())]);
    (0..3).for_each(|number| drop(life.deliver_to_all(&format!("h|{number}"))));
    life.work();
    life.leave(1);
    let long = format!("h|{}", "x".repeat(100 << 10));
    for _ in 0..30 {
        life.deliver(&[&long], &[(0, Selection::all(1))], Ack::none(), true);
        life.drain(0);
    }
    life.leave(0);
    drop(life);
    let file = shared.join("gone.consumer");
    let summary = look(&file, &mut |_, _| {}).unwrap();
    assert!((summary.messages, summary.bytes < 1 << 20) == (3, true), "{} bytes", summary.bytes);
    shrink(&shared).unwrap();
    assert_eq!(look(&file, &mut |_, _| {}).unwrap().messages, 3);
    // It comes back, under another name.
    std::fs::rename(&file, shared.join("back.consumer")).unwrap();
    let mut life = Life::begin(&[("back", settings)]);
    assert_eq!(life.drain(0), ["0", "1", "2"]);
}
