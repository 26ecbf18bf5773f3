//! The encodings of bodies, token by token.
//!
//! In: bytes. Out: tokens with their offsets. Holds: a position.

pub(super) mod json;
