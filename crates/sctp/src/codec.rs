//! Packets of SCTP: bytes <-> chunks, parameters and causes of errors (RFC 9260, 3758, 4820, 8260).
//!
//! In: a datagram. Out: borrowed chunks; or chunks in, a datagram out. Holds: nothing.
//! Limits: a length that leaves its container is an error of that chunk, and what follows it is not read; nothing here
//! panics, whatever the bytes.

mod bytes;
mod cause;
mod chunk;
mod data;
mod forward;
mod init;
pub mod kind;
mod packet;
mod parameter;
mod sack;
pub(crate) mod serial;
#[cfg(test)]
mod tests;

pub use cause::{Cause, Causes};
pub use chunk::{Chunk, ChunkError, Chunks};
pub use data::{Data, Fragment, Numbering};
pub use forward::{ForwardTsn, SkippedMessage};
pub use init::Init;
pub use kind::Unrecognized;
pub use packet::{COMMON_HEADER_BYTES, Packet, PacketBuilder, PacketError};
pub use parameter::{Parameter, Parameters};
pub use sack::{GapBlock, Sack};
