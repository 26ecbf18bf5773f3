//! A message to be sent, and how much it matters.
//!
//! In: a user's message. Out: the same. Limits: there are [`LANES`] lanes; numbers above count as the last one.

use std::fmt;
use std::time::Duration;

/// Number of lanes: one for each severity of syslog.
pub const LANES: usize = 8;

/// How much a message matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Policy {
    /// Lower lanes go first; 0 is the first of all.
    pub lane: u8,
    /// The message is abandoned when it is older than this and not on its way.
    pub life: Option<Duration>,
    /// The message is abandoned when it would have to be sent again more often than this.
    pub retransmissions_max: Option<u32>,
    /// Most copies that are sent before anybody knows of a loss. A message with copies is important: its loss is assumed at
    /// the first sign, and its repeats do not wait for their turn.
    pub copies: u8,
    /// The message may be dropped from the queue for one of a lower lane.
    pub sheddable: bool,
}

/// A message to be sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// The stream.
    pub stream: u16,
    /// It does not wait for others of its stream.
    pub unordered: bool,
    /// The protocol of the payload, which SCTP only carries.
    pub protocol: u32,
    /// How much it matters.
    pub policy: Policy,
    /// The bytes; at least one.
    pub payload: Vec<u8>,
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { stream, unordered, policy, payload, .. } = self;
        write!(f, "Message {{ stream: {stream}, unordered: {unordered}, policy: {policy:?}, ")?;
        write!(f, "{} bytes }}", payload.len())
    }
}

/// Why a message is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendError {
    /// There is no such association, or it takes no more messages.
    Closed,
    /// The stream does not exist.
    Stream,
    /// The message is empty or longer than the limit.
    Size,
    /// There is no room, and nothing that may be shed for it.
    Full,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendError::Closed => "the association takes no messages",
            SendError::Stream => "the stream does not exist",
            SendError::Size => "the message is empty or too long",
            SendError::Full => "too many messages wait to be sent",
        })
    }
}

impl std::error::Error for SendError {}
