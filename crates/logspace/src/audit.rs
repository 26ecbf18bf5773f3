//! Verification of a logspace from outside: everything on disk against the chain of evidence.
//!
//! In: a directory, keys, the trusted signers. Out: every finding, with the affected file, chunk and messages.
//! Holds: the chain. Changes nothing and takes no lock: it may run beside the server, and ignores what is sealed
//! meanwhile. Limits: reads every byte; the messages of a locked segment are covered by the hashes of its chunks.

mod catalog;
mod chain;
mod error;
mod files;
mod report;
mod stamps;

pub use error::AuditError;
pub use report::{AuditReport, Finding, FindingKind, Verdict};

use crate::{
    evidence_log::keys_beside,
    files::{chain_file::read_chain, layout::JOURNAL_DIR},
};
use chain::Signers;
use evidence::{Chain, Digest, Keys, PublicKey, StampRoots};
use files::FileCheck;
use journal::OsDisk;
use lookup::CancelToken;
use std::{fs, io, path::Path};

/// Keys and roots to verify a logspace with.
#[derive(Clone, Default)]
pub struct Audit {
    /// Keys that open encrypted segments, so that their messages are read back too.
    pub keys: Keys,
    /// Keys that must have signed the records. None: the keys beside the chain are used, which proves less.
    pub trusted: Vec<PublicKey>,
    /// A record that must be in the chain, because its digest was saved elsewhere.
    pub known_head: Option<Digest>,
    /// Certificates that the time-stamping authorities must lead to. None: any authority is accepted, which proves
    /// less.
    pub stamp_roots: Option<StampRoots>,
}

impl Audit {
    /// Verifies the logspace in a directory.
    pub fn run(&self, dir: &Path, cancel: &CancelToken) -> Result<AuditReport, AuditError> {
        let mut report = AuditReport::default();
        let chain = read_chain(&OsDisk, dir)?;
        let signers = match self.trusted.is_empty() {
            true => Signers::Beside(keys_beside(dir)?),
            false => Signers::Trusted(self.trusted.clone()),
        };
        chain::check(&chain, &signers, self.known_head, &mut report);
        stamps::check(dir, &chain, self.stamp_roots.as_ref(), &mut report)?;
        catalog::check(dir, &chain, &mut report)?;
        let journal_first = journal_first(dir)?;
        let (keys, signers) = (&self.keys, signers.keys());
        FileCheck { dir, keys, signers, journal_first, cancel }.run(&chain, &mut report)?;
        check_journal(journal_first, &chain, &mut report);
        Ok(report)
    }
}

/// Returns the first sequence number in the journal.
fn journal_first(dir: &Path) -> io::Result<Option<u64>> {
    let files = match fs::read_dir(dir.join(JOURNAL_DIR)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut first = None;
    for entry in files {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let number = name.strip_prefix("journal-").and_then(|name| name.strip_suffix(".dj"));
        let number = number.and_then(|digits| digits.parse::<u64>().ok());
        first = first.into_iter().chain(number).min();
    }
    Ok(first)
}

/// Checks that the journal begins where the sealed messages end, or earlier; otherwise messages between the two
/// were removed.
fn check_journal(journal_first: Option<u64>, chain: &Chain, report: &mut AuditReport) {
    let end = chain.records().iter().map(|record| record.end()).max().unwrap_or(0);
    if let Some(first) = journal_first.filter(|first| *first > end) {
        report.add(Finding {
            messages: Some(end..first),
            ..Finding::new(
                FindingKind::Missing,
                "messages between the last sealed segment and the journal are gone",
            )
        });
    }
}

#[cfg(test)]
mod tests;
