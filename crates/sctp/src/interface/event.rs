//! What an endpoint tells its user.
//!
//! In: the state of associations. Out: events, in the order in which things happened. Limits: there is one event for each
//! message and each change of state; arrived messages count against `receive_bytes` until they are taken.

use std::fmt;

/// An association of an endpoint. Numbers are not used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AssociationId(pub(crate) u64);

/// A message that was handed over for sending, in its association.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MessageId(pub(crate) u64);

/// Something that happened to an association.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Both sides know of it.
    Up,
    /// The peer has lost its state and has begun again. Messages that were on their way are abandoned.
    Restarted,
    /// A message has arrived, whole.
    Received(ReceivedMessage),
    /// The peer has the message.
    Delivered(MessageId),
    /// The message is not sent any more.
    Abandoned(MessageId, AbandonReason),
    /// The association is gone. Every message without an event before this one has an unknown fate.
    Down(DownReason),
}

/// A message that has arrived.
#[derive(Clone, PartialEq, Eq)]
pub struct ReceivedMessage {
    /// The stream.
    pub stream: u16,
    /// The protocol of the payload.
    pub protocol: u32,
    /// It did not wait for others.
    pub unordered: bool,
    /// The bytes.
    pub payload: Vec<u8>,
}

impl fmt::Debug for ReceivedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReceivedMessage { stream, protocol, unordered, payload } = self;
        write!(f, "ReceivedMessage {{ stream: {stream}, protocol: {protocol}, unordered: {unordered}, ")?;
        write!(f, "{} bytes }}", payload.len())
    }
}

/// Why a message is not sent any more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AbandonReason {
    /// Its life is over.
    Expired,
    /// It was sent as often as it may be.
    Retransmissions,
    /// A message of a higher lane needed the memory.
    Shed,
    /// It was on its way when the peer began again: nobody knows whether it arrived.
    Restarted,
}

/// Why an association is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DownReason {
    /// Both sides had nothing more to send.
    Shutdown,
    /// We have ended it.
    Aborted,
    /// The peer has ended it: the number of the first cause, if it gave one.
    AbortedByPeer(Option<u16>),
    /// The peer did not answer.
    Silence,
    /// The peer broke the rules, or needed more memory than it may have.
    Violation,
}

impl fmt::Display for DownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DownReason::Shutdown => f.write_str("both sides have finished"),
            DownReason::Aborted => f.write_str("the association was aborted here"),
            DownReason::AbortedByPeer(None) => f.write_str("the peer aborted the association"),
            DownReason::AbortedByPeer(Some(cause)) => {
                write!(f, "the peer aborted the association, cause {cause}")
            }
            DownReason::Silence => f.write_str("the peer does not answer"),
            DownReason::Violation => f.write_str("the peer broke the rules of SCTP"),
        }
    }
}
