//! The name of an object.
//!
//! In: the rendered `object-key()`; the ids of the messages of a batch. Out: the name, and how it is written in a URL. Holds:
//! nothing. Limits: [`KEY_BYTES_MAX`].
//!
//! `PREFIX-INCARNATION-FIRST-LAST-DIGEST.log`: the ids of the first and the last message, and a digest of all ids. The same
//! messages have the same name at every attempt, and other messages have another, so storing an object twice changes
//! nothing. What a message contributes to a name stays inside the part that the configuration writes.

use crate::identity::{IDENTITY_BYTES_MAX, batch_identity, hex};
use delivery::Row;
use message::RecordId;
use std::fmt;

/// Longest name that S3 takes.
const KEY_BYTES_MAX: usize = 1024;
/// Most bytes of what follows the rendered part.
const IDS_BYTES_MAX: usize = 1 + IDENTITY_BYTES_MAX;

/// The reason why a text cannot begin the name of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyError {
    /// The name would be too long.
    TooLong,
    /// It begins with a slash.
    Slash,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyError::TooLong => "the name of the object would have more than 1,024 bytes",
            KeyError::Slash => "the name of an object does not begin with a slash",
        })
    }
}

/// Checks the constant beginning of names.
pub fn check_prefix(prefix: &str, suffix: &str) -> Result<(), KeyError> {
    if prefix.starts_with('/') {
        return Err(KeyError::Slash);
    }
    check_size(&cleaned(prefix.as_bytes()), suffix)
}

/// Checks how long names with this beginning become.
pub(super) fn check_size(prefix: &str, suffix: &str) -> Result<(), KeyError> {
    let size = prefix.len() + IDS_BYTES_MAX + suffix.len();
    if size > KEY_BYTES_MAX { Err(KeyError::TooLong) } else { Ok(()) }
}

/// Returns rendered text as the beginning of a name: readable everywhere, and without parts that some servers take for
/// another folder. Control characters become `_`, and so do empty parts and the dots of `.` and `..`.
pub(super) fn cleaned(rendered: &[u8]) -> String {
    let text = String::from_utf8_lossy(rendered);
    let part = |part: &str| match part {
        "" | "." => "_".to_owned(),
        ".." => "__".to_owned(),
        part => part.replace(|c: char| c.is_control() || c == '\\', "_"),
    };
    text.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Returns the name of the object of a batch.
pub(super) fn name(prefix: &str, rows: &[Row], suffix: &str) -> String {
    format!("{prefix}-{}{suffix}", batch_identity(rows))
}

/// Returns the name of an object that begins with a message, and whose last one is not known yet. The salt makes it another name
/// than that of any object which began with the same message and was given up.
pub(super) fn begun_name(prefix: &str, first: RecordId, salt: [u8; 4], suffix: &str) -> String {
    format!("{prefix}-{:016x}-{:012x}-{}{suffix}", first.incarnation, first.sequence, hex(&salt))
}
