//! Compression of the messages of a frame.
//!
//! In: bodies. Out: the same in fewer bytes, and back. Holds: a context of the library for each direction.
//! Limits: an uncompressed body is exactly as long as its frame says, which the caller checked before.

use std::io;
use wire::sltp::{Codec, FrameError, FrameKind};
use zstd::bulk::{Compressor, Decompressor};

/// Compresses bodies.
pub(crate) struct Packer(Compressor<'static>);

impl Packer {
    /// Makes a packer of a level.
    pub(crate) fn new(level: i32) -> io::Result<Packer> {
        Compressor::new(level).map(Packer)
    }

    /// Returns a body in fewer bytes; `None` when it does not become shorter.
    pub(crate) fn pack(&mut self, body: &[u8]) -> Option<Vec<u8>> {
        let packed = self.0.compress(body).ok()?;
        (packed.len() < body.len()).then_some(packed)
    }
}

/// Inflates bodies. The context is made when it is first needed.
#[derive(Default)]
pub(crate) struct Unpacker(Option<Decompressor<'static>>);

impl Unpacker {
    /// Appends the uncompressed body of a frame to an empty buffer, which must have the capacity.
    pub(crate) fn unpack(
        &mut self,
        codec: Codec,
        body: &[u8],
        size: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), FrameError> {
        debug_assert!(out.is_empty());
        match codec {
            Codec::Plain => out.extend_from_slice(body),
            Codec::Zstd => {
                out.reserve(size);
                self.inflate(body, size, out).map_err(|_| FrameError::Malformed(FrameKind::Data))?;
            }
        }
        if out.len() == size { Ok(()) } else { Err(FrameError::Malformed(FrameKind::Data)) }
    }

    fn inflate(&mut self, body: &[u8], size: usize, out: &mut Vec<u8>) -> io::Result<()> {
        let inflater = match self.0.take() {
            Some(inflater) => self.0.insert(inflater),
            None => self.0.insert(Decompressor::new()?),
        };
        // The library writes into a slice of this length and no further.
        out.resize(size, 0);
        let written = inflater.decompress_to_buffer(body, &mut out[..])?;
        out.truncate(written);
        Ok(())
    }
}
