//! The catalog: the segments that a logspace has, and those that it had.
//!
//! In: segments that were sealed or removed. Out: a text file that is always complete. Described in
//! `docs/format/logspace.md`. When it is lost or damaged, it is rebuilt from the segments.
//! Limits: [`TOMBSTONES_MAX`] removals are listed one by one, older ones are summed up.

use journal::Disk;
use std::{
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};

/// Name of the file.
pub(crate) const CATALOG_NAME: &str = "catalog";

/// Most removals that are listed one by one: one segment per minute for two months.
const TOMBSTONES_MAX: usize = 100_000;

const TITLE: &str = "duramen catalog 1";
/// The text before the version number.
const TITLE_OF_ANY: &str = "duramen catalog ";

/// A reason why a catalog cannot be read.
#[derive(Debug)]
pub(crate) enum CatalogError {
    /// The file cannot be read.
    Io(io::Error),
    /// A newer version of the program wrote it.
    Newer(PathBuf),
}

impl From<io::Error> for CatalogError {
    fn from(error: io::Error) -> CatalogError {
        CatalogError::Io(error)
    }
}

/// Returns true when the first line names another version of the format. Such a file is never treated as damaged.
fn is_newer(bytes: &[u8]) -> bool {
    let title = bytes.split(|byte| *byte == b'\n').next().and_then(|line| std::str::from_utf8(line).ok());
    let version = title.and_then(|title| title.strip_prefix(TITLE_OF_ANY));
    version.is_some_and(|version| version.parse::<u32>().is_ok_and(|version| version > 1))
}

/// A sealed segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Sequence number of its first message.
    pub(crate) first: u64,
    /// Number of messages.
    pub(crate) count: u64,
    /// Received times of its first and last message.
    pub(crate) first_us: i64,
    pub(crate) last_us: i64,
    /// Size on disk.
    pub(crate) bytes: u64,
    /// Path below the logspace's directory.
    pub(crate) path: PathBuf,
}

/// Location of a segment's file: archived files take no space here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileLocation {
    /// In the logspace's directory.
    Here,
    /// In an archive that is attached.
    Archived,
    /// In an archive that is not attached: it cannot be removed.
    Away,
}

/// The reason why a segment is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// Older than the retention allows.
    Age,
    /// The logspace was larger than the retention allows.
    Size,
    /// Its file was no longer there.
    Missing,
}

/// Record of a segment that was removed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tombstone {
    pub(crate) entry: Entry,
    pub(crate) reason: Reason,
    /// When it was removed, microseconds since 1970.
    pub(crate) removed_us: i64,
}

/// All segments, oldest first, and what was removed.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Catalog {
    pub(crate) segments: Vec<Entry>,
    pub(crate) tombstones: Vec<Tombstone>,
}

impl Entry {
    /// Returns the sequence number after the last message.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.count
    }
}

impl Reason {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Reason::Age => "age",
            Reason::Size => "size",
            Reason::Missing => "missing",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Reason> {
        [Reason::Age, Reason::Size, Reason::Missing].into_iter().find(|reason| reason.name() == name)
    }
}

impl Catalog {
    /// Returns the sequence number after everything that was ever sealed.
    pub(crate) fn end(&self) -> u64 {
        let sealed = self.segments.iter().map(Entry::end);
        sealed.chain(self.tombstones.iter().map(|stone| stone.entry.end())).max().unwrap_or(0)
    }

    /// Adds a segment, in receive order.
    pub(crate) fn add(&mut self, entry: Entry) {
        let at = self.segments.partition_point(|known| known.first < entry.first);
        debug_assert!(self.segments.get(at).is_none_or(|next| next.first != entry.first), "a segment twice");
        self.segments.insert(at, entry);
    }

    /// Turns the segment that starts at a sequence number into a tombstone.
    pub(crate) fn bury(&mut self, first: u64, reason: Reason, removed_us: i64) {
        let Some(at) = self.segments.iter().position(|entry| entry.first == first) else { return };
        let entry = self.segments.remove(at);
        self.tombstones.push(Tombstone { entry, reason, removed_us });
        if self.tombstones.len() > TOMBSTONES_MAX {
            let oldest = self.tombstones.remove(0).entry;
            let next = &mut self.tombstones[0].entry;
            next.count = next.end().max(oldest.end()) - oldest.first.min(next.first);
            next.first = next.first.min(oldest.first);
            next.first_us = next.first_us.min(oldest.first_us);
            next.bytes += oldest.bytes;
        }
    }

