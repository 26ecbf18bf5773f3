//! The error of a body that cannot be read.
//!
//! In: an offset and a reason. Out: a sentence.

use crate::protocol::protobuf::ProtobufError;

/// Error in a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BodyError {
    /// Offset of the byte that cannot be read.
    pub offset: usize,
    /// The fault at that byte.
    pub reason: &'static str,
}

impl std::fmt::Display for BodyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot read the body: {} at byte {}", self.reason, self.offset)
    }
}

impl std::error::Error for BodyError {}

impl From<ProtobufError> for BodyError {
    fn from(error: ProtobufError) -> BodyError {
        BodyError { offset: error.offset, reason: error.reason }
    }
}
