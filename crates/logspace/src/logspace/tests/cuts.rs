//! The power goes at every single sync of a real run, from the first file of a logspace to its removals: each disk that
//! could be left opens, has everything that was acknowledged, and is verified.
//!
//! The test starts itself again under strace and replays what it did to files: whatever the store does, no path around the
//! simulation is left.

use super::{
    traced::{Disk, Luck, Step},
    *,
};
use crate::Audit;
use evidence::{Event, Identity, Keys, Recipient};
use journal::OsDisk;
/// Tells the started process where to work.
const DIR: &str = "DURAMEN_TEST_TRACED_DIR";
/// An identity, when segments are encrypted.
const IDENTITY: &str = "DURAMEN_TEST_TRACED_IDENTITY";
/// Messages that are stored together; 4 of them are a segment.
const TOGETHER: u64 = 250;
const BATCHES: u64 = 26;

fn small(keys: &Keys) -> LogspaceOptions {
    LogspaceOptions {
        segment_messages_max: 4 * TOGETHER,
        journal_file_bytes_max: 100_000,
        keys: keys.clone(),
        recode_after: Duration::ZERO,
        recode_look: Duration::from_millis(5),
        ..options()
    }
}

fn keys_of(identity: &str) -> Keys {
    match identity {
        "" => Keys::default(),
        text => Keys::of(vec![Identity::parse(text, None).unwrap()]),
    }
}

/// Stores, seals, recodes and removes; prints what was acknowledged. Does nothing in an ordinary run.
#[test]
fn traced() {
    let (Ok(dir), Ok(identity)) = (std::env::var(DIR), std::env::var(IDENTITY)) else { return };
    let recipient = std::env::var("DURAMEN_TEST_TRACED_RECIPIENT").unwrap();
    let recipients = if recipient.is_empty() { vec![] } else { vec![Recipient::load(&recipient).unwrap()] };
    let logspace = open(Path::new(&dir), LogspaceOptions { recipients, ..small(&keys_of(&identity)) });
    for number in 0..BATCHES {
        let numbers = number * TOGETHER..(number + 1) * TOGETHER;
        store(&logspace, numbers.clone(), now_us());
        println!("stored {} .", numbers.end);
        if number == BATCHES / 2 {
            wait_until("sealed", || logspace.stats().segments >= 3);
            wait_until("recoded", || logspace.stats().segments_recoded_total >= 2);
            // From here on there is room for about two segments.
            let bytes = logspace.stats().segment_bytes / logspace.stats().segments;
            logspace.set_retention(Retention { bytes: Some(2 * bytes + bytes / 2), ..Retention::default() });
        }
    }
    wait_until("removed", || logspace.stats().segments_removed_total >= 3);
    logspace.close();
}

/// Runs it under strace; the steps of it.
fn run_traced(dir: &Path, recipient: &str, identity: &str) -> Vec<Step> {
    let told =
        [(DIR, dir.to_str().unwrap()), (IDENTITY, identity), ("DURAMEN_TEST_TRACED_RECIPIENT", recipient)];
    super::traced::run("logspace::tests::cuts::traced", &told)
}

/// One disk: what was acknowledged is found, or was removed and the chain says so; verification finds nothing wrong.
fn check_left(dir: &Path, keys: &Keys, acknowledged: u64, what: &str) {
    let heard = Arc::new(Heard::default());
    let logspace = Logspace::open(dir, small(keys), heard.clone());
    let logspace = logspace.unwrap_or_else(|error| panic!("{what}: {error}"));
    let state = || {
        let chain = read_chain(&OsDisk, dir).unwrap();
        let removals = chain
            .records()
            .iter()
            .filter(|record| matches!(&record.event, Event::Removal(reason) if reason == "size"));
        let removed: u64 = removals.map(|record| record.segment.count).sum();
        let numbers: Vec<u64> = found(&logspace).iter().map(|(sequence, _)| *sequence).collect();
        (removed, removed + numbers.len() as u64, numbers)
    };
    // What was begun before the cut may end a moment after the opening.
    TURNS.wait(Duration::from_secs(5), || {
        let (removed, end, numbers) = state();
        end >= acknowledged && numbers == (removed..end).collect::<Vec<_>>()
    });
    let (removed, end, numbers) = state();
    let said = || heard.0.lock().unwrap().join("; ");
    assert_eq!(numbers, (removed..end).collect::<Vec<_>>(), "{what}: {removed} were removed; {}", said());
    assert!(end >= acknowledged, "{what}: {end} of {acknowledged} acknowledged messages; {}", said());
    if end > removed {
        assert_eq!(with_token(&logspace, &format!("n{}", end - 1)), 1, "{what}: the last is found by a word");
    }
    logspace.close();
    let report =
        Audit { keys: keys.clone(), ..Audit::default() }.run(dir, &CancelToken::unlimited()).unwrap();
    assert!(report.is_good(), "{what}: {:?}; {}", report.findings, said());
}

fn check(recipient: &str, identity: &str) {
    // Memory, where there is some: hundreds of disks are written and opened.
    let memory = Path::new("/dev/shm");
    let holder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let root = holder.path().join("run");
    fs::create_dir(&root).unwrap();
    let steps = run_traced(&root, recipient, identity);
    let keys = keys_of(identity);
    let (mut disk, mut acknowledged, mut syncs) = (Disk::new(&root), 0, 0);
    for (number, step) in steps.iter().enumerate() {
        if step.is_sync() || number + 1 == steps.len() {
            syncs += 1;
            let killed = (syncs % 8 == 0).then_some(Luck::Best);
            for luck in [Luck::Worst, Luck::Some(syncs)].into_iter().chain(killed) {
                let left = holder.path().join("left");
                disk.leave(&left, luck);
                check_left(&left, &keys, acknowledged, &format!("sync {syncs}, {luck:?}"));
                fs::remove_dir_all(&left).unwrap();
            }
        }
        disk.apply(step);
        let printed = step.printed().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        for line in printed.iter().flat_map(|text| text.lines()) {
            if let Some(end) = line.strip_prefix("stored ").and_then(|line| line.strip_suffix(" .")) {
                acknowledged = end.parse().unwrap();
            }
        }
    }
    assert_eq!(acknowledged, BATCHES * TOGETHER, "the whole run was seen");
    assert!(syncs > 60, "only {syncs} syncs were seen");
}

#[test]
fn every_cut_leaves_what_was_acknowledged() {
    check("", "");
}

#[test]
fn every_cut_of_an_encrypted_logspace_leaves_what_was_acknowledged() {
    let (recipient, identity) = Identity::draw().unwrap();
    check(&recipient, &identity);
}
