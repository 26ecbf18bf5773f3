//! The interface of a protocol.
//!
//! In: what a broker says. Out: what is said to it, messages. Holds: nothing. Limits: each protocol says its own.

use super::Deliveries;
use intake::BatchReader;
use message::Origin;
use std::{
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};
use transport::endpoint::{Breach, OpenError, Wire};

/// The receiver of messages: the reader of a source, and the origin of its messages.
pub(crate) struct Forwarder {
    pub(crate) reader: BatchReader,
    pub(crate) origin: Arc<Origin>,
    /// Name of the transport of its messages.
    pub(super) transport: &'static str,
}

/// The reason why a connection is of no use any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Broken {
    /// It broke, or the broker is away.
    Lost(String),
    /// The broker refuses something: someone has to do something.
    Refused(String),
    /// A destination gave messages up: they have to come again.
    GaveUp,
}

impl Broken {
    /// The broker was silent for so long.
    pub(crate) fn silent(wait: Duration) -> Broken {
        Broken::Lost(format!("the broker did not answer within {} seconds", wait.as_secs_f32()))
    }
}

impl From<Breach> for Broken {
    fn from(Breach(what): Breach) -> Broken {
        Broken::Lost(format!("the broker breaks its protocol: {what}"))
    }
}

impl From<OpenError> for Broken {
    fn from(error: OpenError) -> Broken {
        match error.is_refusal() {
            true => Broken::Refused(error.to_string()),
            false => Broken::Lost(error.to_string()),
        }
    }
}

/// A client of a broker, over one connection after the other.
pub(crate) trait Protocol: Send + 'static {
    /// Connects.
    fn open(&mut self, feed: &Forwarder) -> impl Future<Output = Result<Box<dyn Wire>, Broken>> + Send;

    /// A connection is open: appends what is said first.
    fn begin(&mut self, out: &mut Vec<u8>);

    /// Takes what is whole from the beginning of the bytes received, and forwards the messages in it.
    fn take(&mut self, received: &mut Vec<u8>, feed: &mut Forwarder, out: &mut Vec<u8>)
    -> Result<(), Broken>;

    /// Appends what is due: acknowledgements, signs of life, requests for more when there is `WindowState`. Returns when it wants to
    /// be called again at the latest.
    fn turn(&mut self, room: WindowState, out: &mut Vec<u8>) -> Result<Option<Instant>, Broken>;

    /// Returns whether the login is over and messages may come.
    fn is_ready(&self) -> bool;

    /// Returns up to how many bytes in flight it is read on while the window is full: a protocol that asks for messages asks
    /// for none then, and one whose broker ends connections that do not read has to.
    fn read_ahead_bytes(&self) -> usize;

    /// Appends what is said last.
    fn end(&mut self, out: &mut Vec<u8>);

    /// Returns what is not acknowledged yet.
    fn deliveries(&self) -> &Deliveries;
}

/// The room of the window: more may be read, or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WindowState {
    Free,
    Full,
}
