//! Archives: moved, searched, taken away, brought back; what a power cut leaves of a move is one whole copy in its
//! place.

use super::*;
use crate::{Audit, AuditReport};
use evidence::Event;
use journal::OsDisk;

const NOW: Duration = Duration::ZERO;
const SEGMENTS: u64 = 3;
/// 2026-01-01T12:00:00Z.
const PAST_US: i64 = 1_767_268_800_000_000;

struct Site {
    home: tempfile::TempDir,
}

impl Site {
    /// A logspace of three segments of ten messages, and the place of its archive.
    fn filled() -> Site {
        let site = Site { home: tempfile::tempdir().unwrap() };
        let logspace = site.open(|_| {});
        for number in 0..SEGMENTS {
            store(&logspace, number * 10..number * 10 + 10, PAST_US - 1_000_000_000 * (4 - number as i64));
            assert_eq!(logspace.seal_now(PATIENCE), Some(number * 10 + 10));
        }
        logspace.close();
        site
    }

    fn dir(&self) -> PathBuf {
        self.home.path().join("all")
    }

    fn archive(&self) -> PathBuf {
        self.home.path().join("archive")
    }

    fn open(&self, change: impl FnOnce(&mut LogspaceOptions)) -> Logspace {
        let mut options = LogspaceOptions { archive_to: Some(self.archive()), ..options() };
        change(&mut options);
        open(&self.dir(), options)
    }

    fn audit(&self) -> AuditReport {
        Audit::default().run(&self.dir(), &CancelToken::unlimited()).unwrap()
    }

    /// The files below a folder that are segments, links included.
    fn files(dir: &Path) -> Vec<PathBuf> {
        if dir.exists() { layout::segment_files(dir).unwrap() } else { Vec::new() }
    }

    fn moves(&self) -> Vec<String> {
        let chain = read_chain(&OsDisk, &self.dir()).unwrap();
        let moves = chain.records().iter().filter(|record| record.event.is_move());
        moves
            .map(|record| match &record.event {
                Event::Archive(_) => format!("archive {}", record.segment.first),
                _ => format!("restore {}", record.segment.first),
            })
            .collect()
    }
}

fn away(logspace: &Logspace) -> usize {
    logspace.snapshot().away.len()
}

/// Everything is there, each file once, and nothing is wrong.
#[track_caller]
fn check_whole(site: &Site, logspace: &Logspace) {
    check_found(logspace, SEGMENTS * 10);
    let report = site.audit();
    assert!(report.is_good(), "{:?}", report.findings);
    assert_eq!((report.segments, report.messages, report.away), (SEGMENTS, SEGMENTS * 10, 0));
}

#[test]
fn segments_go_to_the_archive_and_come_back() {
    let site = Site::filled();
    let logspace = site.open(|_| {});
    let moved = logspace.archive(NOW, PATIENCE).unwrap();
    assert!(moved.segments == SEGMENTS && moved.bytes > 0, "{moved:?}");
    assert_eq!(logspace.archive(NOW, PATIENCE).unwrap().segments, 0, "what is there stays there");
    check_whole(&site, &logspace);
    assert_eq!(Site::files(&site.archive().join("all")).len(), SEGMENTS as usize);
    assert!(Site::files(&site.dir()).iter().all(|path| path.is_symlink()));
    assert_eq!(site.moves(), ["archive 0", "archive 10", "archive 20"]);
    let back = PAST_US - 3_500_000_000..PAST_US - 2_500_000_000;
    assert_eq!(logspace.restore(back, PATIENCE).unwrap().segments, 1);
    check_whole(&site, &logspace);
    assert_eq!(Site::files(&site.archive().join("all")).len(), 2);
    assert_eq!(site.moves().last().unwrap(), "restore 10");
    logspace.close();
    // What was put back stays when the others are archived by their age.
    let logspace = site.open(|options| options.archive_after = Some(NOW));
    check_whole(&site, &logspace);
    assert_eq!(Site::files(&site.archive().join("all")).len(), 2);
}

