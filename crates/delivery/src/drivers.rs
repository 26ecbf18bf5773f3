//! The driver of each kind of target.
//!
//! In: the options of a target. Out: its driver. Holds: nothing. Limits: none.

mod batching;
mod requests;

use crate::{
    driver::Driver,
    file::{Files, Parts},
    line::Line,
    local::{Pipe, Program, Pseudofile, Stdout, Terminals},
    network::{Gelf, Numbered, Relp, Smtp, Socket, Spoof},
    options::{DestinationDriver, Rendering},
};
use batching::Batching;
use letters::DeadLetters;
use receivers::staging::Staging;
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use transport::{InternalLog, stats::Counters};

/// Facts about a destination that some drivers need.
pub(crate) struct DriverContext<'a> {
    pub(crate) id: &'a str,
    /// For receivers that answer for each message.
    pub(crate) letters: Option<Arc<DeadLetters>>,
    /// Tells that messages or commands wait for the thread.
    pub(crate) arrivals: Arc<Notify>,
    pub(crate) reopen_after: Duration,
    pub(crate) counters: &'a Arc<Counters>,
    /// The number that a queue on disk was to give next when it was opened.
    pub(crate) fresh: u64,
    /// The messages that a receiver has staged.
    pub(crate) staging: Option<Arc<Staging>>,
}

/// Makes the driver of a destination. Its files are counted as `parts`.
pub(crate) fn of(
    driver: DestinationDriver,
    rendering: Rendering,
    log: &InternalLog,
    parts: Parts,
    context: DriverContext<'_>,
) -> Box<dyn Driver> {
    match driver {
        DestinationDriver::File(target) => Box::new(Files::new(target, rendering, log.clone(), parts)),
        DestinationDriver::Socket(target) => Box::new(Line::new(Socket::new(target, log.clone()), rendering)),
        DestinationDriver::Spoof(target) => Box::new(Spoof::new(target, rendering, log.clone())),
        DestinationDriver::Relp(target) => Box::new(Line::new(Relp::new(target), rendering)),
        DestinationDriver::Sltp(target) => {
            let reports = (context.id.to_owned(), log.clone(), context.counters.clone());
            Box::new(Numbered::new(*target, rendering, reports, context.fresh))
        }
        DestinationDriver::Gelf(target) => Box::new(Line::new(Gelf::new(target, log.clone()), rendering)),
        DestinationDriver::Mail(target) => Box::new(Line::new(Smtp::new(*target, log.clone()), rendering)),
        DestinationDriver::Pipe(target) => Box::new(Line::new(Pipe::new(target), rendering)),
        DestinationDriver::Pseudofile(target) => Box::new(Line::new(Pseudofile::new(target), rendering)),
        DestinationDriver::Program(target) => {
            Box::new(Line::new(Program::new(target, log.clone()), rendering))
        }
        DestinationDriver::Terminals(target) => Box::new(Line::new(Terminals::new(target), rendering)),
        DestinationDriver::Receiver(receiver) => {
            let letters = context.letters.expect("the set opens dead letters for every receiver");
            let ends = (letters, context.arrivals, context.staging);
            Box::new(Batching::new(context.id, receiver, ends, log.clone(), context.reopen_after))
        }
        DestinationDriver::Stdout => Box::new(Line::new(Stdout, rendering)),
    }
}
