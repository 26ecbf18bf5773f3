//! The bytes of a message with what the server itself knows of them.
//!
//! In: a message. Out: what a leaf of the tree of hashes covers, but for the number.

/// A message's bytes as received, and what the server itself knew of them.
#[derive(Clone, Copy)]
pub struct ReceivedBytes<'a> {
    /// The frame as received.
    pub raw: &'a [u8],
    /// When it was received, microseconds since 1970.
    pub received_us: i64,
    /// Address of the last hop, empty for local sources.
    pub peer: &'a str,
}
