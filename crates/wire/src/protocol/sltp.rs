//! SLTP, an acknowledged transport of numbered log messages. Described in `docs/protocol/sltp.md`.
//!
//! In: the bytes of one connection, split anywhere. Out: its frames and what they say, and in the other direction.
//! Holds: nothing; compression and the state of a connection are elsewhere.
//! Limits: a frame has at most the reader's limit, which is checked with the first twelve bytes; every list is bounded.
//! Whatever a frame violates ends the connection: numbers make the next one resume where this one ended.

mod control;
mod data;
mod fields;
mod frame;
mod handshake;

pub use control::{Ack, Bye, ByeReason, Gap, GapReason, SEVERITIES};
pub use data::{
    DATA_HEAD_BYTES, Data, DataLayout, Item, append_item, begin_data, finish_data, items, rewrite_body,
};
pub use frame::{FRAME_HEAD_BYTES, FrameError, FrameKind, FrameReader, RawFrame, append_frame};
pub use handshake::{
    Codec, DICTIONARY_BYTES_MAX, Hello, Level, MAGIC, Refusal, RefusalCode, SENDER_BYTES_MAX, STREAMS_MAX,
    StreamOffer, TOKEN_BYTES_MAX, VERSION, Welcome,
};

#[cfg(test)]
mod tests;
