//! What happens at the limit of one destination: to it, and not to others.

use super::*;
use crate::{options::Victim, shared_log::file_index::FileIndex};
use message::{Priority, Severity, codec::shared::ConsumerSet};

const LONG: usize = 100 << 10;

/// A log with a destination that writes at once, and one that writes nothing and has this policy.
fn stuck(on_full: OverflowPolicy) -> (Life, SimDisk) {
    let disk = SimDisk::new();
    let fine = settings(Path::new("/x.shared"), Arc::new(disk.clone()));
    let stuck = DiskBuffer { on_full, memory_messages: 2, ..fine.clone() };
    (Life::begin(&[("fine", fine), ("stuck", stuck)]), disk)
}

fn long(number: usize) -> String {
    format!("h|{number:04} {}", "x".repeat(LONG))
}

fn numbers(texts: &[String]) -> Vec<usize> {
    texts.iter().map(|text| text[..4].parse().unwrap()).collect()
}

#[test]
fn holding_stops_only_what_is_for_the_one_at_its_limit() {
    let (mut life, _) = stuck(OverflowPolicy::Hold);
    let mut tokens = Vec::new();
    let mut fine = Vec::new();
    for number in 0..14 {
        tokens.push(life.deliver_to_all(&long(number)));
        life.work();
        life.take(1);
        fine.extend(life.drain(0));
    }
    assert_eq!(numbers(&fine), (0..14).collect::<Vec<_>>(), "its neighbour has everything");
    let held = tokens.iter().filter(|seen| !is_done(seen)).count();
    assert_eq!(held, 4, "so many do not fit into a mebibyte");
    assert_eq!(life.figures(1), "written=0 queued=14 dropped=0");
    assert_eq!(numbers(&life.drain(1)), (0..14).collect::<Vec<_>>());
    assert!(tokens.iter().all(is_done));
}

#[test]
fn the_newest_are_dropped_for_one_only() {
    let (mut life, _) = stuck(OverflowPolicy::Drop(Victim::Newest));
    let mut fine = Vec::new();
    for number in 0..14 {
        assert!(!is_done(&life.deliver_to_all(&long(number))));
        fine.extend(life.drain(0));
    }
    assert_eq!(fine.len(), 14);
    assert_eq!(life.figures(1), "written=0 queued=10 dropped=4");
    assert_eq!(numbers(&life.drain(1)), (0..10).collect::<Vec<_>>());
}

#[test]
fn what_others_get_does_not_pile_up_behind_one_that_drops() {
    for victim in [Victim::Newest, Victim::LeastSevere] {
        let (mut life, disk) = stuck(OverflowPolicy::Drop(victim));
        let mut fine = Vec::new();
        for number in 0..100 {
            life.deliver_to_all(&long(number));
            life.work();
            life.take(1);
            fine.extend(life.drain(0));
            assert!(disk.used_bytes() < 3 << 20, "{} bytes on disk", disk.used_bytes());
        }
        assert_eq!(fine.len(), 100);
        life.figures(1);
        let dropped = life.destinations[1].queue.counters.dropped();
        let left = numbers(&life.drain(1));
        assert_eq!((left.len() as u64 + dropped, &left[..2]), (100, &[0, 1][..]));
    }
}

#[test]
fn the_oldest_are_dropped_for_one_only() {
    let (mut life, disk) = stuck(OverflowPolicy::Drop(Victim::Oldest));
    let mut fine = Vec::new();
    for number in 0..60 {
        let seen = life.deliver_to_all(&long(number));
        life.work();
        life.take(1);
        fine.extend(life.drain(0));
        assert!(is_done(&seen), "nobody waits");
        assert!(disk.used_bytes() < 2 << 20, "{} bytes on disk", disk.used_bytes());
        life.figures(1);
    }
    assert_eq!(fine.len(), 60);
    let dropped = life.destinations[1].queue.counters.dropped_queue_full_oldest.load(Ordering::Relaxed);
    let left = numbers(&life.drain(1));
    assert_eq!(left.len() as u64 + dropped, 60);
    // It had the first two in hand, which are no longer on disk, and gets the newest.
    assert_eq!(left[..2], [0, 1]);
    assert_eq!(left[2..], (60 - (left.len() - 2)..60).collect::<Vec<_>>());
    assert!((8..=12).contains(&left.len()), "{left:?}");
}

