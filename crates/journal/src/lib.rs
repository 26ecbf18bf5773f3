//! An append-only, checksummed log of records in numbered files: the write-ahead log of logspaces and every
//! destination's disk buffer.
//!
//! In: records, bytes to this crate, staged in memory and committed together. Out: the same records, in order,
//! each once, from any sequence number on.
//! Holds: one directory under a lock, the staged bytes. Touches files, through [`Disk`].
//! Limits: [`RECORD_BYTES_MAX`] a record, [`Options::file_bytes_max`] a file; the caller bounds what it stages.
//!
//! A record covers one or more consecutive sequence numbers (messages of one batch). What [`Journal::commit`]
//! reported durable survives a crash or a power cut; what it did not report may be missing, but never
//! in the middle of what survived.

mod cursor;
mod disk;
mod file;
mod journal;
mod last_file;
mod private;
mod reader;
mod record;
mod recovery;
mod scan;
mod whole_file;

pub use cursor::CursorFile;
pub use disk::{Disk, DiskFile, DiskLock, OsDisk};
pub use journal::{Durability, Journal, OpenError, Options, TooLarge};
pub use last_file::CommitError;
pub use private::{create_private, make_private_folders, private_file, tighten};
pub use reader::{Damage, Read, ReadError, Reader, Record};
pub use record::RECORD_BYTES_MAX;
pub use recovery::Recovery;
pub use whole_file::{read_whole, write_whole};
