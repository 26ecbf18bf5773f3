//! Datagrams: one message each (RFC 5426, section 3.1).
//!
//! In: the bytes of one datagram. Out: one frame; none when it is empty. Holds nothing.
//! Limits: a datagram above the limit is cut and marked.

use super::{Frame, Framer};
use message::Marks;

impl Framer {
    pub(super) fn split_datagram(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) -> usize {
        self.push_block(bytes, 0, bytes.len(), Marks::NONE, frames);
        bytes.len()
    }
}
