//! Rows of folders, and of where a journal begins.

mod catalog;
mod chain;
mod files;
mod stamps;

use super::*;

#[track_caller]
fn check_first(names: &[&str], want: Option<u64>) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(JOURNAL_DIR)).unwrap();
    names.iter().for_each(|name| fs::write(dir.path().join(JOURNAL_DIR).join(name), "").unwrap());
    assert_eq!(journal_first(dir.path()).unwrap(), want, "{names:?}");
}

#[test]
fn a_journal_begins_with_its_lowest_file() {
    check_first(&[], None);
    check_first(&["journal-00000000000000000070.dj", "journal-00000000000000000008.dj"], Some(8));
    check_first(&["cursor", "journal-x.dj", "journal-7", "7.dj", "journal-9.dj"], Some(9));
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(journal_first(dir.path()).unwrap(), None, "a copy without its journal can be verified");
    fs::write(dir.path().join(JOURNAL_DIR), "no folder").unwrap();
    assert!(journal_first(dir.path()).is_err());
}

#[track_caller]
fn check_gap(first: Option<u64>, want: &[Option<std::ops::Range<u64>>]) {
    let mut report = AuditReport::default();
    check_journal(first, &Chain::default(), &mut report);
    let found: Vec<_> = report.findings.iter().map(|finding| finding.messages.clone()).collect();
    assert_eq!(found, want, "{first:?}");
}

#[test]
fn messages_before_the_journal_are_sealed_or_missing() {
    check_gap(None, &[]);
    check_gap(Some(0), &[]);
    check_gap(Some(1), &[Some(0..1)]);
    check_gap(Some(50), &[Some(0..50)]);
}
