//! Segment files against the chain.
//!
//! In: the directory, the chain. Out: findings: damaged chunks with their messages, files that are missing, files
//! that are not what was sealed. Limits: reads each file once or twice.

use super::{
    AuditError,
    report::{AuditReport, Finding, FindingKind},
};
use crate::{
    Watch,
    evidence::{Chain, Event, Record},
    lock::Keys,
    logspace::{
        archive::{self, Where},
        layout::{SEGMENT_ENDING, files_ending, segment_path},
    },
    segment::{Sealed, Shell, Trouble},
    view::ReadError,
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

pub(super) fn check(
    dir: &Path,
    chain: &Chain,
    keys: &Keys,
    watch: &Watch,
    report: &mut AuditReport,
) -> Result<(), AuditError> {
    let mut files: BTreeSet<PathBuf> = files_ending(dir, SEGMENT_ENDING)?.into_iter().collect();
    let firsts: BTreeSet<u64> = chain.records().iter().map(|record| record.segment.first).collect();
    for first in firsts {
        let Some(record) = chain.current(first) else {
            note_removal(chain, first, report);
            continue;
        };
        let path = segment_path(record.segment.received_us.0, first);
        let messages = Some(first..record.end());
        let is_known = files.remove(&path);
        if is_known && matches!(archive::locate(&dir.join(&path)), Where::Away(_)) {
            report.away += 1;
            let text = "in an archive that is not attached: not checked";
            let path = Some(dir.join(path));
            report.add(Finding { path, messages, ..Finding::new(FindingKind::Note, text) });
        } else if is_known && archive::locate(&dir.join(&path)) != Where::Gone {
            check_file(&dir.join(path), record, keys, watch, report)?;
        } else {
            let text = "the segment was sealed and is not there, and no record says that it was removed";
            let path = Some(dir.join(path));
            report.add(Finding { path, messages, ..Finding::new(FindingKind::Missing, text) });
        }
    }
    for path in files {
        add_stranger(dir.join(path), chain, report);
    }
    Ok(())
}

/// A removal is all right when it was meant.
fn note_removal(chain: &Chain, first: u64, report: &mut AuditReport) {
    let of_segment = |record: &&Record| record.segment.first == first && !record.event.is_move();
    let Some(record) = chain.records().iter().rev().find(of_segment) else {
        return;
    };
    let Event::Removal(reason) = &record.event else { return };
    let kind = if reason == "missing" { FindingKind::Missing } else { FindingKind::Note };
    let text = match kind {
        FindingKind::Note => format!("removed by the retention ({reason}), record {}", record.number),
        _ => format!("the server found the segment missing, record {}", record.number),
    };
    report.add(Finding { messages: Some(first..record.end()), ..Finding::new(kind, text) });
}

/// A file that the chain does not have in its place.
fn add_stranger(path: PathBuf, chain: &Chain, report: &mut AuditReport) {
    let record = Shell::open(&path, &Keys::default()).ok().and_then(|shell| shell.record());
    let text = match record {
        Some(record) if chain.has(&record) => {
            "a segment that was removed was put back, or one was copied to another place".to_owned()
        }
        Some(record) if record.number >= chain.next_number() => {
            // The server is between two steps, or was stopped there: it goes on by itself.
            let text = format!("record {} is not in the chain yet", record.number);
            report.add(Finding { path: Some(path), ..Finding::new(FindingKind::Note, text) });
            return;
        }
        Some(_) => "a segment that the chain does not know".to_owned(),
        None => "a file without a record".to_owned(),
    };
    report.add(Finding { path: Some(path), ..Finding::new(FindingKind::Foreign, text) });
}

fn check_file(
    path: &Path,
    record: &Record,
    keys: &Keys,
    watch: &Watch,
    report: &mut AuditReport,
) -> Result<(), AuditError> {
    report.segments += 1;
    let place = |finding: Finding| Finding { path: Some(path.to_owned()), ..finding };
    let all = Some(record.segment.first..record.end());
    let shell = match Shell::open(path, keys) {
        Ok(shell) => shell,
        Err(error) => {
            let (offset, text) = describe(&error);
            let finding =
                Finding { offset, messages: all.clone(), ..Finding::new(FindingKind::Damaged, text) };
            report.add(place(finding));
            return Ok(());
        }
    };
    report.bytes += shell.size();
    if shell.contents() != record.segment.contents || shell.id() != record.segment.id {
        let text = "the file is not the one that was sealed: another or an older one was put in its place";
        report.add(place(Finding { messages: all.clone(), ..Finding::new(FindingKind::Foreign, text) }));
    } else if shell.record().is_none_or(|inside| inside != *record) {
        let text = "the record inside the file is not that of the chain";
        report.add(place(Finding { messages: all.clone(), ..Finding::new(FindingKind::Foreign, text) }));
    }
    let mut troubles = Vec::new();
    for chunk in 0..shell.chunks() {
        watch.check()?;
        troubles.extend(shell.examine(chunk).err());
    }
    if shell.is_locked() {
        report.locked += 1;
        let text = "locked: checked from outside only";
        report.add(place(Finding { messages: all.clone(), ..Finding::new(FindingKind::Note, text) }));
    } else {
        match shell.read() {
            Ok(sealed) => check_messages(&sealed, record, watch, &mut troubles, report)?,
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

/// Reads the messages back; names those that damage took.
fn check_messages(
    sealed: &Sealed,
    record: &Record,
    watch: &Watch,
    troubles: &mut Vec<Trouble>,
    report: &mut AuditReport,
) -> Result<(), AuditError> {
    let place = |finding: Finding| Finding { path: Some(sealed.path().to_owned()), ..finding };
    if !troubles.is_empty() {
        // What is damaged cannot be hashed as a whole: say which messages are concerned.
        match sealed.troubles(watch) {
            Ok(named) => *troubles = named,
            Err(ReadError::Stopped(stop)) => return Err(stop.into()),
            Err(_) => {}
        }
        return Ok(());
    }
    match sealed.root(watch) {
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

fn damaged(trouble: &Trouble) -> Finding {
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
