//! Rows for logspaces: arrival, sealing, retention, full disks, damage, live tail, restarts.

use super::*;
use crate::{
    LIVE_BATCHES_MAX, Live, RebuildIndex, RebuildIndexError, Unheard,
    files::{archive, layout},
    read_chain,
    shared::queue::TURNS,
};
use lookup::{CancelToken, Document, Pattern};
use message::{Ack, AckSink, Batch, Message, Origin, Outcome, Selection, Span, Stamp, WriteBudget};
use plain::Plain;
use sim::{Chance, SimDisk};
use std::{
    path::PathBuf,
    sync::{
        Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    time::Duration,
};

mod archives;
mod callers;
mod catalog;
mod chain_file;
mod clocks;
mod cuts;
mod foreign;
mod kill;
mod losses;
mod memory;
mod moves;
mod mutations;
mod numbers;
mod plain;
mod power;
mod rebuild;
mod recode;
mod tampering;
mod traced;

/// Longest that a test waits for another thread.
const PATIENCE: Duration = Duration::from_secs(10);

/// 2100-01-01T00:00:00Z: a day that is not over when the test runs.
const NEW_YEAR_US: i64 = 4_102_444_800_000_000;
/// Long past, so that segments are old enough for anything.
const LONG_AGO_US: i64 = 1_700_000_000_000_000;

struct Sink(Sender<Outcome>);

impl AckSink for Sink {
    fn acknowledge(&self, outcome: Outcome) {
        let _ = self.0.send(outcome);
    }
}

/// Says its number more than once: what repeats in a message, recoding takes out.
fn line(number: u64) -> String {
    format!(
        "n{number} is here, n{number} was there, n{number} comes from n{number} and goes to n{number}, says n{number}"
    )
}

/// Messages of a range, received at a time.
fn batch(numbers: std::ops::Range<u64>, received_us: i64) -> Batch {
    let (mut text, mut messages) = (Vec::new(), Vec::new());
    for number in numbers {
        let start = text.len();
        text.extend_from_slice(format!("<13>{}", line(number)).as_bytes());
        let raw = Span::received(start, text.len() - start);
        let mut message = Message::default();
        (message.raw, message.text) = (raw, raw.part(4, raw.len()));
        messages.push(message);
        text.push(b'\n');
    }
    let received = Stamp::known(received_us, 0);
    let mut batch = Batch::new(Arc::new(text), vec![Arc::new(Origin::default())], received, Ack::none());
    batch.messages = messages;
    batch
}

/// Delivers a batch; its acknowledgement comes through the channel.
fn deliver(logspace: &Logspace, batch: Batch, controlled: bool) -> Receiver<Outcome> {
    let (sender, receiver) = channel();
    let selection = Selection::all(batch.len());
    let ack = Ack::new(Box::new(Sink(sender)));
    let delivery = Delivery { batch: Arc::new(batch), selection, ack, controlled, first: None };
    logspace.deliver(delivery, &WriteBudget::none());
    receiver
}

fn store(logspace: &Logspace, numbers: std::ops::Range<u64>, received_us: i64) {
    let outcome = deliver(logspace, batch(numbers, received_us), true).recv_timeout(PATIENCE);
    assert_eq!(outcome, Ok(Outcome::Done));
}

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Notices for Heard {
    fn notice(&self, notice: Notice) {
        self.0.lock().unwrap().push(notice.to_string());
    }
}

impl Heard {
    fn has(&self, part: &str) -> bool {
        part.is_empty() || self.0.lock().unwrap().iter().any(|notice| notice.contains(part))
    }
}

fn options() -> LogspaceOptions {
    LogspaceOptions {
        refresh: Duration::from_millis(5),
        retry: Duration::from_millis(5),
        retention_check: Duration::from_millis(5),
        commit_gap: Duration::ZERO,
        ..LogspaceOptions::default()
    }
}

/// Returns the real clock, in microseconds.
fn now_us() -> i64 {
    OsClock.wall_us()
}

/// Returns a machine with a simulated disk and the real clocks.
fn on(disk: &SimDisk) -> Host {
    Host { disk: Arc::new(disk.clone()), ..Host::default() }
}

fn open(dir: &Path, options: LogspaceOptions) -> Logspace {
    Logspace::open(dir, options, Arc::new(Unheard)).unwrap()
}

#[track_caller]
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    assert!(TURNS.wait(PATIENCE, &mut done), "waited in vain: {what}");
}

