//! The process is killed at random moments: everything acknowledged is found again, exactly once.
//!
//! The test starts itself again as the process to be killed.

use super::*;
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    ops::Range,
    process::{Command, Stdio},
};

const ROUNDS: u64 = 50;

/// Tells the started process where to work, and from which number on.
const DIR: &str = "DURAMEN_TEST_KILL_DIR";
const FROM: &str = "DURAMEN_TEST_KILL_FROM";

fn small() -> LogspaceOptions {
    LogspaceOptions { segment_messages_max: 300, journal_file_bytes_max: 8 << 10, ..options() }
}

/// Stores numbered messages until it is killed, and prints what was acknowledged. Does nothing in an ordinary run.
#[test]
fn victim() {
    let (Ok(dir), Ok(from)) = (std::env::var(DIR), std::env::var(FROM)) else { return };
    let logspace = open(Path::new(&dir), small());
    let mut waiting: std::collections::VecDeque<(Range<u64>, Receiver<Outcome>)> = Default::default();
    let mut next: u64 = from.parse().unwrap();
    loop {
        let numbers = next..next + 1 + next % 13;
        next = numbers.end;
        waiting.push_back((numbers.clone(), deliver(&logspace, batch(numbers, NEW_YEAR_US), true)));
        if waiting.len() > 4 {
            let (numbers, outcome) = waiting.pop_front().unwrap();
            assert_eq!(outcome.recv_timeout(PATIENCE), Ok(Outcome::Done));
            println!("stored {} {} .", numbers.start, numbers.end);
        }
    }
}

/// One life: returns the ranges that were acknowledged before the process was killed.
fn live_and_die(dir: &Path, round: u64, chance: &mut Chance) -> Vec<Range<u64>> {
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "logspace::tests::kill::victim", "--nocapture"])
        .env(DIR, dir)
        .env(FROM, (round * 1_000_000).to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    let lifetime = Duration::from_micros(chance.below(20_000));
    let (mut stored, mut born) = (Vec::new(), None);
    while let Some(Ok(line)) = lines.next() {
        let words: Vec<&str> = line.split(' ').collect();
        // A line that was cut short has no dot.
        if let ["stored", start, end, "."] = words[..] {
            stored.push(start.parse().unwrap()..end.parse().unwrap());
            let born = *born.get_or_insert_with(std::time::Instant::now);
            if born.elapsed() >= lifetime {
                // It may print more until the signal reaches it: that counts too.
                let _ = victim.kill();
            }
        }
    }
    victim.wait().unwrap();
    assert!(!stored.is_empty(), "round {round}: nothing was stored");
    stored
}

#[test]
fn what_was_acknowledged_survives_being_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut chance = Chance::new(u64::from(std::process::id()));
    let stored: Vec<Range<u64>> =
        (0..ROUNDS).flat_map(|round| live_and_die(dir.path(), round, &mut chance)).collect();
    let logspace = open(dir.path(), small());
    let mut times: BTreeMap<u64, u32> = BTreeMap::new();
    for (at, (sequence, text)) in found(&logspace).into_iter().enumerate() {
        assert_eq!(sequence, at as u64, "sequence numbers have no gap");
        let number = text.split(' ').next().and_then(|word| word.strip_prefix('n')).unwrap();
        *times.entry(number.parse().unwrap()).or_default() += 1;
    }
    let twice: Vec<&u64> = times.iter().filter(|(_, times)| **times > 1).map(|(number, _)| number).collect();
    assert!(twice.is_empty(), "found more than once: {twice:?}");
    for number in stored.iter().cloned().flatten() {
        assert!(times.contains_key(&number), "{number} was acknowledged and is lost");
    }
    for numbers in stored.iter().step_by(1 + stored.len() / 50) {
        assert_eq!(with_token(&logspace, &format!("n{}", numbers.start)), 1, "token of {}", numbers.start);
    }
    assert!(logspace.stats().segments > 5, "too little was sealed to say anything");
}
