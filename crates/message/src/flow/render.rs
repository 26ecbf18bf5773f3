//! Rendering of a message as the text for a target.
//!
//! In: messages of a batch. Out: bytes appended to a buffer. Holds: the state that an implementation keeps
//! between messages.
//! Limits: those of the implementer.

use crate::{Batch, Stamp};
use std::io;

/// A compiled template with the state that it keeps between messages: the format of messages for one target.
pub trait Render: Send {
    /// Called before the messages of a batch. `now` is the time for `${C_...}` macros.
    fn begin(&mut self, now: Stamp);

    /// Appends the text of one message. `sequence` is `${SEQNUM}` of the destination, counted from 1.
    fn render(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>);

    /// Like `render`, for a file name: a `/` inside a value becomes `_`, while those in the template's own text
    /// stay.
    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>);

    /// Called when all rendered text is in its file, before it is acknowledged. After an error it is called again.
    fn written(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Returns the text when it is the same for every message (`file("/var/log/all")`).
    fn constant(&self) -> Option<&str> {
        None
    }
}

/// A selection of names and values of messages, with the state that it keeps between them: headers for one target.
pub trait RenderPairs: Send {
    /// Called before the messages of a batch. `now` is the time for `${C_...}` macros.
    fn begin(&mut self, now: Stamp);

    /// Calls `add` with each name and its value, sorted by name.
    fn pairs(&mut self, batch: &Batch, index: usize, sequence: u64, add: &mut dyn FnMut(&str, &[u8]));
}
