//! Queues on disk: over restarts and power cuts, when they are full, when they are damaged.

mod memory;
mod numbers;
mod staged;

use super::{Entrance, Keeper, look};
use crate::{
    contents::queues,
    options::{
        DestinationDriver, DestinationSpec, DiskBuffer, OverflowPolicy, Queueing, SocketKind, SocketTarget,
        Victim,
    },
    queue::WhenFull,
    set::Destinations,
    testing::lines,
    worker::DestinationQueue,
};
use message::{Ack, Field, Outcome, Outlet, Priority, Severity, WriteBudget};
use sim::{Chance, SimDisk};
use std::{
    collections::{BTreeSet, VecDeque},
    fs,
    io::Read,
    net::TcpListener,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::Ordering},
    time::{Duration, Instant},
};
use transport::{
    InternalLog, Registry,
    testing::{PATIENCE, delivery, eventually, token},
};

fn log() -> InternalLog {
    InternalLog::new("test", None)
}

fn buffer(folder: &Path, capacity: u64) -> DiskBuffer {
    DiskBuffer { reliable: true, ..DiskBuffer::new(folder.to_owned(), capacity) }
}

/// How a token came back, once it has.
type Seen = Arc<Mutex<Option<Outcome>>>;

/// A keeper without a thread, and the queue of a destination that the test plays.
struct Life {
    keeper: Keeper,
    queue: Arc<DestinationQueue>,
    entrance: Arc<Entrance>,
}

impl Life {
    fn begin(settings: DiskBuffer) -> Life {
        let queueing = Queueing { disk: Some(settings.clone()), ..Queueing::default() };
        let counters = Registry::default().register("dst.test", "d#0", "x");
        let queue = Arc::new(DestinationQueue::new(&queueing, WhenFull::Drops, counters));
        let keeper = Keeper::open("d#0", settings, queue.clone(), log()).unwrap();
        queue.counters.own(keeper.waiting());
        let entrance = keeper.entrance();
        Life { keeper, queue, entrance }
    }

    fn work(&mut self) {
        self.keeper.round(Some(Instant::now()));
    }

    /// Returns what the destination would write next, with its tokens.
    fn taken(&self) -> Vec<(Vec<String>, Ack)> {
        let texts = |item: super::super::queue::Item| {
            let batch = &item.delivery.batch;
            let text = |index| String::from_utf8_lossy(batch.fixed(index, Field::Message)).into_owned();
            let texts = item.delivery.selection.iter().map(text).collect();
            self.queue.done(item.count, item.bytes(), 0);
            (texts, item.delivery.ack)
        };
        self.queue.take_all().into_iter().map(texts).collect()
    }

    /// Works until nothing more comes, and takes it all.
    fn drained(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            self.work();
            let taken = self.taken();
            if taken.is_empty() {
                return all;
            }
            taken.into_iter().for_each(|(texts, _)| all.extend(texts));
        }
    }

    fn figures(&self) -> String {
        let read = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let counters = &self.queue.counters;
        format!(
            "in={} queued={} dropped={}",
            read(&counters.processed),
            read(&counters.queued),
            counters.dropped()
        )
    }
}

