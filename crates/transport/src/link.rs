//! The interface of connections for protocols with answers, and the clock for their time-outs.
//!
//! In: bytes to send. Out: bytes of the peer, the end of the connection as an error. Holds: nothing.
//! Limits: a read waits for a moment only, so that its thread can check whether it must stop. Sockets are one kind of
//! link; tests have another, whose time is their own.

use std::{io, time::Instant};

/// The behaviour of a read when nothing is available.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadMode {
    /// Waits for a moment.
    Blocking,
    /// Returns at once.
    NonBlocking,
}

/// A connection on which both sides speak.
pub trait Link: Send {
    /// Sends some of a text, and returns how much of it went. After an error the next call must have the same text.
    fn send(&mut self, text: &[u8]) -> io::Result<usize>;

    /// Appends available bytes, or waits for some. Returns true if any came; the end of the connection is an error.
    fn receive(&mut self, text: &mut Vec<u8>, mode: ReadMode) -> io::Result<bool>;
}

/// Makes connections to a peer.
pub trait Dial: Send {
    /// Connects.
    fn dial(&self) -> io::Result<Box<dyn Link>>;

    /// Returns the time.
    fn now(&self) -> Instant;
}