    /// Returns the oldest segments that must go so that none is older than `age_us_max` and the total size is at
    /// most `bytes_max`.
    pub(crate) fn expired(
        &self,
        now_us: i64,
        age_us_max: Option<i64>,
        bytes_max: Option<u64>,
        place: &dyn Fn(&Entry) -> FileLocation,
    ) -> Vec<(u64, Reason)> {
        let placed: Vec<(&Entry, FileLocation)> =
            self.segments.iter().map(|entry| (entry, place(entry))).collect();
        let here = placed.iter().filter(|(_, place)| *place == FileLocation::Here);
        let mut total: u64 = here.map(|(entry, _)| entry.bytes).sum();
        let mut expired = Vec::new();
        for (entry, place) in placed {
            if place == FileLocation::Away {
                continue;
            }
            let old = age_us_max.is_some_and(|age| entry.last_us < now_us.saturating_sub(age));
            let large = place == FileLocation::Here && bytes_max.is_some_and(|limit| total > limit);
            let reason = match (old, large) {
                (true, _) => Reason::Age,
                (false, true) => Reason::Size,
                (false, false) if place == FileLocation::Archived => continue,
                (false, false) => break,
            };
            if place == FileLocation::Here {
                total -= entry.bytes;
            }
            expired.push((entry.first, reason));
        }
        debug_assert!(expired.len() <= self.segments.len(), "more than there are");
        expired
    }

    /// Reads the file; `None` when it is missing or incomplete.
    pub(crate) fn read(disk: &dyn Disk, dir: &Path) -> Result<Option<Catalog>, CatalogError> {
        let path = dir.join(CATALOG_NAME);
        let file = match disk.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let mut bytes = vec![0; file.len()? as usize];
        let count = file.read_at(0, &mut bytes)?;
        bytes.truncate(count);
        if is_newer(&bytes) {
            return Err(CatalogError::Newer(path));
        }
        Ok(std::str::from_utf8(&bytes).ok().and_then(parse))
    }

    /// Writes a new file, durably, and puts it in place of the old one.
    pub(crate) fn write(&self, disk: &dyn Disk, dir: &Path) -> io::Result<()> {
        let temporary = dir.join(format!("{CATALOG_NAME}.tmp"));
        match disk.remove(&temporary) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = disk.create(&temporary)?;
        let text = self.print();
        debug_assert_eq!(parse(&text).as_ref(), Some(self), "it reads back as it was written");
        file.write_at(0, text.as_bytes())?;
        file.sync()?;
        disk.rename(&temporary, &dir.join(CATALOG_NAME))?;
        disk.sync_dir(dir)
    }

    fn print(&self) -> String {
        let mut text = format!("{TITLE}\n");
        for entry in &self.segments {
            text.push_str("segment ");
            print_entry(&mut text, entry);
        }
        for Tombstone { entry, reason, removed_us } in &self.tombstones {
            let _ = write!(text, "removed {} {removed_us} ", reason.name());
            print_entry(&mut text, entry);
        }
        let crc = crc32fast::hash(text.as_bytes());
        let _ = writeln!(text, "end {crc:08x}");
        text
    }
}

fn print_entry(text: &mut String, entry: &Entry) {
    let Entry { first, count, first_us, last_us, bytes, path } = entry;
    let _ = writeln!(text, "{first} {count} {first_us} {last_us} {bytes} {}", path.display());
}

fn parse(text: &str) -> Option<Catalog> {
    let body = &text[..text.rfind("end ")?];
    let crc = u32::from_str_radix(text[body.len() + 4..].strip_suffix('\n')?, 16).ok()?;
    if crc != crc32fast::hash(body.as_bytes()) {
        return None;
    }
    let mut lines = body.lines();
    if lines.next() != Some(TITLE) {
        return None;
    }
    let mut catalog = Catalog::default();
    for line in lines {
        match line.split_once(' ')? {
            ("segment", rest) => catalog.segments.push(parse_entry(rest)?),
            ("removed", rest) => {
                let mut words = rest.splitn(3, ' ');
                let reason = Reason::parse(words.next()?)?;
                let removed_us = words.next()?.parse().ok()?;
                catalog.tombstones.push(Tombstone { entry: parse_entry(words.next()?)?, reason, removed_us });
            }
            _ => return None,
        }
    }
    Some(catalog)
}

fn parse_entry(text: &str) -> Option<Entry> {
    let mut words = text.splitn(6, ' ');
    Some(Entry {
        first: words.next()?.parse().ok()?,
        count: words.next()?.parse().ok()?,
        first_us: words.next()?.parse().ok()?,
        last_us: words.next()?.parse().ok()?,
        bytes: words.next()?.parse().ok()?,
        path: PathBuf::from(words.next()?),
    })
}
