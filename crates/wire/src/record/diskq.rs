//! Files in which syslog-ng keeps its disk buffers: `.rqf` (reliable) and `.qf` (normal).
//!
//! In: the bytes of a header, or of one message. Out: where the messages are; a message in a batch. Holds nothing.
//! Limits: headers of version 0 to 3, messages of version 26 (syslog-ng 3.9 to 4, Premium Edition 6 to 8) that a
//! little-endian machine wrote. Other bytes are refused with the reason; none make it fail otherwise.
//!
//! The layout is that of syslog-ng's `QDiskFileHeader`, `LogMessage` and `NVTable` as they are on disk.

mod bytes;
mod error;
mod header;
mod message;
mod table;

pub use error::SavedMessageError;
pub use header::{DiskqHeader, DiskqHeaderError, DiskqKind, SavedQueue};
pub use message::push_saved_message;

/// Size of the header; the first record follows it.
pub const DISKQ_HEADER_BYTES: usize = 4096;

/// Longest record of syslog-ng.
pub const DISKQ_RECORD_BYTES_MAX: usize = 100 << 20;

#[cfg(test)]
mod tests;