#[test]
fn old_segments_are_archived_by_themselves() {
    let site = Site { home: tempfile::tempdir().unwrap() };
    let logspace = site.open(|options| options.archive_after = Some(Duration::from_secs(1)));
    store(&logspace, 0..5, 1_000_000);
    assert_eq!(logspace.seal_now(PATIENCE), Some(5));
    wait_until("archived", || Site::files(&site.archive().join("all")).len() == 1);
    check_found(&logspace, 5);
}

#[test]
fn what_is_away_is_said_to_be() {
    let site = Site::filled();
    let logspace = site.open(|_| {});
    logspace.archive(NOW, PATIENCE).unwrap();
    assert_eq!(logspace.detach_archive(), (SEGMENTS, SEGMENTS));
    assert_eq!((away(&logspace), found(&logspace).len()), (SEGMENTS as usize, 0));
    assert_eq!(logspace.attach_archive(), (SEGMENTS, 0));
    check_whole(&site, &logspace);
    // Taken away without a word: noticed by itself.
    let elsewhere = site.home.path().join("elsewhere");
    std::fs::rename(site.archive(), &elsewhere).unwrap();
    wait_until("gone", || away(&logspace) == SEGMENTS as usize);
    assert!(logspace.restore(i64::MIN..i64::MAX, PATIENCE).unwrap_err().to_string().contains("not attached"));
    let report = site.audit();
    assert!(report.is_good() && report.away == SEGMENTS, "{:?}", report.findings);
    logspace.close();
    let logspace = site.open(|options| options.retention_age = Some(NOW));
    assert_eq!(away(&logspace), SEGMENTS as usize, "a start without the archive knows of it");
    assert_eq!(logspace.snapshot().away[0].count, 10);
    logspace.close();
    std::fs::remove_file(site.dir().join("catalog")).unwrap();
    let logspace = site.open(|_| {});
    assert_eq!(away(&logspace), SEGMENTS as usize, "also without a catalog");
    std::fs::rename(&elsewhere, site.archive()).unwrap();
    wait_until("back", || away(&logspace) == 0);
    check_whole(&site, &logspace);
}

#[test]
fn a_changed_archive_is_found() {
    let site = Site::filled();
    let logspace = site.open(|_| {});
    logspace.archive(NOW, PATIENCE).unwrap();
    let path = Site::files(&site.archive().join("all"))[1].clone();
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 3;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    assert!(!site.audit().is_good());
    let refused = logspace.restore(i64::MIN..i64::MAX, PATIENCE).unwrap_err().to_string();
    assert!(refused.contains("is not the one that was archived"), "{refused}");
    assert_eq!(
        site.moves().iter().filter(|line| line.starts_with("restore")).count(),
        1,
        "the whole one is back"
    );
    std::fs::remove_file(&path).unwrap();
    logspace.close();
    let missing = site.audit();
    assert!(!missing.is_good(), "an archive without a file that it should have: {:?}", missing.findings);
}

#[test]
fn an_archive_is_of_one_logspace() {
    let site = Site::filled();
    std::fs::create_dir_all(site.archive().join("all")).unwrap();
    std::fs::write(site.archive().join("all").join(archive::MARKER), "another\n").unwrap();
    let logspace = site.open(|_| {});
    assert!(logspace.archive(NOW, PATIENCE).unwrap_err().to_string().contains("of another logspace"));
    check_whole(&site, &logspace);
    logspace.close();
    let bare = open(&site.dir(), options());
    assert!(bare.archive(NOW, PATIENCE).unwrap_err().to_string().contains("archive-to"));
}

#[test]
fn retention_and_legal_hold_know_the_archive() {
    let site = Site { home: tempfile::tempdir().unwrap() };
    let logspace = site.open(|options| options.legal_hold = true);
    store(&logspace, 0..5, 1_000_000);
    logspace.seal_now(PATIENCE).unwrap();
    logspace.archive(NOW, PATIENCE).unwrap();
    logspace.set_retention(Retention { age: Some(Duration::from_secs(60)), bytes: Some(0), hold: true });
    let checked = logspace.archive(NOW, PATIENCE);
    assert!(checked.is_ok() && found(&logspace).len() == 5, "held");
    logspace.set_retention(Retention { bytes: Some(0), ..Retention::default() });
    assert!(logspace.archive(NOW, PATIENCE).is_ok() && found(&logspace).len() == 5, "it takes no room here");
    logspace.set_retention(Retention { age: Some(Duration::from_secs(60)), ..Retention::default() });
    wait_until("removed", || found(&logspace).is_empty());
    wait_until("files", || Site::files(&site.archive().join("all")).is_empty());
    wait_until("links", || Site::files(&site.dir()).is_empty());
    logspace.close();
    assert!(site.audit().is_good());
}

