//! Verifies names and passwords, at a bounded cost.
//!
//! In: a name, a password, the client. Out: the credential, or the reason why not. Holds: recently verified
//! passwords, under a key that is in no file; checks in progress: equal ones share one result.
//! Limits: [`HASHES_MAX`] hashes at a time, of 19 MiB each; [`WAITING_MAX`] checks wait for their turn, for [`WAIT_MAX`]; [`VERIFIED_MAX`] passwords are remembered for
//! [`VERIFIED_FOR`]. Names that no user can have are refused without being recorded.

use crate::access::throttle::{Attempt, Throttle, keyed_tag};
use accounts::{Accounts, CredentialId, PASSWORD_BYTES_MAX, allowed_name};
use aws_lc_rs::{constant_time::verify_slices_are_equal, hmac, rand::SystemRandom};
use message::peer_network;
use std::{
    collections::HashMap,
    io,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    sync::{OnceCell, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// Most passwords that are hashed at a time: each takes 19 MiB.
const HASHES_MAX: usize = 2;
/// Most checks that wait for their turn.
const WAITING_MAX: usize = 64;
/// Longest wait for a turn: with all waiting it takes some 0.7 s on two cores.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// Time for which a right password is remembered: programs that send it with each call pay for one hash a
/// minute.
const VERIFIED_FOR: Duration = Duration::from_secs(60);
/// Most users whose password is remembered.
const VERIFIED_MAX: usize = 1_000;

/// The reasons for which a user is not let in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// The name or the password is wrong.
    Wrong,
    /// Too many failures; the password was not checked.
    Wait(Duration),
    /// Too many check their passwords at present.
    Busy,
    /// The users file cannot be used, for this reason.
    Failed(String),
}

/// A keyed hash of a name and a password.
type Tag = [u8; 32];
type Verdict = Result<CredentialId, Refusal>;

struct Verified {
    tag: Tag,
    credential: CredentialId,
    at: Instant,
}

/// The check of passwords.
pub(crate) struct Credentials {
    key: hmac::Key,
    throttle: Mutex<Throttle>,
    verified: Mutex<HashMap<String, Verified>>,
    running: Mutex<HashMap<Tag, Arc<OnceCell<Verdict>>>>,
    turns: Arc<Semaphore>,
    waiting: Semaphore,
}

impl Credentials {
    /// Creates a check with a key of its own; fails when the system has no random numbers.
    pub(crate) fn new() -> io::Result<Credentials> {
        let random = SystemRandom::new();
        let drawn = || {
            hmac::Key::generate(hmac::HMAC_SHA256, &random)
                .map_err(|_| io::Error::other("the system gives no random numbers"))
        };
        Ok(Credentials {
            key: drawn()?,
            throttle: Mutex::new(Throttle::new(drawn()?)),
            verified: Mutex::default(),
            running: Mutex::default(),
            turns: Arc::new(Semaphore::new(HASHES_MAX)),
            waiting: Semaphore::new(WAITING_MAX),
        })
    }

    /// Checks a password for a client.
    pub(crate) async fn check(
        &self,
        accounts: &Accounts,
        client: IpAddr,
        name: &str,
        password: &str,
    ) -> Verdict {
        if !allowed_name(name) || password.len() > PASSWORD_BYTES_MAX {
            // All impossible names count as one.
            self.throttle().begin(client, "", Instant::now()).map_err(Refusal::Wait)?;
            return Err(Refusal::Wrong);
        }
        let present = accounts.credential(name).map_err(|error| Refusal::Failed(error.to_string()))?;
        let tag = self.tag(&[name.as_bytes(), password.as_bytes()]);
        if let Some(credential) =
            present.filter(|present| self.remembers(name, &tag, present, Instant::now()))
        {
            // A caller who has to wait gets no verdict: otherwise remembered passwords could be guessed
            // without limit.
            let (mut throttle, now) = (self.throttle(), Instant::now());
            let attempt = throttle.begin(client, name, now).map_err(Refusal::Wait)?;
            throttle.succeeded(&attempt, now);
            return Ok(credential);
        }
        let check =
            Check::join(self, self.tag(&[&peer_network(client), name.as_bytes(), password.as_bytes()]));
        let verdict = check.verdict.get_or_init(|| self.verify(accounts, client, name, password, tag)).await;
        verdict.clone()
    }

    /// Counts a token that is not accepted, together with names that no user can have; an error with the time to wait when there
    /// were too many from this address.
    pub(crate) fn token_refused(&self, client: IpAddr) -> Result<(), Duration> {
        self.throttle().begin(client, "", Instant::now()).map(drop)
    }

    /// Counts an attempt with a code of the second factor; an error with the time to wait when there were too many. Codes have counters
    /// of their own, so that nobody without the password can keep a user from theirs.
    pub(crate) fn begin_code(&self, client: IpAddr, name: &str) -> Result<Attempt, Duration> {
        // No name has a blank in it.
        self.throttle().begin(client, &format!("code of {name}"), Instant::now())
    }

    /// Takes an attempt with a code back: it was right.
    pub(crate) fn code_accepted(&self, attempt: &Attempt) {
        self.throttle().succeeded(attempt, Instant::now());
    }

    /// Hashes a password and compares, when it is its turn.
    async fn verify(
        &self,
        accounts: &Accounts,
        client: IpAddr,
        name: &str,
        password: &str,
        tag: Tag,
    ) -> Verdict {
        let attempt = self.throttle().begin(client, name, Instant::now()).map_err(Refusal::Wait)?;
        let busy = || {
            self.throttle().forgive(&attempt);
            Refusal::Busy
        };
        let turn = self.turn().await.ok_or_else(busy)?;
        let (accounts, asked, password) = (accounts.clone(), name.to_owned(), password.to_owned());
        let checked = tokio::task::spawn_blocking(move || {
            // The turn ends with the hash, even if the client has disconnected by then.
            let _turn = turn;
            accounts.verify(&asked, &password)
        });
        let checked =
            checked.await.map_err(|_| Refusal::Failed("the password check ended by a bug".into()))?;
        let credential = checked.map_err(|error| {
            self.throttle().forgive(&attempt);
            Refusal::Failed(error.to_string())
        })?;
        let credential = credential.ok_or(Refusal::Wrong)?;
        let now = Instant::now();
        self.throttle().succeeded(&attempt, now);
        self.remember(name, Verified { tag, credential, at: now });
        Ok(credential)
    }

    /// Waits for the turn to hash; nothing when too many wait, or for too long.
    pub(crate) async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        let _waiting = self.waiting.try_acquire().ok()?;
        let turn = timeout(WAIT_MAX, Arc::clone(&self.turns).acquire_owned()).await;
        // The semaphore is never closed.
        turn.ok()?.ok()
    }

    /// Returns true if this password of this user was verified a short while ago and has not changed since.
    fn remembers(&self, name: &str, tag: &Tag, present: &CredentialId, now: Instant) -> bool {
        self.verified().get(name).is_some_and(|verified| {
            now.saturating_duration_since(verified.at) < VERIFIED_FOR
                && verified.credential == *present
                && verify_slices_are_equal(&verified.tag, tag).is_ok()
        })
    }

    fn remember(&self, name: &str, new: Verified) {
        let mut verified = self.verified();
        if verified.len() >= VERIFIED_MAX && !verified.contains_key(name) {
            verified.retain(|_, old| new.at.saturating_duration_since(old.at) < VERIFIED_FOR);
            if verified.len() >= VERIFIED_MAX {
                return;
            }
        }
        verified.insert(name.to_owned(), new);
    }

    fn tag(&self, parts: &[&[u8]]) -> Tag {
        keyed_tag(&self.key, parts)
    }

    fn throttle(&self) -> MutexGuard<'_, Throttle> {
        self.throttle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn verified(&self) -> MutexGuard<'_, HashMap<String, Verified>> {
        self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> MutexGuard<'_, HashMap<Tag, Arc<OnceCell<Verdict>>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running check, shared by all calls with the same credentials: the last one removes it from the list.
struct Check<'c> {
    credentials: &'c Credentials,
    tag: Tag,
    verdict: Arc<OnceCell<Verdict>>,
}

impl Check<'_> {
    fn join(credentials: &Credentials, tag: Tag) -> Check<'_> {
        let verdict = credentials.running().entry(tag).or_default().clone();
        Check { credentials, tag, verdict }
    }
}

impl Drop for Check<'_> {
    fn drop(&mut self) {
        let mut running = self.credentials.running();
        // After the verdict no call joins this check: a wrong password that is tried again counts again.
        let is_last = Arc::strong_count(&self.verdict) <= 2;
        let is_this = running.get(&self.tag).is_some_and(|verdict| Arc::ptr_eq(verdict, &self.verdict));
        if is_this && (is_last || self.verdict.initialized()) {
            running.remove(&self.tag);
        }
    }
}

#[cfg(test)]
mod tests;
