//! Rows for the log of our own messages, and a pause under a clock of the test.

use super::*;
use crate::testing::batch;

fn texts(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.text.as_str()).collect()
}

#[test]
fn entries_are_taken_once_in_their_order() {
    let echoed = Arc::new(Mutex::new(Vec::new()));
    let echo = echoed.clone();
    let echo: Echo = Box::new(move |severity, text| echo.lock().unwrap().push((severity, text.to_owned())));
    let log = InternalLog::new("duramen", Some(echo));
    assert_eq!(log.program(), "duramen");
    let before = SystemTime::now();
    log.error("a");
    log.warning("b");
    log.notice("c");
    log.write(Severity::DEBUG, "d");
    let severities = [Severity::ERROR, Severity::WARNING, Severity::NOTICE, Severity::DEBUG];
    let (first, lost) = log.take(2);
    assert_eq!((texts(&first), lost), (vec!["a", "b"], 0));
    let (rest, _) = log.take(10);
    assert_eq!(texts(&rest), ["c", "d"]);
    let written: Vec<Severity> = first.iter().chain(&rest).map(|entry| entry.severity).collect();
    assert_eq!(written, severities);
    assert!(first.iter().all(|entry| (before..=SystemTime::now()).contains(&entry.at)));
    assert!(log.take(10).0.is_empty());
    let echoed = echoed.lock().unwrap();
    let want: Vec<_> = severities.into_iter().zip(["a", "b", "c", "d"].map(str::to_owned)).collect();
    assert_eq!(*echoed, want);
}

#[test]
fn the_oldest_entries_go_and_are_counted() {
    let log = InternalLog::new("p", None);
    (0..ENTRIES_MAX + 3).for_each(|number| log.notice(&number.to_string()));
    let (entries, lost) = log.take(usize::MAX);
    assert_eq!((entries.len(), lost, entries[0].text.as_str()), (ENTRIES_MAX, 3, "3"));
    log.notice("later");
    assert_eq!(log.take(1).1, 0, "they are counted once");
}

#[test]
fn the_oldest_batches_go_and_are_counted() {
    let log = InternalLog::new("p", None);
    let half = vec!["h|t"; ENTRIES_MAX / 2];
    log.inject(batch(&half));
    log.inject(batch(&half));
    assert_eq!(log.take(0).1, 0, "there is just room for both");
    log.inject(batch(&["h|last"]));
    assert_eq!(log.take(0).1, half.len() as u64);
    let sizes: Vec<usize> = std::iter::from_fn(|| log.take_injected()).map(|batch| batch.len()).collect();
    assert_eq!(sizes, [half.len(), 1]);
}

#[test]
fn readers_wake_when_something_was_written() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let log = InternalLog::new("p", None);
        let waits = async || tokio::time::timeout(Duration::ZERO, log.written()).await.is_err();
        assert!(waits().await);
        log.notice("a");
        assert!(!waits().await && waits().await);
        log.inject(batch(&["h|t"]));
        assert!(!waits().await && waits().await);
    });
}

#[test]
fn a_line_summarises_the_messages_since_the_last_one() {
    let (mut pause, start) = (LogPause::new(Duration::from_secs(10)), Instant::now());
    let mut count = |events, seconds| pause.count(events, start + Duration::from_secs(seconds));
    assert_eq!(count(0, 0), None, "nothing happened");
    assert_eq!(count(2, 0), Some(2));
    assert_eq!((count(1, 1), count(3, 9)), (None, None));
    assert_eq!((count(1, 10), count(1, 10)), (Some(5), None));
    assert_eq!(count(0, 30), Some(1));
}
