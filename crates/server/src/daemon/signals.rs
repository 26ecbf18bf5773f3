//! Turns signals into events.
//!
//! In: SIGTERM and SIGINT stop, SIGHUP reloads, SIGUSR1 reopens. Out: events. Holds one thread.

use super::event::Event;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1},
    iterator::Signals,
};
use std::{io, sync::mpsc::SyncSender, thread};

/// Listens until the receiver is dropped.
pub(crate) fn listen(events: SyncSender<Event>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGUSR1])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            let event = match signal {
                SIGHUP => Event::Reload(None),
                SIGUSR1 => Event::Reopen,
                _ => Event::Stop,
            };
            if events.send(event).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}
