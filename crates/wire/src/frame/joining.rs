//! The state of joining the lines of one stream.
//!
//! In: nothing. Out: the knowledge about the buffer's start between two reads. Holds: how much of the buffer
//! is examined, and whether a message that was cut is being skipped.

use super::multiline::Joiner;

/// Joins the lines of one stream.
#[derive(Clone, Debug)]
pub(super) struct Joining {
    pub(super) joiner: Joiner,
    /// Bytes at the start of the buffer whose lines were examined.
    pub(super) judged: usize,
    /// True while the rest of a message that was cut is skipped.
    pub(super) dropping: bool,
}

impl Joining {
    pub(super) fn new(joiner: Joiner) -> Joining {
        Joining { joiner, judged: 0, dropping: false }
    }
}
