//! A driver without its thread: each flush is one of the test's.

use super::*;

/// A driver without its thread.
fn driver(table: &TestReceiver, folder: &Path, change: impl FnOnce(&mut DeadLetterOptions)) -> Batching {
    let mut options = DeadLetterOptions::new(folder.join("dead"));
    change(&mut options);
    let letters = Arc::new(DeadLetters::open(options, Arc::new(Counters::default())).unwrap());
    let log = InternalLog::new("test", None);
    Batching::new(
        "d#0",
        Box::new(table.clone()),
        (letters, Arc::default(), None),
        log,
        Duration::from_secs(60),
    )
}

#[test]
fn what_a_driver_holds_is_counted_until_it_is_settled() {
    let folder = tempfile::tempdir().unwrap();
    let table = TestReceiver::default();
    let mut driver = driver(&table, folder.path(), |_| {});
    let mut sequence = 5;
    driver.add(&delivery(&["h|abc", "h|cast", "h|de"], Ack::none(), true), &mut sequence);
    assert_eq!((sequence, driver.unsettled(), driver.settles_rows()), (8, 3, true));
    let bytes = driver.size();
    assert!(bytes >= 5 && driver.has_room());
    table.0.lock().unwrap().bad = vec!["de"];
    driver.flush().unwrap();
    let settled = driver.take_settled();
    assert_eq!((settled.delivered, settled.dropped, settled.dead.len()), (1, 0, 2));
    assert_eq!((driver.unsettled(), driver.size(), driver.take_settled().delivered), (0, 0, 0));
    driver.add(&delivery(&["h|a", "h|cast"], Ack::none(), true), &mut sequence);
    assert_eq!((driver.abandon(), driver.abandon(), driver.unsettled()), (2, 0, 0));
}

#[test]
fn a_driver_has_room_for_so_many_rows_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut full = driver(&TestReceiver::default(), folder.path(), |_| {});
    // No request is full, so none is sent.
    let limits = RequestLimits { rows: 2 * ROWS_HELD_MAX, bytes: 0, wait: None };
    full.requests.configure(limits, None, Duration::from_secs(60));
    let texts = vec!["h|x"; 10_000];
    for _ in 0..ROWS_HELD_MAX / texts.len() {
        assert!(full.has_room());
        full.add(&delivery(&texts, Ack::none(), true), &mut 0);
    }
    assert_eq!((full.unsettled(), full.has_room()), (ROWS_HELD_MAX, false));
    full.abandon();
    full.add(&delivery(&texts[1..], Ack::none(), true), &mut 0);
    full.add(&delivery(&["h|cast"], Ack::none(), true), &mut 0);
    assert!(full.has_room());
    full.abandon();
    let long = format!("h|{}", "y".repeat(BYTES_HELD_MAX / 2));
    full.add(&delivery(&[&long], Ack::none(), true), &mut 0);
    assert!(full.has_room() && full.size() >= BYTES_HELD_MAX / 2);
    full.add(&delivery(&[&long], Ack::none(), true), &mut 0);
    assert!(!full.has_room());
}

#[test]
fn rows_that_wait_for_more_go_when_there_is_no_room() {
    let folder = tempfile::tempdir().unwrap();
    let table = TestReceiver::default();
    let mut driver = driver(&table, folder.path(), |_| {});
    let limits = RequestLimits { rows: 2 * ROWS_HELD_MAX, bytes: 0, wait: Some(Duration::from_secs(3600)) };
    driver.requests.configure(limits, None, Duration::from_secs(60));
    driver.add(&delivery(&vec!["h|x"; ROWS_HELD_MAX - 1], Ack::none(), true), &mut 0);
    driver.flush().unwrap();
    assert_eq!((driver.unsettled(), driver.only_gathers()), (ROWS_HELD_MAX - 1, true));
    driver.add(&delivery(&["h|x"], Ack::none(), true), &mut 0);
    assert_eq!(driver.flush().unwrap_err().kind(), io::ErrorKind::WouldBlock);
    driver.flush().unwrap();
    assert_eq!((driver.unsettled(), driver.only_gathers()), (0, false));
    let settled = driver.take_settled();
    assert_eq!((settled.delivered, settled.bytes), (ROWS_HELD_MAX, ROWS_HELD_MAX));
    assert_eq!(table.0.lock().unwrap().rows.len(), ROWS_HELD_MAX);
}

#[test]
fn a_driver_holds_so_many_bytes_of_messages() {
    let folder = tempfile::tempdir().unwrap();
    let mut full = driver(&TestReceiver::default(), folder.path(), |_| {});
    let long = format!("h|{}", "y".repeat(MESSAGE_BYTES_HELD_MAX / 2));
    let mut sparse = delivery(&["h|x", &long], Ack::none(), true);
    sparse.selection.remove(1);
    full.add(&sparse, &mut 0);
    assert!(full.has_room() && full.size() < 100);
    full.add(&sparse, &mut 0);
    assert!(!full.has_room() && full.size() < 100);
    full.flush().unwrap();
    assert!(full.has_room());
    assert_eq!(full.requests.held_bytes(), 0);
}

