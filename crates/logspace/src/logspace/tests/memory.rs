//! The memory of segments that are being built, whatever senders put into their messages.

use super::*;
use message::{FieldName, ValueKind};

/// Memory of a segment in these tests, in bytes.
const MEMORY_MAX: u64 = 2 << 20;
/// Fields of each message, none of which comes twice.
const FIELDS: u64 = 100;
/// Messages of a batch.
const MESSAGES: u64 = 50;

fn options_of_memory() -> LogspaceOptions {
    LogspaceOptions { segment_memory_max: MEMORY_MAX, recode: false, ..options() }
}

/// Messages with fields that no other message has.
fn flood(numbers: std::ops::Range<u64>) -> Batch {
    let mut batch = batch(numbers.clone(), NEW_YEAR_US);
    for (index, number) in numbers.enumerate() {
        for field in 0..FIELDS {
            let name = format!("name-{number}-{field}");
            let value = format!("value{number}x{field}");
            batch.set_field(index, &FieldName::parse(&name), value.as_bytes(), ValueKind::String);
        }
    }
    batch
}

fn sizes(logspace: &Logspace) -> Vec<u32> {
    logspace.snapshot().segments.iter().map(|segment| segment.len()).collect()
}

#[test]
fn h5b_segments_are_sealed_by_their_memory_live_and_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let heard = Arc::new(Heard::default());
    // Nothing is sealed in the first life, so that all of it is replayed in the second.
    for segment_memory_max in [u64::MAX, MEMORY_MAX] {
        let options = LogspaceOptions { segment_memory_max, ..options_of_memory() };
        let logspace = Logspace::open(dir.path(), options, Arc::clone(&heard) as Arc<dyn Notices>).unwrap();
        if segment_memory_max == u64::MAX {
            for first in (0..400).step_by(MESSAGES as usize) {
                let outcome = deliver(&logspace, flood(first..first + MESSAGES), true).recv_timeout(PATIENCE);
                assert_eq!(outcome, Ok(Outcome::Done));
            }
        }
        wait_until("searchable", || logspace.snapshot().sequence >= 400);
        match segment_memory_max {
            u64::MAX => assert_eq!(sizes(&logspace), [400]),
            _ => {
                let sizes = sizes(&logspace);
                // A message takes between 10 and 60 KiB of such memory.
                assert!(sizes.len() >= 3 && sizes.iter().all(|size| *size <= 200), "{sizes:?}");
            }
        }
        assert_eq!(found(&logspace).len(), 400);
        for token in ["value0x0", "value200x99", "value399x99"] {
            assert_eq!(with_token(&logspace, token), 1, "{token}");
        }
        let (segments, stats) = (sizes(&logspace).len() as u64, logspace.stats());
        // Each segment has columns for the names of ten messages.
        assert_eq!(stats.values_without_column_total, (400 - 10 * segments) * FIELDS);
        logspace.close();
    }
    let told = heard.0.lock().unwrap().iter().filter(|notice| notice.contains("different names")).count();
    assert!(told >= 4, "once a segment: {told}");
}

#[test]
fn h5b_a_batch_larger_than_a_segment_is_spread() {
    let dir = tempfile::tempdir().unwrap();
    let logspace = open(dir.path(), options_of_memory());
    deliver(&logspace, flood(0..300), true).recv_timeout(PATIENCE).unwrap();
    wait_until("searchable", || logspace.snapshot().sequence >= 300);
    let sizes = sizes(&logspace);
    assert!(sizes.len() >= 2 && sizes.iter().all(|size| *size <= 200), "{sizes:?}");
}

#[test]
fn h5b_a_value_that_comes_twice_in_a_message_is_kept_once() {
    let dir = tempfile::tempdir().unwrap();
    let logspace = open(dir.path(), options_of_memory());
    deliver(&logspace, flood(0..20), true).recv_timeout(PATIENCE).unwrap();
    let mut last = batch(20..21, NEW_YEAR_US);
    let start = last.extra.len();
    let pairs = r#"[far a="1" a="1" a="2"]"#;
    last.extra.extend_from_slice(pairs.as_bytes());
    last.messages[0].sdata = Span::extra(start, pairs.len());
    deliver(&logspace, last, true).recv_timeout(PATIENCE).unwrap();
    wait_until("searchable", || logspace.snapshot().sequence >= 21);
    let mut values = Vec::new();
    for segment in &logspace.snapshot().segments {
        let mut visit = |_: u32, document: &Document| {
            if document.sequence == 20 {
                values.extend(document.values.iter().map(|(_, value, _)| value.clone()));
            }
            true
        };
        segment.read(&mut (0..segment.len()), &CancelToken::unlimited(), &mut visit).unwrap();
    }
    assert_eq!(values, [b"1".to_vec(), b"2".to_vec()]);
}
