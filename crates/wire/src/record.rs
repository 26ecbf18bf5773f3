//! Records that others write: the kernel its log and its process accounting, syslog-ng its disk buffers.
//!
//! In: one record. Out: a message in the batch. Holds nothing: see each module.

mod accounting;
mod diskq;
mod kmsg;

pub use accounting::{ACCOUNTING_BYTES, push_accounting};
pub use diskq::{
    DISKQ_HEADER_BYTES, DISKQ_RECORD_BYTES_MAX, DiskqHeader, DiskqHeaderError, DiskqKind, SavedMessageError,
    SavedQueue, push_saved_message,
};
pub use kmsg::push_kmsg;
