//! Rows for what a queue takes, drops and gives back.

use super::{
    WhenFull::{Drops, DropsAll, HoldsBack},
    *,
};
use message::{Field, Outcome, Priority, RecordId, Selection, Severity};
use std::sync::atomic::Ordering;
use transport::{
    Registry,
    testing::{delivery, eventually, token},
};

/// Remembers what readers wrote with it.
#[derive(Default)]
struct Pen {
    items: VecDeque<Item>,
    due: Option<Instant>,
    can_write_inline: bool,
    written: usize,
    /// How long a write takes.
    takes: Duration,
}

impl Writer for Pen {
    fn items(&mut self) -> &mut VecDeque<Item> {
        &mut self.items
    }

    fn deadline(&self) -> Option<Instant> {
        self.due
    }

    fn can_write_inline(&self) -> bool {
        self.can_write_inline
    }

    fn write(&mut self, item: Item) {
        self.written += item.count;
        let start = Instant::now();
        while start.elapsed() < self.takes {}
        self.due = Some(Instant::now() + Duration::from_millis(5));
    }
}

/// Returns what the thread would find now.
fn next<W: Writer>(queue: &Queue<W>, pen: W) -> (Box<W>, Wake) {
    queue.wait(Box::new(pen))
}

fn pen() -> Pen {
    Pen { due: Some(Instant::now()), ..Pen::default() }
}

fn queue(messages_max: usize, when_full: WhenFull) -> Queue<Pen> {
    let queueing = Queueing { messages_max, ..Queueing::default() };
    Queue::new(&queueing, when_full, Registry::default().register("dst.x", "d#0", ""))
}

fn taken(queue: &Queue<Pen>) -> usize {
    match next(queue, pen()) {
        (pen, Wake::Items) => pen.items.iter().map(|item| item.count).sum(),
        _ => 0,
    }
}

#[track_caller]
fn check((messages_max, when_full): (usize, WhenFull), controlled: bool, want: (usize, u64, bool)) {
    let queue = queue(messages_max, when_full);
    let (ack, seen) = token();
    queue.deliver(delivery(&["h|a", "h|b", "h|c"], ack, controlled), &WriteBudget::none());
    let released = seen.lock().unwrap().is_some();
    let queued = queue.counters.queued.load(Ordering::Relaxed);
    let dropped = queue.counters.dropped();
    assert_eq!(queue.counters.processed.load(Ordering::Relaxed), 3);
    assert_eq!(queued + dropped, 3);
    assert_eq!((taken(&queue), dropped, released), want);
}

#[test]
fn a_full_queue_drops_only_without_flow_control() {
    check((10, Drops), false, (3, 0, true));
    check((2, Drops), false, (2, 1, true));
    check((0, Drops), false, (0, 3, true));
    check((2, Drops), true, (3, 0, false));
    check((2, HoldsBack), false, (3, 0, false));
}

#[test]
fn a_reload_that_no_longer_holds_sources_lets_them_go() {
    for victim in [Victim::Newest, Victim::Oldest, Victim::LeastSevere] {
        let queue = queue(3, HoldsBack);
        let (ack, seen) = token();
        queue.deliver(delivery(&["h|a", "h|b", "h|c", "h|d"], ack, true), &WriteBudget::none());
        // A dead letter that is delivered again stays where it is until it is settled.
        let (ack, again) = token();
        let mut letter = delivery(&["h|letter"], ack, true);
        letter.first = Some(RecordId::default());
        queue.deliver(letter, &WriteBudget::none());
        let is_released = |seen: &std::sync::Mutex<Option<Outcome>>| seen.lock().unwrap().is_some();
        assert!(!is_released(&seen));
        let limits = Queueing { messages_max: 3, ..Queueing::default() };
        queue.resize(&limits, HoldsBack);
        assert!(!is_released(&seen), "the same as before");
        queue.resize(&limits, DropsAll(victim));
        assert_eq!((is_released(&seen), is_released(&again)), (true, false), "{victim:?}");
        queue.deliver(delivery(&["h|e"], Ack::none(), true), &WriteBudget::none());
        let dropped = queue.counters.dropped();
        assert!(dropped > 0, "{victim:?}");
        assert_eq!(taken(&queue) as u64 + dropped, 6, "{victim:?}");
    }
}

