//! What is looked up in segments: words, patterns, columns, documents and sets of them, and the view that answers.
//!
//! In: texts and patterns. Out: tokens, matches, bitmaps; the trait [`SegmentView`], which segments implement and queries
//! ask. Holds: nothing. Knows no file, no thread and no clock but the deadline of a [`CancelToken`].
//! Limits: a segment has at most 2^32 documents; see each module.
//!
//! In reading order, the lowest last:
//! - `snapshot`: the segments of a logspace at one moment.
//! - `segment_view`: the questions that a segment answers.
//! - `cost`: what answers cost.
//! - `read_error`: why documents could not be read.
//! - `cancel_token`: when a walk stops.
//! - `document`: a stored message.
//! - `phrase`: words that follow each other.
//! - [`pattern`]: what to look for, and what compares with it.
//! - `column`: the columns of a segment.
//! - `bitmap`: a set of documents.
//! - [`tokens`]: the words of a text, and their hashes.

mod bitmap;
mod cancel_token;
mod column;
mod cost;
mod document;
pub mod pattern;
mod phrase;
mod read_error;
mod segment_view;
mod snapshot;
pub mod tokens;

pub use bitmap::Bitmap;
pub use cancel_token::{CancelToken, Pace, Stop};
pub use column::{Column, ColumnUse};
pub use cost::{ReadCost, WordUse};
pub use document::Document;
pub use pattern::{Bound, Pattern};
pub use phrase::{Phrase, PhraseAnswer};
pub use read_error::ReadError;
pub use segment_view::{SegmentView, Together};
pub use snapshot::{Locked, Snapshot};
