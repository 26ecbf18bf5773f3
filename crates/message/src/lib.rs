//! The record that passes through Duramen: messages, their batch, and the acknowledgement that flows back.
//!
//! In: nothing. Out: the types that every other crate uses. A [`Batch`] is the bytes of one read plus small
//! fixed-size [`Message`] records of offsets into them, so that a message costs no allocation.
//! Holds: no socket, no clock, no file.
//! Limits: a batch holds at most [`BATCH_BYTES_MAX`] bytes; see each type for its own.

mod ack;
mod batch;
pub mod codec;
mod field;
mod flow;
mod numbering;
mod origin;
mod record;
mod record_id;
mod sdata;
mod selection;

pub use ack::{Ack, AckSink, Outcome};
pub use batch::{BATCH_BYTES_MAX, Batch, ORIGINS_MAX, OWN_RECEIVED};
pub use field::{FIELD_NAME_BYTES_MAX, Field, FieldName};
pub use flow::{
    AddTyped, CastError, Delivery, Intake, Outlet, Render, RenderPairs, RenderTyped, TypedValue, WriteBudget,
};
pub use numbering::{KnownNumbers, NumberedStream, Numbering, Repeats, STREAMS_MAX, StreamKey};
pub use origin::{Origin, Transport, masked_address, peer_network, source_name};
pub use record::{
    Facility, Format, Mark, Marks, Message, Priority, Severity, Span, Stamp, Value, ValueKind, ZoneQuality,
    list_append, list_elements,
};
pub use record_id::RecordId;
pub use sdata::{SdParam, sd_params};
pub use selection::Selection;

#[cfg(test)]
mod tests;
