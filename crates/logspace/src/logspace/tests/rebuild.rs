//! An index that cannot be made again, and why.

use super::*;
use journal::OsDisk;
use std::os::unix::fs::symlink;

fn filled() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let logspace = open(dir.path(), LogspaceOptions { recode: false, ..options() });
    store(&logspace, 0..10, LONG_AGO_US);
    assert_eq!(logspace.seal_now(PATIENCE), Some(10));
    logspace.close();
    dir
}

#[track_caller]
fn check_refused(harm: impl FnOnce(&Path), want: &str) {
    let dir = filled();
    let path = layout::segment_files(dir.path()).unwrap().remove(0);
    harm(&path);
    let chain = read_chain(&OsDisk, dir.path()).unwrap();
    let rebuild = RebuildIndex { now_us: now_us(), ..RebuildIndex::default() };
    let error = rebuild.run(dir.path(), 0).unwrap_err().to_string();
    assert!(error.contains(want), "{error}");
    assert_eq!(read_chain(&OsDisk, dir.path()).unwrap().records(), chain.records(), "nothing was changed");
    assert!(layout::files_ending(dir.path(), layout::TEMPORARY_ENDING).unwrap().is_empty());
}

#[test]
fn what_is_not_there_cannot_be_rebuilt() {
    check_refused(
        |path| fs::remove_file(path).unwrap(),
        "is not a file here: restore it from the archive first",
    );
    let away = |path: &Path| {
        fs::remove_file(path).unwrap();
        symlink("/elsewhere", path).unwrap();
    };
    check_refused(away, "is not a file here");
    check_refused(|path| fs::write(path, "no segment").unwrap(), "damaged");
}

#[test]
fn other_messages_than_the_sealed_ones_are_not_written() {
    let (dir, other) = (filled(), tempfile::tempdir().unwrap());
    let logspace = open(other.path(), LogspaceOptions { recode: false, ..options() });
    store(&logspace, 100..110, LONG_AGO_US);
    assert_eq!(logspace.seal_now(PATIENCE), Some(10));
    logspace.close();
    let [own, stranger] = [&dir, &other].map(|dir| layout::segment_files(dir.path()).unwrap().remove(0));
    fs::copy(&stranger, &own).unwrap();
    let rebuild = RebuildIndex { now_us: now_us(), ..RebuildIndex::default() };
    assert!(matches!(rebuild.run(dir.path(), 0), Err(RebuildIndexError::OtherMessages)));
    assert_eq!(fs::read(&own).unwrap(), fs::read(&stranger).unwrap());
    assert!(layout::files_ending(dir.path(), layout::TEMPORARY_ENDING).unwrap().is_empty());
}

#[test]
fn the_catalog_has_the_size_of_the_new_file() {
    let dir = filled();
    let report = RebuildIndex { now_us: now_us(), ..RebuildIndex::default() }.run(dir.path(), 0).unwrap();
    let path = layout::segment_files(dir.path()).unwrap().remove(0);
    let catalog = crate::files::catalog::Catalog::read(&OsDisk, dir.path()).unwrap().unwrap();
    assert_eq!((catalog.segments[0].bytes, fs::metadata(&path).unwrap().len()), (report.file, report.file));
}

#[test]
fn reasons_are_sentences() {
    let rows = [
        (RebuildIndexError::InUse, "a server has the logspace open: stop it first"),
        (RebuildIndexError::Unknown { first: 7 }, "no segment begins with message 7"),
        (RebuildIndexError::NoRecipient, "the segment is encrypted: name whom the new file is sealed for"),
        (
            RebuildIndexError::OtherMessages,
            "the messages that can be read are not those that were sealed: nothing was changed",
        ),
        (RebuildIndexError::Io(io::Error::other("why")), "why"),
    ];
    for (error, want) in rows {
        assert_eq!(error.to_string(), want);
    }
}