/// Random deliveries and writes until the power goes, several lives of one disk.
fn check_power(seed: u64) -> usize {
    let mut chance = Chance::new(seed);
    let mut disk = SimDisk::new();
    let (mut number, mut cuts) = (0, 0);
    let mut safe: BTreeSet<String> = BTreeSet::new();
    let mut written: BTreeSet<String> = BTreeSet::new();
    for _ in 0..3 {
        let settings = || DiskBuffer {
            disk: Arc::new(disk.clone()),
            memory_messages: 1 + chance_of(seed, 20),
            ..buffer(Path::new("/q"), 1 << 20)
        };
        let mut life = Life::begin(settings());
        let mut tokens: Vec<(Vec<String>, Seen)> = Vec::new();
        disk.cut_power_at_sync(2 + chance.below(15));
        for _ in 0..60 {
            for _ in 0..chance.below(4) {
                let texts: Vec<String> = (0..=chance.below(3))
                    .map(|_| {
                        number += 1;
                        format!("m{number:06}")
                    })
                    .collect();
                let shown: Vec<String> = texts.iter().map(|text| format!("h|{text}")).collect();
                let (ack, outcome) = token();
                let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
                life.entrance.deliver(delivery(&shown, ack, true), &WriteBudget::none());
                tokens.push((texts, outcome));
            }
            life.work();
            if chance.below(3) == 0 {
                life.taken().into_iter().for_each(|(texts, _)| written.extend(texts));
            }
        }
        let is_safe = |outcome: &Mutex<Option<Outcome>>| *outcome.lock().unwrap() == Some(Outcome::Done);
        safe.extend(
            tokens.iter().filter(|(_, outcome)| is_safe(outcome)).flat_map(|(texts, _)| texts.clone()),
        );
        cuts += tokens.iter().filter(|(_, outcome)| !is_safe(outcome)).count();
        drop(life);
        disk = disk.after_power_cut(&mut chance);
    }
    let mut life = Life::begin(DiskBuffer { disk: Arc::new(disk), ..buffer(Path::new("/q"), 1 << 20) });
    let rest = life.drained();
    assert!(rest.is_sorted(), "seed {seed}: out of order: {rest:?}");
    let found: BTreeSet<String> = rest.into_iter().chain(written).collect();
    let missing: Vec<&String> = safe.difference(&found).collect();
    assert!(missing.is_empty(), "seed {seed}: these were safe and are gone: {missing:?}");
    cuts
}

fn chance_of(seed: u64, below: u64) -> usize {
    Chance::new(seed ^ 77).below(below) as usize
}

#[test]
fn loses_nothing_safe_when_the_power_goes() {
    let cuts: usize = (0..50).map(check_power).sum();
    assert!(cuts > 300, "the power went with only {cuts} deliveries on their way");
}

#[test]
fn holds_back_or_drops_when_it_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let settings = DiskBuffer { memory_messages: 1, ..buffer(&folder.path().join("q"), 1) };
    let mut life = Life::begin(settings);
    let long = format!("h|{}", "x".repeat(200 << 10));
    let mut outcomes = Vec::new();
    for _ in 0..8 {
        let (ack, outcome) = token();
        life.entrance.deliver(delivery(&[&long], ack, true), &WriteBudget::none());
        life.work();
        outcomes.push(outcome);
    }
    let safe = || outcomes.iter().filter(|outcome| outcome.lock().unwrap().is_some()).count();
    assert_eq!(safe(), 5, "so many fit into a mebibyte");
    life.entrance.deliver(delivery(&["h|dropped"], Ack::none(), false), &WriteBudget::none());
    life.work();
    assert_eq!(life.figures(), "in=9 queued=8 dropped=1");
    let got = life.drained();
    assert_eq!(got.len(), 8);
    assert_eq!(safe(), 8);
    assert_eq!(life.figures(), "in=9 queued=0 dropped=1");
}

#[test]
fn what_waits_for_room_is_saved_at_the_stop() {
    let folder = tempfile::tempdir().unwrap();
    let settings = buffer(&folder.path().join("q"), 1);
    let mut life = Life::begin(settings.clone());
    let mut outcomes = Vec::new();
    for number in 0..8 {
        let (ack, outcome) = token();
        let long = format!("h|{number} {}", "x".repeat(200 << 10));
        life.entrance.deliver(delivery(&[&long], ack, true), &WriteBudget::none());
        life.work();
        outcomes.push(outcome);
    }
    assert_eq!(outcomes.iter().filter(|outcome| outcome.lock().unwrap().is_none()).count(), 3);
    life.keeper.end(None);
    assert!(outcomes.iter().all(|outcome| *outcome.lock().unwrap() == Some(Outcome::Done)));
    let mut life = Life::begin(settings);
    let numbers: Vec<String> = life.drained().iter().map(|text| text[..1].to_owned()).collect();
    assert_eq!(numbers.concat(), "01234567");
}

