//! Decides which segment files are the logspace's own.
//!
//! In: files, the chain of evidence, the journal. Out: records that a crash kept out of the chain, and those that a
//! chain lost and the segments still have; the reasons why other files are not adopted. Holds nothing.
//! Limits: a file is the logspace's own when its record has the logspace's id, is signed by one of its keys, and is
//! in the chain or continues it, and when the journal has no other messages with its numbers.

use super::{
    comparison::JournalAnswer,
    parts::{Candidate, FindError, Opening},
};
use crate::{
    evidence_log::EvidenceLog,
    files::{catalog::Catalog, layout::segment_path},
    options::{EvidenceNotice, Notice},
    segments::Outline,
};
use evidence::{Event, Record};
use std::path::Path;

/// The source of the catalog that opening begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CatalogSource {
    /// The catalog's file.
    File,
    /// The file is missing or damaged: the catalog is rebuilt from the segments.
    Segments,
}

/// Appends the records that follow the chain and that a crash kept out of it, and those that the chain has lost.
pub(super) fn adopt(
    opening: &mut Opening<'_>,
    catalog: &Catalog,
    source: CatalogSource,
    candidates: &[Candidate],
) -> Result<Option<Notice>, FindError> {
    let mut waiting: Vec<(&Candidate, &Outline, &Record)> = candidates
        .iter()
        .filter_map(|candidate| {
            let outline = candidate.outline.as_ref()?.as_ref().ok()?;
            let record = outline.record.as_ref()?;
            let is_new =
                !opening.evidence_log.chain().has(record) && is_whole(&candidate.path, outline, record);
            is_new.then_some((candidate, outline, record))
        })
        .collect();
    waiting.sort_by_key(|(_, _, record)| record.number);
    let (mut records, mut is_lost) = (0, false);
    if opening.evidence_log.chain().records().is_empty() {
        is_lost = catalog.end() > 0;
        let mut signed = waiting.iter().filter(|(_, _, record)| opening.evidence_log.has_signed(record));
        let known = signed.clone().find(|(candidate, _, _)| is_listed(catalog, candidate)).or(signed.next());
        if let Some(id) = known.map(|(_, _, record)| record.logspace) {
            opening.evidence_log.set_logspace(id);
        }
    }
    for (candidate, outline, record) in waiting {
        let chain = opening.evidence_log.chain();
        let follows = chain.continues(record);
        let is_known = is_listed(catalog, candidate);
        let may = follows
            || (record.number >= chain.next_number() && (is_known || source == CatalogSource::Segments));
        if !may || !opening.evidence_log.is_own(record) || !fits(opening.evidence_log, record) {
            continue;
        }
        match opening.compare_with_journal(candidate, outline)? {
            JournalAnswer::Other if record.event == Event::Seal => continue,
            // The journal releases messages when chain and catalog have the segment, not before.
            JournalAnswer::Nothing if record.event == Event::Seal => is_lost = true,
            _ => {}
        }
        if !follows {
            let path = opening.dir.join(&candidate.path);
            opening.notices.notice(EvidenceNotice::ChainBroken { path }.into());
        }
        opening.evidence_log.append(record.clone())?;
        records += 1;
        // The catalog is written after the chain: after a crash it has nothing that the chain lacks, and lacks at
        // most one record of the chain.
        is_lost |= !follows || records > 1 || is_known && record.event == Event::Seal;
    }
    if is_lost {
        opening.evidence_log.tell(Event::Recovery(records), opening.now_us)?;
        opening.notices.notice(EvidenceNotice::ChainRecovered { records }.into());
    }
    Ok(is_lost.then_some(EvidenceNotice::ChainRecovered { records }.into()))
}

/// Returns true when the catalog names a file.
fn is_listed(catalog: &Catalog, candidate: &Candidate) -> bool {
    catalog.segments.iter().any(|entry| entry.path == candidate.path)
}

/// Returns true when a record describes the file that contains it, and the file has the right path.
fn is_whole(path: &Path, outline: &Outline, record: &Record) -> bool {
    let segment = &record.segment;
    (segment.first, segment.count, segment.received_us) == (outline.first, outline.count, outline.received_us)
        && segment.contents == outline.contents
        && segment_path(segment.received_us.0, segment.first) == path
}

/// Returns true when a record's statement about its segment allows it to be the chain's next.
fn fits(evidence_log: &EvidenceLog, record: &Record) -> bool {
    let known = evidence_log.chain().last_contents(record.segment.first);
    match (&record.event, known) {
        (Event::Seal, _) => record.segment.first >= evidence_log.chain().end(),
        (Event::Rewrite | Event::Recode(_), None) => record.segment.first >= evidence_log.chain().end(),
        (Event::Rewrite, Some(known)) => is_same(known, record),
        (Event::Recode(replaced), Some(known)) => {
            is_same(known, record) && *replaced == known.segment.contents
        }
        _ => false,
    }
}

/// Returns true when two records describe the same messages.
fn is_same(known: &Record, record: &Record) -> bool {
    !matches!(known.event, Event::Removal(_))
        && (known.segment.count, known.segment.messages) == (record.segment.count, record.segment.messages)
}

/// Returns the reason why a file is not adopted, given the chain's record for its path; none when it is.
pub(super) fn why_not(
    evidence_log: &EvidenceLog,
    known: Option<&Record>,
    path: &Path,
    outline: &Outline,
) -> Option<&'static str> {
    let Some(record) = &outline.record else { return Some("it has no record of its own") };
    if !is_whole(path, outline, record) {
        return Some("its record is of another file or of another place");
    }
    if !evidence_log.has_signed(record) {
        return Some("its record is signed by another key than this logspace's");
    }
    if record.logspace != evidence_log.logspace() {
        return Some("it is of another logspace");
    }
    match known {
        Some(known) if known == record => None,
        Some(_) => Some("the chain of evidence says that another file is here"),
        None if evidence_log.chain().has(record) => Some("the chain of evidence says that it is gone"),
        None => Some(
            "the chain of evidence does not know it, and the journal or a later record speaks against it",
        ),
    }
}

#[cfg(test)]
mod tests;
