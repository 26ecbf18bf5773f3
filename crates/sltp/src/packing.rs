//! Compression of the messages of a frame.
//!
//! In: bodies. Out: the same in fewer bytes, and back. Holds: contexts of the library for each direction, one without and
//! one with the dictionary of the sender.
//! Limits: an uncompressed body is exactly as long as its frame says, which the caller checked before.

use std::io;
use wire::sltp::{Codec, FrameError, FrameKind};
use zstd::bulk::{Compressor, Decompressor};

/// Bodies below this size go uncompressed without a dictionary: a frame of the compression costs more than it saves.
const PACKED_FROM: usize = 256;
/// The same with a dictionary.
const SMALL_PACKED_FROM: usize = 32;
/// Bodies from this size on are compressed without the dictionary: what it saves is less than a fiftieth of them.
const SMALL_BODY_BYTES: usize = 64 << 10;
/// Size of a dictionary. Twice as much saved a fiftieth more when it was measured.
const DICTIONARY_BYTES: usize = 16 << 10;
/// Bytes of messages that a dictionary is trained on: eight times its size, as the library advises for the least.
const SAMPLE_BYTES: usize = 8 * DICTIONARY_BYTES;

/// Compresses bodies.
pub(crate) struct Packer {
    level: i32,
    plain: Compressor<'static>,
    small: Option<Compressor<'static>>,
}

impl Packer {
    /// Makes a packer of a level.
    pub(crate) fn new(level: i32) -> io::Result<Packer> {
        Ok(Packer { level, plain: Compressor::new(level)?, small: None })
    }

    /// Compresses small bodies with a dictionary from now on.
    pub(crate) fn set_dictionary(&mut self, dictionary: &[u8]) -> io::Result<()> {
        self.small = Some(Compressor::with_dictionary(self.level, dictionary)?);
        Ok(())
    }

    /// Returns a body in fewer bytes, in a codec up to `best`; `None` when it does not become shorter.
    pub(crate) fn pack(&mut self, body: &[u8], best: Codec) -> Option<(Codec, Vec<u8>)> {
        let is_small = body.len() < SMALL_BODY_BYTES && best == Codec::ZstdDictionary;
        let (codec, least, packer) = match self.small.as_mut().filter(|_| is_small) {
            Some(small) => (Codec::ZstdDictionary, SMALL_PACKED_FROM, small),
            None => (Codec::Zstd, PACKED_FROM, &mut self.plain),
        };
        if body.len() < least || best < codec {
            return None;
        }
        let packed = packer.compress(body).ok()?;
        (packed.len() < body.len()).then_some((codec, packed))
    }
}

/// Gathers messages, and makes a dictionary of them.
#[derive(Default)]
pub(crate) struct Training {
    samples: Vec<u8>,
    sizes: Vec<usize>,
}

impl Training {
    /// Learns the messages of a small body: those of large ones need no dictionary. Returns a dictionary when there are
    /// enough of them.
    pub(crate) fn learn(&mut self, body: &[u8]) -> Option<Vec<u8>> {
        if body.len() >= SMALL_BODY_BYTES {
            return None;
        }
        let mut rest = body;
        // Lengths are part of what is compressed.
        while let Some((size, _)) = rest.split_first_chunk::<4>() {
            let end = 4 + u32::from_le_bytes(*size) as usize;
            let Some((item, after)) = rest.split_at_checked(end) else { break };
            self.samples.extend_from_slice(item);
            self.sizes.push(item.len());
            rest = after;
        }
        if self.samples.len() < SAMPLE_BYTES {
            return None;
        }
        let Training { samples, sizes } = std::mem::take(self);
        // Messages that have too little in common make none; the next ones may.
        zstd::dict::from_continuous(&samples, &sizes, DICTIONARY_BYTES).ok()
    }
}

/// Inflates bodies. The contexts are made when they are first needed.
#[derive(Default)]
pub(crate) struct Unpacker {
    plain: Option<Decompressor<'static>>,
    small: Option<Decompressor<'static>>,
}

impl Unpacker {
    /// Takes the dictionary of the sender, instead of an earlier one.
    pub(crate) fn set_dictionary(&mut self, dictionary: &[u8]) -> Result<(), FrameError> {
        let small = Decompressor::with_dictionary(dictionary);
        self.small = Some(small.map_err(|_| FrameError::Malformed(FrameKind::Dictionary))?);
        Ok(())
    }

    /// Appends the uncompressed body of a frame to an empty buffer, which must have the capacity.
    pub(crate) fn unpack(
        &mut self,
        codec: Codec,
        body: &[u8],
        size: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), FrameError> {
        debug_assert!(out.is_empty());
        if codec == Codec::Plain {
            out.extend_from_slice(body);
        } else {
            out.reserve(size);
            self.inflate(codec, body, size, out).map_err(|_| FrameError::Malformed(FrameKind::Data))?;
        }
        if out.len() == size { Ok(()) } else { Err(FrameError::Malformed(FrameKind::Data)) }
    }

    fn inflate(&mut self, codec: Codec, body: &[u8], size: usize, out: &mut Vec<u8>) -> io::Result<()> {
        let inflater = match codec {
            Codec::ZstdDictionary => self.small.as_mut().ok_or(io::ErrorKind::InvalidData)?,
            _ => match self.plain.take() {
                Some(inflater) => self.plain.insert(inflater),
                None => self.plain.insert(Decompressor::new()?),
            },
        };
        // The library writes into a slice of this length and no further.
        out.resize(size, 0);
        let written = inflater.decompress_to_buffer(body, &mut out[..])?;
        out.truncate(written);
        Ok(())
    }
}