#[test]
fn few_waiting_messages_do_not_pin_a_batch() {
    let queue = queue(100, Drops);
    queue.deliver(delivery(&["h|first"], Ack::none(), false), &WriteBudget::none());
    let mut sparse = delivery(&["h|a", "h|b", "h|c", "h|d", "h|e"], Ack::none(), false);
    sparse.selection = Selection::none(5);
    sparse.selection.add(3);
    let whole = Arc::downgrade(&sparse.batch);
    queue.deliver(sparse, &WriteBudget::none());
    assert!(whole.upgrade().is_none());
    let (pen, wake) = next(&queue, pen());
    assert!(matches!(wake, Wake::Items));
    let copy = &pen.items[1].delivery.batch;
    assert_eq!((copy.len(), copy.bytes(copy.messages[0].text)), (1, b"d".as_slice()));
}

#[test]
fn commands_come_before_messages() {
    let queue = queue(100, Drops);
    queue.deliver(delivery(&["h|a"], Ack::none(), false), &WriteBudget::none());
    queue.command(Command::Reopen);
    assert!(matches!(next(&queue, pen()).1, Wake::Command(Command::Reopen)));
    assert!(matches!(next(&queue, pen()).1, Wake::Items));
}

#[test]
fn what_waits_when_the_thread_ends_is_dropped_and_given_back() {
    let queue = queue(10, Drops);
    let outcomes: Vec<_> = ["h|a", "h|b"]
        .map(|text| {
            let (ack, seen) = token();
            queue.deliver(delivery(&[text], ack, true), &WriteBudget::none());
            seen
        })
        .into();
    queue.close();
    let (ack, late) = token();
    queue.deliver(delivery(&["h|c", "h|d"], ack, true), &WriteBudget::none());
    for seen in outcomes.iter().chain([&late]) {
        assert_eq!(*seen.lock().unwrap(), Some(message::Outcome::Failed));
    }
    let read = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
    let counters = &queue.counters;
    assert_eq!(
        [read(&counters.processed), read(&counters.dropped_stopped), read(&counters.queued)],
        [4, 4, 0]
    );
    assert_eq!(read(&counters.memory_usage), 0);
    // A queue on disk hears that nobody takes it.
    assert!(queue.enqueue(delivery(&["h|e"], Ack::none(), true), 1).is_err());
}

/// A budget that lasts longer than any test.
fn ample() -> WriteBudget {
    WriteBudget::until(Instant::now() + Duration::from_secs(3600))
}

/// How many of three messages a reader writes itself, and how many wait.
#[track_caller]
fn check_written(
    (when_full, can_write_inline): (WhenFull, bool),
    budget: WriteBudget,
    before: usize,
    want: (usize, usize),
) {
    let queue = queue(10, when_full);
    (0..before).for_each(|_| queue.deliver(delivery(&["h|first"], Ack::none(), true), &WriteBudget::none()));
    queue.lock().resting = Some(Box::new(Pen { can_write_inline, ..Pen::default() }));
    queue.deliver(delivery(&["h|a", "h|b", "h|c"], Ack::none(), true), &budget);
    let state = queue.lock();
    assert_eq!((state.resting.as_ref().unwrap().written, state.waiting.messages()), want);
}

#[test]
fn a_reader_writes_itself_what_nothing_waits_before() {
    check_written((HoldsBack, true), ample(), 0, (3, 0));
    check_written((HoldsBack, true), ample(), 1, (0, 4));
    check_written((HoldsBack, true), WriteBudget::none(), 0, (0, 3));
    check_written((HoldsBack, false), ample(), 0, (0, 3));
    check_written((Drops, true), ample(), 0, (0, 3));
}

