//! A trial: one query, a number of users, and the results for them and the sender.

use std::time::Duration;

/// Most time between sending a message and finding it, at the end of a trial and at each check.
pub(super) const BEHIND_MAX: Duration = Duration::from_secs(2);
/// Our site has twelve locations with about a hundred servers each.
const PLACES: &[&str] =
    &["fra1", "ams2", "lon1", "nyc3", "sjc1", "sin1", "bud1", "vie1", "par2", "tok1", "syd1", "gru1"];

/// The query of the users.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Case {
    /// `Xn OR Ym`.
    Tokens,
    /// The same with a leading `*Z`.
    Wildcard,
}

/// One trial.
pub(super) struct Trial {
    pub(super) case: Case,
    pub(super) users: usize,
    pub(super) searches: usize,
    pub(super) p50_ms: f64,
    pub(super) p95_ms: f64,
    pub(super) max_ms: f64,
    /// Messages per second that became searchable.
    pub(super) rate: f64,
    /// Longest time for which the sender was held back.
    pub(super) late_ms: u64,
    /// Largest number of messages that were sent but not found yet.
    pub(super) behind: u64,
    /// CPU seconds of the server per second.
    pub(super) cores: f64,
}

impl Case {
    /// Name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Case::Tokens => "Xn OR Ym",
            Case::Wildcard => "*Z OR Xn OR Ym",
        }
    }
}

impl Trial {
    /// Returns true if all messages were accepted in time.
    pub(super) fn keeps_up(&self, rate: f64) -> bool {
        let behind_max = rate * BEHIND_MAX.as_secs_f64();
        self.late_ms < BEHIND_MAX.as_millis() as u64 && (self.behind as f64) < behind_max
    }
}

/// `Xn OR Ym`: a server and a port, different ones each time, so that no answer can be cached.
pub(super) fn query(case: Case, user: u64, turn: u64) -> String {
    // Two odd numbers that are coprime to the ranges: every pair occurs before one repeats.
    let (n, m) = (user * 7_919 + turn * 31, user * 104_729 + turn * 6_007);
    let place = PLACES[(n % PLACES.len() as u64) as usize];
    let tokens = format!("{place}-srv-{:03} OR {}", n % 100, 1024 + m % 64_000);
    match case {
        Case::Tokens => tokens,
        Case::Wildcard => format!("*bound OR {tokens}"),
    }
}
