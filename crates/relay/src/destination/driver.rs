//! What the thread of a destination needs from each kind of target.
//!
//! In: batches. Out: bytes in the target. Holds: rendered, unwritten messages.
//! Limits: the worker bounds what is added before it flushes.

use super::{
    file::{Files, Parts},
    http::Http,
    line::Line,
    options::{DestinationDriver, Rendering},
    target::{Gelf, Pipe, Program, Pseudofile, Relp, Smtp, Socket, Spoof, Stdout, Terminals},
};
use message::{Batch, Selection, Stamp};
use std::{
    io,
    time::{Duration, Instant},
};
use transport::InternalLog;

/// One kind of target.
pub(super) trait Driver: Send {
    /// Called once before the messages of some deliveries are added.
    fn begin(&mut self, now: Stamp);

    /// Renders messages into the output.
    fn add(&mut self, batch: &Batch, selection: &Selection, sequence: &mut u64);

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

    /// Closes what is open; the next flush opens again.
    fn reopen(&mut self);

    /// Until when it rather waits for more messages than be flushed.
    fn holds_until(&self) -> Option<Instant> {
        None
    }

    /// Whether a flush is no more than a copy into the system's memory.
    fn is_quick(&self) -> bool {
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

/// The driver of a destination. Its files are counted as `parts`.
pub(super) fn of(
    driver: DestinationDriver,
    rendering: Rendering,
    log: &InternalLog,
    parts: Parts,
) -> Box<dyn Driver> {
    match driver {
        DestinationDriver::File(target) => Box::new(Files::new(target, rendering, log.clone(), parts)),
        DestinationDriver::Socket(target) => Box::new(Line::new(Socket::new(target, log.clone()), rendering)),
        DestinationDriver::Spoof(target) => Box::new(Spoof::new(target, rendering, log.clone())),
        DestinationDriver::Http(target) => Box::new(Http::new(*target, rendering, log.clone())),
        DestinationDriver::Relp(target) => Box::new(Line::new(Relp::new(target), rendering)),
        DestinationDriver::Gelf(target) => Box::new(Line::new(Gelf::new(target, log.clone()), rendering)),
        DestinationDriver::Mail(target) => Box::new(Line::new(Smtp::new(*target, log.clone()), rendering)),
        DestinationDriver::Pipe(target) => Box::new(Line::new(Pipe::new(target), rendering)),
        DestinationDriver::Pseudofile(target) => Box::new(Line::new(Pseudofile::new(target), rendering)),
        DestinationDriver::Program(target) => {
            Box::new(Line::new(Program::new(target, log.clone()), rendering))
        }
        DestinationDriver::Terminals(target) => Box::new(Line::new(Terminals::new(target), rendering)),
        DestinationDriver::Stdout => Box::new(Line::new(Stdout, rendering)),
    }
}
