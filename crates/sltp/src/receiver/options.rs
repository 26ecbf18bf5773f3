//! The options of a receiver.
//!
//! In: a configuration. Out: the same, and whether a token is right. Holds: nothing. Limits: none.

use std::fmt;
use subtle::{Choice, ConstantTimeEq};
use wire::sltp::Level;

/// The options of a receiver.
#[derive(Clone, PartialEq, Eq)]
pub struct ReceiverOptions {
    /// Secrets of which a sender shows one; without any, everybody may send.
    pub tokens: Vec<String>,
    /// The best level that can be granted.
    pub level: Level,
    /// Most bytes of frames that a sender may have on their way.
    pub window_bytes: u64,
    /// Longest message; longer ones are cut.
    pub message_bytes_max: usize,
    /// Longest payload of a frame, and most bytes of its messages uncompressed.
    pub frame_bytes_max: usize,
    /// Name and version, for people.
    pub software: String,
}

impl ReceiverOptions {
    /// Compares a token with every one that is right, in a time that does not reveal how much of it was.
    pub(super) fn is_right(&self, token: &[u8]) -> bool {
        if self.tokens.is_empty() {
            return true;
        }
        let found =
            self.tokens.iter().fold(Choice::from(0), |found, known| found | known.as_bytes().ct_eq(token));
        found.into()
    }
}

impl fmt::Debug for ReceiverOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReceiverOptions")
            .field("tokens", &self.tokens.len())
            .field("level", &self.level)
            .field("window_bytes", &self.window_bytes)
            .field("message_bytes_max", &self.message_bytes_max)
            .field("frame_bytes_max", &self.frame_bytes_max)
            .finish_non_exhaustive()
    }
}
