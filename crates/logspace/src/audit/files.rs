//! Segment files against the chain.
//!
//! In: the directory, the chain. Out: findings: damaged chunks with their messages, files that are missing, files
//! that are not the ones that were sealed. Limits: reads each file once or twice.

use super::{
    error::AuditError,
    report::{AuditReport, Finding, FindingKind},
};
use crate::files::{
    archive::{self, SegmentPlace},
    chain_file::read_chain,
    layout::{SEGMENT_ENDING, files_ending, segment_path},
};
use evidence::{Chain, Event, Keys, PublicKey, Record};
use journal::OsDisk;
use lookup::{CancelToken, ReadError};
use segment::{DamagedChunk, Sealed, SegmentInspector};
use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

/// The chain and keys that files are compared with.
pub(super) struct FileCheck<'a> {
    pub(super) dir: &'a Path,
    /// Keys that open encrypted segments.
    pub(super) keys: &'a Keys,
    /// Keys that may sign.
    pub(super) signers: &'a [PublicKey],
    /// First sequence number in the journal.
    pub(super) journal_first: Option<u64>,
    pub(super) cancel: &'a CancelToken,
}

impl FileCheck<'_> {
    /// Compares all files with the chain.
    pub(super) fn run(&self, chain: &Chain, report: &mut AuditReport) -> Result<(), AuditError> {
        let mut files: BTreeSet<PathBuf> = files_ending(self.dir, SEGMENT_ENDING)?.into_iter().collect();
        for first in chain.firsts() {
            let before = report.clone();
            self.check_segment(chain, first, &mut files, report)?;
            let is_wrong = report.findings.iter().skip(before.findings.len()).any(Finding::is_wrong);
            if let Some(newer) = is_wrong.then(|| self.grown(chain)).transpose()?.flatten() {
                // The server changed the file meanwhile.
                *report = before;
                self.check_segment(&newer, first, &mut files, report)?;
            }
        }
        self.check_strangers(chain, files, report)
    }

    /// Returns the current chain if it has grown since it was read.
    fn grown(&self, chain: &Chain) -> io::Result<Option<Chain>> {
        let newer = read_chain(&OsDisk, self.dir)?;
        let count = chain.records().len();
        let goes_on = newer.records().get(..count) == Some(chain.records());
        Ok(Some(newer).filter(|newer| goes_on && newer.records().len() > count))
    }

    fn check_segment(
        &self,
        chain: &Chain,
        first: u64,
        files: &mut BTreeSet<PathBuf>,
        report: &mut AuditReport,
    ) -> Result<(), AuditError> {
        let Some(record) = chain.current(first) else {
            note_removal(chain, first, report);
            return Ok(());
        };
        let path = segment_path(record.segment.received_us.0, first);
        files.remove(&path);
        let messages = Some(first..record.end());
        let place = archive::locate(self.dir, &path, chain);
        if let Some(file) = place.file(self.dir, &path) {
            return check_file(&file, record, self.keys, self.cancel, report);
        }
        let (kind, text) = match place {
            SegmentPlace::Away(_) => {
                report.away += 1;
                (FindingKind::Note, "in an archive that is not attached: not checked".to_owned())
            }
            SegmentPlace::Foreign => (FindingKind::Missing, place.why_unread().to_owned()),
            _ => {
                let text = "the segment was sealed and is not there, and no record says that it was removed";
                (FindingKind::Missing, text.to_owned())
            }
        };
        let path = Some(self.dir.join(path));
        report.add(Finding { path, messages, ..Finding::new(kind, text) });
        Ok(())
    }

    /// Checks files at paths for which the chain has no record of them: their bytes, their records, their order.
    fn check_strangers(
        &self,
        chain: &Chain,
        files: BTreeSet<PathBuf>,
        report: &mut AuditReport,
    ) -> Result<(), AuditError> {
        let newer = self.grown(chain)?;
        let (mut records, count, before) = (Vec::new(), files.len(), report.findings.len());
        for path in files {
            let sealed_meanwhile = newer.as_ref().is_some_and(|newer| {
                let current = archive::first_of(&path).and_then(|first| newer.current(first));
                current.is_some_and(|record| {
                    segment_path(record.segment.received_us.0, record.segment.first) == path
                })
            });
            if !sealed_meanwhile {
                records.extend(self.check_stranger(chain, &path, report)?);
            }
        }
        // The first segment is written a moment before the chain.
        let is_wrong = report.findings.iter().skip(before).any(Finding::is_wrong);
        if chain.records().is_empty() && is_wrong {
            let text = format!("there is no chain of evidence, and there are {count} segments");
            report.add(Finding::new(FindingKind::Chain, text));
        }
        records.sort_by_key(|record: &Record| record.number);
        let mut before = (chain.next_number(), chain.head());
        for record in records {
            if (record.number, record.previous) != before {
                let text = format!("record {} of a segment does not follow the one before", record.number);
                let messages = Some(record.segment.first..record.end());
                report.add(Finding { messages, ..Finding::new(FindingKind::Chain, text) });
            }
            before = (record.number + 1, record.digest());
        }
        Ok(())
    }

    /// Checks a file that the chain does not have at its path; returns its record when that is newer than the
    /// chain.
    fn check_stranger(
        &self,
        chain: &Chain,
        path: &Path,
        report: &mut AuditReport,
    ) -> Result<Option<Record>, AuditError> {
        let whole = self.dir.join(path);
        let mut add = |kind: FindingKind, text: &str| {
            report.add(Finding { path: Some(whole.clone()), ..Finding::new(kind, text) });
        };
        let Some(file) = archive::locate(self.dir, path, chain).file(self.dir, path) else {
            add(FindingKind::Foreign, "a link that no record of an archive explains, or no file");
            return Ok(None);
        };
        let inspector = match SegmentInspector::open(&file, &Keys::default()) {
            Ok(inspector) => inspector,
            Err(error) => {
                add(FindingKind::Foreign, &format!("not a segment that can be read: {}", describe(&error).1));
                return Ok(None);
            }
        };
        let Some(record) = inspector.record() else {
            add(FindingKind::Foreign, "a file without a record");
            return Ok(None);
        };
        if chain.has(&record) {
            let text = "a segment that was removed was put back, or one was copied to another place";
            add(FindingKind::Foreign, text);
            return Ok(None);
        }
        if inspector.contents() != record.segment.contents {
            add(FindingKind::Foreign, "its record is of another file");
        }
        if !self.signers.iter().any(|key| record.is_signed_by(key)) {
            add(FindingKind::Signature, "its record is not signed by a trusted key");
        }
        for chunk in 0..inspector.chunks() {
            self.cancel.check()?;
            if let Err(trouble) = inspector.examine(chunk) {
                add(FindingKind::Damaged, trouble.what);
            }
        }
        if self.is_next(chain, &record) {
            // The server is between two steps, or was stopped there: it completes them by itself.
            add(FindingKind::Note, &format!("record {} is not in the chain yet", record.number));
            return Ok(None);
        }
        add(FindingKind::Foreign, "a segment that the chain does not know");
        Ok(Some(record).filter(|record| record.number >= chain.next_number()))
    }

    /// Returns true when a record is what the server appends next: the journal still has a new segment's messages.
    fn is_next(&self, chain: &Chain, record: &Record) -> bool {
        let is_ours = chain.records().first().is_none_or(|first| first.logspace == record.logspace);
        let first = record.segment.first;
        let fits = match (&record.event, chain.current(first)) {
            (Event::Seal, _) => {
                first >= chain.end() && self.journal_first.is_some_and(|journal| journal <= first)
            }
            (Event::Rewrite | Event::Recode(_), Some(known)) => {
                known.segment.messages == record.segment.messages
            }
            _ => false,
        };
        is_ours && fits && chain.continues(record)
    }
}

