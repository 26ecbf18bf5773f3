//! The bytes of a message with the server's own data about them.
//!
//! In: a message. Out: the bytes that a leaf of the hash tree covers, except for the number.

/// A message's bytes as received, and the server's own data about them.
#[derive(Clone, Copy)]
pub struct ReceivedBytes<'a> {
    /// The frame as received.
    pub raw: &'a [u8],
    /// When it was received, microseconds since 1970.
    pub received_us: i64,
    /// Address of the last hop, empty for local sources.
    pub peer: &'a str,
}
