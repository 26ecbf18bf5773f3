//! Decompresses an object, piece by piece; the first bytes say how.
//!
//! In: the bytes of an object, split anywhere. Out: its text in pieces of about [`PIECE_BYTES`], from an offset on. Holds: a decompressor,
//! and the bytes that it has not taken yet. Limits: a window of at most 128 MiB, which is what Zstandard's own program takes; an
//! object of many bytes in few is text like any other, and comes piece by piece.

use flate2::write::MultiGzDecoder;
use std::{fmt, io::Write};
use zstd::{
    stream::raw::{Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer},
    zstd_safe::DParameter,
};

/// Bytes of text after which a piece ends.
const PIECE_BYTES: usize = 64 << 10;
/// Bytes that a decompressor gets at a time.
const STEP_BYTES: usize = 16 << 10;
/// Two to the power of this are the bytes that a decompressor of Zstandard remembers at most.
const WINDOW_LOG_MAX: u32 = 27;
/// Bytes that say what the others are.
const HEAD_BYTES: usize = 6;

/// The form of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Text.
    Plain,
    /// gzip, of one or more members.
    Gzip,
    /// Zstandard, of one or more frames.
    Zstd,
}

/// The reason why the rest of an object is not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ContentError {
    /// It is of a form that has no lines, or is compressed in a way that we do not know.
    Form(&'static str),
    /// It is damaged, or was cut off before it was stored.
    Damaged(String),
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContentError::Form(name) => write!(f, "objects of the form {name} cannot be read"),
            ContentError::Damaged(why) => write!(f, "its compressed bytes are damaged: {why}"),
        }
    }
}

impl Form {
    /// Returns the form of an object by its first bytes.
    fn of(head: &[u8]) -> Result<Form, ContentError> {
        const FOREIGN: [(&[u8], &str); 6] = [
            (b"PAR1", "Parquet"),
            (b"Obj\x01", "Avro"),
            (b"\xfd7zXZ\0", "xz"),
            (b"BZh", "bzip2"),
            (b"PK\x03\x04", "zip"),
            (b"\x04\x22\x4d\x18", "LZ4"),
        ];
        if let Some((_, name)) = FOREIGN.iter().find(|(magic, _)| head.starts_with(magic)) {
            return Err(ContentError::Form(name));
        }
        Ok(match head {
            [0x1f, 0x8b, 0x08, ..] => Form::Gzip,
            // A frame, or one that is skipped: RFC 8878, section 3.1.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Form::Zstd,
            _ => Form::Plain,
        })
    }
}

enum Decoder {
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Zstd {
        decoder: ZstdDecoder<'static>,
        /// The last frame is complete.
        is_complete: bool,
    },
}

/// An object that is being read.
pub(super) struct Content {
    /// `None` until enough bytes are there to know.
    decoder: Option<Decoder>,
    /// Bytes of the object that were not decompressed yet, from `used` on.
    bytes: Vec<u8>,
    used: usize,
    /// Bytes of text that are left out: they were read before.
    skip: u64,
    /// The damage behind the text that was returned last.
    damage: Option<ContentError>,
}

impl Content {
    /// Begins at an offset in the text of an object whose form is unknown yet: its bytes must come from their beginning.
    pub(super) fn from_start(offset: u64) -> Content {
        Content { decoder: None, bytes: Vec::new(), used: 0, skip: offset, damage: None }
    }

    /// Begins within an object that is plain: its bytes must come from there on.
    pub(super) fn plain() -> Content {
        Content { decoder: Some(Decoder::Plain), ..Content::from_start(0) }
    }

    /// Returns the form of the object, if it is known yet.
    pub(super) fn form(&self) -> Option<Form> {
        Some(match self.decoder.as_ref()? {
            Decoder::Plain => Form::Plain,
            Decoder::Gzip(_) => Form::Gzip,
            Decoder::Zstd { .. } => Form::Zstd,
        })
    }

    /// Adds bytes of the object, when no piece of the earlier ones is left.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.used);
        self.used = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next piece of the text; `None` when more bytes are needed.
    pub(super) fn piece(&mut self) -> Result<Option<Vec<u8>>, ContentError> {
        if self.decoder.is_none() {
            if self.bytes.len() < HEAD_BYTES {
                return Ok(None);
            }
            self.decoder = Some(Decoder::of(&self.bytes)?);
        }
        loop {
            let Some(mut text) = self.decompress()? else { return Ok(None) };
            self.leave_out(&mut text);
            if !text.is_empty() {
                return Ok(Some(text));
            }
        }
    }

