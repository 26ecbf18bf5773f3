//! Frames of Lumberjack, found in bytes that are split anywhere.
//!
//! In: bytes. Out: events in a batch, and steps. Holds: the head of a frame that is not whole, the event that is being read.
//! Limits: of an event no more is kept than the limit, the rest is skipped.

use std::{fmt, ops::Range};

/// Version of the protocol.
pub(super) const VERSION: u8 = b'2';
/// Bytes of the longest head: version, kind, sequence, length.
const HEAD_BYTES_MAX: usize = 10;

/// An event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LumberjackEvent {
    /// Its place in [`LumberjackBatch::bytes`].
    pub range: Range<usize>,
    /// Bytes at its end were skipped.
    pub is_cut: bool,
}

/// Bytes that an event counts besides its own.
const EVENT_BYTES: usize = 32;

/// Events that were read together.
#[derive(Default, Debug)]
pub struct LumberjackBatch {
    /// The bytes of the events, and of one that is not whole.
    pub bytes: Vec<u8>,
    /// The whole events.
    pub events: Vec<LumberjackEvent>,
    /// Sequence of the last event of a window that is complete: it is to be acknowledged once the events are safe. Nothing
    /// behind it was read.
    pub ends: Option<u32>,
}

/// A violation of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LumberjackError(pub &'static str);

impl fmt::Display for LumberjackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this is not the protocol of Beats: {}", self.0)
    }
}

impl std::error::Error for LumberjackError {}

/// The level of a frame: some are only outside of compressed ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Outer,
    Inner,
}

/// Finds frames in bytes that are split anywhere.
#[derive(Default)]
pub(super) struct Scanner {
    head: [u8; HEAD_BYTES_MAX],
    filled: usize,
    pub(super) event: Option<OpenEvent>,
}

/// An event that has begun.
pub(super) struct OpenEvent {
    sequence: u32,
    missing: usize,
    /// Its first byte in the batch.
    pub(super) start: usize,
    is_cut: bool,
}

/// A step of a scanner.
pub(super) enum Step {
    Window(u32),
    Event(u32),
    Packed(usize),
}

impl LumberjackBatch {
    /// Returns whether it has events, and `room` bytes with them.
    pub fn is_full(&self, room: usize) -> bool {
        !self.events.is_empty() && self.bytes.len() + self.events.len() * EVENT_BYTES >= room
    }
}

impl Scanner {
    /// Returns whether no frame has begun.
    pub(super) fn is_between(&self) -> bool {
        self.filled == 0 && self.event.is_none()
    }

    /// Reads until something is found; the bytes of events go into the batch. Returns how many bytes were used.
    pub(super) fn next(
        &mut self,
        bytes: &[u8],
        level: Level,
        limit: usize,
        batch: &mut LumberjackBatch,
    ) -> Result<(usize, Option<Step>), LumberjackError> {
        let mut at = 0;
        loop {
            if let Some(event) = &mut self.event {
                let part = &bytes[at..][..event.missing.min(bytes.len() - at)];
                let kept = part.len().min(limit.saturating_sub(batch.bytes.len() - event.start));
                batch.bytes.extend_from_slice(&part[..kept]);
                event.is_cut |= kept < part.len();
                event.missing -= part.len();
                at += part.len();
                if event.missing > 0 {
                    return Ok((at, None));
                }
                let (range, is_cut) = (event.start..batch.bytes.len(), event.is_cut);
                batch.events.push(LumberjackEvent { range, is_cut });
                let sequence = event.sequence;
                self.event = None;
                return Ok((at, Some(Step::Event(sequence))));
            }
            let Some(byte) = bytes.get(at) else { return Ok((at, None)) };
            self.head[self.filled] = *byte;
            self.filled += 1;
            at += 1;
            if let Some(found) = self.head(level, batch.bytes.len())? {
                return Ok((at, Some(found)));
            }
        }
    }

    /// Looks at the bytes of a head. Returns what it stands for by itself; an event begins.
    fn head(&mut self, level: Level, start: usize) -> Result<Option<Step>, LumberjackError> {
        let number = |at: usize| {
            let [a, b, c, d] = [self.head[at], self.head[at + 1], self.head[at + 2], self.head[at + 3]];
            u32::from_be_bytes([a, b, c, d])
        };
        let found = match (self.filled, self.head[1]) {
            (1, _) if self.head[0] == VERSION => return Ok(None),
            (1, _) if self.head[0] == b'1' => return Err(LumberjackError("version 1 is not spoken")),
            (1, _) => return Err(LumberjackError("a frame begins with something else than its version")),
            (2, b'J') => return Ok(None),
            (2, b'W' | b'C') if level == Level::Outer => return Ok(None),
            (2, b'W' | b'C') => return Err(LumberjackError("a compressed frame has more than events")),
            (2, b'D') => return Err(LumberjackError("events that are no JSON are of version 1")),
            (2, _) => return Err(LumberjackError("the kind of a frame is unknown")),
            (6, b'W') => Some(Step::Window(number(2))),
            (6, b'C') => Some(Step::Packed(number(2) as usize)),
            (10, _) => {
                let (sequence, missing) = (number(2), number(6) as usize);
                self.event = Some(OpenEvent { sequence, missing, start, is_cut: false });
                None
            }
            _ => return Ok(None),
        };
        self.filled = 0;
        Ok(found)
    }
}
