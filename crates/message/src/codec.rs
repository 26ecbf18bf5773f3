//! The compact form of a batch's messages, for journals and disk buffers. Described in `docs/format/batch.md`.
//!
//! In: a batch and a selection. Out: bytes that hold only the selected messages, and from them an equal batch.
//! The received bytes are copied in as few pieces as possible. Limits: only those of the batch; decoding expects
//! bytes that this program wrote but is safe on any others.

mod decode;
mod encode;
mod numbers;
mod origin;
pub mod shared;
mod varint;

pub use decode::{CodecError, decode};
pub use encode::encode;
pub use numbers::numbers;

/// Version of the layout. Decoders read this one and all earlier ones.
const VERSION: u8 = 1;
/// The same with the numbers of the messages at the end.
const NUMBERED: u8 = 2;
/// Most bytes of those numbers: their length has three bytes. Beyond that a batch has none.
const NUMBERS_BYTES_MAX: usize = (1 << 24) - 1;

/// Length of the fixed header.
const START_BYTES: usize = 48;

/// Flags of a message's record; the low three bits are the format.
mod flag {
    pub(super) const FORMAT: u8 = 7;
    /// Zone and quality of the event time differ from those of the previous message.
    pub(super) const ZONE: u8 = 8;
    pub(super) const MARKS: u8 = 16;
    /// The origin, or whether the text is known to be UTF-8, differs from the previous message.
    pub(super) const ORIGIN: u8 = 32;
    pub(super) const VALUES: u8 = 64;
    /// The priority differs from the previous message.
    pub(super) const PRI: u8 = 128;
}

#[cfg(test)]
mod tests;
