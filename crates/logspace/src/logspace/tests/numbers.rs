//! Messages that their senders have numbered: after a crash none is stored twice.

use super::*;
use message::{NumberedStream, Numbering, StreamKey};

/// Delivers messages with numbers from 1000 on; all of them are acknowledged, also those that are there already.
fn send(logspace: &Logspace, stream: &Arc<NumberedStream>, numbers: std::ops::Range<u64>) {
    let mut batch = batch(numbers.clone(), NEW_YEAR_US);
    batch.numbering = Some(Numbering::dense(stream.clone(), 1000 + numbers.start));
    assert_eq!(deliver(logspace, batch, true).recv_timeout(PATIENCE), Ok(Outcome::Done));
}

fn stream() -> Arc<NumberedStream> {
    let key = StreamKey { sender: "a".into(), epoch: 1, stream: 0 };
    Arc::new(NumberedStream::new(key, 0))
}

/// Sends messages, seals them or not, closes or loses power, and sends them again with new ones.
#[track_caller]
fn check_again(
    options: &LogspaceOptions,
    seals: usize,
    settled: u64,
    again: std::ops::Range<u64>,
    want: u64,
) {
    let disk = SimDisk::new();
    let dir = tempfile::tempdir().unwrap();
    let live = stream();
    let open = |disk: &SimDisk| {
        Logspace::open_on(on(disk), Arc::new(Plain), dir.path(), options.clone(), Arc::new(Unheard)).unwrap()
    };
    let logspace = open(&disk);
    for part in 0..4_u64 {
        send(&logspace, &live, part * 10..part * 10 + 10);
        if (part as usize) < seals {
            logspace.seal_now(PATIENCE).expect("sealed");
        }
    }
    live.settle(1000 + settled);
    wait_until("searchable", || logspace.snapshot().sequence >= 40);
    logspace.close();
    let logspace = open(&disk);
    send(&logspace, &stream(), again);
    send(&logspace, &stream(), 40..45);
    wait_until("searchable", || logspace.snapshot().sequence >= want);
    assert_eq!(found(&logspace).len() as u64, want);
    logspace.close();
}

#[test]
fn numbered_messages_that_come_again_after_a_start_are_stored_once() {
    check_again(&options(), 0, 0, 0..40, 45);
    check_again(&options(), 0, 0, 33..40, 45);
    let small = LogspaceOptions { journal_file_bytes_max: 800, ..options() };
    // The records have left the journal.
    check_again(&small, 4, 0, 0..40, 45);
    check_again(&small, 2, 0, 0..40, 45);
    // Some of it never comes again, and need not be remembered.
    check_again(&small, 4, 20, 20..40, 45);
}

#[test]
fn a_logspace_without_numbered_messages_keeps_no_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let logspace = open(dir.path(), options());
    store(&logspace, 0..10, NEW_YEAR_US);
    assert!(!dir.path().join("numbers-taken").exists());
    send(&logspace, &stream(), 10..20);
    assert!(dir.path().join("numbers-taken").exists());
    logspace.close();
}
