//! Answers of Riemann: whatever the bytes, an answer is as long as it says.

use transport::riemann::{Answer, decode};

/// Most bytes of an answer.
const LIMIT: usize = 4096;

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let mut rest = bytes;
    while let Ok(Some((answer, size))) = decode(rest, LIMIT) {
        assert!((4..=LIMIT + 4).contains(&size) && size <= rest.len());
        if let Answer::Refused(words) = answer {
            assert!(words.len() <= 3 * size);
        }
        rest = &rest[size..];
    }
}
