//! The two ends of SLTP, without their sockets: what a sender and a receiver know, and what they answer.
//!
//! In: bytes of the peer, messages, acknowledgements, the time. Out: bytes for the peer; whole batches of messages. Holds: for a
//! sender, every message that is not acknowledged; for a receiver, how far each stream has come.
//! Limits: windows, sizes of frames and messages, numbers of streams: see [`SenderOptions`] and [`ReceiverOptions`].
//!
//! The modules, in reading order; each imports only modules below it:
//!
//! | module | what it does |
//! |---|---|
//! | `sender` | the sending end: numbers messages, keeps frames until they are acknowledged, resumes |
//! | `receiver` | the receiving end: one connection, and the streams that outlive it |
//! | `packing` | compression of a frame's messages |
//!
//! The bytes of frames are in `wire::sltp`, the protocol is described in `docs/protocol/sltp.md`.

mod packing;
mod receiver;
mod sender;

pub use receiver::{
    Arrival, Connection, InputError, NoPositions, PositionStore, ReceiverOptions, Step, Streams, Ticket,
    Violation,
};
pub use sender::{Sender, SenderError, SenderOptions, Settled};
