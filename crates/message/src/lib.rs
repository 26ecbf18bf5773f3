//! The record that walks through Duramen: messages, their batch, and the acknowledgement that flows back.
//!
//! In: nothing. Out: the types every other crate speaks. A [`Batch`] is the bytes of one read plus small
//! fixed-size [`Message`] records of offsets into them, so that a message costs no allocation.
//! Holds: no socket, no clock, no file.
//! Limits: a batch holds at most [`BATCH_BYTES_MAX`] bytes; see each type for its own.

mod ack;
mod batch;
pub mod codec;
mod field;
mod flow;
mod marks;
mod origin;
mod priority;
mod record;
mod sdata;
mod selection;
mod span;
mod stamp;
mod value;

pub use ack::{Ack, AckSink, Outcome};
pub use batch::{BATCH_BYTES_MAX, Batch, ORIGINS_MAX, OWN_RECEIVED};
pub use field::{FIELD_NAME_BYTES_MAX, Field, FieldName};
pub use flow::{Delivery, Intake, Outlet, Render, WriteBudget};
pub use marks::{Mark, Marks};
pub use origin::{Origin, Transport, masked_address, peer_network, source_name};
pub use priority::{Facility, Priority, Severity};
pub use record::{Format, Message};
pub use sdata::{SdParam, sd_params};
pub use selection::Selection;
pub use span::Span;
pub use stamp::{Stamp, ZoneQuality};
pub use value::{Value, ValueKind};

#[cfg(test)]
mod tests;
