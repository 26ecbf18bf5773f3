//! Frames about messages: acknowledgements, gaps, the end.
//!
//! In: payloads. Out: their values, and back. Holds: nothing. Limits: those of the handshake.

use super::{
    fields::{Taker, text},
    frame::{FrameError, FrameKind},
    handshake::{put_numbers, take_numbers},
};

/// Number of severities of syslog.
pub const SEVERITIES: usize = 8;

/// Numbers that the receiver has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ack {
    /// From now on this many bytes of frames may be on their way.
    pub window_bytes: u64,
    /// For some streams, the number below which everything is acknowledged.
    pub streams: Vec<(u8, u64)>,
}

impl Ack {
    /// Appends its payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.window_bytes.to_le_bytes());
        put_numbers(&self.streams, out);
    }

    /// Reads a payload.
    pub fn decode(payload: &[u8]) -> Result<Ack, FrameError> {
        let mut from = Taker(payload);
        let read =
            |from: &mut Taker<'_>| Some(Ack { window_bytes: from.eight()?, streams: take_numbers(from)? });
        read(&mut from).ok_or(FrameError::Malformed(FrameKind::Ack))
    }
}

/// Why messages never come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GapReason {
    /// The sender's queue was full.
    Shed,
    /// The sender's disk lost them.
    Damaged,
    /// The sender's configuration or an operator removed them from its queue.
    Removed,
    /// A reason of a later version.
    Other(u8),
}

impl GapReason {
    fn of(byte: u8) -> GapReason {
        match byte {
            1 => GapReason::Shed,
            2 => GapReason::Damaged,
            3 => GapReason::Removed,
            byte => GapReason::Other(byte),
        }
    }

    fn byte(self) -> u8 {
        match self {
            GapReason::Shed => 1,
            GapReason::Damaged => 2,
            GapReason::Removed => 3,
            GapReason::Other(byte) => byte,
        }
    }

    /// Returns its name for people.
    pub fn name(self) -> &'static str {
        match self {
            GapReason::Shed => "queue-full",
            GapReason::Damaged => "damaged",
            GapReason::Removed => "removed",
            GapReason::Other(_) => "other",
        }
    }
}

/// Messages that never come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    /// Their stream.
    pub stream: u8,
    /// Why.
    pub reason: GapReason,
    /// The first of their numbers.
    pub from: u64,
    /// The number after the last one; `from` when they had no numbers yet.
    pub until: u64,
    /// How many messages.
    pub count: u64,
    /// How many of each severity, from emergency to debug; all zero when that is unknown.
    pub severities: [u64; SEVERITIES],
}

impl Gap {
    /// Appends its payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.stream, self.reason.byte(), 0, 0]);
        let numbers = [self.from, self.until, self.count];
        numbers
            .iter()
            .chain(&self.severities)
            .for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
    }

    /// Reads a payload.
    pub fn decode(payload: &[u8]) -> Result<Gap, FrameError> {
        let read = |from: &mut Taker<'_>| {
            let [stream, reason, _, _] = from.array()?;
            let mut gap = Gap {
                stream,
                reason: GapReason::of(reason),
                from: from.eight()?,
                until: from.eight()?,
                count: from.eight()?,
                severities: [0; SEVERITIES],
            };
            for severity in &mut gap.severities {
                *severity = from.eight()?;
            }
            (gap.from <= gap.until).then_some(gap)
        };
        Taker::whole(payload, read).ok_or(FrameError::Malformed(FrameKind::Gap))
    }
}

/// Why a connection ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByeReason {
    /// The side stops, or has nothing more to say.
    Done,
    /// Another connection of the same sender took the streams over.
    Replaced,
    /// A destination of the receiver gave messages up: whatever is not acknowledged must be sent again.
    Failed,
    /// The other side violated the protocol.
    Violation,
    /// A reason of a later version.
    Other(u8),
}

impl ByeReason {
    fn of(byte: u8) -> ByeReason {
        match byte {
            1 => ByeReason::Done,
            2 => ByeReason::Replaced,
            3 => ByeReason::Failed,
            4 => ByeReason::Violation,
            byte => ByeReason::Other(byte),
        }
    }

    fn byte(self) -> u8 {
        match self {
            ByeReason::Done => 1,
            ByeReason::Replaced => 2,
            ByeReason::Failed => 3,
            ByeReason::Violation => 4,
            ByeReason::Other(byte) => byte,
        }
    }
}

/// The end of a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bye {
    /// Why.
    pub reason: ByeReason,
    /// The same for people.
    pub text: String,
}

impl Bye {
    /// Appends its payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.reason.byte());
        out.extend_from_slice(self.text.as_bytes());
    }

    /// Reads a payload.
    pub fn decode(payload: &[u8]) -> Result<Bye, FrameError> {
        let mut from = Taker(payload);
        let reason = from.one().ok_or(FrameError::Malformed(FrameKind::Bye))?;
        Ok(Bye { reason: ByeReason::of(reason), text: text(from.0) })
    }
}
