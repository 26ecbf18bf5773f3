//! Targets that take one stream of messages: sockets, pipes, programs, terminals.
//!
//! In: batches. Out: calls of the target's `write`. Holds: the output of the target.
//! Limits: those of the worker.

use crate::{
    driver::Driver,
    options::{DestinationDriver, Rendering, StreamFraming},
    output::Output,
};
use message::{Delivery, Stamp};
use std::io;

/// A target with one way in.
pub(super) trait Target: Send {
    /// Writes what it can and takes that off the output; opens or connects first if needed. An error leaves the
    /// rest. When the connection was lost, it has rewound the output to a message boundary.
    fn write(&mut self, output: &mut Output) -> io::Result<()>;

    /// Returns how messages are separated.
    fn framing(&self) -> StreamFraming {
        StreamFraming::Plain
    }

    /// Returns the messages taken off since the last call because the receiver refused them.
    fn take_refused(&mut self) -> usize {
        0
    }

    /// Takes new settings.
    fn configure(&mut self, driver: DestinationDriver);

    /// Returns true when a partly written message may be continued after new settings.
    fn is_open(&self) -> bool {
        false
    }

    /// Returns the messages cut since the last call because they were too long for the target.
    fn take_cut(&mut self) -> usize {
        0
    }

    /// Closes what is open.
    fn close(&mut self);
}

/// The driver of such a target.
pub(super) struct Line<T> {
    target: T,
    rendering: Rendering,
    output: Output,
}

impl<T: Target> Line<T> {
    pub(super) fn new(target: T, rendering: Rendering) -> Line<T> {
        Line { target, rendering, output: Output::default() }
    }
}

impl<T: Target> Driver for Line<T> {
    fn begin(&mut self, now: Stamp) {
        self.rendering.template.begin(now);
    }

    fn add(&mut self, delivery: &Delivery, sequence: &mut u64) {
        let (batch, selection) = (&*delivery.batch, &delivery.selection);
        let framing = self.target.framing();
        self.output.add((batch, selection), &mut *self.rendering.template, framing, sequence);
    }

    fn size(&self) -> usize {
        self.output.size()
    }

    fn flush(&mut self) -> io::Result<()> {
        while self.output.size() > 0 {
            self.target.write(&mut self.output)?;
        }
        Ok(())
    }

    fn take_refused(&mut self) -> usize {
        self.target.take_refused()
    }

    fn take_cut(&mut self) -> usize {
        self.target.take_cut()
    }

    fn abandon(&mut self) -> usize {
        let lost = self.output.messages();
        self.output.clear();
        lost
    }

    fn configure(&mut self, driver: DestinationDriver, rendering: Rendering) {
        self.rendering = rendering;
        self.target.configure(driver);
        if !self.target.is_open() {
            self.output.rewind();
        }
    }

    fn reopen(&mut self) {
        self.target.close();
        self.output.rewind();
    }
}

#[cfg(test)]
mod tests;
