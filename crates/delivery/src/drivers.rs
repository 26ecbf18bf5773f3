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
    network::{Gelf, Relp, Smtp, Socket, Spoof},
    options::{DestinationDriver, Rendering},
    receivers::dead::DeadLetters,
};
use batching::Batching;
use std::{sync::Arc, time::Duration};
use transport::InternalLog;

/// Makes the driver of a destination. Its files are counted as `parts`; `id`, `letters` and `reopen_after` are for
/// receivers that answer for each message.
pub(crate) fn of(
    driver: DestinationDriver,
    rendering: Rendering,
    log: &InternalLog,
    parts: Parts,
    (id, letters, reopen_after): (&str, Option<Arc<DeadLetters>>, Duration),
) -> Box<dyn Driver> {
    match driver {
        DestinationDriver::File(target) => Box::new(Files::new(target, rendering, log.clone(), parts)),
        DestinationDriver::Socket(target) => Box::new(Line::new(Socket::new(target, log.clone()), rendering)),
        DestinationDriver::Spoof(target) => Box::new(Spoof::new(target, rendering, log.clone())),
        DestinationDriver::Relp(target) => Box::new(Line::new(Relp::new(target), rendering)),
        DestinationDriver::Gelf(target) => Box::new(Line::new(Gelf::new(target, log.clone()), rendering)),
        DestinationDriver::Mail(target) => Box::new(Line::new(Smtp::new(*target, log.clone()), rendering)),
        DestinationDriver::Pipe(target) => Box::new(Line::new(Pipe::new(target), rendering)),
        DestinationDriver::Pseudofile(target) => Box::new(Line::new(Pseudofile::new(target), rendering)),
        DestinationDriver::Program(target) => {
            Box::new(Line::new(Program::new(target, log.clone()), rendering))
        }
        DestinationDriver::Terminals(target) => Box::new(Line::new(Terminals::new(target), rendering)),
        DestinationDriver::Receiver(receiver) => {
            let letters = letters.expect("the set opens dead letters for every receiver");
            Box::new(Batching::new(id, receiver, letters, log.clone(), reopen_after))
        }
        DestinationDriver::Stdout => Box::new(Line::new(Stdout, rendering)),
    }
}
