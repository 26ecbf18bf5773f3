//! Repeated failures: some are listed, the rest is counted.
//!
//! In: kinds of failures with their origin, the time. Out: whether one is listed; counts when a window is over.
//! Holds: a window a kind; the callers seen lately.
//! Limits: [`ORIGINS_MAX`] origins are counted one by one, [`SEEN_MAX`] callers are known; then they are forgotten.

use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

/// Failures of a kind that are listed one by one.
pub(super) const LISTED_MAX: u32 = 5;
/// Length of the window in which they are listed.
pub(super) const WINDOW: Duration = Duration::from_secs(60);
/// Origins whose failures are counted one by one in a window.
const ORIGINS_MAX: usize = 16;
/// Most callers that are remembered as seen.
const SEEN_MAX: usize = 1024;
/// Time for which a caller does not count as new.
const SEEN_FOR: Duration = Duration::from_secs(3600);

/// A turn of the thread that writes the counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tick {
    /// Others follow.
    Regular,
    /// The thread ends: the counts of open windows are written too.
    Last,
}

#[derive(Default)]
pub(super) struct Repeated {
    windows: BTreeMap<&'static str, Counted>,
    seen: HashMap<String, Instant>,
}

struct Counted {
    start: Instant,
    listed: u32,
    more: u64,
    origins: BTreeMap<String, u64>,
    others: u64,
}

impl Repeated {
    /// Returns true if a failure must be listed; otherwise it is counted.
    pub(super) fn is_listed(&mut self, kind: &'static str, origin: &str, now: Instant) -> bool {
        let fresh = || Counted { start: now, listed: 0, more: 0, origins: BTreeMap::new(), others: 0 };
        let window = self.windows.entry(kind).or_insert_with(fresh);
        if window.more == 0 && now.duration_since(window.start) >= WINDOW {
            *window = fresh();
        }
        if window.listed < LISTED_MAX {
            window.listed += 1;
            return true;
        }
        window.more += 1;
        let is_counted = window.origins.contains_key(origin) || window.origins.len() < ORIGINS_MAX;
        match is_counted {
            true => *window.origins.entry(origin.to_owned()).or_default() += 1,
            false => window.others += 1,
        }
        false
    }

    /// Returns true if a caller was not seen for an hour.
    pub(super) fn is_first(&mut self, caller: &str, now: Instant) -> bool {
        if self.seen.get(caller).is_some_and(|seen| now.duration_since(*seen) < SEEN_FOR) {
            return false;
        }
        if self.seen.len() >= SEEN_MAX {
            self.seen.clear();
        }
        self.seen.insert(caller.to_owned(), now);
        true
    }

    /// Returns and removes the counts of windows that have ended, at the last tick those of all windows.
    pub(super) fn ended(&mut self, now: Instant, tick: Tick) -> Vec<(&'static str, Value)> {
        let is_over = |window: &Counted| tick == Tick::Last || now.duration_since(window.start) >= WINDOW;
        let mut counts = Vec::new();
        self.windows.retain(|kind, window| {
            if !is_over(window) {
                return true;
            }
            if window.more > 0 {
                let seconds = now.duration_since(window.start).as_secs();
                let from = std::mem::take(&mut window.origins);
                let details =
                    json!({"count": window.more, "seconds": seconds, "from": from, "others": window.others});
                counts.push((*kind, details));
            }
            false
        });
        counts
    }
}
