//! Answers of MongoDB: whatever the bytes, documents lie inside them.

use transport::mongodb::{Document, HEAD_BYTES, Value, decode};

/// Most bytes of an answer.
const LIMIT: usize = 4096;
/// Deepest documents that are looked into.
const DEPTH_MAX: usize = 64;

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let mut rest = bytes;
    while let Ok(Some((reply, size))) = decode(rest, LIMIT) {
        assert!(size >= HEAD_BYTES && size <= rest.len() && size <= LIMIT);
        walk(reply.body, DEPTH_MAX);
        rest = &rest[size..];
    }
    if let Ok((document, rest)) = Document::split(bytes) {
        assert!(rest.len() < bytes.len());
        walk(document, DEPTH_MAX);
    }
}

fn walk(document: Document<'_>, depth: usize) {
    let mut whole = true;
    for element in document.elements() {
        assert!(whole, "nothing follows what cannot be read");
        let Ok((name, value)) = element else {
            whole = false;
            continue;
        };
        assert!(!name.contains(&0));
        match value {
            Value::Document(inner) | Value::Array(inner) if depth > 0 => walk(inner, depth - 1),
            value => {
                let _ = (value.number(), value.text());
            }
        }
    }
}