/// Notes a removal, which is fine when it was intended.
fn note_removal(chain: &Chain, first: u64, report: &mut AuditReport) {
    let Some(record) = chain.last_contents(first) else { return };
    let Event::Removal(reason) = &record.event else { return };
    let kind = if reason == "missing" { FindingKind::Missing } else { FindingKind::Note };
    let text = match kind {
        FindingKind::Note => format!("removed by the retention ({reason}), record {}", record.number),
        _ => format!("the server found the segment missing, record {}", record.number),
    };
    report.add(Finding { messages: Some(first..record.end()), ..Finding::new(kind, text) });
}

fn check_file(
    path: &Path,
    record: &Record,
    keys: &Keys,
    cancel: &CancelToken,
    report: &mut AuditReport,
) -> Result<(), AuditError> {
    report.segments += 1;
    let place = |finding: Finding| Finding { path: Some(path.to_owned()), ..finding };
    let all = Some(record.segment.first..record.end());
    let inspector = match SegmentInspector::open(path, keys) {
        Ok(inspector) => inspector,
        Err(error) => {
            let (offset, text) = describe(&error);
            let finding =
                Finding { offset, messages: all.clone(), ..Finding::new(FindingKind::Damaged, text) };
            report.add(place(finding));
            return Ok(());
        }
    };
    report.bytes += inspector.size();
    if inspector.contents() != record.segment.contents || inspector.id() != record.segment.id {
        let text = "the file is not the one that was sealed: another or an older one was put in its place";
        report.add(place(Finding { messages: all.clone(), ..Finding::new(FindingKind::Foreign, text) }));
    } else if inspector.record().is_none_or(|inside| inside != *record) {
        let text = "the record inside the file is not that of the chain";
        report.add(place(Finding { messages: all.clone(), ..Finding::new(FindingKind::Foreign, text) }));
    }
    let mut troubles = Vec::new();
    for chunk in 0..inspector.chunks() {
        cancel.check()?;
        troubles.extend(inspector.examine(chunk).err());
    }
    if inspector.is_locked() {
        report.locked += 1;
        let text = "locked: checked from outside only";
        report.add(place(Finding { messages: all.clone(), ..Finding::new(FindingKind::Note, text) }));
    } else {
        match inspector.read() {
            Ok(sealed) => check_messages(&sealed, record, cancel, &mut troubles, report)?,
            Err(error) if troubles.is_empty() => {
                let (offset, text) = describe(&error);
                report.add(place(Finding {
                    offset,
                    messages: all.clone(),
                    ..Finding::new(FindingKind::Damaged, text)
                }));
            }
            Err(_) => {}
        }
    }
    troubles.into_iter().for_each(|trouble| report.add(place(damaged(&trouble))));
    Ok(())
}

