//! The formats of a segment's parts: the file around them, and the encodings inside.
//!
//! In: values. Out: bytes, and the values again. Every decoder checks every number against the bytes it has:
//! damaged bytes yield a [`Damage`], never a panic. The layout is described in `docs/format/segment.md`.

pub(crate) mod bits;
pub(crate) mod columns;
pub(crate) mod dictionary;
pub(crate) mod directory;
pub(crate) mod file;
pub(crate) mod frame;
pub(crate) mod list;
pub(crate) mod numbers;
pub(crate) mod ordinals;
pub(crate) mod postings;
pub(crate) mod reader;

pub(crate) use reader::{Damage, FileSlice, Reader, put_bytes, put_varint};

#[cfg(test)]
mod tests;
