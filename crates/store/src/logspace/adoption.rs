//! Decides which segment files are the logspace's own.
//!
//! In: files, the chain of evidence, the journal. Out: records that a crash kept out of the chain, and those that a chain
//! lost and the segments still have; why another file is not taken in. Holds nothing.
//! Limits: a file is the logspace's own when its record has the logspace's id, is signed by one of its keys, and is in the
//! chain or continues it, and when it takes no number from messages that the journal has otherwise.

use super::{
    archive::SegmentPlace,
    catalog::Catalog,
    layout::segment_path,
    opening::{FindError, Opening},
    options::{EvidenceNotice, Notice},
    segments::Outline,
    witness::Witness,
};
use crate::{Document, ReadError, SegmentView, Watch};
use evidence::{Event, Record};
use message::{Batch, Field};
use std::{
    ops::Range,
    path::{Path, PathBuf},
};

/// A file that may be a segment of the logspace.
pub(crate) struct Candidate {
    /// Below the logspace's directory.
    pub(crate) path: PathBuf,
    pub(crate) place: SegmentPlace,
    /// What can be seen of it; none when there is no file to read.
    pub(crate) outline: Option<Result<Outline, ReadError>>,
}

/// What the journal says of a segment's messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JournalAnswer {
    /// It has none of them any more.
    Nothing,
    /// Those that it has are the same.
    Same,
    /// It has other messages with their numbers.
    Other,
}

/// Appends the records that follow the chain and that a crash kept out of it, and those that the chain has lost.
pub(super) fn adopt(
    opening: &mut Opening<'_>,
    catalog: &Catalog,
    is_rebuilt: bool,
    candidates: &[Candidate],
) -> Result<Option<Notice>, FindError> {
    let mut waiting: Vec<(&Candidate, &Outline, &Record)> = candidates
        .iter()
        .filter_map(|candidate| {
            let outline = candidate.outline.as_ref()?.as_ref().ok()?;
            let record = outline.record.as_ref()?;
            let is_new = !opening.witness.chain().has(record) && is_whole(&candidate.path, outline, record);
            is_new.then_some((candidate, outline, record))
        })
        .collect();
    waiting.sort_by_key(|(_, _, record)| record.number);
    let (mut records, mut is_lost) = (0, false);
    if opening.witness.chain().records().is_empty() {
        is_lost = catalog.end() > 0;
        let mut signed = waiting.iter().filter(|(_, _, record)| opening.witness.has_signed(record));
        let known = signed.clone().find(|(candidate, _, _)| is_listed(catalog, candidate)).or(signed.next());
        if let Some(id) = known.map(|(_, _, record)| record.logspace) {
            opening.witness.set_logspace(id);
        }
    }
    for (candidate, outline, record) in waiting {
        let chain = opening.witness.chain();
        let follows = chain.continues(record);
        let is_known = is_listed(catalog, candidate);
        let may = follows || (record.number >= chain.next_number() && (is_known || is_rebuilt));
        if !may || !opening.witness.is_own(record) || !fits(opening.witness, record) {
            continue;
        }
        match opening.compare_with_journal(candidate, outline)? {
            JournalAnswer::Other if record.event == Event::Seal => continue,
            // The journal lets go of messages when chain and catalog have the segment, not before.
            JournalAnswer::Nothing if record.event == Event::Seal => is_lost = true,
            _ => {}
        }
        if !follows {
            let path = opening.dir.join(&candidate.path);
            opening.notices.notice(EvidenceNotice::ChainBroken { path }.into());
        }
        opening.witness.append(record.clone())?;
        records += 1;
        // The catalog is written after the chain: a crash leaves nothing in it that the chain lacks, and one record at
        // most that the chain lacks.
        is_lost |= !follows || records > 1 || is_known && record.event == Event::Seal;
    }
    if is_lost {
        opening.witness.tell(Event::Recovery(records), opening.now_us)?;
        opening.notices.notice(EvidenceNotice::ChainRecovered { records }.into());
    }
    Ok(is_lost.then_some(EvidenceNotice::ChainRecovered { records }.into()))
}

/// Whether the catalog names a file.
fn is_listed(catalog: &Catalog, candidate: &Candidate) -> bool {
    catalog.segments.iter().any(|entry| entry.path == candidate.path)
}

/// Whether a record is of the file that it lies in, and the file in its place.
fn is_whole(path: &Path, outline: &Outline, record: &Record) -> bool {
    let segment = &record.segment;
    (segment.first, segment.count, segment.received_us) == (outline.first, outline.count, outline.received_us)
        && segment.contents == outline.contents
        && segment_path(segment.received_us.0, segment.first) == path
}

/// Whether a record can be the chain's next by what it says of its segment.
fn fits(witness: &Witness, record: &Record) -> bool {
    let known = witness.chain().last_contents(record.segment.first);
    match (&record.event, known) {
        (Event::Seal, _) => record.segment.first >= witness.chain().end(),
        (Event::Rewrite | Event::Recode(_), None) => record.segment.first >= witness.chain().end(),
        (Event::Rewrite, Some(known)) => is_same(known, record),
        (Event::Recode(replaced), Some(known)) => {
            is_same(known, record) && *replaced == known.segment.contents
        }
        _ => false,
    }
}

/// Whether two records are of the same messages.
fn is_same(known: &Record, record: &Record) -> bool {
    !matches!(known.event, Event::Removal(_))
        && (known.segment.count, known.segment.messages) == (record.segment.count, record.segment.messages)
}

/// Why a file is not taken in, given the record that the chain has for its place; none when it is.
pub(super) fn why_not(
    witness: &Witness,
    known: Option<&Record>,
    path: &Path,
    outline: &Outline,
) -> Option<&'static str> {
    let Some(record) = &outline.record else { return Some("it has no record of its own") };
    if !is_whole(path, outline, record) {
        return Some("its record is of another file or of another place");
    }
    if !witness.has_signed(record) {
        return Some("its record is signed by another key than this logspace's");
    }
    if record.logspace != witness.logspace() {
        return Some("it is of another logspace");
    }
    match known {
        Some(known) if known == record => None,
        Some(_) => Some("the chain of evidence says that another file is here"),
        None if witness.chain().has(record) => Some("the chain of evidence says that it is gone"),
        None => Some(
            "the chain of evidence does not know it, and the journal or a later record speaks against it",
        ),
    }
}

/// Whether a segment has the messages of a batch that have these sequence numbers.
pub(super) fn has_messages(
    view: &dyn SegmentView,
    batch: &Batch,
    sequence: u64,
    numbers: Range<u64>,
) -> bool {
    let place = |number: u64| u32::try_from(number.saturating_sub(view.first_sequence())).unwrap_or(u32::MAX);
    let mut next = numbers.start;
    let mut visit = |_: u32, document: &Document| {
        let index = usize::try_from(next - sequence).unwrap_or(usize::MAX);
        let is_same = document.sequence == next
            && index < batch.len()
            && document.text == batch.fixed(index, Field::Message)
            && (document.raw.is_empty() || document.raw == batch.bytes(batch.messages[index].raw));
        next += u64::from(is_same);
        is_same
    };
    let read = view.read(&mut (place(numbers.start)..place(numbers.end)), &Watch::unlimited(), &mut visit);
    read.is_ok() && next == numbers.end
}
