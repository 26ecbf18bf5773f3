//! What a notifier is made of.
//!
//! In: the parts of the server that it uses. Out: the same. Holds them.

use alerts::Store;
use std::{path::PathBuf, sync::Arc};

/// Returns the time of this machine, in microseconds since 1970.
pub type WallClock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The parts of a notifier.
pub struct NotifierOptions {
    /// The database of alerts.
    pub store: Arc<Store>,
    /// The name of this server, for receivers.
    pub server: String,
    /// A file with the certificates of authorities that this machine trusts.
    pub authorities: Option<PathBuf>,
    /// The time.
    pub clock: WallClock,
}
