//! The user and the time of an action, for entries of the ledger.
//!
//! In: the environment, the clock. Out: a name, a time. Holds nothing.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the name of the user who runs the command, as the system knows it.
pub(crate) fn user() -> String {
    let status = std::fs::read_to_string("/proc/self/loginuid").unwrap_or_default();
    let name = std::env::var("SUDO_USER").or_else(|_| std::env::var("USER")).unwrap_or_default();
    match status.trim() {
        "" | "4294967295" => name,
        id => format!("{name} (uid {id})"),
    }
}

/// Now, microseconds since 1970.
pub(crate) fn now_us() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as i64)
}