/// Leaves a queue with these deliveries, and changes a bit in the one with "two": the file, and its bytes.
fn damage(place: &Path, deliveries: &[&[&str]]) -> (PathBuf, Vec<u8>) {
    let mut life = Life::begin(buffer(place, 1 << 20));
    for messages in deliveries {
        life.entrance.deliver(delivery(messages, Ack::none(), true), &WriteBudget::none());
        life.work();
    }
    drop(life);
    let file = fs::read_dir(place)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|kind| kind == "dj"))
        .unwrap();
    let mut bytes = fs::read(&file).unwrap();
    let at = bytes.windows(3).position(|window| window == b"two").unwrap();
    bytes[at] ^= 1;
    fs::write(&file, &bytes).unwrap();
    (file, bytes)
}

#[test]
fn moves_damage_aside_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("q");
    let (file, mut bytes) = damage(&place, &[&["h|one"], &["h|two"], &["h|three"]]);
    let mut life = Life::begin(buffer(&place, 1 << 20));
    assert_eq!(life.drained(), ["one", "three"]);
    assert_eq!(life.figures(), "in=3 queued=0 dropped=1");
    assert!(file.with_extension("corrupted").exists());
    drop(life);
    fs::create_dir(folder.path().join("q.corrupted-0")).unwrap();
    bytes[8] = 99;
    let crc = crc32(&bytes[..60]);
    bytes[60..64].copy_from_slice(&crc.to_le_bytes());
    fs::write(&file, &bytes).unwrap();
    let mut life = Life::begin(buffer(&place, 1 << 20));
    assert_eq!(life.drained(), Vec::<String>::new());
    assert!(folder.path().join("q.corrupted-1").join(file.file_name().unwrap()).exists());
}

#[test]
fn a_look_tells_of_damage_and_counts_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("q");
    damage(&place, &[&["h|one", "h|more"], &["h|two", "h|more"], &["h|three", "h|more"]]);
    let mut count = 0;
    let summary = look(&place, &mut |batch, _| count += batch.len()).unwrap();
    assert_eq!((summary.messages, count, summary.damages.len()), (4, 4, 1));
    assert_eq!(queues(&place).unwrap(), std::slice::from_ref(&place));
    let none = look(folder.path(), &mut |_, _| {}).unwrap_err().to_string();
    assert_eq!(none, format!("{} is no queue of a disk buffer", folder.path().display()));
}

#[test]
fn what_is_in_memory_is_saved_when_its_time_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let memory_for = Duration::from_millis(60);
    let settings = DiskBuffer { memory_for, reliable: false, ..buffer(&folder.path().join("q"), 1 << 20) };
    let mut life = Life::begin(settings.clone());
    // It has caught up, so that deliveries go to memory.
    life.work();
    let start = Instant::now();
    life.entrance.deliver(delivery(&["h|one"], Ack::none(), true), &WriteBudget::none());
    let orders = life.entrance.wait(&mut VecDeque::new(), &settings, None);
    assert!(start.elapsed() >= memory_for && orders.settings.is_none() && orders.stop.is_none());
}

#[test]
fn new_settings_reach_the_keeper() {
    let folder = tempfile::tempdir().unwrap();
    let settings = buffer(&folder.path().join("q"), 1 << 20);
    let mut life = Life::begin(settings.clone());
    life.entrance.configure(DiskBuffer { memory_messages: 7, ..settings });
    let orders = life.entrance.wait(&mut VecDeque::new(), &buffer(folder.path(), 1), Some(Instant::now()));
    assert_eq!(orders.settings.map(|settings| settings.memory_messages), Some(7));
    life.work();
}

