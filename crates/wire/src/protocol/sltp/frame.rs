//! Frames: `LENGTH KIND 0 0 0 CRC PAYLOAD`.
//!
//! In: bytes. Out: the kinds and ranges of whole frames. Holds: the limit. Limits: see [`FrameReader::next`].

use std::{fmt, ops::Range};

/// Bytes before the payload of a frame.
pub const FRAME_HEAD_BYTES: usize = 12;
/// Offset of the checksum, which covers everything before it and the payload.
const CRC_AT: usize = 8;
/// Kinds from here on may be skipped by a reader that does not know them.
const FIRST_OPTIONAL_KIND: u8 = 128;

/// The kind of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameKind {
    /// The sender begins.
    Hello,
    /// The receiver accepts.
    Welcome,
    /// The receiver does not accept.
    Refuse,
    /// Messages.
    Data,
    /// Messages that the receiver is responsible for from now on.
    Ack,
    /// Messages that will never come.
    Gap,
    /// A sign of life that is answered.
    Ping,
    /// The answer.
    Pong,
    /// The end of the connection.
    Bye,
    /// A dictionary, for the compression of the sender's messages.
    Dictionary,
    /// A kind of a later version that may be skipped.
    Unknown,
}

const KINDS: [FrameKind; 10] = [
    FrameKind::Hello,
    FrameKind::Welcome,
    FrameKind::Refuse,
    FrameKind::Data,
    FrameKind::Ack,
    FrameKind::Gap,
    FrameKind::Ping,
    FrameKind::Pong,
    FrameKind::Bye,
    FrameKind::Dictionary,
];

impl FrameKind {
    fn of(byte: u8) -> Option<FrameKind> {
        match byte {
            FIRST_OPTIONAL_KIND.. => Some(FrameKind::Unknown),
            _ => KINDS.get(usize::from(byte).checked_sub(1)?).copied(),
        }
    }

    fn byte(self) -> u8 {
        let place = KINDS.iter().position(|kind| *kind == self);
        place.map_or(FIRST_OPTIONAL_KIND, |place| place as u8 + 1)
    }
}

/// One frame; its payload is a range of the caller's buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawFrame {
    /// Its kind.
    pub kind: FrameKind,
    /// Range of its payload in the buffer.
    pub payload: Range<usize>,
}

/// Error in the bytes of a connection, which must be closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameError {
    /// The connection does not begin as SLTP does.
    Magic,
    /// A frame is longer than allowed.
    TooLong(u32),
    /// A kind that this version does not have and that may not be skipped.
    Kind(u8),
    /// The checksum is wrong.
    Checksum,
    /// A payload that its kind does not have.
    Malformed(FrameKind),
    /// A field that this version does not have and that may not be skipped.
    UnknownField(u16),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::Magic => f.write_str("the peer does not speak SLTP"),
            FrameError::TooLong(size) => write!(f, "a frame of {size} bytes, more than agreed"),
            FrameError::Kind(kind) => write!(f, "a frame of unknown kind {kind}"),
            FrameError::Checksum => f.write_str("a frame has a wrong checksum"),
            FrameError::Malformed(kind) => write!(f, "a malformed frame of kind {kind:?}"),
            FrameError::UnknownField(field) => write!(f, "the peer insists on the unknown field {field}"),
        }
    }
}

impl std::error::Error for FrameError {}

/// Finds the frames of one connection.
#[derive(Clone, Debug)]
pub struct FrameReader {
    payload_bytes_max: usize,
}

impl FrameReader {
    /// Makes a reader of frames with at most `payload_bytes_max` bytes of payload.
    pub fn new(payload_bytes_max: usize) -> FrameReader {
        FrameReader { payload_bytes_max }
    }

    /// Changes the limit.
    pub fn set_limit(&mut self, payload_bytes_max: usize) {
        self.payload_bytes_max = payload_bytes_max;
    }

    /// Returns the frame at `at` and the offset after it; `None` while it is incomplete. A frame above the limit is
    /// an error as soon as its head is there.
    pub fn next(&self, bytes: &[u8], at: usize) -> Result<Option<(RawFrame, usize)>, FrameError> {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(head) = rest.first_chunk::<FRAME_HEAD_BYTES>() else { return Ok(None) };
        let size = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let kind = FrameKind::of(head[4]).ok_or(FrameError::Kind(head[4]))?;
        if size as usize > self.payload_bytes_max {
            return Err(FrameError::TooLong(size));
        }
        let Some(payload) = rest.get(FRAME_HEAD_BYTES..FRAME_HEAD_BYTES + size as usize) else {
            return Ok(None);
        };
        if head[CRC_AT..] != checksum(&head[..CRC_AT], payload).to_le_bytes() {
            return Err(FrameError::Checksum);
        }
        let start = at + FRAME_HEAD_BYTES;
        let end = start + payload.len();
        Ok(Some((RawFrame { kind, payload: start..end }, end)))
    }

    /// Returns how many bytes the frame at `at` needs in all, when its head is there.
    pub fn wanted(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let head = bytes.get(at..)?.first_chunk::<4>()?;
        Some(FRAME_HEAD_BYTES + u32::from_le_bytes(*head) as usize)
    }
}

fn checksum(head: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(payload);
    hasher.finalize()
}

/// Appends a frame whose payload `write` appends.
pub fn append_frame(kind: FrameKind, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.resize(start + FRAME_HEAD_BYTES, 0);
    write(out);
    seal(kind, &mut out[start..]);
}

/// Completes the head of a frame whose payload is there.
pub(super) fn seal(kind: FrameKind, frame: &mut [u8]) {
    let (head, payload) = frame.split_at_mut(FRAME_HEAD_BYTES);
    let size = u32::try_from(payload.len()).expect("a frame is far below 4 GiB");
    head[..4].copy_from_slice(&size.to_le_bytes());
    head[4..CRC_AT].copy_from_slice(&[kind.byte(), 0, 0, 0]);
    let sum = checksum(&head[..CRC_AT], payload);
    head[CRC_AT..].copy_from_slice(&sum.to_le_bytes());
}
