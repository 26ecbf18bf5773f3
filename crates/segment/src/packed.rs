//! Messages and terms in the form of recoded segments.
//!
//! In: a sealed segment's messages and terms. Out: templates and, for the varying parts, columns; terms in
//! compressed chunks;
//! both again, for one message or one chunk at a time. Described in `docs/format/segment.md`.
//! Holds: see each. Limits: sizes that a file claims are checked before memory is allocated.

mod column;
pub(crate) mod dictionary;
mod group;
mod reader;
mod shape;
mod skeleton;
mod skeletons;
mod time;
mod values;

pub(crate) use group::{Group, Packer, Skeletons};
pub(crate) use reader::{ENTRY_BYTES, PackedReader, Source, entry};
pub(crate) use skeleton::Splitter;
pub(crate) use skeletons::encode as encode_skeletons;

#[cfg(test)]
mod tests;
