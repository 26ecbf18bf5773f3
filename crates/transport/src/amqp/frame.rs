//! Frames of AMQP 0-9-1 and the values in them (specification, sections 2.3.5 and 4.2).
//!
//! In: values; bytes of frames. Out: bytes; frames and values. Holds: nothing.
//! Limits: a frame has at most as many bytes as the caller says; a short text at most 255.

use crate::endpoint::Breach;

/// Bytes of a frame beside its payload: type, channel, size, end.
pub const FRAME_EXTRA_BYTES: usize = 8;
/// The protocol demands that every peer takes frames of this size.
pub const FRAME_BYTES_MIN: usize = 4096;
/// A heartbeat, which is a sign of life.
pub const HEARTBEAT: &[u8] = &[8, 0, 0, 0, 0, 0, 0, FRAME_END];

const HEAD_BYTES: usize = 7;
const FRAME_END: u8 = 0xce;
const METHOD: u8 = 1;
const HEADER: u8 = 2;
const BODY: u8 = 3;

/// The kind of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameKind {
    /// A command, or the answer to one.
    Method,
    /// The size and the properties of a message.
    Header,
    /// A part of the text of a message.
    Body,
    /// A sign of life.
    Heartbeat,
}

/// A frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame<'a> {
    /// Its kind.
    pub kind: FrameKind,
    /// Its channel; 0 is that of the connection.
    pub channel: u16,
    /// The bytes between its head and its end.
    pub payload: &'a [u8],
}

/// Reads a frame of at most `limit` bytes from the beginning of some bytes, and returns its size; `None` when it is not whole.
pub fn decode(bytes: &[u8], limit: usize) -> Result<Option<(Frame<'_>, usize)>, Breach> {
    let kind = match bytes.first() {
        None => return Ok(None),
        Some(&METHOD) => FrameKind::Method,
        Some(&HEADER) => FrameKind::Header,
        Some(&BODY) => FrameKind::Body,
        Some(8) => FrameKind::Heartbeat,
        Some(b'A') => return Err(Breach("it speaks another version of AMQP than 0-9-1")),
        Some(_) => return Err(Breach("this is no broker of AMQP 0-9-1")),
    };
    let Some(&[_, c1, c0, s3, s2, s1, s0]) = bytes.first_chunk::<HEAD_BYTES>() else { return Ok(None) };
    let size = u32::from_be_bytes([s3, s2, s1, s0]) as usize;
    if size > limit.saturating_sub(FRAME_EXTRA_BYTES) {
        return Err(Breach("a frame is longer than was agreed"));
    }
    let Some((payload, after)) = bytes[HEAD_BYTES..].split_at_checked(size) else { return Ok(None) };
    match after.first() {
        None => Ok(None),
        Some(&FRAME_END) => {
            let frame = Frame { kind, channel: u16::from_be_bytes([c1, c0]), payload };
            Ok(Some((frame, size + FRAME_EXTRA_BYTES)))
        }
        Some(_) => Err(Breach("a frame does not end where it says")),
    }
}

fn frame(kind: u8, channel: u16, out: &mut Vec<u8>, payload: impl FnOnce(&mut Vec<u8>)) {
    out.push(kind);
    out.extend_from_slice(&channel.to_be_bytes());
    let size_at = out.len();
    out.extend_from_slice(&[0; 4]);
    payload(out);
    let size = (out.len() - size_at - 4) as u32;
    out[size_at..size_at + 4].copy_from_slice(&size.to_be_bytes());
    out.push(FRAME_END);
}

/// Appends a method with its arguments.
pub fn method(
    channel: u16,
    (class, number): (u16, u16),
    out: &mut Vec<u8>,
    arguments: impl FnOnce(&mut Vec<u8>),
) {
    frame(METHOD, channel, out, |out| {
        out.extend_from_slice(&class.to_be_bytes());
        out.extend_from_slice(&number.to_be_bytes());
        arguments(out);
    });
}

/// Appends the properties and the text of a message: `properties` begins with their flags. The text is split into frames of at
/// most `limit` bytes.
pub fn content(channel: u16, class: u16, properties: &[u8], body: &[u8], limit: usize, out: &mut Vec<u8>) {
    frame(HEADER, channel, out, |out| {
        out.extend_from_slice(&class.to_be_bytes());
        out.extend_from_slice(&[0, 0]);
        out.extend_from_slice(&(body.len() as u64).to_be_bytes());
        out.extend_from_slice(properties);
    });
    for part in body.chunks(limit - FRAME_EXTRA_BYTES) {
        frame(BODY, channel, out, |out| out.extend_from_slice(part));
    }
}

/// Appends a text of at most 255 bytes; a longer one would be cut, so callers check.
pub fn short_text(text: &[u8], out: &mut Vec<u8>) {
    debug_assert!(text.len() <= 255);
    let text = &text[..text.len().min(255)];
    out.push(text.len() as u8);
    out.extend_from_slice(text);
}

/// Appends a text.
pub fn long_text(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(text.len() as u32).to_be_bytes());
    out.extend_from_slice(text);
}

/// Appends a table: names, each with the byte of its type and its value.
pub fn table(entries: &[u8], out: &mut Vec<u8>) {
    long_text(entries, out);
}

/// Appends an entry of a table: a text.
pub fn text_entry(name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    short_text(name, out);
    out.push(b'S');
    long_text(value, out);
}

/// Appends an entry of a table: true.
pub fn true_entry(name: &[u8], out: &mut Vec<u8>) {
    short_text(name, out);
    out.extend_from_slice(b"t\x01");
}

/// Reads values from the beginning of some bytes.
pub struct Values<'a>(
    /// The bytes that are left.
    pub &'a [u8],
);

impl<'a> Values<'a> {
    /// Reads so many bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Breach> {
        let (bytes, after) = self.0.split_at_checked(count).ok_or(Breach("a frame is too short"))?;
        self.0 = after;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Breach> {
        let (bytes, after) = self.0.split_first_chunk::<N>().ok_or(Breach("a frame is too short"))?;
        self.0 = after;
        Ok(*bytes)
    }

    /// Reads one byte.
    pub fn octet(&mut self) -> Result<u8, Breach> {
        Ok(u8::from_be_bytes(self.array()?))
    }

    /// Reads a number of two bytes.
    pub fn short(&mut self) -> Result<u16, Breach> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    /// Reads a number of four bytes.
    pub fn long(&mut self) -> Result<u32, Breach> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    /// Reads a number of eight bytes.
    pub fn long_long(&mut self) -> Result<u64, Breach> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    /// Reads a text of at most 255 bytes.
    pub fn short_text(&mut self) -> Result<&'a [u8], Breach> {
        let size = self.octet()?;
        self.bytes(size.into())
    }

    /// Reads a text, or a table, of which only the size matters.
    pub fn long_text(&mut self) -> Result<&'a [u8], Breach> {
        let size = self.long()?;
        self.bytes(size as usize)
    }
}
