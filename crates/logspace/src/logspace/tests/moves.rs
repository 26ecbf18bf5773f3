//! The power goes at every single sync while segments go to the archive, come back, and are removed there: each disk that
//! could be left has every message once, is verified, and can be moved on.
//!
//! As in `cuts`, the test starts itself again under strace and replays what it did. A link names a path, so disks are left
//! where the run was.

use super::{
    traced::{Disk, Luck},
    *,
};
use crate::Audit;

/// Tells the started process where to work.
const HOME: &str = "DURAMEN_TEST_TRACED_HOME";
const SEGMENTS: u64 = 3;
/// Messages of a segment.
const MESSAGES: u64 = 10;
/// 2026-01-01T12:00:00Z.
const PAST_US: i64 = 1_767_268_800_000_000;
/// Microseconds between two segments.
const APART_US: i64 = 1_000_000_000;
const NOW: Duration = Duration::ZERO;

fn open_site(home: &Path, heard: Arc<Heard>) -> Result<Logspace, OpenLogspaceError> {
    let options = LogspaceOptions { archive_to: Some(home.join("archive")), ..options() };
    Logspace::open(&home.join("all"), options, heard)
}

/// Stores, archives, detaches, attaches, restores one, archives it again, restores all, archives, removes. Does nothing in
/// an ordinary run.
#[test]
fn traced() {
    let Ok(home) = std::env::var(HOME) else { return };
    let home = Path::new(&home);
    let logspace = open_site(home, Arc::default()).unwrap();
    for number in 0..SEGMENTS {
        store(&logspace, number * MESSAGES..(number + 1) * MESSAGES, PAST_US + APART_US * number as i64);
        assert_eq!(logspace.seal_now(PATIENCE), Some((number + 1) * MESSAGES));
    }
    println!("step stored .");
    assert_eq!(logspace.archive(NOW, PATIENCE).unwrap().segments, SEGMENTS);
    logspace.detach_archive();
    assert_eq!(logspace.snapshot().away.len() as u64, SEGMENTS);
    logspace.attach_archive();
    let second = PAST_US + APART_US / 2..PAST_US + APART_US * 3 / 2;
    assert_eq!(logspace.restore(second, PATIENCE).unwrap().segments, 1);
    assert_eq!(logspace.archive(NOW, PATIENCE).unwrap().segments, 1);
    assert_eq!(logspace.restore(i64::MIN..i64::MAX, PATIENCE).unwrap().segments, SEGMENTS);
    assert_eq!(logspace.archive(NOW, PATIENCE).unwrap().segments, SEGMENTS);
    println!("step removing .");
    logspace.set_retention(Retention { age: Some(NOW), ..Retention::default() });
    wait_until("removed", || logspace.stats().segments_removed_total == SEGMENTS);
    logspace.close();
}

/// One disk. While nothing was to be removed, all is there; afterwards what is gone was said to be removed.
fn check_left(home: &Path, removes: bool, moves_on: bool, what: &str) {
    let heard = Arc::new(Heard::default());
    let logspace = open_site(home, heard.clone()).unwrap_or_else(|error| panic!("{what}: {error}"));
    let dir = home.join("all");
    let whole = |when: &str| {
        let numbers: Vec<u64> = found(&logspace).iter().map(|(sequence, _)| *sequence).collect();
        let mut once = numbers.clone();
        once.dedup();
        let said = heard.0.lock().unwrap().join("; ");
        assert_eq!(numbers, once, "{what}, {when}: found twice; {said}");
        if !removes {
            assert_eq!(numbers, (0..SEGMENTS * MESSAGES).collect::<Vec<_>>(), "{what}, {when}: {said}");
        }
        let report = Audit::default().run(&dir, &CancelToken::unlimited()).unwrap();
        assert!(report.is_good(), "{what}, {when}: {:?}; {said}", report.findings);
        assert_eq!((report.messages, report.away), (numbers.len() as u64, 0), "{what}, {when}: {said}");
    };
    whole("opened");
    if moves_on {
        logspace.archive(NOW, PATIENCE).unwrap_or_else(|error| panic!("{what}: {error}"));
        whole("archived");
        assert!(layout::segment_files(&dir).unwrap().iter().all(|path| path.is_symlink()), "{what}");
        logspace.restore(i64::MIN..i64::MAX, PATIENCE).unwrap_or_else(|error| panic!("{what}: {error}"));
        whole("restored");
        assert!(layout::segment_files(&dir).unwrap().iter().all(|path| !path.is_symlink()), "{what}");
    }
    logspace.close();
}

#[test]
fn every_cut_of_a_move_leaves_one_whole_copy_in_its_place() {
    let memory = Path::new("/dev/shm");
    let holder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let home = holder.path().join("home");
    fs::create_dir(&home).unwrap();
    let steps = super::traced::run("logspace::tests::moves::traced", &[(HOME, home.to_str().unwrap())]);
    fs::remove_dir_all(&home).unwrap();
    let (mut disk, mut stored, mut removes, mut syncs) = (Disk::new(&home), false, false, 0);
    for (number, step) in steps.iter().enumerate() {
        if stored && (step.is_sync() || number + 1 == steps.len()) {
            syncs += 1;
            for luck in [Luck::Worst, Luck::Some(syncs), Luck::Best] {
                disk.leave(&home, luck);
                check_left(&home, removes, syncs % 4 == 0, &format!("sync {syncs}, {luck:?}"));
                fs::remove_dir_all(&home).unwrap();
            }
        }
        disk.apply(step);
        let printed = step.printed().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        for line in printed.iter().flat_map(|text| text.lines()) {
            stored |= line == "step stored .";
            removes |= line == "step removing .";
        }
    }
    assert!(removes, "the whole run was seen");
    assert!(syncs > 50, "only {syncs} syncs were seen");
}