#[test]
fn what_was_in_hand_when_the_oldest_were_dropped_is_lost_at_the_stop() {
    let (mut life, disk) = stuck(OverflowPolicy::Drop(Victim::Oldest));
    for number in 0..30 {
        life.deliver_to_all(&long(number));
        life.work();
        life.take(1);
        life.drain(0);
    }
    life.leave(1);
    let counters = &life.destinations[1].queue.counters;
    let (queued, dropped) = (counters.queued.load(Ordering::Relaxed), counters.dropped());
    assert_eq!(queued + dropped, 30);
    life.leave(0);
    drop(life);
    let settings = settings(Path::new("/x.shared"), Arc::new(disk));
    let mut life = Life::begin(&[("stuck", settings)]);
    assert_eq!(life.destinations[0].place.waiting, queued);
    assert_eq!(life.drain(0).len() as u64, queued);
}

/// Bytes of the files of the log itself.
fn log_bytes(disk: &SimDisk) -> usize {
    let of_log = |path: &std::path::PathBuf| path.parent() == Some(Path::new("/x.shared"));
    let journal = |path: &std::path::PathBuf| path.extension().is_some_and(|kind| kind == "dj");
    let paths = disk.paths().into_iter().filter(|path| of_log(path) && journal(path));
    paths.filter_map(|path| disk.bytes(&path)).map(|bytes| bytes.len()).sum()
}

#[test]
fn what_others_get_does_not_pile_up_behind_one_that_holds() {
    let (mut life, disk) = stuck(OverflowPolicy::Hold);
    let (mut meant, mut tokens) = (Vec::new(), Vec::new());
    for number in 0..200 {
        // Every fourth message is for both.
        if number % 4 == 0 {
            tokens.push(life.deliver_to_all(&long(number)));
            meant.push(number);
        } else {
            life.deliver(&[&long(number)], &[(0, Selection::all(1))], Ack::none(), true);
        }
        life.work();
        life.take(1);
        life.drain(0);
        assert!(log_bytes(&disk) < 2 << 20, "{} bytes in the log at {number}", log_bytes(&disk));
        assert!(disk.used_bytes() < 4 << 20, "{} bytes on disk at {number}", disk.used_bytes());
    }
    life.figures(1);
    // Its own limit holds for what is its own.
    let held = life.destinations[1].queue.counters.queued.load(Ordering::Relaxed);
    assert_eq!(held, 50);
    let safe = tokens.iter().filter(|seen| is_done(seen)).count();
    assert!((8..=10).contains(&safe), "{safe} of 100 KiB fit into a mebibyte");
    assert_eq!(numbers(&life.drain(1)), meant);
    assert_eq!(life.figures(1), "written=50 queued=0 dropped=0");
    // The next save removes the settled messages from the disk.
    life.deliver_to_all("h|last");
    life.drain(0);
    life.drain(1);
    [1, 0].into_iter().for_each(|index| life.leave(index));
    drop(life);
    let backlog: usize = disk
        .paths()
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("backlog-"))
        .filter_map(|path| disk.bytes(&path))
        .map(|bytes| bytes.len())
        .sum();
    assert!(backlog < 64 << 10, "{backlog} bytes in the backlog");
}

#[test]
fn what_waits_for_room_is_saved_at_the_stop() {
    let (mut life, disk) = stuck(OverflowPolicy::Hold);
    let tokens: Vec<Seen> = (0..14)
        .map(|number| {
            let seen = life.deliver_to_all(&long(number));
            life.drain(0);
            seen
        })
        .collect();
    assert!(!is_done(&tokens[13]));
    [1, 0].into_iter().for_each(|index| life.leave(index));
    assert!(tokens.iter().all(is_done));
    assert_eq!(life.figures(1), "written=0 queued=14 dropped=0");
    drop(life);
    let settings = settings(Path::new("/x.shared"), Arc::new(disk));
    let mut life = Life::begin(&[("stuck", settings)]);
    assert_eq!(numbers(&life.drain(0)), (0..14).collect::<Vec<_>>());
}