#[test]
fn rows_that_wait_for_more_go_when_they_fill_the_memory_of_a_queue_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = TestReceiver::default();
    receiver.0.lock().unwrap().wait = Some(Duration::from_secs(3600));
    let disk = DiskBuffer {
        memory_messages: 3,
        reliable: true,
        ..DiskBuffer::new(folder.path().join("q"), 1 << 20)
    };
    let setup = Setup::with(receiver, folder.path(), Some(disk));
    (0..9).for_each(|number| setup.send(&[&format!("h|{number}")]));
    eventually("what fits in memory, again and again", || setup.table().rows.len() >= 6);
}

#[test]
fn old_letters_are_looked_for_now_and_then() {
    let folder = tempfile::tempdir().unwrap();
    let table = TestReceiver::default();
    let mut driver = driver(&table, folder.path(), |options| options.max_age = Some(Duration::ZERO));
    assert_eq!(driver.next_tick(), None, "there are none");
    driver.add(&delivery(&["h|cast"], Ack::none(), true), &mut 0);
    driver.flush().unwrap();
    let due = driver.next_tick().unwrap();
    driver.tick(due.checked_sub(Duration::from_secs(1)).unwrap());
    assert_eq!(driver.next_tick(), Some(due), "it is too early");
    driver.tick(due);
    assert_eq!(driver.next_tick(), None, "it is old and gone");
    let (said, _) = driver.log.take(9);
    assert!(said.iter().all(|entry| !entry.text.contains("Cannot remove")));
}

#[test]
fn connections_that_rest_send_signs_of_life() {
    let folder = tempfile::tempdir().unwrap();
    let table = TestReceiver::default();
    let mut driver = driver(&table, folder.path(), |_| {});
    let due = Instant::now();
    table.0.lock().unwrap().heartbeat_at = Some(due);
    assert_eq!(driver.next_tick(), None, "no connection is open");
    driver.add(&delivery(&["h|a"], Ack::none(), true), &mut 0);
    driver.flush().unwrap();
    assert_eq!(driver.next_tick(), Some(due));
    driver.tick(due);
    assert_eq!(driver.next_tick(), None);
    assert_eq!(table.0.lock().unwrap().heartbeats, 1);
}

#[test]
fn rows_that_wait_for_more_go_when_their_destination_stops() {
    let folder = tempfile::tempdir().unwrap();
    let table = TestReceiver::default();
    let mut driver = driver(&table, folder.path(), |_| {});
    let limits = RequestLimits { rows: 10, bytes: 0, wait: Some(Duration::from_secs(60)) };
    driver.requests.configure(limits, None, Duration::from_secs(60));
    driver.add(&delivery(&["h|a"], Ack::none(), true), &mut 0);
    driver.flush().unwrap();
    assert_eq!((driver.unsettled(), table.0.lock().unwrap().texts().len()), (1, 0));
    let flag = Arc::<std::sync::atomic::AtomicBool>::default();
    stopping::obey(flag.clone());
    flag.store(true, Ordering::Relaxed);
    driver.flush().unwrap();
    assert_eq!((driver.unsettled(), table.0.lock().unwrap().texts()), (0, vec!["a".to_owned()]));
    stopping::obey(Arc::default());
}

#[test]
fn rows_are_made_while_a_request_is_on_its_way() {
    let folder = tempfile::tempdir().unwrap();
    let (table, gate) = (TestReceiver::default(), Arc::new(Notify::new()));
    table.0.lock().unwrap().gate = Some(gate.clone());
    let mut driver = driver(&table, folder.path(), |_| {});
    let add = |driver: &mut Batching, count| {
        driver.add(&delivery(&vec!["h|a"; count], Ack::none(), true), &mut 0);
        driver.arrivals.notify_one();
    };
    add(&mut driver, 10);
    driver.flush().unwrap();
    assert_eq!((driver.busy.len(), driver.unsettled()), (1, 10), "there is time for more");
    assert!(
        driver.next_tick().is_some_and(|due| due <= Instant::now()),
        "what is on its way is looked after"
    );
    add(&mut driver, 15);
    assert_eq!(driver.flush().unwrap_err().kind(), io::ErrorKind::WouldBlock, "the next request is ready");
    assert_eq!((driver.busy.len(), driver.unsettled()), (1, 25));
    // The first answer is found while rows are made, and the next request is sent.
    gate.notify_one();
    add(&mut driver, 20);
    assert_eq!((driver.busy.len(), driver.unsettled()), (1, 35));
    table.0.lock().unwrap().gate = None;
    gate.notify_one();
    while driver.unsettled() > 0 {
        driver.flush().unwrap();
    }
    assert_eq!((driver.take_settled().delivered, driver.idle.len()), (45, 1));
}

#[test]
fn as_many_connections_are_used_as_there_are_workers() {
    let folder = tempfile::tempdir().unwrap();
    let table = TestReceiver::default();
    let mut driver = driver(&table, folder.path(), |_| {});
    table.0.lock().unwrap().is_missing = true;
    driver.add(&delivery(&["h|a"; 30], Ack::none(), true), &mut 0);
    driver.flush().unwrap();
    assert_eq!((driver.idle.len(), driver.unsettled()), (1, 30));
    assert_eq!(driver.trouble().as_deref(), Some("messages wait for logs (schema): no table"));
    driver.set_reopen_after(Duration::from_secs(7));
    assert_eq!(driver.reopen_after, Duration::from_secs(7));
}
