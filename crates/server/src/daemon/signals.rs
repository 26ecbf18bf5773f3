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

#[cfg(test)]
mod tests {
    //! Signals to the process of the test, once it listens for them.

    use super::*;
    use rustix::process::{Signal, getpid, kill_process};
    use std::{sync::mpsc, time::Duration};

    #[test]
    fn signals_become_events() {
        let (events, inbox) = mpsc::sync_channel(4);
        listen(events).unwrap();
        for (signal, want) in
            [(Signal::HUP, "reload"), (Signal::USR1, "reopen"), (Signal::TERM, "stop"), (Signal::INT, "stop")]
        {
            kill_process(getpid(), signal).unwrap();
            let event = match inbox.recv_timeout(Duration::from_secs(10)).unwrap() {
                Event::Reload(None) => "reload",
                Event::Reopen => "reopen",
                Event::Stop => "stop",
                _ => "another",
            };
            assert_eq!(event, want, "{signal:?}");
        }
    }
}
