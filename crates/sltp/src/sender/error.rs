//! Why a connection cannot go on.
//!
//! In: frames of the receiver. Out: a text for our log. Holds: nothing. Limits: texts of a peer are short.

use std::fmt;
use wire::sltp::{Bye, ByeReason, FrameError, Level, Refusal, RefusalCode};

/// Why a connection cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SenderError {
    /// The peer does not answer as a receiver of SLTP.
    NotSltp,
    /// The receiver does not accept us.
    Refused(Refusal),
    /// The receiver does not grant the level.
    Level {
        /// The level of the configuration.
        wanted: Level,
        /// The level of the receiver.
        granted: Level,
    },
    /// A frame is gathered that the receiver does not take.
    FrameLimit {
        /// Its bytes.
        bytes: usize,
        /// Most bytes of a frame there.
        bytes_max: usize,
    },
    /// The receiver ends the connection.
    Bye(Bye),
    /// A frame cannot be read.
    Frame(FrameError),
    /// A frame says what cannot be.
    Violation(&'static str),
}

impl SenderError {
    /// Returns whether the receiver only ends this connection: the next one may be tried at once.
    pub fn is_goodbye(&self) -> bool {
        matches!(self, SenderError::Bye(Bye { reason: ByeReason::Done, .. }))
    }
}

impl From<FrameError> for SenderError {
    fn from(error: FrameError) -> SenderError {
        SenderError::Frame(error)
    }
}

impl fmt::Display for SenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SenderError::NotSltp => f.write_str("the peer does not speak SLTP"),
            SenderError::Refused(Refusal { code: RefusalCode::Epoch, text }) => write!(
                f,
                "the receiver has newer messages of this queue than the queue itself, which was restored from a backup: \
                 remove the queue's folder, or send its messages elsewhere; {text}"
            ),
            SenderError::Refused(refusal) => write!(f, "the receiver refused: {}", refusal.text),
            SenderError::Level { wanted, granted } => write!(
                f,
                "the receiver acknowledges only what is {}, not what is {}: set ack-level()",
                granted.name(),
                wanted.name()
            ),
            SenderError::FrameLimit { bytes, bytes_max } => {
                write!(
                    f,
                    "the receiver takes frames of at most {bytes_max} bytes, one has {bytes}: set batch-bytes()"
                )
            }
            SenderError::Bye(bye) => write!(f, "the receiver ends the connection: {}", bye.text),
            SenderError::Frame(error) => error.fmt(f),
            SenderError::Violation(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for SenderError {}
