//! Rebuilds the index of a sealed segment from its messages.
//!
//! In: a logspace that no server has open, a segment. Out: a new file that replaces the old one, with a record that
//! says so. Limits: the messages and the columns must be intact; the root over the messages must stay the same,
//! otherwise nothing is changed.

use crate::{
    evidence_log::{EvidenceLog, OpenEvidenceError, configured_key},
    files::{
        archive::{self, SegmentPlace},
        catalog::Catalog,
        layout::{JOURNAL_DIR, TEMPORARY_ENDING, segment_path, sync_folder},
    },
    options::Unheard,
};
use evidence::{Event, Facts, Keys, Recipient};
use journal::{Disk, OsDisk};
use lookup::{CancelToken, ReadError};
use segment::{RebuildError, SealReport, Sealed, Sealing};
use std::{
    cell::RefCell,
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A reason why an index was not rebuilt.
#[derive(Debug)]
pub enum RebuildIndexError {
    /// A server has the logspace open.
    InUse,
    /// The chain has no such segment.
    Unknown {
        /// Its first sequence number.
        first: u64,
    },
    /// Its file is not in the logspace's directory: it is archived, or gone.
    NotHere {
        /// The path that it should have.
        path: PathBuf,
    },
    /// It is encrypted, and no recipient is named for the new file.
    NoRecipient,
    /// The evidence cannot be opened.
    Evidence(OpenEvidenceError),
    /// The segment cannot be read.
    Read(ReadError),
    /// The new file cannot be made.
    Rebuild(RebuildError),
    /// The messages that were read are not those that were sealed.
    OtherMessages,
    /// A file cannot be replaced.
    Io(io::Error),
}

impl fmt::Display for RebuildIndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RebuildIndexError::InUse => f.write_str("a server has the logspace open: stop it first"),
            RebuildIndexError::Unknown { first } => write!(f, "no segment begins with message {first}"),
            RebuildIndexError::NotHere { path } => {
                write!(f, "{} is not a file here: restore it from the archive first", path.display())
            }
            RebuildIndexError::NoRecipient => {
                f.write_str("the segment is encrypted: name whom the new file is sealed for")
            }
            RebuildIndexError::Evidence(error) => error.fmt(f),
            RebuildIndexError::Read(error) => error.fmt(f),
            RebuildIndexError::Rebuild(error) => error.fmt(f),
            RebuildIndexError::OtherMessages => f.write_str(
                "the messages that can be read are not those that were sealed: nothing was changed",
            ),
            RebuildIndexError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RebuildIndexError {}

/// The parameters of a rebuild.
#[derive(Clone, Default)]
pub struct RebuildIndex {
    /// Keys that open the old file.
    pub keys: Keys,
    /// Recipients of the new file.
    pub recipients: Vec<Recipient>,
    /// The key that signs, as in the configuration.
    pub sign_key: Option<PathBuf>,
    /// The current time, microseconds since 1970.
    pub now_us: i64,
}

impl RebuildIndex {
    /// Rebuilds the index of the segment that begins at `first`.
    pub fn run(&self, dir: &Path, first: u64) -> Result<SealReport, RebuildIndexError> {
        let lock = OsDisk.lock(&dir.join(JOURNAL_DIR).join("journal.lock")).map_err(RebuildIndexError::Io)?;
        let _lock = lock.ok_or(RebuildIndexError::InUse)?;
        let given = self.sign_key.clone().or_else(|| configured_key(dir));
        let evidence_log = EvidenceLog::open(Arc::new(OsDisk), dir, given.as_deref(), self.now_us, &Unheard);
        let mut evidence_log = evidence_log.map_err(RebuildIndexError::Evidence)?;
        let known = evidence_log.chain().current(first).cloned();
        let known = known.ok_or(RebuildIndexError::Unknown { first })?;
        let path = segment_path(known.segment.received_us.0, first);
        let whole = dir.join(&path);
        if archive::locate(dir, &path, evidence_log.chain()) != SegmentPlace::Here {
            return Err(RebuildIndexError::NotHere { path: whole });
        }
        let inspector =
            segment::SegmentInspector::open(&whole, &self.keys).map_err(RebuildIndexError::Read)?;
        if inspector.is_encrypted() && self.recipients.is_empty() {
            return Err(RebuildIndexError::NoRecipient);
        }
        let old = inspector.read().map_err(RebuildIndexError::Read)?;
        let (report, record) = self.write(&old, &evidence_log, &known.segment, &whole)?;
        let failed = RebuildIndexError::Io;
        fs::rename(whole.with_extension(TEMPORARY_ENDING), &whole).map_err(failed)?;
        sync_folder(whole.parent().unwrap_or(&whole)).map_err(failed)?;
        // After a crash before this, opening the logspace takes the record from the file.
        evidence_log.append(record).map_err(failed)?;
        if let Ok(Some(mut catalog)) = Catalog::read(&OsDisk, dir) {
            let entries = catalog.segments.iter_mut().filter(|entry| entry.first == first);
            entries.for_each(|entry| entry.bytes = report.file);
            catalog.write(&OsDisk, dir).map_err(failed)?;
        }
        Ok(report)
    }

    fn write(
        &self,
        old: &Sealed,
        evidence_log: &EvidenceLog,
        known: &Facts,
        whole: &Path,
    ) -> Result<(SealReport, evidence::Record), RebuildIndexError> {
        let temporary = whole.with_extension(TEMPORARY_ENDING);
        let _ = fs::remove_file(&temporary);
        let made = RefCell::new(None);
        let notary = |facts: Facts| {
            let record = evidence_log.record(Event::Rewrite, facts, self.now_us)?;
            made.replace(Some(record.clone()));
            Some(record.print())
        };
        let sealing = Sealing::for_recipients(&self.recipients).with_notary(&notary);
        let report = old.rebuild(&temporary, &sealing, &CancelToken::unlimited());
        let report = report.map_err(RebuildIndexError::Rebuild)?;
        let record = made.into_inner().filter(|record| record.segment.messages == known.messages);
        match record {
            Some(record) => Ok((report, record)),
            None => {
                let _ = fs::remove_file(&temporary);
                Err(RebuildIndexError::OtherMessages)
            }
        }
    }
}
