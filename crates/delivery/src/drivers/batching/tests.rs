//! A receiver of the test behind a whole destination: queue, thread, dead letters, counters.

mod without_thread;

use super::*;
use crate::{
    DeadLetterOptions, DestinationSpec, Destinations, DiskBuffer, LetterSelection, Queueing, replay,
    testing::lines,
};
use message::{Ack, Batch, Field, Outcome, Outlet, WriteBudget};
use receivers::contract::{Batches, Cell, Exchange, Heartbeat, HoldReason, RequestLimits};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};
use transport::{
    Counters, DeadReason, Registry,
    testing::{delivery, eventually, token},
};

/// The rows of the receiver by id, and how it behaves.
#[derive(Default)]
struct Table {
    rows: BTreeMap<RecordId, (String, usize)>,
    is_down: bool,
    is_missing: bool,
    /// So often it stores what it gets, and the answer is lost.
    answers_lost: usize,
    /// Texts that it will never take.
    bad: Vec<&'static str>,
    /// So often it takes nothing for the moment, and so often it breaks down.
    is_busy: usize,
    panics: usize,
    /// How often a connection was closed.
    closed: usize,
    /// How long a request waits for more rows.
    wait: Option<Duration>,
    /// When the next sign of life is due, and how many there were.
    heartbeat_at: Option<Instant>,
    heartbeats: usize,
    /// Answers wait for it.
    gate: Option<Arc<Notify>>,
}

#[derive(Clone, Default)]
struct TestReceiver(Arc<Mutex<Table>>);

impl Receiver for TestReceiver {
    fn begin(&mut self, _now: Stamp) {}

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        _sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        let text = String::from_utf8_lossy(batch.fixed(index, Field::Message)).into_owned();
        group.push_str("logs");
        if text.starts_with("cast") {
            return Err(RowError { reason: DeadReason::Cast, text: format!("no number: {text}") });
        }
        Ok(vec![Cell::Text(text)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(self.clone())
    }

    fn batches(&self) -> Batches {
        let wait = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).wait;
        Batches { lines: 10, bytes: 0, wait, workers: 1, retries: None }
    }

    fn instance(&self) -> String {
        "test".to_owned()
    }
}

impl Connection for TestReceiver {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        let table = &mut *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if table.panics > 0 {
            table.panics -= 1;
            panic!("an exchange that the test ends");
        }
        let judgements = if table.is_busy > 0 {
            table.is_busy -= 1;
            Judgement::of_all(rows.len(), Verdict::Later(Wait::BackOff), "busy\nquoted")
        } else if table.is_down {
            Judgement::of_all(rows.len(), Verdict::Later(Wait::Reopen), "connection refused")
        } else if table.is_missing {
            Judgement::of_all(rows.len(), Verdict::Hold(HoldReason::Schema), "no table")
        } else {
            let judgements = rows.iter().map(|row| table.take(row)).collect();
            if table.answers_lost > 0 {
                table.answers_lost -= 1;
                Judgement::of_all(rows.len(), Verdict::Later(Wait::Reopen), "connection lost")
            } else {
                judgements
            }
        };
        let gate = table.gate.clone();
        Box::pin(async move {
            if let Some(gate) = gate {
                gate.notified().await;
            }
            judgements
        })
    }

    fn close(&mut self) {
        self.0.lock().unwrap().closed += 1;
    }

    fn next_heartbeat(&self) -> Option<Instant> {
        self.0.lock().unwrap().heartbeat_at
    }

    fn heartbeat(&mut self) -> Heartbeat<'_> {
        let table = self.0.clone();
        Box::pin(async move {
            let mut table = table.lock().unwrap();
            table.heartbeat_at = None;
            table.heartbeats += 1;
        })
    }
}

impl Table {
    fn take(&mut self, row: &Row) -> Judgement {
        let [Cell::Text(text)] = &row.cells[..] else { panic!("{row:?}") };
        if self.bad.contains(&text.as_str()) {
            let verdict = Verdict::Dead(DeadReason::Constraint);
            return Judgement { rows: 1, verdict, answer: "it is bad".to_owned() };
        }
        self.rows.entry(row.id).or_insert_with(|| (text.clone(), 0)).1 += 1;
        Judgement { rows: 1, verdict: Verdict::Delivered, answer: String::new() }
    }

    fn texts(&self) -> Vec<String> {
        self.rows.values().map(|(text, _)| text.clone()).collect()
    }
}

