//! The paths of a logspace's files. Described in `docs/format/logspace.md`.
//!
//! In: a directory, received times, sequence numbers. Out: paths. Days are days of UTC.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Directory of the journal.
pub(crate) const JOURNAL_DIR: &str = "journal";

/// Ending of segment files.
pub(crate) const SEGMENT_ENDING: &str = "ds";

/// Ending of files that are being written: such files are removed when a logspace is opened.
pub(crate) const TEMPORARY_ENDING: &str = "tmp";

/// Ending of a file that is being brought back from the archive.
pub(crate) const RESTORED_ENDING: &str = "back";

/// Microseconds of a day.
const DAY_US: i64 = 86_400_000_000;

/// First and last day that have a folder of their own: years 1 to 9999. Times outside this range share the first or
/// the last folder.
const DAY_MIN: i64 = -719_162;
const DAY_MAX: i64 = 2_932_895;

/// Returns the day of a received time, counted from 1970.
pub(crate) fn day_of(received_us: i64) -> i64 {
    received_us.div_euclid(DAY_US)
}

/// Returns the path of a segment below the logspace's directory: `YYYY/MM-DD/<first sequence number>.ds`.
pub fn segment_path(received_us: i64, first: u64) -> PathBuf {
    let day = day_of(received_us).clamp(DAY_MIN, DAY_MAX);
    let start = jiff::Timestamp::from_second(day * 86_400).unwrap_or_default();
    let date = start.to_zoned(jiff::tz::TimeZone::UTC).strftime("%Y/%m-%d");
    PathBuf::from(format!("{date}/{first:020}.{SEGMENT_ENDING}"))
}

/// Returns the segment files of a logspace.
pub fn segment_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(files_ending(dir, SEGMENT_ENDING)?.into_iter().map(|path| dir.join(path)).collect())
}

/// Returns the files two folders down that have this ending, as paths below `dir`.
pub(crate) fn files_ending(dir: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for year in folders(dir)? {
        for day in folders(&dir.join(&year))? {
            let inside = year.join(day);
            for entry in fs::read_dir(dir.join(&inside))? {
                let path = inside.join(entry?.file_name());
                if path.extension().is_some_and(|found| found == ending) {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

fn folders(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let dated = name.as_encoded_bytes().iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
        if dated && entry.file_type()?.is_dir() {
            folders.push(PathBuf::from(name));
        }
    }
    Ok(folders)
}

/// Syncs a folder, so that changes in it are durable.
pub(crate) fn sync_folder(dir: &Path) -> io::Result<()> {
    fs::File::open(dir)?.sync_all()
}
