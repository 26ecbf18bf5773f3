//! What an endpoint and its user exchange: time, options, messages, events.
//!
//! In: values of both. Out: the same. Holds: nothing.

mod event;
mod message;
mod options;
mod time;

pub use event::{AbandonReason, AssociationId, DownReason, Event, MessageId, ReceivedMessage};
pub use message::{LANES, Message, Policy, SendError};
pub use options::{Options, Peer};
pub use time::Time;
