//! Replies of Redis: whatever the bytes, texts lie inside them.

use transport::redis::{Reply, decode};

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let mut rest = bytes;
    while let Ok(Some((reply, size))) = decode(rest) {
        assert!(size > 0 && size <= rest.len() && text_bytes(&reply) < size);
        rest = &rest[size..];
    }
}

fn text_bytes(reply: &Reply<'_>) -> usize {
    match reply {
        Reply::Nothing => 0,
        Reply::Text(text) | Reply::Refused(text) => text.len(),
        Reply::List(list) => list.iter().map(text_bytes).sum(),
    }
}