#[test]
fn a_stop_moves_nothing_out_of_a_full_log() {
    let folder = tempfile::tempdir().unwrap();
    let fine = settings(&folder.path().join("x.shared"), Arc::new(journal::OsDisk));
    let stuck = DiskBuffer { memory_messages: 2, ..fine.clone() };
    let mut life = Life::begin(&[("fine", fine.clone()), ("stuck", stuck), ("other", fine)]);
    (0..9).for_each(|number| drop(life.deliver_to_all(&long(number))));
    // The others take more messages, which stand in the log behind those that wait for `stuck`.
    for number in 9..14 {
        [0, 2].into_iter().for_each(|index| drop(life.drain(index)));
        life.deliver(&[&long(number)], &[(0, Selection::all(1)), (2, Selection::all(1))], Ack::none(), true);
    }
    [1, 0, 2].into_iter().for_each(|index| life.leave(index));
    assert!(life.is_over);
    assert!(!folder.path().join("stuck").exists() && folder.path().join("x.shared/stuck.consumer").exists());
}

#[test]
fn the_least_severe_give_way_first() {
    let (mut life, _) = stuck(OverflowPolicy::Drop(Victim::LeastSevere));
    let severities = [7, 7, 7, 7, 7, 7, 7, 7, 7, 0, 6, 0, 5, 0];
    for severity in severities {
        let mut batch = (*delivery(&[&long(severity)], Ack::none(), true).batch).clone();
        batch.messages[0].pri = Priority::new(batch.messages[0].pri.facility(), Severity(severity as u8));
        let batch = Arc::new(batch);
        for Destination { queue, place, .. } in &life.destinations {
            let (selection, ack) = (Selection::all(1), Ack::none());
            let delivery = Delivery { batch: batch.clone(), selection, ack, controlled: true, first: None };
            life.inbox.deliver(place.number, queue, delivery);
        }
        life.drain(0);
    }
    let counters = &life.destinations[1].queue.counters;
    let dropped = counters.dropped_queue_full_severity.load(Ordering::Relaxed);
    let left = numbers(&life.drain(1));
    // What its neighbour gets counts as well: the log from its oldest message on is kept for it.
    assert_eq!((left, dropped), (vec![7, 7, 7, 7, 7, 7, 7, 7, 0], 5));
}

#[test]
fn new_settings_count() {
    let (mut life, disk) = stuck(OverflowPolicy::Hold);
    let seen: Vec<Seen> = (0..12)
        .map(|number| {
            let seen = life.deliver_to_all(&long(number));
            life.drain(0);
            seen
        })
        .collect();
    assert!(!is_done(&seen[11]));
    let buffer = settings(Path::new("/x.shared"), Arc::new(disk));
    life.inbox.configure(life.destinations[1].place.number, DiskBuffer { capacity_bytes: 8 << 20, ..buffer });
    life.work();
    assert!(seen.iter().all(is_done));
}

/// The policies that let no source wait.
const DROPPING: [Victim; 3] = [Victim::Newest, Victim::Oldest, Victim::LeastSevere];

/// Gives the destination that is stuck another policy, as a reload does.
fn reload(life: &mut Life, disk: &SimDisk, on_full: OverflowPolicy) {
    let buffer = settings(Path::new("/x.shared"), Arc::new(disk.clone()));
    let settings = DiskBuffer { on_full, memory_messages: 2, ..buffer };
    life.inbox.configure(life.destinations[1].place.number, settings);
    life.work();
}

#[test]
fn sources_that_wait_are_let_go_when_a_reload_no_longer_holds_them() {
    for victim in DROPPING {
        let (mut life, disk) = stuck(OverflowPolicy::Hold);
        let deliver = |life: &mut Life, numbers: std::ops::Range<usize>| -> Vec<Seen> {
            let one = |number| {
                let seen = life.deliver_to_all(&long(number));
                life.drain(0);
                seen
            };
            numbers.map(one).collect()
        };
        let held = deliver(&mut life, 0..14);
        assert!(!is_done(&held[13]));
        reload(&mut life, &disk, OverflowPolicy::Drop(victim));
        assert!(held.iter().all(is_done), "{victim:?} lets go");
        assert!(deliver(&mut life, 14..20).iter().all(is_done), "{victim:?} holds nothing");
        let dropped = life.destinations[1].queue.counters.dropped();
        life.figures(1);
        let left = numbers(&life.drain(1));
        assert_eq!((left.len() as u64 + dropped, left.is_sorted()), (20, true), "{victim:?}: {left:?}");
        assert!(life.figures(1).contains("queued=0"), "{victim:?}");
        match victim {
            Victim::Oldest => assert_eq!(left.last(), Some(&19)),
            Victim::Newest | Victim::LeastSevere => assert_eq!(left[..8], (0..8).collect::<Vec<_>>()),
        }
        // Held again, nothing more is dropped.
        reload(&mut life, &disk, OverflowPolicy::Hold);
        deliver(&mut life, 20..34);
        assert_eq!(numbers(&life.drain(1)), (20..34).collect::<Vec<_>>(), "{victim:?}");
    }
}

