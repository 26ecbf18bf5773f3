//! The events of the server's loop.
//!
//! In: signals and commands, from their threads. Out: one event after the other. Limits: [`EVENTS_MAX`] wait.

use super::running::ReloadError;
use std::sync::mpsc::SyncSender;

/// Events that may wait: signals and commands are rare.
pub(super) const EVENTS_MAX: usize = 64;

/// The events of the loop.
pub(crate) enum Event {
    /// Shut down.
    Stop,
    /// Change over to the configuration as it is now; the sender gets the result.
    Reload(Option<SyncSender<Result<(), ReloadError>>>),
    /// Reopen output files.
    Reopen,
}
