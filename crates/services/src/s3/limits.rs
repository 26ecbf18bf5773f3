//! What a configuration says about objects of several parts.
//!
//! In: checked values. Out: the same. Holds: options only. Limits: those of S3.

use std::time::Duration;

/// Least bytes of a part that is not the last of its object: the limit of S3.
pub const CHUNK_BYTES_MIN: usize = 5 << 20;
/// Most bytes of a part before the batch that ends it: it is in memory.
pub const CHUNK_BYTES_MAX: usize = 256 << 20;
/// Most parts of an object: the limit of S3.
pub(super) const PARTS_MAX: u32 = 10_000;
/// Bytes of unfinished parts in memory, unless a few of them alone are larger.
const BUFFERED_BYTES_MAX: usize = 64 << 20;
/// Unfinished parts that may be in memory at least.
const BUFFERED_PARTS_MIN: usize = 4;

/// The limits of objects of several parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MultipartLimits {
    /// `chunk-size()`: bytes after compression with which a part is uploaded.
    pub chunk_bytes: usize,
    /// `max-object-size()`: most bytes of an object after compression; one batch always fits.
    pub object_bytes_max: u64,
    /// `flush-grace-period()`: how long an object grows.
    pub wait: Duration,
    /// `max-pending-uploads()`: most objects that grow at a time.
    pub uploads_max: usize,
}

impl MultipartLimits {
    /// Returns the most bytes of unfinished parts of all objects together.
    pub(super) fn buffered_bytes_max(&self) -> usize {
        BUFFERED_BYTES_MAX.max(self.chunk_bytes.saturating_mul(BUFFERED_PARTS_MIN))
    }
}