/// A running destination.
struct Setup {
    table: Arc<Mutex<Table>>,
    destinations: Destinations,
    outlet: Arc<dyn Outlet>,
    counters: Arc<Counters>,
    log: InternalLog,
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl Setup {
    fn new(folder: &Path) -> Setup {
        Setup::with(TestReceiver::default(), folder, None)
    }

    fn with(receiver: TestReceiver, folder: &Path, disk: Option<DiskBuffer>) -> Setup {
        let registry = Registry::default();
        let log = InternalLog::new("test", None);
        let mut destinations = Destinations::new(registry.clone(), log.clone());
        let staged = destinations.stage(vec![spec(receiver.clone(), folder, disk)]).unwrap();
        let outlet = staged.outlets()["d#0"].clone();
        destinations.commit(staged);
        let counters = registry.list().into_iter().find(|entry| entry.component == "dst.test").unwrap();
        Setup { table: receiver.0, destinations, outlet, counters, log }
    }

    fn table(&self) -> std::sync::MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn send(&self, messages: &[&str]) {
        self.outlet.deliver(delivery(messages, Ack::none(), true), &WriteBudget::none());
    }

    /// Sends messages with a token.
    fn send_for_token(&self, messages: &[&str]) -> Arc<Mutex<Option<Outcome>>> {
        let (ack, outcome) = token();
        self.outlet.deliver(delivery(messages, ack, true), &WriteBudget::none());
        outcome
    }

    #[track_caller]
    fn check(&self, written: u64, dead: u64, queued: u64) {
        let counters = &self.counters;
        eventually("it is counted", || {
            (read(&counters.written), counters.dead.total(), read(&counters.queued))
                == (written, dead, queued)
        });
        assert_eq!(read(&counters.processed), written + dead + queued + counters.dropped());
    }

    /// The attempts and reasons of the dead letters.
    fn letters(&self) -> Vec<(DeadReason, String, u32)> {
        let (letters, _) = self.destinations.dead_letters("d#0").unwrap();
        let mut found = Vec::new();
        letters
            .read(&LetterSelection::default(), &mut |_, letter| {
                found.push((letter.reason, letter.answer.clone(), letter.attempts));
                true
            })
            .unwrap();
        found.sort();
        found
    }
}

fn spec(receiver: TestReceiver, folder: &Path, disk: Option<DiskBuffer>) -> DestinationSpec {
    DestinationSpec {
        id: "d#0".to_owned(),
        component: "test".to_owned(),
        driver: DestinationDriver::Receiver(Box::new(receiver)),
        queueing: Queueing {
            reopen_after: Duration::from_millis(20),
            dead_letters: Some(DeadLetterOptions::new(folder.join("dead"))),
            disk,
            ..Queueing::default()
        },
        rendering: lines(),
    }
}

#[test]
fn messages_become_rows_with_ids_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.send(&["h|a", "h|b"]);
    setup.send(&["h|c"]);
    setup.check(3, 0, 0);
    assert_eq!(setup.table().texts(), ["a", "b", "c"]);
}

#[test]
fn bad_messages_are_dead_letters_and_the_others_are_delivered() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.table().bad = vec!["b"];
    let outcome = setup.send_for_token(&["h|a", "h|b", "h|cast me", "h|c"]);
    setup.check(2, 2, 0);
    eventually("acknowledged", || *outcome.lock().unwrap() == Some(Outcome::Done));
    let bad = (DeadReason::Constraint, "it is bad".to_owned(), 1);
    assert_eq!(setup.letters(), [bad, (DeadReason::Cast, "no number: cast me".to_owned(), 0)]);
}

#[test]
fn a_replayed_letter_that_is_refused_again_is_one_letter() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.table().bad = vec!["b", "c"];
    setup.send(&["h|a", "h|b", "h|c"]);
    setup.check(1, 2, 0);
    setup.table().bad = vec!["c"];
    let (letters, outlet) = setup.destinations.dead_letters("d#0").unwrap();
    let (replayed, _) = replay(&letters, &*outlet, &LetterSelection::default(), &|| false).unwrap();
    assert_eq!((replayed, setup.letters().len(), setup.table().texts().len()), (2, 1, 2));
    setup.check(2, 3, 0);
}

#[test]
fn a_receiver_that_is_down_gets_everything_later() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.table().is_down = true;
    let outcome = setup.send_for_token(&["h|a", "h|b"]);
    eventually("it is tried", || read(&setup.counters.errors) > 1);
    assert_eq!(*outcome.lock().unwrap(), None, "acknowledged before it was delivered");
    setup.table().is_down = false;
    setup.check(2, 0, 0);
    assert_eq!(read(&setup.counters.bytes), 2, "each row counts once");
    eventually("acknowledged", || *outcome.lock().unwrap() == Some(Outcome::Done));
}

#[test]
fn a_held_table_is_tried_again_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.table().is_missing = true;
    setup.send(&["h|a"]);
    eventually("it is reported", || {
        setup.counters.trouble().as_deref() == Some("messages wait for logs (schema): no table")
    });
    setup.check(0, 0, 1);
    setup.table().is_missing = false;
    setup.check(1, 0, 0);
    eventually("all is well", || setup.counters.trouble().is_none());
}

