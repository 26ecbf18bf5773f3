//! A segment: up to some million messages in receive order, first in memory, then in one file that never changes.
//!
//! In: batches. Out: [`Active`], searchable at once; the sealed file; [`Sealed`], the file again. Both answer the same
//! questions ([`lookup::SegmentView`]). A document's number is its position, so that document order is time order.
//! Holds: see both. Touches the files of segments, and the threads that compress blocks.
//! Limits: [`DOCUMENTS_MAX`], [`BYTES_MAX`].
//!
//! In reading order, the lowest last:
//! - `recode`: a sealed segment written again, smaller.
//! - `sealed`: a segment read from its file: searched, checked, proven.
//! - `seal`: a segment written to its file.
//! - `active`: a segment that grows in memory.
//! - `sealing`: who may open a segment, and who signs for it.
//! - `packed`: messages as templates and columns of what varies.
//! - `answers`: what active and sealed segments do alike to answer.
//! - `documents`: blocks of messages, opened, and those that are kept open.
//! - `terms`: what is kept of words beside the lists of their messages.
//! - `memory`: memory of large tables, used again.
//! - `format`: bytes on disk: the file, its sections, lists, numbers.

mod active;
mod answers;
mod documents;
mod format;
mod memory;
mod packed;
mod recode;
mod seal;
mod sealed;
mod sealing;
mod terms;

pub use active::{Active, BYTES_MAX, DOCUMENTS_MAX, Learned, NAMED_MAX};
pub use memory::release_spare_memory;
pub use recode::{Draft, RecodeError, RecodeReport, Recoding};
pub use seal::{SealError, SealReport};
pub use sealed::{DamagedChunk, RebuildError, Sealed, SegmentForm, SegmentInspector, VerifyReport};
pub use sealing::Sealing;

#[cfg(test)]
mod tests;
