//! The interface of a destination's thread to each kind of target.
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

/// The outcome of messages, for drivers that settle each message separately.
#[derive(Debug, Default)]
pub(crate) struct SettledRows {
    /// Number delivered.
    pub(crate) delivered: usize,
    /// Bytes of the values of those.
    pub(crate) bytes: usize,
    /// Number dropped according to the configuration.
    pub(crate) dropped: usize,
    /// The reasons of dead ones; their letters are stored.
    pub(crate) dead: Vec<DeadReason>,
}

/// One kind of target.
pub(crate) trait Driver: Send {
    /// Called once before the messages of some deliveries are added.
    fn begin(&mut self, now: Stamp);

    /// Renders messages into the output. Drivers that settle rows keep the token.
    fn add(&mut self, delivery: &Delivery, sequence: &mut u64);

    /// Returns the bytes rendered and not yet written.
    fn size(&self) -> usize;

    /// Writes everything. After an error the next call retries the same bytes.
    fn flush(&mut self) -> io::Result<()>;

    /// Returns the messages dropped since the last call because they can never be written to their target.
    fn take_unwritable(&mut self) -> usize {
        0
    }

    /// Returns the messages dropped since the last call because the receiver refused them.
    fn take_refused(&mut self) -> usize {
        0
    }

    /// Returns the messages cut since the last call because they were too long for their target.
    fn take_cut(&mut self) -> usize {
        0
    }

    /// Discards rendered messages that are not completely written; returns their number.
    fn abandon(&mut self) -> usize;

    /// Takes new settings of the same kind of target.
    fn configure(&mut self, driver: DestinationDriver, rendering: Rendering);

    /// Returns true when each message is settled separately: the driver keeps its token and reports its outcome.
    /// For other drivers, everything added since the last flush is settled by the next one that succeeds.
    fn settles_rows(&self) -> bool {
        false
    }

    /// Returns what was settled since the last call.
    fn take_settled(&mut self) -> SettledRows {
        SettledRows::default()
    }

    /// Returns true when the driver has messages, and all of them wait for more only.
    fn only_gathers(&self) -> bool {
        false
    }

    /// Lets messages that wait for more go with the next flush.
    fn send_gathered(&mut self) {}

    /// Returns the number of unsettled messages that the driver has.
    fn unsettled(&self) -> usize {
        0
    }

    /// Returns, for users, why some messages wait although others are delivered.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// Takes a new `time-reopen()`, before a new configuration. Most drivers leave such pauses to the thread.
    fn set_reopen_after(&mut self, _pause: Duration) {}

    /// Closes the target; the next flush opens it again.
    fn reopen(&mut self);

    /// Returns until when the driver prefers to wait for more messages before a flush.
    fn holds_until(&self) -> Option<Instant> {
        None
    }

    /// Returns true when a flush only copies into the system's memory, so that a reader may do it.
    fn can_write_inline(&self) -> bool {
        false
    }

    /// Returns the pause after an error of a target on this machine, whose state is part of the server's health;
    /// `None` for others, which are retried after `time-reopen()`.
    fn local_pause(&self) -> Option<Duration> {
        None
    }

    /// Returns when `tick` must be called.
    fn next_tick(&self) -> Option<Instant> {
        None
    }

    /// Does periodic work: closes idle files.
    fn tick(&mut self, _now: Instant) {}
}
