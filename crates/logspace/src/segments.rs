//! The operations that a logspace needs of segments, independent of how they are built and laid out.
//!
//! In: messages, paths. Out: segments to query. Limits: a segment that grows has one owner, the builder, and later
//! the sealer; views of it never change.

mod indexed;
mod make_draft_error;
mod unlocked;

pub(crate) use indexed::Indexed;
pub use make_draft_error::MakeDraftError;
pub use unlocked::Unlocked;

use evidence::{Digest, Facts, Keys, Record};
use lookup::{ReadError, SegmentView};
use message::{Batch, Selection};
use segment::{RecodeError, RecodeReport, Recoding, SealError, Sealing, SegmentForm};
use std::{path::Path, sync::Arc};

/// Makes and opens segments.
pub trait Segments: Send + Sync {
    /// Most messages that any segment may hold.
    fn messages_max(&self) -> u64;
    /// Returns an empty segment whose first message will have this sequence number.
    fn begin(&self, first_sequence: u64) -> Box<dyn Growing>;
    /// Releases memory that is cached for the next segment: nothing was sealed for a while.
    fn rest(&self) {}
    /// Opens a sealed segment with these keys; bytes that are not one are an error, never a panic.
    fn open(&self, path: &Path, keys: &Keys) -> Result<Arc<dyn SegmentView>, ReadError>;
    /// Returns the outline of a sealed segment, which needs no key.
    fn outline(&self, path: &Path) -> Result<Outline, ReadError>;
    /// Writes the messages of a sealed segment to a new, smaller file and reads them back from it. A segment that
    /// is already recoded is aged.
    fn recode(
        &self,
        path: &Path,
        target: &Path,
        recoding: &mut Recoding<'_>,
    ) -> Result<Box<dyn Recoded>, MakeDraftError>;
}

/// A recoded segment that is complete except for its record.
pub trait Recoded: Send {
    /// Returns the root of the hash tree over its messages.
    fn messages(&self) -> Digest;
    /// Returns true when the new file is smaller than the old one.
    fn is_smaller(&self) -> bool;
    /// Appends the record that `notary` makes from the segment's facts, and syncs the file.
    fn finish(self: Box<Self>, notary: &dyn Fn(Facts) -> Option<String>)
    -> Result<RecodeReport, RecodeError>;
}

/// The properties of a sealed segment that can be read without keys.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Sequence number of its first message.
    pub first: u64,
    /// Number of messages.
    pub count: u64,
    /// Received times of the first and the last message.
    pub received_us: (i64, i64),
    /// Digest of the file, as its record names it.
    pub contents: Digest,
    /// The record that it was sealed with.
    pub record: Option<Record>,
    /// Its form: sealed, recoded or aged.
    pub form: SegmentForm,
}

/// A segment that messages are added to.
pub trait Growing: Send {
    /// Adds the selected messages. Received times never go back: a batch with an earlier time than the previous one
    /// counts as received at the same time.
    fn append(&mut self, batch: &Batch, selection: &Selection);
    /// Returns a view of the messages so far, for queries. Called a few times a second.
    fn view(&self) -> Arc<dyn SegmentView>;
    /// Returns an empty segment to continue with, which may reuse what this one learned.
    fn begin_next(&self, first_sequence: u64) -> Box<dyn Growing>;
    /// Writes the whole segment to a new file and syncs it. After an error it may be called again.
    fn seal(&self, path: &Path, sealing: &Sealing<'_>) -> Result<(), SealError>;
    /// Returns true when the segment can hold no more messages.
    fn is_full(&self) -> bool;
    /// Estimates the bytes of memory that it uses. Called for every batch: must be cheap.
    fn memory_bytes(&self) -> u64;
    /// Returns the number of values whose names have no column of their own because the segment has too many names.
    fn values_without_column(&self) -> u64 {
        0
    }
    /// Returns the number of messages.
    fn len(&self) -> u32;
    /// Returns true when there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the sequence number of the first message.
    fn first_sequence(&self) -> u64;
    /// Returns the received times of the first and the last message, microseconds since 1970.
    fn received_range(&self) -> (i64, i64);
}