/// A state that a power cut can leave, and how it is made.
type Cut = (&'static str, fn(&Site, &Path, &Path));

/// Each state that a power cut can leave of a move to the archive or back: at the next start everything is there, and
/// the move can be made.
#[test]
fn power_cuts_between_the_steps_lose_nothing() {
    let cuts: [Cut; 6] = [
        ("half a copy", |_, path, target| {
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            let bytes = std::fs::read(path).unwrap();
            std::fs::write(target.with_extension("tmp"), &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("a copy without a record", |_, path, target| {
            archive::copy(path, target).unwrap();
        }),
        ("a torn copy under its name, which no crash leaves", |_, path, target| {
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            std::fs::write(target, &std::fs::read(path).unwrap()[..100]).unwrap();
        }),
        ("a record without a link", |site, path, target| {
            let logspace = site.open(|_| {});
            logspace.archive(NOW, PATIENCE).unwrap();
            logspace.close();
            archive::copy(target, path).unwrap();
        }),
        ("a link that was not renamed", |_, path, target| {
            archive::copy(path, target).unwrap();
            std::os::unix::fs::symlink(target, path.with_extension("tmp")).unwrap();
        }),
        ("a file that was on its way back", |site, path, target| {
            let logspace = site.open(|_| {});
            logspace.archive(NOW, PATIENCE).unwrap();
            logspace.close();
            let bytes = std::fs::read(target).unwrap();
            std::fs::write(path.with_extension("back"), &bytes[..bytes.len() / 2]).unwrap();
        }),
    ];
    for (what, cut) in cuts {
        let site = Site::filled();
        let path = Site::files(&site.dir())[0].clone();
        let target = site.archive().join("all").join(path.strip_prefix(site.dir()).unwrap());
        cut(&site, &path, &target);
        let logspace = site.open(|_| {});
        check_whole(&site, &logspace);
        logspace.archive(NOW, PATIENCE).unwrap_or_else(|error| panic!("{what}: {error}"));
        check_whole(&site, &logspace);
        assert!(Site::files(&site.dir()).iter().all(|path| path.is_symlink()), "{what}");
        logspace.restore(i64::MIN..i64::MAX, PATIENCE).unwrap_or_else(|error| panic!("{what}: {error}"));
        check_whole(&site, &logspace);
        assert!(Site::files(&site.archive().join("all")).is_empty(), "{what}");
        logspace.close();
    }
}

#[test]
fn a_restore_that_a_crash_interrupted_is_completed() {
    for has_copy in [true, false] {
        let site = Site::filled();
        let logspace = site.open(|_| {});
        logspace.archive(NOW, PATIENCE).unwrap();
        logspace.close();
        // The file is back under its name, and no record says so yet.
        let path = Site::files(&site.dir())[1].clone();
        let target = std::fs::read_link(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::copy(&target, &path).unwrap();
        if !has_copy {
            std::fs::remove_file(&target).unwrap();
        }
        let logspace = site.open(|_| {});
        check_whole(&site, &logspace);
        assert_eq!(site.moves().iter().filter(|line| line.starts_with("restore")).count(), 0);
        let range = PAST_US - 3_500_000_000..PAST_US - 2_500_000_000;
        assert_eq!(logspace.restore(range.clone(), PATIENCE).unwrap().segments, 1);
        assert_eq!(site.moves().last().unwrap(), "restore 10");
        assert!(!target.exists(), "the copy in the archive is no longer needed");
        assert_eq!(logspace.restore(range, PATIENCE).unwrap(), crate::Moved::default(), "it is here");
        check_whole(&site, &logspace);
        logspace.close();
    }
}
