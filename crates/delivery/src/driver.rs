//! What the thread of a destination needs from each kind of target.
//!
//! In: batches. Out: bytes in the target. Holds: rendered, unwritten messages.
//! Limits: the worker bounds what is added before it flushes.

use crate::options::{DestinationDriver, Rendering};
use message::{Delivery, Stamp};
use std::{
    io,
    time::{Duration, Instant},
};
use transport::DeadReason;

/// The end of messages, for drivers that settle each by itself.
#[derive(Debug, Default)]
pub(crate) struct SettledRows {
    /// How many were delivered.
    pub(crate) delivered: usize,
    /// How many the configuration gave up.
    pub(crate) dropped: usize,
    /// Why others are dead; their letters are stored.
    pub(crate) dead: Vec<DeadReason>,
}

/// One kind of target.
pub(crate) trait Driver: Send {
    /// Called once before the messages of some deliveries are added.
    fn begin(&mut self, now: Stamp);

    /// Renders messages into the output. Those that settle rows keep the token.
    fn add(&mut self, delivery: &Delivery, sequence: &mut u64);

    /// Bytes rendered and not written.
    fn size(&self) -> usize;

    /// Writes all. After an error the same bytes are tried again by the next call.
    fn flush(&mut self) -> io::Result<()>;

    /// Messages given up since the last call because they can never be written to their target.
    fn take_unwritable(&mut self) -> usize {
        0
    }

    /// Messages given up since the last call because the receiver does not want them.
    fn take_refused(&mut self) -> usize {
        0
    }

    /// Messages cut since the last call because their target takes no longer ones.
    fn take_cut(&mut self) -> usize {
        0
    }

    /// Forgets what is rendered and not wholly written, and says how many messages that was.
    fn abandon(&mut self) -> usize;

    /// Takes new settings of the same kind of target.
    fn configure(&mut self, driver: DestinationDriver, rendering: Rendering);

    /// Returns whether each message is settled by itself: the driver keeps its token, and says what became of it. For
    /// others everything that was added since the last flush is settled by the next one that succeeds.
    fn settles_rows(&self) -> bool {
        false
    }

    /// Returns what was settled since the last call.
    fn take_settled(&mut self) -> SettledRows {
        SettledRows::default()
    }

    /// Messages that the driver has and that are not settled.
    fn unsettled(&self) -> usize {
        0
    }

    /// Why some messages wait although others are delivered, for people.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// Takes a new `time-reopen()`, before a new configuration. Most leave such pauses to the thread.
    fn set_reopen_after(&mut self, _pause: Duration) {}

    /// Closes what is open; the next flush opens again.
    fn reopen(&mut self);

    /// Until when it rather waits for more messages than be flushed.
    fn holds_until(&self) -> Option<Instant> {
        None
    }

    /// Returns whether a flush is no more than a copy into the system's memory, so that a reader may do it.
    fn can_write_inline(&self) -> bool {
        false
    }

    /// Pause after an error of a target on this machine, whose state is part of the server's health; `None` for
    /// others, which are tried again after `time-reopen()`.
    fn local_pause(&self) -> Option<Duration> {
        None
    }

    /// When `tick` wants to be called.
    fn next_tick(&self) -> Option<Instant> {
        None
    }

    /// Does what is due: closes idle files.
    fn tick(&mut self, _now: Instant) {}
}
