//! A segment: up to some million messages in receive order, first in memory, then in one file that never changes.
//!
//! In: batches. Out: [`Active`], searchable at once; the sealed file; [`Sealed`], the file again. Both answer the same
//! questions ([`crate::SegmentView`]). A document's number is its position, so that document order is time order.
//! Holds: see both. Limits: [`DOCUMENTS_MAX`], [`BYTES_MAX`].

mod active;
mod column;
mod documents;
mod format;
mod kept;
mod letters;
mod neighbours;
mod packed;
mod phrase;
mod recode;
mod seal;
mod sealed;
mod sealing;
mod text;
mod words;

pub use active::{Active, BYTES_MAX, DOCUMENTS_MAX, Learned};
pub(crate) use active::{NAMED_MAX, rest};
pub(crate) use letters::letters;
pub use recode::{Draft, RecodeError, RecodeReport, Recoding};
pub use seal::{SealError, SealReport};
pub use sealed::{RebuildError, Sealed, Shell, Trouble, VerifyReport};
pub use sealing::Sealing;

#[cfg(test)]
mod tests;