    /// Returns the last piece, at the end of the object, and whether that is where it should be.
    pub(super) fn finish(&mut self) -> (Vec<u8>, Result<(), ContentError>) {
        let mut text = Vec::new();
        let ended = self.end(&mut text);
        self.leave_out(&mut text);
        (text, ended)
    }

    fn end(&mut self, text: &mut Vec<u8>) -> Result<(), ContentError> {
        if self.decoder.is_none() {
            self.decoder = Some(Decoder::of(&self.bytes)?);
        }
        // All but a few bytes are gone.
        while let Some(piece) = self.decompress()? {
            text.extend_from_slice(&piece);
        }
        match &mut self.decoder {
            Some(Decoder::Gzip(decoder)) => {
                let ended = decoder.try_finish();
                text.append(decoder.get_mut());
                ended.map_err(|error| damaged(&error))
            }
            Some(Decoder::Zstd { is_complete: false, .. }) => {
                Err(ContentError::Damaged("its end is missing".to_owned()))
            }
            Some(Decoder::Plain | Decoder::Zstd { .. }) | None => Ok(()),
        }
    }

    /// Returns some text, perhaps none; `None` when all bytes are used.
    fn decompress(&mut self) -> Result<Option<Vec<u8>>, ContentError> {
        if let Some(damage) = self.damage.take() {
            return Err(damage);
        }
        let mut text = Vec::new();
        let Some(decoder) = &mut self.decoder else { return Ok(None) };
        if let Decoder::Zstd { decoder, is_complete } = decoder {
            return step_zstd((decoder, is_complete), &self.bytes, &mut self.used);
        }
        while self.used < self.bytes.len() && text.len() < PIECE_BYTES {
            let rest = &self.bytes[self.used..];
            if let Decoder::Gzip(decoder) = decoder {
                let taken = decoder.write(&rest[..rest.len().min(STEP_BYTES)]);
                text.append(decoder.get_mut());
                match taken {
                    Ok(taken) => self.used += taken,
                    Err(error) if text.is_empty() => return Err(damaged(&error)),
                    Err(error) => {
                        self.damage = Some(damaged(&error));
                        return Ok(Some(text));
                    }
                }
            } else {
                let step = &rest[..rest.len().min(PIECE_BYTES)];
                text.extend_from_slice(step);
                self.used += step.len();
            }
        }
        let is_over = text.is_empty() && self.used == self.bytes.len();
        Ok((!is_over).then_some(text))
    }

    fn leave_out(&mut self, text: &mut Vec<u8>) {
        let left_out = usize::try_from(self.skip).map_or(text.len(), |skip| skip.min(text.len()));
        text.drain(..left_out);
        self.skip -= left_out as u64;
    }
}

/// Decompresses one piece of Zstandard. A decompressor may have text left after it has taken all bytes.
fn step_zstd(
    (decoder, is_complete): (&mut ZstdDecoder<'static>, &mut bool),
    bytes: &[u8],
    used: &mut usize,
) -> Result<Option<Vec<u8>>, ContentError> {
    let mut text = vec![0; PIECE_BYTES];
    let mut input = InBuffer::around(&bytes[*used..]);
    if input.src.is_empty() && *is_complete {
        return Ok(None);
    }
    let mut output = OutBuffer::around(text.as_mut_slice());
    let hint = decoder.run(&mut input, &mut output).map_err(|error| damaged(&error))?;
    let (taken, given) = (input.pos(), output.pos());
    *used += taken;
    *is_complete = hint == 0;
    text.truncate(given);
    Ok((taken > 0 || given > 0).then_some(text))
}

fn damaged(error: &std::io::Error) -> ContentError {
    ContentError::Damaged(error.to_string())
}

impl Decoder {
    fn of(head: &[u8]) -> Result<Decoder, ContentError> {
        Ok(match Form::of(head)? {
            Form::Plain => Decoder::Plain,
            Form::Gzip => Decoder::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
            Form::Zstd => {
                let mut decoder = ZstdDecoder::new().map_err(|error| damaged(&error))?;
                let window = DParameter::WindowLogMax(WINDOW_LOG_MAX);
                decoder.set_parameter(window).map_err(|error| damaged(&error))?;
                Decoder::Zstd { decoder, is_complete: true }
            }
        })
    }
}

#[cfg(test)]
#[path = "tests/content.rs"]
mod tests;
