//! Power cuts at random moments: committed records are there once, and nothing else appears.

use crate::rows::{append, open, show};
use sim::{Chance, SimDisk};

/// Writes with random commits until the power fails, then reopens; several lives of one disk.
fn check(seed: u64) -> u64 {
    let mut chance = Chance::new(seed);
    let (mut disk, mut cut_bytes, mut needed) = (SimDisk::new(), 0, 0);
    for life in 0..4 {
        let (mut journal, _) = open(&disk, 1 + chance.below(6000));
        let mut durable = journal.durable_sequence();
        disk.cut_power_at_sync(1 + chance.below(20));
        loop {
            for _ in 0..1 + chance.below(6) {
                append(&mut journal, 1 + chance.below(3) as u32);
            }
            match journal.commit() {
                Ok(sequence) => durable = sequence,
                Err(_) => break,
            }
            needed = durable - chance.below(durable.min(30) + 1).min(durable - needed);
            if journal.release(needed).is_err() {
                break;
            }
        }
        disk = disk.after_power_cut(&mut chance);
        let (journal, recovery) = open(&disk, 1000);
        let next = journal.next_sequence();
        cut_bytes += recovery.cut_bytes;
        assert!(next >= durable, "seed {seed} life {life}: {durable} were durable, {next} are there");
        assert!(recovery.damages.is_empty(), "seed {seed} life {life}: {:?}", recovery.damages);
        let shown = show(&journal, needed);
        let records = shown.split(' ').filter_map(|record| record.split_once('+'));
        let mut records =
            records.map(|(first, count)| (first.parse::<u64>().unwrap(), count.parse::<u64>().unwrap()));
        if let Some((first, count)) = records.next() {
            assert!(first <= needed, "seed {seed} life {life}: {needed} is needed, but there is {shown}");
            let end = records.fold(first + count, |end, (first, count)| {
                assert_eq!(first, end, "seed {seed} life {life}: {shown}");
                end + count
            });
            assert_eq!(end, next, "seed {seed} life {life}: {shown}");
        } else {
            assert_eq!(next, needed, "seed {seed} life {life}: {shown}");
        }
    }
    cut_bytes
}

#[test]
fn loses_nothing_that_was_durable() {
    let cut_bytes: u64 = (0..300).map(check).sum();
    assert!(cut_bytes > 100_000, "the cuts tore only {cut_bytes} bytes");
}
