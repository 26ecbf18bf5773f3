//! The lines of a ledger, one after the other.
//!
//! In: the file. Out: each line with its number and digest. Holds: one line. Limits: a line that is no entry is given as such.

use crate::digest::Digest;
use serde_json::Value;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Seek, SeekFrom},
    path::Path,
};

/// A line of a ledger.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The line as JSON; null when it is not JSON.
    pub value: Value,
    /// Digest of the line without its line break.
    pub digest: Digest,
    /// Bytes of the file up to the end of the line.
    pub end: u64,
    /// True when a line break ends it.
    pub is_whole: bool,
}

impl Entry {
    /// Its number, from 0.
    pub fn number(&self) -> Option<u64> {
        self.value["number"].as_u64()
    }

    /// The digest of the line before, as it names it.
    pub fn previous(&self) -> Option<Digest> {
        self.value["previous"].as_str().and_then(Digest::parse)
    }

    /// One of its texts: `user`, `action`, `logspace`, `question`; empty when it has none.
    pub fn text(&self, name: &str) -> &str {
        self.value[name].as_str().unwrap_or_default()
    }

    /// When, microseconds since 1970.
    pub fn at_us(&self) -> i64 {
        self.value["at_us"].as_i64().unwrap_or(0)
    }
}

/// Reads entries.
pub struct Entries {
    file: BufReader<File>,
    at: u64,
}

impl Entries {
    pub(super) fn open(path: &Path) -> io::Result<Entries> {
        Ok(Entries { file: BufReader::new(File::open(path)?), at: 0 })
    }

    /// Goes to the line that begins at an offset.
    pub fn skip_to(&mut self, offset: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(offset))?;
        self.at = offset;
        Ok(())
    }
}

impl Iterator for Entries {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<io::Result<Entry>> {
        let mut line = Vec::new();
        match self.file.read_until(b'\n', &mut line) {
            Ok(0) => return None,
            Ok(bytes) => self.at += bytes as u64,
            Err(error) => return Some(Err(error)),
        }
        let is_whole = line.last() == Some(&b'\n');
        if is_whole {
            line.pop();
        }
        let value = serde_json::from_slice(&line).unwrap_or_default();
        Some(Ok(Entry { value, digest: Digest::of(&line), end: self.at, is_whole }))
    }
}