/// Waits until a thread that waits in a queue has looked twice whether there is something to do.
#[track_caller]
fn wait_for_looks<T>(queue: &Queue<T>) {
    let before = queue.waits();
    wait_until("looked", || queue.waits() >= before + 3);
}

/// All documents that can be found, in order: sequence number and text.
fn found(logspace: &Logspace) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    for segment in &logspace.snapshot().segments {
        let mut visit = |_: u32, document: &Document| {
            found.push((document.sequence, String::from_utf8_lossy(&document.text).into_owned()));
            true
        };
        segment.read(&mut (0..segment.len()), &CancelToken::unlimited(), &mut visit).unwrap();
    }
    found
}

#[track_caller]
fn check_found(logspace: &Logspace, count: u64) {
    wait_until("searchable", || logspace.snapshot().sequence >= count);
    let want: Vec<(u64, String)> = (0..count).map(|number| (number, line(number))).collect();
    assert_eq!(found(logspace), want);
}

fn with_token(logspace: &Logspace, token: &str) -> u64 {
    let pattern = Pattern::Exact(token.as_bytes().to_vec());
    let count = |segment: &Arc<dyn lookup::SegmentView>| {
        segment.words(&pattern, &CancelToken::unlimited()).unwrap().count()
    };
    logspace.snapshot().segments.iter().map(count).sum()
}

#[test]
fn what_arrives_is_acknowledged_and_found_also_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let mut next = 0;
    for _ in 0..4 {
        let logspace = open(dir.path(), options());
        check_found(&logspace, next);
        store(&logspace, next..next + 7, NEW_YEAR_US);
        store(&logspace, next + 7..next + 8, NEW_YEAR_US + 1);
        next += 8;
        check_found(&logspace, next);
        assert_eq!(with_token(&logspace, "n3"), 1);
        assert_eq!(logspace.stats().messages_stored_total, 8);
        logspace.close();
    }
}

#[test]
fn full_segments_are_sealed_and_leave_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    let options = LogspaceOptions { segment_messages_max: 50, journal_file_bytes_max: 1600, ..options() };
    for life in 0..3 {
        let logspace = open(dir.path(), options.clone());
        for round in life * 20..life * 20 + 20 {
            store(&logspace, round * 12..round * 12 + 12, NEW_YEAR_US);
        }
        // Four batches fill a segment; the last is complete only when more comes.
        wait_until("sealed", || logspace.stats().segments == life * 5 + 4);
        check_found(&logspace, (life + 1) * 240);
        wait_until("journal released", || logspace.stats().journal_bytes < 12_000);
        assert_eq!(with_token(&logspace, "n5"), 1);
        logspace.close();
    }
    assert!(dir.path().join("2100/01-01/00000000000000000000.ds").exists());
}

#[test]
fn a_batch_larger_than_a_segment_is_spread_over_several() {
    let dir = tempfile::tempdir().unwrap();
    let wide = LogspaceOptions { segment_messages_max: u64::MAX, ..options() };
    let logspace =
        Logspace::open_on(Host::default(), Arc::new(Plain), dir.path(), wide, Arc::new(Unheard)).unwrap();
    store(&logspace, 0..5100, NEW_YEAR_US);
    wait_until("sealed", || logspace.stats().segments == 2);
    check_found(&logspace, 5100);
}

