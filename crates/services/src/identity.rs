//! The identity of a batch: a name that is the same at every attempt to send it.
//!
//! In: rows. Out: a short text of hexadecimal digits and hyphens. Holds: nothing. Limits: [`IDENTITY_BYTES_MAX`].
//!
//! `INCARNATION-FIRST-LAST-DIGEST`: the ids of the first and the last message, and a digest of all ids. The same messages
//! have the same name, and other messages have another.

use aws_lc_rs::digest::{Context, SHA256};
use delivery::Row;

/// Longest identity.
pub(crate) const IDENTITY_BYTES_MAX: usize = 16 + 2 * 17 + 1 + 2 * DIGEST_BYTES;
/// Bytes of the digest in a name. The ids of the first and the last message are there too: it only distinguishes batches of
/// equal ends, whose number is tiny.
const DIGEST_BYTES: usize = 4;

/// Returns the identity of the batch of these rows.
pub(crate) fn batch_identity(rows: &[Row]) -> String {
    let mut digest = Context::new(&SHA256);
    for row in rows {
        digest.update(&row.id.incarnation.to_be_bytes());
        digest.update(&row.id.sequence.to_be_bytes());
    }
    let digest = hex(&digest.finish().as_ref()[..DIGEST_BYTES]);
    let first = rows.first().map(|row| row.id).unwrap_or_default();
    let last = rows.last().map(|row| row.id).unwrap_or_default();
    format!("{:016x}-{:012x}-{:012x}-{digest}", first.incarnation, first.sequence, last.sequence)
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
