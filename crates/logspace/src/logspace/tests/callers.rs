//! Callers with keys of their own, commits of several batches, and messages that are too large.

use super::*;
use crate::{ExportError, Unlocked, export_package};
use evidence::{Identity, Keys, Recipient, package::Question};
use lookup::Bitmap;

fn keys() -> (Recipient, Keys) {
    let (recipient, identity) = Identity::draw().unwrap();
    (Recipient::load(&recipient).unwrap(), Keys::of(vec![Identity::parse(&identity, None).unwrap()]))
}

/// Three segments that only the returned keys open.
fn locked(dir: &Path) -> (Logspace, Keys) {
    let (recipient, keys) = keys();
    let options = LogspaceOptions { recipients: vec![recipient], recode: false, ..options() };
    let logspace = open(dir, options);
    for number in 0..3 {
        store(&logspace, number * 10..number * 10 + 10, NEW_YEAR_US);
        assert_eq!(logspace.seal_now(PATIENCE), Some(number * 10 + 10));
    }
    (logspace, keys)
}

#[test]
fn keys_of_one_caller_open_nothing_for_others() {
    let dir = tempfile::tempdir().unwrap();
    let (logspace, own_keys) = locked(dir.path());
    let (own, stranger) = (Unlocked::with(own_keys), Unlocked::with(keys().1));
    let seen = |unlocked: &Unlocked| {
        let snapshot = logspace.snapshot_for(unlocked);
        (snapshot.segments.len(), snapshot.locked.len(), unlocked.count())
    };
    assert_eq!(seen(&stranger), (0, 3, 0));
    assert_eq!(seen(&own), (3, 0, 3));
    let views = |snapshot: &lookup::Snapshot| snapshot.segments.clone();
    let (first, again) = (views(&logspace.snapshot_for(&own)), views(&logspace.snapshot_for(&own)));
    assert!(first.iter().zip(&again).all(|(one, other)| Arc::ptr_eq(one, other)), "opened once");
    assert_eq!((logspace.snapshot().segments.len(), logspace.snapshot().locked.len()), (0, 3));
    // Nothing is locked: everybody has the published snapshot.
    let plain = tempfile::tempdir().unwrap();
    let plain = open(plain.path(), options());
    assert!(Arc::ptr_eq(&plain.snapshot(), &plain.snapshot_for(&own)));
}

#[test]
fn a_part_of_a_package_has_the_keys_of_its_caller() {
    let dir = tempfile::tempdir().unwrap();
    let (logspace, own_keys) = locked(dir.path());
    let out = tempfile::tempdir().unwrap();
    let export = |name: &str, unlocked: Option<&Unlocked>| {
        let all: Box<crate::MessageSelector<'_>> = Box::new(|segment, _| Ok(Bitmap::all(segment.len())));
        let part = logspace.part("main", None, unlocked, all).unwrap();
        assert_eq!(part.signer.public(), logspace.signing_key().unwrap().public());
        let folder = out.path().join(name);
        export_package(&folder, &Question::default(), vec![part], &CancelToken::unlimited())
    };
    let own = Unlocked::with(own_keys.clone());
    let exported = export("own", Some(&own)).unwrap();
    assert_eq!((exported.messages, exported.unread.len()), (30, 0));
    let exported = export("nobody", None).unwrap();
    assert_eq!((exported.messages, exported.unread.len()), (0, 3));
    assert!(exported.unread[0].1.contains("locked"), "{:?}", exported.unread);
    logspace.unlock(&own_keys);
    assert_eq!(export("session", None).unwrap().messages, 30, "the keys of the session count, too");
    logspace.lock();
    fs::remove_file(crate::sign_key_of(dir.path())).unwrap();
    let all: Box<crate::MessageSelector<'_>> = Box::new(|segment, _| Ok(Bitmap::all(segment.len())));
    assert!(logspace.part("main", None, None, all).is_err(), "nothing can be signed");
    let empty = tempfile::tempdir().unwrap();
    let empty = open(&empty.path().join("l"), options());
    let all: Box<crate::MessageSelector<'_>> = Box::new(|segment, _| Ok(Bitmap::all(segment.len())));
    let part = empty.part("main", None, None, all).unwrap();
    let none = export_package(
        &out.path().join("empty"),
        &Question::default(),
        vec![part],
        &CancelToken::unlimited(),
    );
    assert!(matches!(none, Err(ExportError::NoEvidence)));
}

#[test]
fn a_commit_waits_for_company_but_not_for_more_than_it_may_hold() {
    let dir = tempfile::tempdir().unwrap();
    let part = || batch(0..10, NEW_YEAR_US);
    let cost = part().held_bytes() as u64;
    let hours = Duration::from_secs(3600);
    let patient = LogspaceOptions { commit_gap: hours, commit_bytes_max: cost * 3, ..options() };
    let logspace = open(dir.path(), patient);
    let mut waiting: Vec<_> = (0..3).map(|_| deliver(&logspace, part(), true)).collect();
    for outcome in waiting.drain(..) {
        assert_eq!(outcome.recv_timeout(PATIENCE), Ok(Outcome::Done));
    }
    assert_eq!(logspace.stats().commits_total, 1, "three together, before the hour is over");
    let fourth = deliver(&logspace, part(), true);
    wait_for_looks_at_most_once(&logspace);
    assert!(fourth.try_recv().is_err(), "it waits for others");
    logspace.close();
    assert_eq!(fourth.recv_timeout(PATIENCE), Ok(Outcome::Done), "closing ends the wait");
}

/// Waits until the writer waits for more to come.
fn wait_for_looks_at_most_once(logspace: &Logspace) {
    wait_until("the writer waits", || logspace.shared.inbox.load() == 0 && logspace.shared.inbox.waits() > 1);
}

#[test]
fn messages_that_no_record_can_hold_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let logspace = open(dir.path(), options());
    let large = |count: usize, bytes: usize| {
        let text = vec![b'x'; bytes * count];
        let mut batch = batch(0..0, NEW_YEAR_US);
        batch = Batch::new(Arc::new(text), batch.origins.clone(), batch.received, Ack::none());
        let message = |at: usize| {
            let mut message = Message::default();
            message.raw = Span::received(at * bytes, bytes);
            message
        };
        batch.messages = (0..count).map(message).collect();
        batch
    };
    let outcome = deliver(&logspace, large(3, 40 << 20), true).recv_timeout(PATIENCE);
    assert_eq!(outcome, Ok(Outcome::Done));
    let stats = logspace.stats();
    assert_eq!((stats.messages_stored_total, stats.messages_dropped_large_total), (3, 0), "one record each");
    let outcome = deliver(&logspace, large(1, 70 << 20), true).recv_timeout(PATIENCE);
    assert_eq!(outcome, Ok(Outcome::Done));
    let stats = logspace.stats();
    assert_eq!((stats.messages_stored_total, stats.messages_dropped_large_total), (3, 1));
    assert!(stats.last_error.is_some_and(|error| error.contains("record of")));
    assert_eq!(stats.queue_messages, 0);
}