#[test]
fn a_new_day_begins_a_segment() {
    let dir = tempfile::tempdir().unwrap();
    let logspace = open(dir.path(), options());
    let day_us = 86_400_000_000;
    (0..3).for_each(|day| store(&logspace, day as u64 * 2..day as u64 * 2 + 2, NEW_YEAR_US + day * day_us));
    wait_until("sealed", || logspace.stats().segments >= 2);
    check_found(&logspace, 6);
    assert!(dir.path().join("2100/01-02/00000000000000000002.ds").exists());
}

#[test]
fn retention_removes_whole_segments_and_remembers() {
    let dir = tempfile::tempdir().unwrap();
    let sized = LogspaceOptions { segment_messages_max: 10, ..options() };
    let logspace = open(dir.path(), sized.clone());
    (0..6).for_each(|round| store(&logspace, round * 10..round * 10 + 10, now_us()));
    wait_until("sealed", || logspace.stats().segments == 5);
    let bytes = logspace.stats().segment_bytes;
    logspace.close();

    let logspace = open(dir.path(), LogspaceOptions { retention_bytes: Some(bytes / 2), ..sized.clone() });
    wait_until("removed", || logspace.stats().segment_bytes <= bytes / 2);
    let stats = logspace.stats();
    assert_eq!((stats.segments + stats.segments_removed_total, stats.sequence), (5, 60));
    logspace.close();

    let aged = LogspaceOptions { retention_age: Some(Duration::ZERO), ..sized };
    let logspace = open(dir.path(), aged);
    wait_until("removed", || logspace.stats().segments == 0);
    logspace.close();
    let logspace = open(dir.path(), options());
    store(&logspace, 60..61, now_us());
    wait_until("found", || logspace.snapshot().sequence == 61);
    assert_eq!(found(&logspace).first().map(|(sequence, _)| *sequence), Some(50));
    assert_eq!(layout::files_ending(dir.path(), "ds").unwrap().len(), 0);
}

#[test]
fn a_full_disk_holds_sources_back_until_there_is_room() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, heard) = (SimDisk::new(), Arc::new(Heard::default()));
    let logspace =
        Logspace::open_on(on(&disk), Arc::new(Plain), dir.path(), options(), heard.clone()).unwrap();
    store(&logspace, 0..10, NEW_YEAR_US);
    disk.set_capacity(Some(disk.used_bytes() + 100));
    let waiting: Vec<_> = (1..5)
        .map(|round| deliver(&logspace, batch(round * 10..round * 10 + 10, NEW_YEAR_US), true))
        .collect();
    wait_until("stalled", || logspace.stats().commits_failed_total > 3);
    assert!(waiting.iter().all(|outcome| outcome.try_recv().is_err()), "acknowledged without room");
    assert!(heard.has("holding sources back: cannot write"), "{:?}", heard.0);
    check_found(&logspace, 10);
    disk.set_capacity(None);
    for outcome in waiting {
        assert_eq!(outcome.recv_timeout(PATIENCE), Ok(Outcome::Done));
    }
    assert!(heard.has("the journal can be written again"));
    check_found(&logspace, 50);
    logspace.close();
    let logspace = Logspace::open_on(on(&disk), Arc::new(Plain), dir.path(), options(), heard).unwrap();
    check_found(&logspace, 50);
}

#[test]
fn closing_on_a_full_disk_tells_the_sources() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SimDisk::new();
    let logspace =
        Logspace::open_on(on(&disk), Arc::new(Plain), dir.path(), options(), Arc::new(Unheard)).unwrap();
    disk.set_capacity(Some(0));
    let waiting = deliver(&logspace, batch(0..3, NEW_YEAR_US), true);
    wait_until("stalled", || logspace.stats().commits_failed_total > 0);
    logspace.close();
    assert_eq!(waiting.recv_timeout(PATIENCE), Ok(Outcome::Failed));
}

