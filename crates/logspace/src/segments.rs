//! What a logspace needs of segments; how they are built and laid out is not its business.
//!
//! In: messages, paths. Out: segments to query. Limits: a segment that grows has one owner, the builder, and after
//! it the sealer; views of it never change.

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
    /// An empty segment whose first message will have this sequence number.
    fn begin(&self, first_sequence: u64) -> Box<dyn Growing>;
    /// Nothing was sealed for a while: what is kept for the next segment may go.
    fn rest(&self) {}
    /// Opens a sealed segment with these keys; bytes that are not one are an error, never a panic.
    fn open(&self, path: &Path, keys: &Keys) -> Result<Arc<dyn SegmentView>, ReadError>;
    /// Returns the outline of a sealed segment, which needs no key.
    fn outline(&self, path: &Path) -> Result<Outline, ReadError>;
    /// Writes the messages of a sealed segment to a new, smaller file and reads them back from it. One that is recoded
    /// already is aged.
    fn recode(
        &self,
        path: &Path,
        target: &Path,
        recoding: &mut Recoding<'_>,
    ) -> Result<Box<dyn Recoded>, MakeDraftError>;
}

/// A recoded segment that lacks only its record.
pub trait Recoded: Send {
    /// Root of the tree over its messages.
    fn messages(&self) -> Digest;
    /// Returns true when the new file is smaller than the old one.
    fn is_smaller(&self) -> bool;
    /// Puts in the record that `notary` makes of what the segment is known by, and syncs the file.
    fn finish(self: Box<Self>, notary: &dyn Fn(Facts) -> Option<String>)
    -> Result<RecodeReport, RecodeError>;
}

/// The properties of a sealed segment that can be seen without keys.
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
    /// How far it was made smaller.
    pub form: SegmentForm,
}

/// A segment that messages are added to.
pub trait Growing: Send {
    /// Adds the selected messages. Their received times never go back: a batch from before the last one counts as
    /// received with it.
    fn append(&mut self, batch: &Batch, selection: &Selection);
    /// Returns a view of the messages so far, for queries. Called a few times a second.
    fn view(&self) -> Arc<dyn SegmentView>;
    /// An empty segment to go on with: it may begin with what this one learned.
    fn begin_next(&self, first_sequence: u64) -> Box<dyn Growing>;
    /// Writes the whole segment to a new file and syncs it. After an error it may be called again.
    fn seal(&self, path: &Path, sealing: &Sealing<'_>) -> Result<(), SealError>;
    /// Returns true when nothing more fits.
    fn is_full(&self) -> bool;
    /// Estimate of the bytes of memory that it uses. Asked for every batch: must be cheap.
    fn memory_bytes(&self) -> u64;
    /// Values whose names have no column of their own because the segment has too many names.
    fn values_without_column(&self) -> u64 {
        0
    }
    /// Number of messages.
    fn len(&self) -> u32;
    /// Returns true when there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Sequence number of the first message.
    fn first_sequence(&self) -> u64;
    /// Received times of the first and the last message, microseconds since 1970.
    fn received_range(&self) -> (i64, i64);
}
