//! The options of `s3()` as a source.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the reader. Holds: nothing that runs.
//! Limits: none.

use services::S3Bucket;
use std::time::Duration;

/// `read-old-records()`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OldObjects {
    /// The first start reads the objects that are there.
    Read,
    /// It takes them for read.
    Skipped,
}

/// `s3()` as a source.
#[derive(Clone, Debug)]
pub struct S3Source {
    /// The bucket, and how it is reached.
    pub bucket: S3Bucket,
    /// `bucket()`, for users.
    pub name: String,
    /// `prefix()`: the beginning of the names of the objects that are read.
    pub prefix: String,
    /// `follow-freq()`: pause between two looks at the list.
    pub follow_every: Duration,
    /// `full-list-freq()`: time after which the next look is at the whole list; those between are at names behind the last one.
    pub full_list_every: Duration,
    /// `workers()`: objects that are read at a time.
    pub workers: usize,
    /// The fate of the objects that are there at a first start.
    pub old: OldObjects,
    /// `time-reopen()`: longest pause between two tries.
    pub reopen_after: Duration,
    /// `persist-name()`: the name of what is known to be read.
    pub persist_name: Option<String>,
}

impl S3Source {
    /// Names what is read.
    pub(super) fn instance(&self) -> String {
        format!("{},{}", self.name, self.prefix)
    }

    /// Returns the name of what is known to be read.
    pub(super) fn register_name(&self) -> String {
        match &self.persist_name {
            Some(name) => format!("s3 {name}"),
            None => format!("s3 {},{}", self.bucket.address, self.prefix),
        }
    }
}