#[test]
fn paths_without_flow_control_drop_and_count() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SimDisk::new();
    let small = LogspaceOptions { queue_bytes_max: 2000, ..options() };
    let logspace =
        Logspace::open_on(on(&disk), Arc::new(Plain), dir.path(), small, Arc::new(Unheard)).unwrap();
    disk.set_capacity(Some(0));
    for round in 0..50 {
        // The source goes on at once, whatever becomes of the messages.
        let outcome = deliver(&logspace, batch(round..round + 1, NEW_YEAR_US), false).recv_timeout(PATIENCE);
        assert_eq!(outcome, Ok(Outcome::Done));
    }
    let dropped = logspace.stats().messages_dropped_full_total;
    assert!((1..50).contains(&dropped), "{dropped} of 50");
    disk.set_capacity(None);
    wait_until("stored", || logspace.stats().messages_stored_total + dropped == 50);
    wait_until("found", || logspace.snapshot().sequence + dropped == 50);
}

#[test]
fn a_builder_that_lags_holds_sources_back() {
    let dir = tempfile::tempdir().unwrap();
    let small = LogspaceOptions { unbuilt_bytes_max: 20_000, ..options() };
    let stuck = Arc::new(plain::Stuck::default());
    let segments = Arc::clone(&stuck) as Arc<dyn Segments>;
    let logspace =
        Logspace::open_on(Host::default(), segments, dir.path(), small, Arc::new(Unheard)).unwrap();
    stuck.hold();
    let mut waiting = Vec::new();
    for round in 0..100 {
        waiting.push(deliver(&logspace, batch(round * 10..round * 10 + 10, NEW_YEAR_US), true));
        // One commit each, until the builder holds the writer back: what is stored together is handed on together.
        wait_until("stored", || {
            logspace.stats().messages_stored_total == round * 10 + 10 || logspace.shared.unbuilt.held_back()
        });
    }
    wait_until("held back", || logspace.shared.unbuilt.held_back());
    let stats = logspace.stats();
    // Released first: a failed assertion must not wait for a builder that is held.
    stuck.release();
    assert!(stats.unbuilt_bytes <= 20_000 && stats.queue_messages > 0, "{stats:?}");
    assert_eq!(stats.messages_in_total, stats.messages_stored_total + stats.queue_messages);
    for outcome in waiting {
        assert_eq!(outcome.recv_timeout(PATIENCE), Ok(Outcome::Done));
    }
    check_found(&logspace, 1000);
}

#[test]
fn a_failing_seal_keeps_messages_in_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    let heard = Arc::new(Heard::default());
    let small = LogspaceOptions { segment_messages_max: 10, journal_file_bytes_max: 100, ..options() };
    // A file where the year's folder should be.
    fs::write(dir.path().join("2100"), "in the way").unwrap();
    let logspace = Logspace::open(dir.path(), small.clone(), heard.clone()).unwrap();
    (0..3).for_each(|round| store(&logspace, round * 10..round * 10 + 10, NEW_YEAR_US));
    wait_until("stalled", || logspace.stats().seals_failed_total > 2);
    assert!(heard.has("keeping messages in the journal: cannot make"), "{:?}", heard.0);
    check_found(&logspace, 30);
    logspace.close();
    let logspace = Logspace::open(dir.path(), small, heard).unwrap();
    check_found(&logspace, 30);
    fs::remove_file(dir.path().join("2100")).unwrap();
    wait_until("sealed", || logspace.stats().segments >= 2);
    check_found(&logspace, 30);
}

/// Ten sealed segments and an active one; then something happens to the files.
#[track_caller]
fn check_repair(harm: impl Fn(&Path), notice: &str, missing: std::ops::Range<u64>) {
    let dir = tempfile::tempdir().unwrap();
    let small = LogspaceOptions { segment_messages_max: 10, ..options() };
    let logspace = open(dir.path(), small.clone());
    (0..11).for_each(|round| store(&logspace, round * 10..round * 10 + 10, NEW_YEAR_US));
    wait_until("sealed", || logspace.stats().segments >= 10);
    logspace.close();
    harm(dir.path());
    let heard = Arc::new(Heard::default());
    let logspace = Logspace::open(dir.path(), small, heard.clone()).unwrap();
    assert!(heard.has(notice), "{:?}", heard.0);
    let want: Vec<u64> = (0..110).filter(|number| !missing.contains(number)).collect();
    assert_eq!(found(&logspace).iter().map(|(sequence, _)| *sequence).collect::<Vec<_>>(), want);
    store(&logspace, 110..120, NEW_YEAR_US);
    wait_until("found", || logspace.snapshot().sequence == 120);
}

