//! What a sender compresses with: Zstandard, and a dictionary that it learns from its own messages.
//!
//! In: bodies. Out: frames, and a dictionary, once. Holds: contexts of the library; messages until there are enough for
//! a dictionary. Limits: see [`crate::packing`].

use super::{batch::OpenBatch, flights::Flight};
use crate::packing::{Packer, Training, Unpacker};
use wire::sltp::{Codec, DICTIONARY_BYTES_MAX};

/// The compression of a sender.
pub(super) struct Compression {
    packer: Option<Packer>,
    /// The best codec that the receiver grants; before there is one, any. Frames are inflated again for one that grants less.
    granted: Codec,
    /// Messages, as long as there is no dictionary. There is at most one in the life of a sender.
    training: Option<Training>,
    dictionary: Option<Vec<u8>>,
}

impl Compression {
    pub(super) fn new(packer: Option<Packer>) -> Compression {
        let training = packer.is_some().then(Training::default);
        Compression { packer, granted: Codec::ZstdDictionary, training, dictionary: None }
    }

    /// Compresses with another level, or no more.
    pub(super) fn set_packer(&mut self, packer: Option<Packer>) {
        self.packer = packer;
        if self.dictionary.is_none() {
            self.training = self.packer.is_some().then(Training::default);
        }
        if let (Some(packer), Some(dictionary)) = (&mut self.packer, &self.dictionary) {
            // Without memory for it, small bodies are compressed as large ones.
            let _ = packer.set_dictionary(dictionary);
        }
    }

    /// Learns from a body that comes next. Returns the dictionary when it is complete and the receiver is to have it.
    pub(super) fn learn(&mut self, body: &[u8], unpacker: &mut Unpacker) -> Option<&[u8]> {
        let packer = self.packer.as_mut()?;
        if self.granted < Codec::ZstdDictionary {
            return None;
        }
        let dictionary = self.training.as_mut()?.learn(body)?;
        let is_usable = dictionary.len() <= DICTIONARY_BYTES_MAX
            && unpacker.set_dictionary(&dictionary).is_ok()
            && packer.set_dictionary(&dictionary).is_ok();
        if !is_usable {
            return None;
        }
        self.training = None;
        Some(self.dictionary.insert(dictionary))
    }

    /// Notes what a receiver grants, whose frames have at most so many bytes. Returns what is used of it.
    pub(super) fn granted(&mut self, codec: Codec, frame_bytes_max: usize) -> Codec {
        let has_room = frame_bytes_max >= DICTIONARY_BYTES_MAX;
        self.granted = if has_room { codec } else { codec.min(Codec::Zstd) };
        self.granted
    }

    /// Returns the dictionary that a new connection begins with.
    pub(super) fn dictionary(&self) -> Option<&[u8]> {
        self.dictionary.as_deref().filter(|_| self.granted == Codec::ZstdDictionary)
    }

    /// Completes a frame.
    pub(super) fn close(&mut self, open: OpenBatch) -> Flight {
        open.close(self.packer.as_mut(), self.granted)
    }
}