#[test]
fn a_slow_disk_is_left_to_the_thread() {
    let queue = queue(10, HoldsBack);
    queue.lock().inline_write_disabled_until = Some(Instant::now() + INLINE_WRITE_DISABLED_FOR);
    queue.lock().resting = Some(Box::new(Pen { can_write_inline: true, ..Pen::default() }));
    queue.deliver(delivery(&["h|a"], Ack::none(), true), &ample());
    assert_eq!(queue.lock().waiting.messages(), 1);
    // After a while a reader tries it again, and once it was slow, it does not.
    queue.take_all();
    queue.lock().inline_write_disabled_until = Some(Instant::now());
    queue.deliver(delivery(&["h|b"], Ack::none(), true), &ample());
    let found = |state: &State<Pen>| (state.waiting.messages(), state.inline_write_disabled_until);
    assert_eq!(found(&queue.lock()), (0, None));
    let takes = SLOW_WRITE + Duration::from_millis(1);
    queue.lock().resting = Some(Box::new(Pen { can_write_inline: true, takes, ..Pen::default() }));
    let start = Instant::now();
    queue.deliver(delivery(&["h|c"], Ack::none(), true), &ample());
    let until = queue.lock().inline_write_disabled_until.unwrap();
    let wanted = start + takes + INLINE_WRITE_DISABLED_FOR;
    assert!(until >= wanted && until < wanted + Duration::from_secs(10));
    queue.deliver(delivery(&["h|d"], Ack::none(), true), &ample());
    assert_eq!(queue.lock().waiting.messages(), 1);
}

#[test]
fn a_thread_that_woke_while_its_writer_was_lent_is_woken_again() {
    let queue = queue(10, HoldsBack);
    let lent = std::thread::scope(|scope| {
        let pen = Pen { due: Some(Instant::now() + Duration::from_millis(200)), ..Pen::default() };
        let thread = scope.spawn(|| next(&queue, pen));
        let mut writer = None;
        eventually("the thread rests", || {
            writer = queue.lock().resting.take();
            writer.is_some()
        });
        eventually("the thread woke", || queue.lock().missed);
        let item = Item::new(delivery(&["h|a"], Ack::none(), true), 1);
        queue.write_with(writer.unwrap(), item, &WriteBudget::none());
        thread.join().unwrap()
    });
    assert!(matches!(lent.1, Wake::Timeout));
}

