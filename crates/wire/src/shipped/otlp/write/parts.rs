//! The parts of a request.
//!
//! In: bytes. Out: the same, by part. Holds: nothing. Limits: none.

use message::{Stamp, ValueKind};

/// The parts of a request for one message. Those of equal resource and scope share them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct OtlpParts {
    /// `ResourceLogs` without its scopes.
    pub resource: Vec<u8>,
    /// `ScopeLogs` without its records.
    pub scope: Vec<u8>,
    /// `LogRecord`
    pub record: Vec<u8>,
}

/// A name-value pair.
pub(super) type Pair<'a> = (&'a [u8], &'a [u8], ValueKind);

/// Returns nanoseconds since 1970; zero, which means unknown, for times before.
pub(super) fn nanos(stamp: Stamp) -> u64 {
    u64::try_from(stamp.unix_us).unwrap_or(0).saturating_mul(1_000)
}
