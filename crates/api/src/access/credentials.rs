//! Verifies names and passwords, at a bounded cost: those of local users here, all others at the directory, if there is one.
//!
//! In: a name, a password, the client. Out: the account and its credential, or the reason why not. Holds: recently verified
//! passwords, under a key that is in no file; checks in progress: equal ones share one result.
//! Limits: [`HASHES_MAX`] hashes at a time, of 19 MiB each; [`WAITING_MAX`] checks wait for their turn, for [`WAIT_MAX`]; [`VERIFIED_MAX`] passwords are remembered for
//! [`VERIFIED_FOR`]. Names that no user can have are refused without being recorded. The directory is asked for [`DIRECTORY_MAX`] at a
//! time, and local users do not wait for it. With a directory no refusal comes before [`REFUSED_AFTER`]: who asked, and in vain,
//! does not show.

use crate::access::throttle::{Attempt, Throttle, keyed_tag};
use accounts::{AccountChange, Accounts, CredentialId, PASSWORD_BYTES_MAX, allowed_name};
use aws_lc_rs::{constant_time::verify_slices_are_equal, hmac, rand::SystemRandom};
use directory::{EnterError, Entered, Ldap};
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
    time::{sleep, timeout},
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

/// Most sign-ins that the directory is asked about at a time.
const DIRECTORY_MAX: usize = 32;
/// Earliest time of a refusal where there is a directory: a local password takes some 20 ms, a directory a few requests.
const REFUSED_AFTER: Duration = Duration::from_secs(1);

/// The reasons for which a user is not let in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// The name or the password is wrong.
    Wrong,
    /// The password is right, but the directory gives no right to be here, for this reason.
    Denied(String),
    /// The entry of the directory cannot be an account, for this reason. The client learns as much as from a wrong
    /// password.
    Unusable(String),
    /// The directory cannot be asked, for this reason.
    Unavailable(String),
    /// Too many failures; the password was not checked.
    Wait(Duration),
    /// Too many check their passwords at present.
    Busy,
    /// The users file cannot be used, for this reason.
    Failed(String),
}

/// A keyed hash of a name and a password.
type Tag = [u8; 32];
type Verdict = Result<Entered, Refusal>;

struct Verified {
    tag: Tag,
    account: String,
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
    directory_turns: Semaphore,
}

/// The accounts, and the directory of those whose passwords are not kept here.
#[derive(Clone)]
pub(crate) struct Users {
    pub(crate) accounts: Accounts,
    pub(crate) directory: Option<Arc<Ldap>>,
    /// Seconds since 1970.
    pub(crate) now_s: u64,
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
            directory_turns: Semaphore::new(DIRECTORY_MAX),
        })
    }

    /// Checks a password for a client.
    pub(crate) async fn check(&self, users: &Users, client: IpAddr, name: &str, password: &str) -> Verdict {
        let begun = Instant::now();
        let verdict = self.verdict(users, client, name, password).await;
        if users.directory.is_some() && matches!(verdict, Err(Refusal::Wrong | Refusal::Unusable(_))) {
            sleep(REFUSED_AFTER.saturating_sub(begun.elapsed())).await;
        }
        verdict
    }

    async fn verdict(&self, users: &Users, client: IpAddr, name: &str, password: &str) -> Verdict {
        if !allowed_name(name) || password.len() > PASSWORD_BYTES_MAX {
            // All impossible names count as one.
            self.throttle().begin(client, "", Instant::now()).map_err(Refusal::Wait)?;
            return Err(Refusal::Wrong);
        }
        let tag = self.tag(&[name.as_bytes(), password.as_bytes()]);
        let account = self.account_of(name);
        let present = users.accounts.credential(&account);
        let present = present.map_err(|error| Refusal::Failed(error.to_string()))?;
        if let Some(credential) =
            present.filter(|present| self.remembers(name, &tag, present, Instant::now()))
        {
            // A caller who has to wait gets no verdict: otherwise remembered passwords could be guessed
            // without limit.
            let (mut throttle, now) = (self.throttle(), Instant::now());
            let attempt = throttle.begin(client, name, now).map_err(Refusal::Wait)?;
            throttle.succeeded(&attempt, now);
            return Ok(Entered { account, credential, change: AccountChange::None });
        }
        let check =
            Check::join(self, self.tag(&[&peer_network(client), name.as_bytes(), password.as_bytes()]));
        let verdict = check.verdict.get_or_init(|| self.verify(users, client, name, password, tag)).await;
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

    /// Checks a password where it is kept.
    async fn verify(&self, users: &Users, client: IpAddr, name: &str, password: &str, tag: Tag) -> Verdict {
        let is_local = users.accounts.is_local(name);
        let is_local = is_local.map_err(|error| Refusal::Failed(error.to_string()))?;
        let attempt = self.throttle().begin(client, name, Instant::now()).map_err(Refusal::Wait)?;
        let outcome = match &users.directory {
            Some(directory) if !is_local => self.ask(directory, users, name, password).await,
            _ => self.hash(&users.accounts, name, password).await,
        };
        let now = Instant::now();
        match &outcome {
            Ok(signed_in) => {
                self.throttle().succeeded(&attempt, now);
                let (account, credential) = (signed_in.account.clone(), signed_in.credential);
                self.remember(name, Verified { tag, account, credential, at: now });
            }
            // The password was right.
            Err(Refusal::Denied(_)) => self.throttle().succeeded(&attempt, now),
            Err(Refusal::Wrong | Refusal::Unusable(_) | Refusal::Wait(_)) => {}
            Err(Refusal::Busy | Refusal::Failed(_) | Refusal::Unavailable(_)) => {
                self.throttle().forgive(&attempt);
            }
        }
        outcome
    }

    /// Hashes a password and compares, when it is its turn.
    async fn hash(&self, accounts: &Accounts, name: &str, password: &str) -> Verdict {
        let turn = self.turn().await.ok_or(Refusal::Busy)?;
        let (accounts, asked, password) = (accounts.clone(), name.to_owned(), password.to_owned());
        let checked = tokio::task::spawn_blocking(move || {
            // The turn ends with the hash, even if the client has disconnected by then.
            let _turn = turn;
            accounts.verify(&asked, &password)
        });
        let checked =
            checked.await.map_err(|_| Refusal::Failed("the password check ended by a bug".into()))?;
        let credential = checked.map_err(|error| Refusal::Failed(error.to_string()))?;
        let credential = credential.ok_or(Refusal::Wrong)?;
        Ok(Entered { account: name.to_owned(), credential, change: AccountChange::None })
    }

    /// Asks the directory, and takes over what it says of the person.
    async fn ask(&self, directory: &Arc<Ldap>, users: &Users, name: &str, password: &str) -> Verdict {
        let _turn = self.directory_turns.try_acquire().map_err(|_| Refusal::Busy)?;
        let entered = directory.enter(&users.accounts, (name, password), users.now_s).await;
        entered.map_err(|error| match error {
            EnterError::Wrong => Refusal::Wrong,
            EnterError::Denied(reason) => Refusal::Denied(reason.to_owned()),
            EnterError::Unusable(error) => Refusal::Unusable(error.to_string()),
            EnterError::Unavailable(error) => Refusal::Unavailable(error.to_string()),
            EnterError::Accounts(error) => Refusal::Failed(error.to_string()),
            EnterError::Bug => Refusal::Failed("the question to the directory ended by a bug".into()),
        })
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

    /// Returns the account of a name that somebody typed: that of the password that is remembered, if there is one.
    fn account_of(&self, name: &str) -> String {
        self.verified().get(name).map_or(name, |verified| &verified.account).to_owned()
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