/// Delivers texts that begin with their severity, with flow control. Returns how its token came back, if it has.
fn deliver(queue: &Queue<Pen>, texts: &[&str]) -> Option<message::Outcome> {
    let (ack, seen) = token();
    let texts: Vec<String> = texts.iter().map(|text| format!("h|{text}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut delivery = delivery(&texts, ack, true);
    let mut batch = (*delivery.batch).clone();
    for (message, text) in batch.messages.iter_mut().zip(&texts) {
        message.pri = Priority::new(message.pri.facility(), Severity(text.as_bytes()[2] - b'0'));
    }
    delivery.batch = Arc::new(batch);
    queue.deliver(delivery, &WriteBudget::none());
    *seen.lock().unwrap()
}

/// Checks what is left of some batches in a queue of four messages, and what is counted as dropped.
#[track_caller]
fn check_full(victim: Victim, batches: &[&[&str]], want: &str, reason: DropReason) {
    let queue = queue(4, DropsAll(victim));
    for batch in batches {
        assert!(deliver(&queue, batch).is_some(), "no source is held back");
    }
    let read = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed) as usize;
    let sent: usize = batches.iter().map(|batch| batch.len()).sum();
    let counters = queue.counters.clone();
    let (queued, memory) = (read(&counters.queued), read(&counters.memory_usage));
    assert_eq!((read(&counters.processed), counters.dropped() as usize), (sent, sent - queued));
    assert_eq!(read(counters.dropped_for(reason)), sent - queued, "all for one reason");
    assert!(queued <= 4);
    let items = queue.take_all();
    for severity in 0..8 {
        let came = batches.iter().flat_map(|batch| batch.iter());
        let came = came.filter(|text| text.as_bytes()[0] - b'0' == severity).count();
        let kept = items.iter().map(|item| severities_of(&item.delivery, &item.delivery.selection));
        let kept: usize = kept.map(|severities| severities[usize::from(severity)]).sum();
        assert_eq!(read(&counters.shed_by_severity[usize::from(severity)]), came - kept, "{severity}");
    }
    assert_eq!(memory, items.iter().map(Item::bytes).sum::<usize>(), "bytes in memory");
    assert_eq!(queued, items.iter().map(|item| item.count).sum::<usize>());
    let text = |item: &Item, index| {
        String::from_utf8_lossy(item.delivery.batch.fixed(index, Field::Message)).into_owned()
    };
    let left: Vec<String> = items
        .iter()
        .flat_map(|item| item.delivery.selection.iter().map(|index| text(item, index)).collect::<Vec<_>>())
        .collect();
    assert_eq!(left.join(" "), want);
}

#[test]
fn a_full_queue_drops_what_its_policy_says() {
    use DropReason::{QueueFull, QueueFullOldest, QueueFullSeverity};
    use Victim::{LeastSevere, Newest, Oldest};
    check_full(Newest, &[&["6a", "6b", "6c"], &["3d", "3e"]], "6a 6b 6c 3d", QueueFull);
    check_full(Oldest, &[&["6a", "6b", "6c"], &["3d", "3e"]], "6b 6c 3d 3e", QueueFullOldest);
    check_full(Oldest, &[&["6a"], &["6b"], &["6c", "6d", "6e", "6f"]], "6c 6d 6e 6f", QueueFullOldest);
    check_full(Oldest, &[&["6a"], &["1b", "2c", "3d", "4e", "5f", "6g"]], "3d 4e 5f 6g", QueueFullOldest);
    check_full(Oldest, &[&["6a", "6b"], &[]], "6a 6b", QueueFullOldest);
    check_full(LeastSevere, &[&["6a", "6b", "6c"], &["3d", "3e"]], "6a 6b 3d 3e", QueueFullSeverity);
    check_full(LeastSevere, &[&["6a", "7b", "3c"], &["6d", "6e", "6f"]], "6a 3c 6d 6e", QueueFullSeverity);
    check_full(LeastSevere, &[&["7a", "7b"], &["7c", "7d", "0e"], &["1f"]], "7a 7b 0e 1f", QueueFullSeverity);
    check_full(LeastSevere, &[&["0a", "0b", "0c", "0d"], &["7e", "0f"]], "0a 0b 0c 0d", QueueFullSeverity);
    check_full(
        LeastSevere,
        &[&["5a", "6b", "5c", "6d"], &["4e", "4f", "4g"]],
        "5a 4e 4f 4g",
        QueueFullSeverity,
    );
}

#[test]
fn what_gives_way_keeps_no_batch_in_memory() {
    let queue = queue(9, DropsAll(Victim::LeastSevere));
    deliver(&queue, &["6a", "6b", "6c", "6d", "6e", "6f", "6g", "6h", "3i"]);
    let before = queue.counters.memory_usage.load(Ordering::Relaxed);
    deliver(&queue, &["2a", "2b", "2c", "2d", "2e", "2f", "2g", "2h"]);
    let items = queue.take_all();
    assert_eq!(items[0].delivery.batch.len(), 1, "the one that is left was copied out");
    assert!((items[0].bytes() as u64) < before / 4);
}

#[test]
fn a_dead_letter_that_is_delivered_again_never_gives_way() {
    for victim in [Victim::Newest, Victim::Oldest, Victim::LeastSevere] {
        let queue = queue(1, DropsAll(victim));
        let (ack, seen) = token();
        let first = Some(message::RecordId { incarnation: 1, sequence: 1 });
        let letter = Delivery { first, ..delivery(&["h|letter"], ack, true) };
        queue.deliver(letter, &WriteBudget::none());
        deliver(&queue, &["0a"]);
        deliver(&queue, &["0b"]);
        assert!(seen.lock().unwrap().is_none(), "{victim:?}: its token is still out");
        assert_eq!(queue.take_all()[0].delivery.first, first);
    }
}

#[test]
fn hold_holds_sources_of_all_paths_back() {
    check((2, HoldsBack), true, (3, 0, false));
    check((2, DropsAll(Victim::Newest)), true, (2, 1, true));
    check((2, DropsAll(Victim::Oldest)), true, (2, 1, true));
}