/// Reads the messages back and names those that are damaged.
fn check_messages(
    sealed: &Sealed,
    record: &Record,
    cancel: &CancelToken,
    troubles: &mut Vec<DamagedChunk>,
    report: &mut AuditReport,
) -> Result<(), AuditError> {
    let place = |finding: Finding| Finding { path: Some(sealed.path().to_owned()), ..finding };
    if !troubles.is_empty() {
        // A damaged file cannot be hashed as a whole: report which messages are affected.
        match sealed.troubles(cancel) {
            Ok(named) => *troubles = named,
            Err(ReadError::Stopped(stop)) => return Err(stop.into()),
            Err(_) => {}
        }
        return Ok(());
    }
    match sealed.root(cancel) {
        Ok(root) if root == record.segment.messages => report.messages += record.segment.count,
        Ok(_) => {
            let text = "the messages are not those that were sealed";
            report.add(place(Finding::new(FindingKind::Foreign, text)));
        }
        Err(ReadError::Stopped(stop)) => return Err(stop.into()),
        Err(error) => {
            let (offset, text) = describe(&error);
            report.add(place(Finding { offset, ..Finding::new(FindingKind::Damaged, text) }));
        }
    }
    Ok(())
}

fn damaged(trouble: &DamagedChunk) -> Finding {
    let text = format!("{}, in {}", trouble.what, trouble.parts.join(", "));
    Finding {
        chunk: Some(trouble.chunk),
        offset: Some(trouble.place.start),
        messages: Some(trouble.messages.clone()).filter(|messages| !messages.is_empty()),
        ..Finding::new(FindingKind::Damaged, text)
    }
}

fn describe(error: &ReadError) -> (Option<u64>, String) {
    match error {
        ReadError::Corrupt { offset, what, .. } => (Some(*offset), (*what).to_owned()),
        other => (None, other.to_string()),
    }
}