/// CRC-32 (IEEE), bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    };
    !bytes.iter().fold(!0, step)
}

fn to_port(port: u16, disk: DiskBuffer) -> DestinationSpec {
    let target = SocketTarget::new(SocketKind::Tcp("127.0.0.1".to_owned(), port));
    DestinationSpec {
        id: "d_net#0".to_owned(),
        component: "network".to_owned(),
        driver: DestinationDriver::Socket(target),
        queueing: Queueing {
            disk: Some(disk),
            reopen_after: Duration::from_millis(20),
            ..Queueing::default()
        },
        rendering: lines(),
    }
}

#[test]
fn delivers_after_a_restart_what_waited() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("d_net#0");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let mut outcomes = Vec::new();
    for life in 0..2 {
        let mut destinations = Destinations::new(Registry::default(), log());
        let staged = destinations.stage(vec![to_port(port, buffer(&place, 1 << 20))]).unwrap();
        let outlet = staged.outlets()["d_net#0"].clone();
        destinations.commit(staged);
        for number in 0..50 {
            let (ack, outcome) = token();
            outlet.deliver(delivery(&[&format!("h|{life}-{number}")], ack, true), &WriteBudget::none());
            outcomes.push(outcome);
        }
        eventually("all are on the disk", || {
            outcomes.iter().all(|outcome| outcome.lock().unwrap().is_some())
        });
        destinations.stop(Duration::from_secs(5));
    }
    assert_eq!(queues(folder.path()).unwrap(), std::slice::from_ref(&place));
    let mut count = 0;
    let summary = look(&place, &mut |batch, _| count += batch.len()).unwrap();
    assert_eq!((summary.messages, count, summary.damages.len()), (100, 100, 0));
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let mut destinations = Destinations::new(Registry::default(), log());
    let staged = destinations.stage(vec![to_port(port, buffer(&place, 1 << 20))]).unwrap();
    assert!(
        look(&place, &mut |_, _| {}).unwrap_err().to_string().contains("in use"),
        "looked into a queue in use"
    );
    destinations.commit(staged);
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let want: String =
        (0..2).flat_map(|life| (0..50).map(move |number| format!("{life}-{number}\n"))).collect();
    let mut got = vec![0; want.len()];
    stream.read_exact(&mut got).unwrap();
    assert_eq!(String::from_utf8_lossy(&got), want);
    destinations.stop(Duration::from_secs(5));
    assert_eq!(look(&place, &mut |_, _| {}).unwrap().messages, 0);
}

#[test]
fn takes_its_space_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("q");
    let settings = DiskBuffer { preallocate: true, ..buffer(&place, 4 << 20) };
    let mut life = Life::begin(settings.clone());
    let size = || -> u64 {
        fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
    };
    assert!(size() >= 4 << 20, "{}", size());
    life.entrance.deliver(delivery(&["h|one"], Ack::none(), true), &WriteBudget::none());
    life.work();
    drop(life);
    assert_eq!(Life::begin(settings).drained(), ["one"]);
}

#[test]
fn only_numbers_that_no_other_message_can_get_become_ids() {
    for reliable in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        // Without `reliable()` they go to the disk at once when memory is good for no time.
        let memory_for = Duration::ZERO;
        let settings = DiskBuffer { reliable, memory_for, ..buffer(&folder.path().join("q"), 1 << 20) };
        let mut seen = Vec::new();
        for _ in 0..2 {
            let mut life = Life::begin(settings.clone());
            if seen.is_empty() {
                let two = delivery(&["h|one", "h|two"], Ack::none(), true);
                life.entrance.deliver(two, &WriteBudget::none());
            }
            life.work();
            seen.extend(life.queue.take_all().into_iter().map(|item| item.delivery.first));
        }
        assert_eq!(seen.len(), 2, "they wait, and come again after a restart");
        assert_eq!((seen[0], seen[0].is_some()), (seen[1], reliable), "reliable={reliable}");
    }
}

