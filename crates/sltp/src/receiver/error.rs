//! Why a connection of a sender ends.
//!
//! In: its frames. Out: a text for our log. Holds: nothing. Limits: none.

use std::fmt;
use wire::sltp::{FrameError, Refusal};

/// Something that a sender may not do, or that ends its connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    /// A frame that does not belong there.
    Order,
    /// A stream that the handshake did not name.
    Stream,
    /// Numbers that do not follow those before them.
    Hole,
    /// Another connection of the same sender has the streams.
    Replaced,
    /// A destination gave messages up.
    Failed,
}

/// Why a connection of a sender ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputError {
    /// A frame cannot be read.
    Frame(FrameError),
    /// The sender may not send: the answer is on its way.
    Refused(Refusal),
    /// The sender does what it may not do, or the connection cannot go on.
    Violation(Violation),
}

impl From<FrameError> for InputError {
    fn from(error: FrameError) -> InputError {
        InputError::Frame(error)
    }
}

impl Violation {
    /// Returns a sentence for people.
    pub fn text(self) -> &'static str {
        match self {
            Violation::Order => "a frame that does not belong here",
            Violation::Stream => "a stream that the handshake did not name",
            Violation::Hole => "messages are missing before those that came",
            Violation::Replaced => "another connection of the same sender continues",
            Violation::Failed => "a destination gave up messages, the sender is to send them again",
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::Frame(error) => error.fmt(f),
            InputError::Refused(refusal) => write!(f, "sender refused: {}", refusal.text),
            InputError::Violation(violation) => f.write_str(violation.text()),
        }
    }
}

impl std::error::Error for InputError {}
