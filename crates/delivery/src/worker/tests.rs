//! The thread of a destination without its thread: what it counts, tries again, gives back and gives up.

use super::*;
use crate::{
    options::{DestinationDriver, DiskBuffer, MarkMode, Marks, PipeTarget, Rendering},
    queue::WhenFull,
    testing::spec,
};
use message::{Field, Outcome, Outlet, Stamp, WriteBudget};
use std::sync::Mutex;
use transport::testing::{delivery, token};

/// The messages of a driver, and the calls that it got.
#[derive(Default)]
struct Recorded {
    waiting: Vec<String>,
    written: Vec<String>,
    begins: usize,
    flushes: usize,
    reopened: usize,
    configured: usize,
    errors: VecDeque<io::ErrorKind>,
    unwritable: usize,
    refused: usize,
    cut: usize,
    holds_until: Option<Instant>,
    next_tick: Option<Instant>,
    local_pause: Option<Duration>,
    can_write_inline: bool,
    /// Messages that are written before an error.
    taken_before_error: usize,
    /// The ids of deliveries.
    firsts: Vec<Option<u64>>,
}

struct Fake(Arc<Mutex<Recorded>>);

impl Fake {
    fn recorded<T>(&self, look: impl FnOnce(&mut Recorded) -> T) -> T {
        look(&mut self.0.lock().unwrap())
    }
}

impl Driver for Fake {
    fn begin(&mut self, _: Stamp) {
        self.recorded(|recorded| recorded.begins += 1);
    }

    fn add(&mut self, delivery: &Delivery, sequence: &mut u64) {
        self.recorded(|recorded| recorded.firsts.push(delivery.first.map(|first| first.sequence)));
        for index in delivery.selection.iter() {
            *sequence += 1;
            let text = String::from_utf8_lossy(delivery.batch.fixed(index, Field::Message)).into_owned();
            self.recorded(|recorded| recorded.waiting.push(text));
        }
    }

    fn size(&self) -> usize {
        self.recorded(|recorded| recorded.waiting.iter().map(String::len).sum())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.recorded(|recorded| {
            recorded.flushes += 1;
            if let Some(error) = recorded.errors.pop_front() {
                let taken = recorded.taken_before_error;
                recorded.written.extend(recorded.waiting.drain(..taken));
                return Err(error.into());
            }
            recorded.written.append(&mut recorded.waiting);
            Ok(())
        })
    }

    fn take_unwritable(&mut self) -> usize {
        self.recorded(|recorded| std::mem::take(&mut recorded.unwritable))
    }

    fn take_refused(&mut self) -> usize {
        self.recorded(|recorded| std::mem::take(&mut recorded.refused))
    }

    fn take_cut(&mut self) -> usize {
        self.recorded(|recorded| std::mem::take(&mut recorded.cut))
    }

    fn abandon(&mut self) -> usize {
        self.recorded(|recorded| std::mem::take(&mut recorded.waiting).len())
    }

    fn configure(&mut self, _: DestinationDriver, _: Rendering) {
        self.recorded(|recorded| recorded.configured += 1);
    }

    fn reopen(&mut self) {
        self.recorded(|recorded| recorded.reopened += 1);
    }

    fn holds_until(&self) -> Option<Instant> {
        self.recorded(|recorded| recorded.holds_until)
    }

    fn can_write_inline(&self) -> bool {
        self.recorded(|recorded| recorded.can_write_inline)
    }

    fn local_pause(&self) -> Option<Duration> {
        self.recorded(|recorded| recorded.local_pause)
    }

    fn next_tick(&self) -> Option<Instant> {
        self.recorded(|recorded| recorded.next_tick)
    }
}

fn spec_with(queueing: Queueing) -> DestinationSpec {
    let path = "/run/x".into();
    let pipe = PipeTarget { path, permissions: transport::FilePermissions::default(), folders: None };
    DestinationSpec { queueing, ..spec(DestinationDriver::Pipe(pipe), "$MSG\n") }
}

struct Setup {
    worker: Worker,
    queue: Arc<DestinationQueue>,
    recorded: Arc<Mutex<Recorded>>,
    log: InternalLog,
}

