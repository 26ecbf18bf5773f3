//! What talks to MongoDB needs: documents, and the messages that carry them.
//!
//! In: names and values; bytes of a server. Out: bytes; documents. Holds: nothing. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `writer` | documents as bytes |
//! | `document` | documents that a server sends |
//! | `frame` | messages: commands, and their answers |

mod document;
mod frame;
mod writer;

pub use document::{Document, Value};
pub use frame::{HEAD_BYTES, Reply, command, decode};
pub use writer::{Scalar, Writer};

#[cfg(test)]
mod tests;
