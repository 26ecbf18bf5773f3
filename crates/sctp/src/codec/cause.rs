//! Causes of ABORT and ERROR (RFC 9260, 3.3.10).
//!
//! In: a list of items. Out: the causes that we act on or send by name, others by number. Limits: a list ends at the
//! first item whose length is impossible.

use super::bytes::{append_item, take_item, u16_at, u32_at};

/// One cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause<'a> {
    /// A stream that does not exist.
    InvalidStream(u16),
    /// The cookie is older than its life, by microseconds.
    StaleCookie(u32),
    /// There is no memory for it.
    OutOfResource,
    /// A chunk that is not known: the whole of it.
    UnrecognizedChunk(&'a [u8]),
    /// A field without which nothing works is 0 or out of range.
    InvalidMandatoryParameter,
    /// Parameters that are not known, one after the other.
    UnrecognizedParameters(&'a [u8]),
    /// A chunk with payload has none: its TSN.
    NoUserData(u32),
    /// A cookie has come while the association ends.
    CookieWhileShuttingDown,
    /// The user of the peer has ended the association, with a reason.
    UserInitiatedAbort(&'a [u8]),
    /// A message that the protocol does not allow.
    ProtocolViolation(&'a [u8]),
    /// Any other: its number and value.
    Other(u16, &'a [u8]),
}

impl<'a> Cause<'a> {
    /// Returns its number.
    pub fn code(&self) -> u16 {
        match self {
            Cause::InvalidStream(_) => 1,
            Cause::StaleCookie(_) => 3,
            Cause::OutOfResource => 4,
            Cause::UnrecognizedChunk(_) => 6,
            Cause::InvalidMandatoryParameter => 7,
            Cause::UnrecognizedParameters(_) => 8,
            Cause::NoUserData(_) => 9,
            Cause::CookieWhileShuttingDown => 10,
            Cause::UserInitiatedAbort(_) => 12,
            Cause::ProtocolViolation(_) => 13,
            Cause::Other(code, _) => *code,
        }
    }

    fn decode(code: u16, value: &'a [u8]) -> Cause<'a> {
        let known = match code {
            1 => u16_at(value, 0).map(Cause::InvalidStream),
            3 => u32_at(value, 0).map(Cause::StaleCookie),
            4 => Some(Cause::OutOfResource),
            6 => Some(Cause::UnrecognizedChunk(value)),
            7 => Some(Cause::InvalidMandatoryParameter),
            8 => Some(Cause::UnrecognizedParameters(value)),
            9 => u32_at(value, 0).map(Cause::NoUserData),
            10 => Some(Cause::CookieWhileShuttingDown),
            12 => Some(Cause::UserInitiatedAbort(value)),
            13 => Some(Cause::ProtocolViolation(value)),
            _ => None,
        };
        known.unwrap_or(Cause::Other(code, value))
    }

    /// Appends the cause.
    pub fn encode(&self, out: &mut Vec<u8>) {
        append_item(out, self.code().to_be_bytes(), |out| match self {
            Cause::InvalidStream(stream) => {
                out.extend_from_slice(&stream.to_be_bytes());
                out.extend_from_slice(&[0; 2]);
            }
            Cause::StaleCookie(number) | Cause::NoUserData(number) => {
                out.extend_from_slice(&number.to_be_bytes());
            }
            Cause::OutOfResource | Cause::InvalidMandatoryParameter | Cause::CookieWhileShuttingDown => {}
            Cause::UnrecognizedChunk(value)
            | Cause::UnrecognizedParameters(value)
            | Cause::UserInitiatedAbort(value)
            | Cause::ProtocolViolation(value)
            | Cause::Other(_, value) => out.extend_from_slice(value),
        });
    }
}

/// A list of causes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Causes<'a> {
    bytes: &'a [u8],
}

impl<'a> Causes<'a> {
    /// Reads the list in these bytes.
    pub fn new(bytes: &'a [u8]) -> Causes<'a> {
        Causes { bytes }
    }

    /// Returns the bytes of the list.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

impl<'a> Iterator for Causes<'a> {
    type Item = Cause<'a>;

    fn next(&mut self) -> Option<Cause<'a>> {
        let item = take_item(&mut self.bytes)?;
        Some(Cause::decode(u16::from_be_bytes(item.head), item.value))
    }
}
