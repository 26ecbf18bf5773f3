//! The options of a sender.
//!
//! In: a configuration. Out: the same. Holds: nothing. Limits: none.

use crate::packing::Packer;
use std::fmt;
use wire::sltp::{Codec, Level};

/// The options of a sender.
#[derive(Clone, PartialEq, Eq)]
pub struct SenderOptions {
    /// Name of the sender, as far as the receiver believes it.
    pub sender: String,
    /// When a message counts as delivered.
    pub level: Level,
    /// A secret that the receiver asks for; empty for none.
    pub token: Vec<u8>,
    /// Level of Zstandard; `None` sends everything uncompressed.
    pub compression: Option<i32>,
    /// A frame is complete with this many bytes of messages.
    pub batch_bytes: usize,
    /// A frame is complete with this many messages.
    pub batch_messages: usize,
    /// Most bytes of frames on their way without an acknowledgement.
    pub window_bytes: usize,
    /// Name and version, for people.
    pub software: String,
}

impl SenderOptions {
    pub(super) fn codecs(&self) -> Vec<Codec> {
        match self.compression {
            Some(_) => vec![Codec::ZstdDictionary, Codec::Zstd, Codec::Plain],
            None => vec![Codec::Plain],
        }
    }

    /// Returns what compresses. If the library has no memory for it, messages go uncompressed, which is always allowed.
    pub(super) fn packer(&self) -> Option<Packer> {
        self.compression.and_then(|level| Packer::new(level).ok())
    }
}

impl fmt::Debug for SenderOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = if self.token.is_empty() { "none" } else { "set" };
        f.debug_struct("SenderOptions")
            .field("sender", &self.sender)
            .field("level", &self.level)
            .field("token", &token)
            .field("compression", &self.compression)
            .field("batch_bytes", &self.batch_bytes)
            .field("batch_messages", &self.batch_messages)
            .field("window_bytes", &self.window_bytes)
            .finish_non_exhaustive()
    }
}