#[test]
fn a_lost_answer_repeats_rows_under_the_same_ids() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.table().answers_lost = 2;
    setup.send(&["h|a", "h|b"]);
    setup.check(2, 0, 0);
    let table = setup.table();
    let times: Vec<usize> = table.rows.values().map(|(_, times)| *times).collect();
    assert_eq!((table.texts(), times), (vec!["a".to_owned(), "b".to_owned()], vec![3, 3]));
}

#[test]
fn ids_are_the_same_after_a_restart_with_a_queue_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = TestReceiver::default();
    receiver.0.lock().unwrap().answers_lost = usize::MAX;
    let buffer =
        || Some(DiskBuffer { reliable: true, ..DiskBuffer::new(folder.path().join("queue"), 1 << 20) });
    for life in 0..3 {
        let mut setup = Setup::with(receiver.clone(), folder.path(), buffer());
        if life == 0 {
            setup.send(&["h|a", "h|b", "h|c"]);
        }
        let times = || setup.table().rows.values().map(|(_, times)| *times).min().unwrap_or(0);
        let before = times();
        eventually("they came", || setup.table().rows.len() == 3 && times() > before);
        setup.destinations.stop(Duration::from_secs(5));
        assert_eq!(setup.counters.dropped(), 0);
    }
    receiver.0.lock().unwrap().answers_lost = 0;
    let setup = Setup::with(receiver, folder.path(), buffer());
    setup.check(3, 0, 0);
    assert_eq!(setup.table().texts(), ["a", "b", "c"], "nothing came under two ids");
}

#[test]
fn a_stop_gives_up_what_waits_in_memory_and_counts_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut setup = Setup::new(folder.path());
    setup.table().is_missing = true;
    let outcome = setup.send_for_token(&["h|a", "h|b"]);
    eventually("it waits", || setup.counters.trouble().is_some());
    let start = Instant::now();
    setup.destinations.stop(Duration::from_secs(10));
    assert!(start.elapsed() < Duration::from_secs(3), "a stop waits for no held table");
    assert_eq!(*outcome.lock().unwrap(), Some(Outcome::Failed));
    assert_eq!((setup.counters.dropped(), read(&setup.counters.queued)), (2, 0));
}

#[test]
fn a_reload_makes_the_rows_of_what_waits_anew() {
    let folder = tempfile::tempdir().unwrap();
    let mut setup = Setup::new(folder.path());
    setup.table().is_missing = true;
    setup.send(&["h|a"]);
    eventually("it waits", || setup.counters.trouble().is_some());
    let second = TestReceiver::default();
    let staged = setup.destinations.stage(vec![spec(second.clone(), folder.path(), None)]).unwrap();
    setup.destinations.commit(staged);
    setup.check(1, 0, 0);
    assert_eq!(second.0.lock().unwrap().texts(), ["a"]);
}

#[test]
fn what_a_reload_waits_for_is_counted_although_nothing_follows() {
    let folder = tempfile::tempdir().unwrap();
    let mut setup = Setup::new(folder.path());
    let gate = Arc::new(Notify::new());
    setup.table().gate = Some(gate.clone());
    setup.table().bad = vec!["b"];
    let outcome = setup.send_for_token(&["h|a", "h|b"]);
    eventually("the request is under way", || !setup.table().rows.is_empty());
    let staged = setup.destinations.stage(vec![spec(TestReceiver::default(), folder.path(), None)]).unwrap();
    setup.destinations.commit(staged);
    gate.notify_one();
    setup.check(1, 1, 0);
    assert_eq!(*outcome.lock().unwrap(), Some(Outcome::Done));
}

#[test]
fn a_receiver_that_is_busy_gets_rows_after_a_pause() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.table().is_busy = 1;
    setup.send(&["h|a", "h|b"]);
    setup.check(2, 0, 0);
    assert_eq!(setup.table().texts(), ["a", "b"]);
    let (said, _) = setup.log.take(100);
    let postponed: Vec<_> = said.iter().filter(|entry| entry.text.contains("postpones")).collect();
    assert_eq!(postponed.len(), 1);
    assert!(postponed[0].text.contains("answer='busy', messages='2'"), "{}", postponed[0].text);
}

#[test]
fn an_exchange_that_breaks_down_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.table().panics = 1;
    setup.send(&["h|a", "h|b"]);
    setup.check(2, 0, 0);
    assert_eq!(setup.table().texts(), ["a", "b"]);
}

#[test]
fn connections_are_closed_when_all_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.send(&["h|a"]);
    setup.check(1, 0, 0);
    assert_eq!(setup.table().closed, 0);
    setup.destinations.reopen();
    eventually("it is closed", || setup.table().closed == 1);
    assert_eq!(setup.destinations.with_dead_letters(), ["d#0"]);
}