#[test]
fn a_backlog_stays_complete_or_is_counted_when_a_reload_changes_the_policy() {
    for victim in DROPPING {
        let (mut life, disk) = stuck(OverflowPolicy::Hold);
        let mut tokens = Vec::new();
        let deliver = |life: &mut Life, tokens: &mut Vec<Seen>, messages: std::ops::Range<usize>| {
            for number in messages {
                // Every fourth message is for both.
                if number % 4 == 0 {
                    tokens.push(life.deliver_to_all(&long(number)));
                } else {
                    life.deliver(&[&long(number)], &[(0, Selection::all(1))], Ack::none(), true);
                }
                life.work();
                life.drain(0);
                assert!(disk.used_bytes() < 5 << 20, "{victim:?}: {} bytes on disk", disk.used_bytes());
            }
        };
        deliver(&mut life, &mut tokens, 0..80);
        let has_moved = disk.paths().iter().any(|path| path.to_string_lossy().contains("backlog-"));
        assert!(has_moved && !tokens.iter().all(is_done));
        reload(&mut life, &disk, OverflowPolicy::Drop(victim));
        assert!(tokens.iter().all(is_done), "{victim:?} lets go");
        deliver(&mut life, &mut tokens, 80..160);
        assert!(tokens.iter().all(is_done), "{victim:?} holds nothing");
        life.figures(1);
        // As many wait after a restart. Those in hand when the oldest were dropped are lost at the stop, and counted.
        [1, 0].into_iter().for_each(|index| life.leave(index));
        let counters = &life.destinations[1].queue.counters;
        let (queued, dropped) = (counters.queued.load(Ordering::Relaxed), counters.dropped());
        assert_eq!((queued + dropped, queued > 0), (40, true), "{victim:?}");
        drop(life);
        let settings = settings(Path::new("/x.shared"), Arc::new(disk.clone()));
        let settings = DiskBuffer { on_full: OverflowPolicy::Drop(victim), ..settings };
        let mut life = Life::begin(&[("fine", settings.clone()), ("stuck", settings)]);
        let waiting = life.destinations[1].place.waiting;
        let left = numbers(&life.drain(1));
        assert_eq!(
            (left.len() as u64, waiting, left.is_sorted()),
            (queued, queued, true),
            "{victim:?}: {left:?}"
        );
        assert!(life.figures(1).ends_with("queued=0 dropped=0"), "{victim:?}");
    }
}

#[test]
fn a_full_disk_is_tried_again() {
    let (mut life, disk) = stuck(OverflowPolicy::Hold);
    disk.set_capacity(Some(disk.used_bytes() + (20 << 10)));
    let seen = life.deliver_to_all(&long(1));
    life.work();
    assert!(!is_done(&seen));
    disk.set_capacity(None);
    life.work();
    assert!(is_done(&seen));
    assert_eq!((life.drain(0).len(), life.drain(1).len()), (1, 1));
}

#[test]
fn files_without_messages_of_a_consumer_are_skipped() {
    let mut index = FileIndex::new(&[0]);
    [(10, 0b01), (20, 0b01), (30, 0b10), (40, 0b01)]
        .into_iter()
        .for_each(|(start, consumers)| index.note(start, ConsumerSet(consumers)));
    // Where the consumer is, its number, where it may continue.
    let rows = [
        (5, 1, None),
        (10, 1, Some(30)),
        (15, 1, Some(30)),
        (30, 1, None),
        (35, 0, Some(40)),
        (41, 1, Some(50)),
        (50, 1, None),
        (12, 0, None),
        (10, 5, Some(50)),
    ];
    for (at, number, want) in rows {
        assert_eq!(index.skip(at, number, 50), want, "{number} at {at}");
    }
    index.prune(20);
    assert_eq!(index.skip(20, 1, 50), Some(30));
}
