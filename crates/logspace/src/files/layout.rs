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

#[cfg(test)]
mod tests {
    //! Paths of days near and far, and the files that are found.

    use super::*;

    #[test]
    fn a_segment_is_in_the_folder_of_its_day() {
        let rows = [
            (0, 7, "1970/01-01/00000000000000000007.ds"),
            (DAY_US - 1, 0, "1970/01-01/00000000000000000000.ds"),
            (DAY_US, 0, "1970/01-02/00000000000000000000.ds"),
            (-1, 0, "1969/12-31/00000000000000000000.ds"),
            (1_795_233_600_000_000, u64::MAX, "2026/11-21/18446744073709551615.ds"),
            (i64::MIN, 1, "0001/01-01/00000000000000000001.ds"),
            (i64::MAX, 1, "9999/12-30/00000000000000000001.ds"),
        ];
        for (received_us, first, want) in rows {
            assert_eq!(segment_path(received_us, first), Path::new(want), "{received_us}");
        }
        assert_eq!([day_of(-DAY_US), day_of(-DAY_US - 1)], [-1, -2]);
    }

    #[test]
    fn only_files_of_days_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let files = [
            "2026/11-21/b.ds",
            "2026/11-21/a.ds",
            "2026/11-21/a.tmp",
            "2025/01-01/c.ds",
            "2026/d.ds",
            "journal/11-21/e.ds",
            "2026/notes/f.ds",
        ];
        for file in files {
            let path = dir.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        fs::write(dir.join("2024"), "no folder").unwrap();
        let found = files_ending(dir, SEGMENT_ENDING).unwrap();
        let want = ["2025/01-01/c.ds", "2026/11-21/a.ds", "2026/11-21/b.ds"];
        assert_eq!(found, want.map(PathBuf::from));
        assert_eq!(segment_files(dir).unwrap(), want.map(|path| dir.join(path)));
        assert_eq!(files_ending(dir, TEMPORARY_ENDING).unwrap(), [PathBuf::from("2026/11-21/a.tmp")]);
        assert!(files_ending(&dir.join("nowhere"), SEGMENT_ENDING).is_err());
    }
}