#[test]
fn opening_repairs_what_can_be_repaired() {
    let file = |dir: &Path, first: u64| dir.join(format!("2100/01-01/{first:020}.ds"));
    let remove = |path: PathBuf| fs::remove_file(path).unwrap();
    check_repair(|dir| remove(dir.join("catalog")), "made the catalog again", 0..0);
    check_repair(
        |dir| fs::write(dir.join("catalog"), "duramen catalog 1\nend 0").unwrap(),
        "made the catalog",
        0..0,
    );
    check_repair(|dir| remove(file(dir, 30)), "is not there", 30..40);
    check_repair(|dir| fs::write(file(dir, 30), "?").unwrap(), "cannot use", 30..40);
    check_repair(|dir| fs::write(file(dir, 110).with_extension("tmp"), "half").unwrap(), "", 0..0);
}

#[test]
fn a_damaged_journal_costs_only_what_was_hit() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, heard) = (SimDisk::new(), Arc::new(Heard::default()));
    let open =
        || Logspace::open_on(on(&disk), Arc::new(Plain), dir.path(), options(), heard.clone()).unwrap();
    let logspace = open();
    (0..6).for_each(|round| store(&logspace, round * 2..round * 2 + 2, NEW_YEAR_US));
    logspace.close();
    let path = disk.paths().into_iter().find(|path| path.extension().is_some_and(|e| e == "dj")).unwrap();
    let mut bytes = disk.bytes(&path).unwrap();
    let at = bytes.windows(3).position(|part| part == b"n5 ").unwrap();
    bytes[at] ^= 1;
    disk.set_bytes(&path, bytes);
    let logspace = open();
    assert!(heard.has("2 messages lost"), "{:?}", heard.0);
    let numbers: Vec<u64> = found(&logspace).iter().map(|(sequence, _)| *sequence).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 6, 7, 8, 9, 10, 11]);
}

#[test]
fn live_tails_see_all_or_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let logspace = open(dir.path(), options());
    store(&logspace, 0..3, NEW_YEAR_US);
    check_found(&logspace, 3);
    let (quick, slow) = (logspace.subscribe(), logspace.subscribe());
    let rounds = LIVE_BATCHES_MAX as u64 + 10;
    for round in 0..rounds {
        store(&logspace, 3 + round..4 + round, NEW_YEAR_US);
        match quick.wait(PATIENCE) {
            Some(Live::Messages { first_sequence, selection, .. }) => {
                assert_eq!((first_sequence, selection.count()), (3 + round, 1));
            }
            other => panic!("{other:?}"),
        }
    }
    check_found(&logspace, 3 + rounds);
    let mut seen = 0;
    let missed = loop {
        match slow.wait(PATIENCE) {
            Some(Live::Messages { first_sequence, .. }) => {
                assert_eq!(first_sequence, 3 + seen);
                seen += 1;
            }
            Some(Live::Lagged { messages }) => break messages,
            None => panic!("nothing"),
        }
    };
    assert_eq!((seen, seen + missed), (LIVE_BATCHES_MAX as u64, rounds));
    assert_eq!(logspace.stats().subscribers, 2);
    drop(quick);
    assert_eq!(logspace.stats().subscribers, 1);
    logspace.close();
    assert!(slow.wait(PATIENCE).is_none());
}

#[test]
fn a_logspace_has_one_owner() {
    let dir = tempfile::tempdir().unwrap();
    let _first = open(dir.path(), options());
    let second = Logspace::open(dir.path(), options(), Arc::new(Unheard));
    assert!(second.err().is_some_and(|error| error.to_string().contains("another process has it open")));
}
