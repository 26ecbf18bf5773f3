//! Compares a segment file with what the journal still has of its messages.
//!
//! In: a file, the journal. Out: whether they agree. Limits: the journal holds what was acknowledged, so it wins.

use super::parts::{Candidate, FindError, Opening};
use crate::segments::Outline;
use journal::Read;
use lookup::{CancelToken, Document, SegmentView};
use message::{Batch, Field, codec};
use std::ops::Range;

/// The result of comparing a segment's messages with the journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JournalAnswer {
    /// The journal no longer has any of them.
    Nothing,
    /// Those that the journal still has are the same.
    Same,
    /// The journal has other messages under their numbers.
    Other,
}

impl Opening<'_> {
    /// Compares what the journal has of a segment's messages with what a file holds: the journal holds what was
    /// acknowledged.
    pub(super) fn compare_with_journal(
        &self,
        candidate: &Candidate,
        outline: &Outline,
    ) -> Result<JournalAnswer, FindError> {
        let file = candidate.place.file(self.dir, &candidate.path);
        let Some(Ok(view)) = file.map(|file| self.open(&file)) else { return Ok(JournalAnswer::Other) };
        let mut answer = JournalAnswer::Nothing;
        let end = outline.first.saturating_add(outline.count);
        let mut reader = self.journal.reader(outline.first);
        let mut latest_us = i64::MIN;
        while reader.next_sequence() < end {
            let record = match reader.read().map_err(FindError::Journal)? {
                Read::End => break,
                Read::Damage(_) => continue,
                Read::Record(record) => record,
            };
            let sequence = record.sequence;
            let payload = self.cipher.open_record(sequence, record.payload);
            let Some(batch) = payload.and_then(|payload| codec::decode(&payload).ok()) else { continue };
            let numbers = sequence.max(outline.first)..(sequence + batch.len() as u64).min(end);
            if numbers.is_empty() {
                continue;
            }
            // Received times never go back in a segment.
            latest_us = latest_us.max(batch.received.unix_us);
            let (from_us, to_us) = outline.received_us;
            let starts = numbers.start == outline.first && latest_us != from_us;
            if starts || (numbers.end == end && latest_us != to_us) {
                return Ok(JournalAnswer::Other);
            }
            if view.as_ref().is_some_and(|view| !has_messages(&**view, &batch, sequence, numbers)) {
                return Ok(JournalAnswer::Other);
            }
            answer = JournalAnswer::Same;
        }
        Ok(answer)
    }
}

/// Returns true when a segment has, under these sequence numbers, the messages of a batch.
fn has_messages(view: &dyn SegmentView, batch: &Batch, sequence: u64, numbers: Range<u64>) -> bool {
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
    let read =
        view.read(&mut (place(numbers.start)..place(numbers.end)), &CancelToken::unlimited(), &mut visit);
    read.is_ok() && next == numbers.end
}