/// Checks what happens to deliveries of 100 KiB of each severity, all with flow control, by a buffer of a mebibyte whose destination
/// writes nothing: how many are safe or wait, and how many were dropped, for the reason of the policy.
#[track_caller]
fn check_policy(on_full: OverflowPolicy, severities: &[u8], want: (usize, u64)) {
    let folder = tempfile::tempdir().unwrap();
    let settings = DiskBuffer { on_full, ..buffer(&folder.path().join("q"), 1 << 20) };
    let mut life = Life::begin(settings);
    let mut held = 0;
    for severity in severities {
        let (ack, outcome) = token();
        let mut delivery = delivery(&[&format!("h|{}", "x".repeat(100 << 10))], ack, true);
        let mut batch = (*delivery.batch).clone();
        batch.messages[0].pri = Priority::new(batch.messages[0].pri.facility(), Severity(*severity));
        delivery.batch = Arc::new(batch);
        life.entrance.deliver(delivery, &WriteBudget::none());
        life.work();
        held += usize::from(outcome.lock().unwrap().is_none());
    }
    let counters = &life.queue.counters;
    assert_eq!((held, counters.dropped()), want);
    let reason = match on_full {
        OverflowPolicy::Drop(Victim::LeastSevere) => &counters.dropped_queue_full_severity,
        _ => &counters.dropped_queue_full,
    };
    assert_eq!(reason.load(Ordering::Relaxed), want.1);
    let shed: u64 = counters.shed_by_severity.iter().map(|count| count.load(Ordering::Relaxed)).sum();
    assert_eq!(shed, want.1);
    let arrived = life.drained().len() as u64;
    assert_eq!(arrived, severities.len() as u64 - want.1);
    assert_eq!(life.figures(), format!("in={} queued=0 dropped={}", severities.len(), want.1));
}

#[test]
fn a_full_disk_buffer_does_what_its_policy_says() {
    check_policy(OverflowPolicy::ByPath, &[6; 14], (4, 0));
    check_policy(OverflowPolicy::Hold, &[6; 14], (4, 0));
    check_policy(OverflowPolicy::Drop(Victim::Newest), &[6; 14], (0, 4));
    let least_severe = OverflowPolicy::Drop(Victim::LeastSevere);
    check_policy(least_severe, &[0; 14], (0, 4));
    check_policy(least_severe, &[7; 14], (0, 6));
    // Eight fit into three quarters; from then on the less severe give way.
    check_policy(least_severe, &[7, 7, 7, 7, 7, 7, 7, 7, 7, 0, 6, 0, 5, 0], (0, 4));
}

#[test]
fn sources_that_wait_are_let_go_when_a_reload_no_longer_holds_them() {
    for victim in [Victim::Newest, Victim::LeastSevere] {
        let folder = tempfile::tempdir().unwrap();
        let settings =
            DiskBuffer { on_full: OverflowPolicy::Hold, ..buffer(&folder.path().join("q"), 1 << 20) };
        let mut life = Life::begin(settings.clone());
        let outcomes: Vec<Seen> = (0..14)
            .map(|_| {
                let (ack, outcome) = token();
                let delivery = delivery(&[&format!("h|{}", "x".repeat(100 << 10))], ack, true);
                life.entrance.deliver(delivery, &WriteBudget::none());
                life.work();
                outcome
            })
            .collect();
        let waiting = || outcomes.iter().filter(|outcome| outcome.lock().unwrap().is_none()).count();
        assert_eq!(waiting(), 4);
        life.entrance.configure(DiskBuffer { on_full: OverflowPolicy::Drop(victim), ..settings });
        life.work();
        assert_eq!((waiting(), life.queue.counters.dropped()), (0, 4), "{victim:?}");
        assert_eq!(life.drained().len(), 10);
        assert_eq!(life.figures(), "in=14 queued=0 dropped=4");
    }
}
