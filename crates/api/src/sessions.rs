//! Who is logged in, and who tried too often.
//!
//! In: tokens and attempts, with the time as an argument. Out: the user, or how long to wait.
//! Holds: sessions with the keys that they unlocked logspaces with, and failed attempts, in memory: a restart logs
//! everybody out.
//! Limits: [`SESSIONS_MAX`] sessions (the one idle longest makes room), [`IDLE`] without a call ends one;
//! after [`FREE_ATTEMPTS`] failures a peer or user waits, twice as long each time, up to [`WAIT_MAX`].

use crate::scope::Keyring;
use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};
use store::Unlocked;

/// A session ends after this time without a call.
pub(crate) const IDLE: Duration = Duration::from_secs(12 * 3600);
/// Most sessions at once.
pub(crate) const SESSIONS_MAX: usize = 10_000;
/// Failures that cost nothing.
pub(crate) const FREE_ATTEMPTS: u32 = 5;
/// Longest wait after failures.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(900);
/// Most peers and users whose failures are remembered; the oldest are forgotten.
const ATTEMPTS_MAX: usize = 50_000;

/// The user of a call. Handlers that take one are closed to everybody else.
pub(crate) struct User {
    pub(crate) name: String,
    /// Keys that the session unlocked logspaces with, by local logspace.
    pub(crate) keyring: Keyring,
}

/// The sessions of one server.
#[derive(Default)]
pub(crate) struct Sessions {
    open: HashMap<String, Session>,
    failures: HashMap<String, Failures>,
}

struct Session {
    user: String,
    used: Instant,
    keyring: Keyring,
}

struct Failures {
    count: u32,
    last: Instant,
}

impl Sessions {
    /// Opens a session under a fresh random token.
    pub(crate) fn open(&mut self, token: String, user: &str, now: Instant) {
        self.open.retain(|_, session| now.duration_since(session.used) < IDLE);
        if self.open.len() >= SESSIONS_MAX {
            let oldest =
                self.open.iter().min_by_key(|(_, session)| session.used).map(|(token, _)| token.clone());
            oldest.map(|token| self.open.remove(&token));
        }
        self.open.insert(token, Session { user: user.to_owned(), used: now, keyring: Keyring::new() });
    }

    /// The user of a token, whose session then lives on, and what the session unlocked.
    pub(crate) fn user(&mut self, token: &str, now: Instant) -> Option<(String, Keyring)> {
        let session = self.open.get_mut(token)?;
        if now.duration_since(session.used) >= IDLE {
            self.open.remove(token);
            return None;
        }
        session.used = now;
        Some((session.user.clone(), session.keyring.clone()))
    }

    /// Keeps keys for a logspace until the session ends; whether there is such a session.
    pub(crate) fn unlock(&mut self, token: &str, logspace: &str, unlocked: Arc<Unlocked>) -> bool {
        let session = self.open.get_mut(token);
        session.map(|session| session.keyring.insert(logspace.to_owned(), unlocked)).is_some()
    }

    /// Forgets the keys for a logspace.
    pub(crate) fn lock(&mut self, token: &str, logspace: &str) {
        if let Some(session) = self.open.get_mut(token) {
            session.keyring.remove(logspace);
        }
    }

    /// Ends a session.
    pub(crate) fn close(&mut self, token: &str) {
        self.open.remove(token);
    }

    /// How long a peer or user still has to wait before the next attempt.
    pub(crate) fn wait(&self, key: &str, now: Instant) -> Option<Duration> {
        let failures = self.failures.get(key)?;
        let over = failures.count.checked_sub(FREE_ATTEMPTS)?;
        let wait = Duration::from_secs(1 << over.min(20)).min(WAIT_MAX);
        wait.checked_sub(now.duration_since(failures.last)).filter(|left| !left.is_zero())
    }

    /// Counts a failed attempt.
    pub(crate) fn failed(&mut self, key: &str, now: Instant) {
        if self.failures.len() >= ATTEMPTS_MAX {
            self.failures.retain(|_, failures| now.duration_since(failures.last) < WAIT_MAX);
        }
        if self.failures.len() >= ATTEMPTS_MAX && !self.failures.contains_key(key) {
            return;
        }
        let failures = self.failures.entry(key.to_owned()).or_insert(Failures { count: 0, last: now });
        if now.duration_since(failures.last) > WAIT_MAX {
            failures.count = 0;
        }
        failures.count += 1;
        failures.last = now;
    }

    /// Forgets failures after a success.
    pub(crate) fn succeeded(&mut self, key: &str) {
        self.failures.remove(key);
    }
}

#[cfg(test)]
mod tests {
    //! Sessions under a clock of the test.

    use super::*;

    #[test]
    fn a_session_lives_while_it_is_used() {
        let (mut sessions, start) = (Sessions::default(), Instant::now());
        sessions.open("t".into(), "eva", start);
        let half = start + IDLE / 2;
        let name = |sessions: &mut Sessions, token: &str, now| Some(sessions.user(token, now)?.0);
        assert_eq!(name(&mut sessions, "t", half).as_deref(), Some("eva"));
        assert_eq!(name(&mut sessions, "t", half + IDLE * 2 / 3).as_deref(), Some("eva"));
        assert_eq!(name(&mut sessions, "t", start + IDLE * 4), None);
        assert_eq!(name(&mut sessions, "x", start), None);
        sessions.open("u".into(), "eva", start);
        sessions.close("u");
        assert_eq!(name(&mut sessions, "u", start), None);
    }

    #[test]
    fn keys_are_a_sessions_own() {
        let (mut sessions, start) = (Sessions::default(), Instant::now());
        sessions.open("t".into(), "eva", start);
        sessions.open("u".into(), "eva", start);
        let keys = || Arc::new(Unlocked::with(store::Keys::default()));
        assert!(sessions.unlock("t", "audit", keys()) && !sessions.unlock("x", "audit", keys()));
        let count = |sessions: &mut Sessions, token: &str| sessions.user(token, start).unwrap().1.len();
        assert_eq!((count(&mut sessions, "t"), count(&mut sessions, "u")), (1, 0));
        sessions.lock("t", "audit");
        assert_eq!(count(&mut sessions, "t"), 0);
    }

    #[test]
    fn failures_cost_more_and_more_time() {
        let (mut sessions, start) = (Sessions::default(), Instant::now());
        for _ in 0..FREE_ATTEMPTS {
            assert_eq!(sessions.wait("peer", start), None);
            sessions.failed("peer", start);
        }
        assert_eq!(sessions.wait("peer", start), Some(Duration::from_secs(1)));
        sessions.failed("peer", start);
        assert_eq!(sessions.wait("peer", start), Some(Duration::from_secs(2)));
        assert_eq!(sessions.wait("peer", start + Duration::from_secs(2)), None);
        (0..40).for_each(|_| sessions.failed("peer", start));
        assert_eq!(sessions.wait("peer", start), Some(WAIT_MAX));
        sessions.succeeded("peer");
        assert_eq!(sessions.wait("peer", start), None);
    }
}
