//! The vocabulary of look-ups in segments: words, patterns, columns, documents, sets of them, and the view of a
//! segment.
//!
//! In: texts and patterns. Out: tokens, matches, bitmaps; the trait [`SegmentView`], which segments implement and
//! queries use. Holds: nothing. Touches no file, thread or clock except for the deadline of a [`CancelToken`].
//! Limits: a segment has at most 2^32 documents; see each module.
//!
//! Modules in reading order, the lowest last:
//! - `snapshot`: the segments of a logspace at one moment.
//! - `segment_view`: the queries that a segment answers.
//! - `cost`: the cost of answers.
//! - `read_error`: the reasons why documents could not be read.
//! - `cancel_token`: stops long walks over documents.
//! - `document`: a stored message.
//! - `phrase`: consecutive words.
//! - [`pattern`]: patterns, and matchers for them.
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
pub use column::{Column, ColumnUse, ColumnValues};
pub use cost::{ReadCost, WordUse};
pub use document::Document;
pub use pattern::{Bound, Pattern};
pub use phrase::{Phrase, PhraseAnswer};
pub use read_error::ReadError;
pub use segment_view::{AnyResult, SegmentResults, SegmentView, Together};
pub use snapshot::{Locked, Snapshot};
