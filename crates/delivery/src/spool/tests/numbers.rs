//! Messages that their senders have numbered: after a crash of the queue none is taken twice.

use super::*;
use journal::Disk;
use message::{NumberedStream, Numbering, StreamKey};

/// A delivery with numbers of a sender.
fn numbered(first: u64, texts: &[&str], ack: Ack) -> message::Delivery {
    let key = StreamKey { sender: "a".into(), epoch: 1, stream: 0 };
    let texts: Vec<String> = texts.iter().map(|text| format!("h|{text}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut delivery = delivery(&texts, ack, true);
    let batch = Arc::get_mut(&mut delivery.batch).expect("it was just made");
    batch.numbering = Some(Numbering::dense(Arc::new(NumberedStream::new(key, 0)), first));
    delivery
}

/// Takes messages, crashes, and takes the same and more again. `done` says how many deliveries were written before.
#[track_caller]
fn check_repeats(deliveries: &[(u64, &[&str])], done: usize, again: &[(u64, &[&str])], want: &[&str]) {
    let (disk, settings) = (SimDisk::new(), buffer(Path::new("/q"), 1 << 20));
    let settings = DiskBuffer { disk: Arc::new(disk.clone()), ..settings };
    let mut life = Life::begin(settings.clone());
    let mut all = Vec::new();
    for (first, texts) in deliveries {
        let (ack, outcome) = token();
        life.entrance.deliver(numbered(*first, texts, ack), &WriteBudget::none());
        life.work();
        assert_eq!(*outcome.lock().unwrap(), Some(Outcome::Done), "it is on the disk");
        // Those that are not written keep their tokens to the end of this life.
        all.extend(life.taken());
    }
    let mut written: Vec<String> = all.drain(..done).flat_map(|(texts, _)| texts).collect();
    life.work();
    drop(life);
    all.iter().for_each(|(_, ack)| ack.fail());
    let mut life = Life::begin(settings);
    for (first, texts) in again {
        let (ack, outcome) = token();
        life.entrance.deliver(numbered(*first, texts, ack), &WriteBudget::none());
        life.work();
        assert_eq!(*outcome.lock().unwrap(), Some(Outcome::Done), "also of what it has");
    }
    written.extend(life.drained());
    assert_eq!(written, want);
}

#[test]
fn numbered_messages_that_come_again_after_a_crash_are_taken_once() {
    let all: &[(u64, &[&str])] = &[(5, &["a", "b"]), (7, &["c"])];
    check_repeats(all, 0, &[(5, &["a", "b"]), (7, &["c", "d"])], &["a", "b", "c", "d"]);
    // In other pieces, and after they were delivered.
    check_repeats(all, 2, &[(5, &["a", "b", "c", "d"])], &["a", "b", "c", "d"]);
    check_repeats(all, 1, &[(6, &["b"]), (7, &["c"]), (8, &["d"])], &["a", "b", "c", "d"]);
    // Two log paths brought the same message.
    check_repeats(
        &[(5, &["a"]), (5, &["a"])],
        0,
        &[(5, &["a", "b"]), (5, &["a", "b"])],
        &["a", "a", "b", "b"],
    );
    check_repeats(&[], 0, &[(5, &["a"])], &["a"]);
}

#[test]
fn numbers_of_messages_that_left_the_disk_are_kept() {
    let disk = SimDisk::new();
    let settings = DiskBuffer { disk: Arc::new(disk.clone()), ..buffer(Path::new("/q"), 1 << 20) };
    let text = "x".repeat(3000);
    let mut life = Life::begin(settings.clone());
    // Enough for several files, all of them delivered.
    for first in 0..100 {
        life.entrance.deliver(numbered(first, &[&text], Ack::none()), &WriteBudget::none());
        life.work();
        drop(life.taken());
        life.work();
    }
    let files = disk.list(Path::new("/q")).unwrap();
    assert!(
        !files.iter().any(|name| name == &format!("journal-{:020}.dj", 0)),
        "the first file is gone: {files:?}"
    );
    drop(life);
    let mut life = Life::begin(settings);
    life.entrance.deliver(numbered(0, &["a"; 100], Ack::none()), &WriteBudget::none());
    life.entrance.deliver(numbered(100, &["new"], Ack::none()), &WriteBudget::none());
    assert_eq!(life.drained(), ["new"]);
}