impl Setup {
    fn new(change: impl FnOnce(&mut Queueing)) -> Setup {
        let mut queueing = Queueing { reopen_after: Duration::ZERO, ..Queueing::default() };
        change(&mut queueing);
        let (registry, log) = (Registry::default(), InternalLog::new("test", None));
        let counters = registry.register("dst.pipe", "d#0", "x");
        let queue = Arc::new(DestinationQueue::new(&queueing, WhenFull::Drops, counters));
        let mut worker = Worker::new(spec_with(queueing), queue.clone(), (registry, log.clone(), None));
        let recorded = Arc::<Mutex<Recorded>>::default();
        worker.driver = Box::new(Fake(recorded.clone()));
        Setup { worker, queue, recorded, log }
    }

    /// Gives messages to the thread; returns where the fate of their batch is seen.
    fn add(&mut self, texts: &[&str]) -> Arc<Mutex<Option<Outcome>>> {
        let (ack, seen) = token();
        let texts: Vec<String> = texts.iter().map(|text| format!("h|{text}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.queue.deliver(delivery(&texts, ack, true), &WriteBudget::none());
        self.worker.items.extend(self.queue.take_all());
        seen
    }

    fn recorded<T>(&self, look: impl FnOnce(&mut Recorded) -> T) -> T {
        look(&mut self.recorded.lock().unwrap())
    }

    fn written(&self) -> String {
        self.recorded(|recorded| recorded.written.join(","))
    }

    /// Messages that came, were written, wait, and were dropped.
    fn figures(&self) -> [u64; 4] {
        let counters = &self.queue.counters;
        let read = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        [read(&counters.processed), read(&counters.written), read(&counters.queued), counters.dropped()]
    }

    fn log(&self) -> Vec<String> {
        self.log.take(100).0.into_iter().map(|entry| entry.text).collect()
    }
}

fn fate(seen: &Mutex<Option<Outcome>>) -> Option<Outcome> {
    *seen.lock().unwrap()
}

#[test]
fn what_is_written_is_counted_and_given_back() {
    let mut setup = Setup::new(|_| {});
    let seen = setup.add(&["a", "bc"]);
    assert_eq!(setup.figures(), [2, 0, 2, 0]);
    setup.worker.write_items();
    assert_eq!((setup.written().as_str(), setup.figures()), ("a,bc", [2, 2, 0, 0]));
    assert_eq!(fate(&seen), Some(Outcome::Done));
    let counters = &setup.queue.counters;
    assert_eq!(counters.bytes.load(Ordering::Relaxed), 3);
    assert_eq!(counters.memory_usage.load(Ordering::Relaxed), 0);
    assert!(counters.stamp_s.load(Ordering::Relaxed) > 0);
    assert_eq!(setup.recorded(|recorded| (recorded.begins, recorded.flushes)), (1, 1));
    assert!(!setup.worker.has_output() && setup.worker.next_deadline().is_none());
}

#[test]
fn what_the_target_does_not_take_is_counted_by_its_reason() {
    for (unwritable, refused, want) in
        [(0, 0, [3, 0, 0]), (1, 0, [2, 1, 0]), (1, 1, [1, 1, 1]), (2, 5, [0, 2, 1]), (9, 9, [0, 3, 0])]
    {
        let mut setup = Setup::new(|_| {});
        setup.add(&["a", "b", "c"]);
        setup.recorded(|recorded| {
            (recorded.unwritable, recorded.refused, recorded.cut) = (unwritable, refused, 2)
        });
        setup.worker.write_items();
        let counters = &setup.queue.counters;
        let counted = [&counters.written, &counters.dropped_unwritable, &counters.dropped_refused];
        assert_eq!(counted.map(|counter| counter.load(Ordering::Relaxed)), want);
        assert_eq!(counters.frame_errors.load(Ordering::Relaxed), 2);
        assert_eq!(counters.queued.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn output_is_written_when_there_is_enough_or_no_more_comes() {
    let mut setup = Setup::new(|queueing| queueing.batch_bytes = 2);
    for text in ["a", "b", "c"] {
        setup.add(&[text]);
    }
    setup.worker.write_items();
    assert_eq!((setup.written().as_str(), setup.recorded(|recorded| recorded.flushes)), ("a,b,c", 2));
    // A driver may rather wait for more.
    let later = Instant::now() + Duration::from_secs(60);
    setup.recorded(|recorded| recorded.holds_until = Some(later));
    let seen = setup.add(&["d"]);
    setup.worker.write_items();
    assert_eq!((setup.written().as_str(), fate(&seen)), ("a,b,c", None));
    assert!(setup.worker.has_output() && !setup.worker.is_due());
    assert_eq!(setup.worker.next_deadline(), Some(later));
    let tick = Instant::now() + Duration::from_secs(30);
    setup.recorded(|recorded| recorded.next_tick = Some(tick));
    assert_eq!(setup.worker.next_deadline(), Some(tick));
    setup.worker.obey(Command::Stop(Instant::now()));
    assert!(setup.worker.is_due() && setup.worker.next_deadline() <= Some(Instant::now()));
    setup.worker.flush();
    assert_eq!(fate(&seen), Some(Outcome::Done));
}

#[test]
fn an_error_is_counted_told_and_tried_again() {
    let mut setup = Setup::new(|_| {});
    let seen = setup.add(&["a"]);
    setup.recorded(|recorded| {
        recorded.errors = [io::ErrorKind::ConnectionRefused, io::ErrorKind::WouldBlock].into()
    });
    setup.worker.write_items();
    assert_eq!((setup.figures(), fate(&seen)), ([1, 1, 0, 0], Some(Outcome::Done)));
    assert_eq!(setup.queue.counters.errors.load(Ordering::Relaxed), 1, "a slow target is no error");
    assert_eq!(setup.recorded(|recorded| recorded.flushes), 3);
    let log = setup.log();
    assert_eq!(log.len(), 1);
    assert!(log[0].starts_with("Error writing to a destination, suspending it; id='d#0'"), "{log:?}");
    assert_eq!(setup.queue.counters.trouble(), None);
}

#[test]
fn a_target_of_this_machine_that_fails_is_trouble_until_it_works() {
    let mut setup = Setup::new(|queueing| queueing.reopen_after = Duration::from_secs(3600));
    setup.recorded(|recorded| {
        recorded.local_pause = Some(Duration::from_millis(1));
        recorded.errors = [io::ErrorKind::StorageFull; 3].into();
    });
    setup.add(&["a"]);
    let error: io::Error = io::ErrorKind::StorageFull.into();
    assert_eq!(setup.worker.suspended(&error), Duration::from_millis(1));
    assert_eq!(setup.queue.counters.trouble(), Some(error.to_string()));
    setup.worker.write_items();
    assert_eq!(setup.queue.counters.trouble(), None);
    assert_eq!(setup.queue.counters.errors.load(Ordering::Relaxed), 4);
    let log = setup.log();
    assert_eq!(log.len(), 2, "it is logged once: {log:?}");
    assert!(log[0].ends_with("time_reopen='0.001'"), "{log:?}");
    assert_eq!(log[1], "Destination works again; id='d#0'");
    // An hour ago is long enough to tell it again.
    setup.worker.trouble_reported = Instant::now().checked_sub(Duration::from_secs(61));
    setup.worker.suspended(&error);
    assert_eq!(setup.log().len(), 1);
}

#[test]
fn what_is_not_written_at_the_stop_is_dropped_and_given_back() {
    for is_backed in [false, true] {
        let mut setup = Setup::new(|queueing| {
            queueing.batch_bytes = 1;
            queueing.disk = is_backed.then(|| DiskBuffer::new("/q".into(), 1 << 20));
        });
        let outcomes = [setup.add(&["a", "b"]), setup.add(&["c"])];
        setup.recorded(|recorded| recorded.errors = [io::ErrorKind::ConnectionRefused; 9].into());
        setup.worker.obey(Command::Stop(Instant::now()));
        setup.worker.write_items();
        for seen in &outcomes {
            assert_eq!(fate(seen), Some(Outcome::Failed));
        }
        let (left, dropped) = if is_backed { (3, 0) } else { (0, 3) };
        assert_eq!(setup.figures(), [3, 0, left, dropped]);
        let recorded =
            setup.log().iter().filter(|text| text.contains("took no more before the stop")).count();
        assert_eq!(recorded, usize::from(!is_backed));
        assert!(setup.worker.items.is_empty());
    }
}

#[test]
fn a_part_that_was_written_before_the_stop_counts_as_written() {
    let mut setup = Setup::new(|_| {});
    setup.add(&["a", "b", "c"]);
    setup.recorded(|recorded| {
        recorded.errors = [io::ErrorKind::ConnectionRefused].into();
        recorded.refused = 1;
    });
    setup.worker.obey(Command::Stop(Instant::now()));
    setup.worker.begin();
    while let Some(item) = setup.worker.items.pop_front() {
        setup.worker.add(&item.delivery);
        setup.worker.keep_token(item);
    }
    // The target has one of them.
    setup.recorded(|recorded| drop(recorded.waiting.remove(0)));
    setup.recorded(|recorded| drop(recorded.waiting.pop()));
    setup.worker.flush();
    assert_eq!(setup.figures(), [3, 1, 0, 2], "one written, one refused, one too late");
}

#[test]
fn marks_and_summaries_count_as_messages_of_their_own() {
    let mut setup = Setup::new(|queueing| {
        queueing.marks = Some(Marks { mode: MarkMode::Periodical, every: Duration::ZERO });
        queueing.suppress = Some(Duration::from_secs(60));
    });
    assert!(setup.worker.next_deadline() <= Some(Instant::now()));
    setup.worker.tick();
    assert_eq!((setup.written().as_str(), setup.figures()), ("-- MARK --", [1, 1, 0, 0]));
    setup.add(&["a", "a", "a", "b"]);
    setup.worker.write_items();
    let written = setup.written();
    assert!(written.starts_with("-- MARK --,a,Last message 'a' repeated 2 times"), "{written}");
    assert!(written.ends_with(",b"), "{written}");
    assert_eq!(setup.figures(), [1 + 4 + 1, 1 + 3, 0, 2]);
    setup.add(&["b"]);
    setup.worker.write_items();
    setup.worker.write_summary();
    assert!(setup.written().contains("Last message 'b' repeated 1 times"), "{}", setup.written());
    assert_eq!(setup.figures(), [8, 5, 0, 3]);
}

#[test]
fn a_reader_writes_when_nothing_speaks_against_it() {
    let check = |change: fn(&mut Queueing), act: fn(&mut Setup), want: bool| {
        let mut setup = Setup::new(change);
        setup.recorded(|recorded| recorded.can_write_inline = true);
        act(&mut setup);
        assert_eq!(setup.worker.can_write_inline(), want);
    };
    check(|_| {}, |_| {}, true);
    check(|_| {}, |setup| setup.recorded(|recorded| recorded.can_write_inline = false), false);
    check(|queueing| queueing.throttle = 1, |_| {}, false);
    check(|queueing| queueing.suppress = Some(Duration::from_secs(1)), |_| {}, false);
    check(|queueing| queueing.suppress = Some(Duration::ZERO), |_| {}, true);
    check(|_| {}, |setup| setup.worker.obey(Command::Stop(Instant::now())), false);
    let unwritten = |setup: &mut Setup| {
        setup.recorded(|recorded| recorded.errors = [io::ErrorKind::WouldBlock].into());
        setup.add(&["a"]);
        let item = setup.worker.items.pop_front().unwrap();
        setup.worker.write(item);
        assert!(setup.worker.next_deadline() <= Some(Instant::now()), "the thread goes on with it");
        assert_eq!(setup.figures(), [1, 0, 1, 0]);
    };
    check(|_| {}, unwritten, false);
    let written = |setup: &mut Setup| {
        let seen = setup.add(&["abc"]);
        let item = setup.worker.items.pop_front().unwrap();
        setup.worker.write(item);
        assert_eq!((setup.figures(), fate(&seen)), ([1, 1, 0, 0], Some(Outcome::Done)));
        assert_eq!(setup.queue.counters.bytes.load(Ordering::Relaxed), 3);
    };
    check(|_| {}, written, true);
}

#[test]
fn commands_are_obeyed() {
    let mut setup = Setup::new(|_| {});
    setup.worker.obey(Command::Reopen);
    let queueing = Queueing { suppress: Some(Duration::from_secs(1)), throttle: 7, ..Queueing::default() };
    setup.worker.obey(Command::Configure(Box::new(spec_with(queueing.clone()))));
    assert_eq!(setup.recorded(|recorded| (recorded.reopened, recorded.configured)), (1, 1));
    assert!(setup.worker.repeats.is_some() && setup.worker.marker.is_none());
    assert_eq!(setup.worker.queueing.throttle, 7);
    let marks = Some(Marks { mode: MarkMode::Periodical, every: Duration::from_secs(9) });
    setup.worker.obey(Command::Configure(Box::new(spec_with(Queueing { marks, ..queueing }))));
    let due = setup.worker.next_deadline();
    assert!(setup.worker.marker.is_some() && due.is_some());
    // What stays the same keeps its time.
    setup.worker.obey(Command::Configure(Box::new(spec_with(setup.worker.queueing.clone()))));
    assert_eq!(setup.worker.next_deadline(), due);
}

#[test]
fn what_a_reader_wrote_in_part_counts_as_far_as_it_went() {
    let mut setup = Setup::new(|_| {});
    setup.add(&["abc", "de"]);
    setup.recorded(|recorded| {
        recorded.errors = [io::ErrorKind::WouldBlock].into();
        recorded.taken_before_error = 1;
    });
    let item = setup.worker.items.pop_front().unwrap();
    setup.worker.write(item);
    assert_eq!(setup.queue.counters.bytes.load(Ordering::Relaxed), 3);
    assert_eq!((setup.written().as_str(), setup.figures()), ("abc", [2, 0, 2, 0]));
}

/// Adds messages with ids one after the other, with a throttle of two, of which some were let through in a second that
/// began some time ago. Returns the ids of the parts that the driver got, and how long it took.
fn throttled(deliveries: &[&[&str]], before: u32, ago: Duration) -> (Setup, Vec<Option<u64>>, Duration) {
    let mut setup = Setup::new(|queueing| queueing.throttle = 2);
    setup.worker.second = (Instant::now().checked_sub(ago).unwrap(), before);
    let start = Instant::now();
    let mut first = message::RecordId { incarnation: 1, sequence: 10 };
    for texts in deliveries {
        setup.add(texts);
        let item = setup.worker.items.pop_front().unwrap();
        setup.worker.add(&Delivery { first: Some(first), ..item.delivery.clone() });
        first = first.after(texts.len() as u64);
        setup.worker.keep_token(item);
    }
    let firsts = setup.recorded(|recorded| std::mem::take(&mut recorded.firsts));
    (setup, firsts, start.elapsed())
}

#[test]
fn a_throttle_lets_through_so_many_messages_a_second() {
    let most = Duration::from_millis(900);
    // A new second begins when the last one is over.
    let (_, firsts, took) = throttled(&[&["h|a", "h|b"]], 2, SECOND);
    assert_eq!((firsts, took < most), (vec![Some(10)], true));
    let (setup, firsts, _) = throttled(&[&["h|a"], &["h|b"], &["h|c"]], 0, most);
    assert_eq!(firsts, [Some(10), Some(11), Some(12), Some(12)], "the last one waits for the next second");
    assert_eq!(setup.worker.second.1, 1);
    let (setup, firsts, took) = throttled(&[&["h|a", "h|b", "h|c"]], 1, most);
    assert_eq!((firsts, setup.worker.second.1), (vec![Some(10), Some(11)], 2));
    assert!(took >= Duration::from_millis(50) && took < most, "{took:?}");
    assert_eq!(setup.worker.sequence, 3);
}

#[test]
fn what_a_throttle_holds_back_at_the_stop_is_dropped() {
    let mut setup = Setup::new(|queueing| queueing.throttle = 1);
    let seen = setup.add(&["a", "b", "c"]);
    setup.worker.obey(Command::Stop(Instant::now()));
    setup.worker.write_items();
    assert_eq!((setup.written().as_str(), setup.figures()), ("a", [3, 1, 0, 2]));
    assert_eq!(fate(&seen), Some(Outcome::Failed));
}
