//! A segment: up to some million messages in receive order, first in memory, then in one file that never changes.
//!
//! In: batches. Out: [`Active`], searchable at once; the sealed file; [`Sealed`], the file again. Both answer the same
//! queries ([`lookup::SegmentView`]). A document's number is its position, so that document order is time order.
//! Holds: see both. Touches the files of segments, and the threads that compress blocks.
//! Limits: [`DOCUMENTS_MAX`], [`BYTES_MAX`].
//!
//! Modules in reading order, the lowest last:
//! - `recode`: rewrites a sealed segment in a smaller form.
//! - `sealed`: reads a segment from its file: search, checks, proofs.
//! - `seal`: writes a segment to its file.
//! - `active`: a segment that grows in memory.
//! - `sealing`: the recipients of a segment, and the signer of its record.
//! - `packed`: messages as templates and columns of the varying parts.
//! - `answers`: the code that active and sealed segments share to answer queries.
//! - `documents`: blocks of messages: decompressed, and cached.
//! - `terms`: data about words besides their postings.
//! - `memory`: reused memory of large tables.
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
