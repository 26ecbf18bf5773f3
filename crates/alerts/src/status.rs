//! The state of the threads, for metrics and for the health of the server.
//!
//! In: what a thread publishes after each step. Out: figures and troubles. Holds nothing.

use std::{fmt, sync::Arc};

/// Time behind the newest message from which a thread says so, in microseconds.
const BEHIND_US_MAX: i64 = 60_000_000;
/// Time that the clock of rules may be ahead of the machine's before it is reported, in microseconds.
const AHEAD_US_MAX: i64 = 60_000_000;

/// The figures of one logspace.
#[derive(Clone, Debug, Default)]
pub struct FollowerStatus {
    /// The logspace.
    pub logspace: Arc<str>,
    /// Rules that watch it.
    pub rules: u64,
    /// Sequence number of the next message: all before it are evaluated.
    pub cursor: u64,
    /// Messages that are stored and not evaluated yet.
    pub behind_messages: u64,
    /// Age of the oldest of them, in microseconds, about.
    pub behind_us: i64,
    /// Messages evaluated since the start.
    pub evaluated: u64,
    /// Transitions written since the start.
    pub transitions: u64,
    /// Messages that could not be read, since the start.
    pub missed: u64,
    /// Keys that the rules hold.
    pub keys: u64,
    /// Bytes of their state.
    pub bytes: u64,
    /// The time that the rules have reached, beyond the machine's, in microseconds; 0 when it is not ahead.
    pub ahead_us: i64,
    /// The reason why nothing moves, if nothing does.
    pub trouble: Option<StallReason>,
}

impl FollowerStatus {
    /// Returns what an operator must know, one sentence each.
    pub fn troubles(&self) -> Vec<String> {
        let name = &self.logspace;
        let stuck = self.trouble.as_ref().map(|trouble| format!("rules of logspace {name}: {trouble}"));
        let behind = (self.behind_us > BEHIND_US_MAX).then(|| {
            let seconds = self.behind_us / 1_000_000;
            format!("rules of logspace {name}: {} messages, {seconds} s, behind", self.behind_messages)
        });
        let ahead = (self.ahead_us > AHEAD_US_MAX).then(|| {
            let seconds = self.ahead_us / 1_000_000;
            format!(
                "rules of logspace {name}: the clock of this machine was set back; the time of rules stands still for {seconds} s"
            )
        });
        stuck.into_iter().chain(behind).chain(ahead).collect()
    }
}

/// The reasons why rules are not evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StallReason {
    /// The database or the state cannot be written; it is tried again.
    Write(String),
    /// A segment cannot be read at the moment; it is tried again.
    Read(String),
    /// The rules need too much memory; those before them are evaluated.
    TooLarge,
    /// The logspace is encrypted.
    Encrypted,
}

impl fmt::Display for StallReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StallReason::Write(what) => write!(f, "nothing is evaluated until it can be written: {what}"),
            StallReason::Read(what) => write!(f, "nothing is evaluated until it can be read: {what}"),
            StallReason::TooLarge => f.write_str("they need too much memory together: split them among logspaces"),
            StallReason::Encrypted => f.write_str(
                "they are not evaluated, because it is encrypted and their state would repeat parts of its messages: \
                 name other logspaces in them",
            ),
        }
    }
}
