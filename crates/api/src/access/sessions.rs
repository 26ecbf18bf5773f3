//! The sessions of users who are logged in.
//!
//! In: tokens, with the time as an argument. Out: the user; a list of sessions for people. Holds: sessions under a hash of
//! their token, with the credential that opened them, the client that did, and the keys that they unlocked logspaces with. A file has everything but the keys, so
//! that sessions survive a restart; its contents cannot be used to log in.
//! Limits: [`SESSIONS_MAX`] sessions, [`USER_SESSIONS_MAX`] of one user (the one idle longest is ended); a session ends
//! after its lifetime, after an idle time, at the log-out, and when its credential was changed or removed. Calls that a page
//! makes by a timer do not end the idle time: a page that is left open must not keep its session.

use crate::{access::policy::Policy, scope::Keyring};
use accounts::{ApiToken, CredentialId, TokenHash, durable, hex, unhex};
use logspace::Unlocked;
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, fmt, io, net::IpAddr, path::Path, sync::Arc};

/// Most sessions at once.
pub(crate) const SESSIONS_MAX: usize = 10_000;
/// Most sessions of one user.
pub(crate) const USER_SESSIONS_MAX: usize = 200;
/// Seconds between two updates of the last uses of sessions in the file.
const SAVE_EVERY_S: u64 = 300;
/// An opening time that is more than this many seconds in the future must be from another clock.
const CLOCK_SLACK_S: u64 = 300;
/// Largest file that is read: it has some 300 bytes a session.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// Version of the file.
const VERSION: u32 = 1;
/// Characters of the name of a browser that are kept.
const AGENT_CHARS_MAX: usize = 200;

/// The user of a call. Only logged-in users reach handlers that take one.
pub(crate) struct User {
    pub(crate) name: String,
    /// How the user has shown who they are.
    pub(crate) proof: Proof,
    /// Keys that the session unlocked logspaces with, by local logspace.
    pub(crate) keyring: Keyring,
}

/// The maker of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Activity {
    /// A person, or a program.
    User,
    /// A timer of a page, which runs whether somebody looks at it or not.
    Timer,
}

/// The client that opened a session, as it was then.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct SessionClient {
    /// Address of the client; none in files of versions that did not record it.
    pub(crate) address: Option<IpAddr>,
    /// The browser or program, as it calls itself, up to [`AGENT_CHARS_MAX`] characters.
    pub(crate) agent: String,
}

impl SessionClient {
    pub(crate) fn new(address: IpAddr, agent: &str) -> SessionClient {
        let agent = agent.chars().filter(|c| !c.is_control()).take(AGENT_CHARS_MAX).collect();
        SessionClient { address: Some(address), agent }
    }
}

/// A session, as people see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ListedSession {
    /// Digits by which it is ended; they are no secret, and do not let anybody in.
    pub(crate) id: String,
    pub(crate) user: String,
    pub(crate) client: SessionClient,
    /// Seconds since 1970 when it was opened, and used last.
    pub(crate) opened_s: u64,
    pub(crate) used_s: u64,
    /// Seconds since 1970 when it ends at the latest, if nobody uses it.
    pub(crate) ends_s: u64,
}

/// The proof that a call is made by a user.
pub(crate) enum Proof {
    /// A session, and the password that it was opened with.
    Session(TokenHash, CredentialId),
    /// The password, in the call itself.
    Password(CredentialId),
    /// An API token, which leaves the user a part of their rights.
    Token(Box<ApiToken>),
}

impl User {
    /// The API token of the call.
    pub(crate) fn token(&self) -> Option<&ApiToken> {
        match &self.proof {
            Proof::Token(token) => Some(token),
            Proof::Session(..) | Proof::Password(_) => None,
        }
    }
}

/// The sessions of one server.
#[derive(Default)]
pub(crate) struct Sessions {
    open: HashMap<TokenHash, Session>,
    saved_s: u64,
}

struct Session {
    user: String,
    credential: CredentialId,
    opened_s: u64,
    used_s: u64,
    client: SessionClient,
    keyring: Keyring,
}

impl Session {
    fn listed(&self, hash: &TokenHash, policy: &Policy) -> ListedSession {
        let lifetime_s = self.opened_s.saturating_add(policy.session_lifetime.as_secs());
        let idle_s = self.used_s.saturating_add(policy.session_idle.as_secs());
        ListedSession {
            id: hash.id(),
            user: self.user.clone(),
            client: self.client.clone(),
            opened_s: self.opened_s,
            used_s: self.used_s,
            ends_s: lifetime_s.min(idle_s),
        }
    }

    fn is_over(&self, policy: &Policy, now_s: u64) -> bool {
        self.opened_s > now_s + CLOCK_SLACK_S
            || now_s.saturating_sub(self.opened_s) >= policy.session_lifetime.as_secs()
            || now_s.saturating_sub(self.used_s) >= policy.session_idle.as_secs()
    }
}

impl Sessions {
    /// Opens a session under a fresh random token.
    pub(crate) fn open(
        &mut self,
        token: &str,
        user: &str,
        credential: CredentialId,
        policy: &Policy,
        now_s: u64,
    ) {
        self.open.retain(|_, session| !session.is_over(policy, now_s));
        self.make_room(USER_SESSIONS_MAX, |session| session.user == user);
        self.make_room(SESSIONS_MAX, |_| true);
        let (user, keyring) = (user.to_owned(), Keyring::new());
        let client = SessionClient::default();
        let session = Session { user, credential, opened_s: now_s, used_s: now_s, client, keyring };
        self.open.insert(TokenHash::of(token), session);
    }

    /// Notes the client that opened a session.
    pub(crate) fn set_client(&mut self, token: &str, client: SessionClient) {
        if let Some(session) = self.open.get_mut(&TokenHash::of(token)) {
            session.client = client;
        }
    }

    /// The open sessions of a user, the one opened last first.
    pub(crate) fn of_user(&self, user: &str, policy: &Policy, now_s: u64) -> Vec<ListedSession> {
        let open =
            self.open.iter().filter(|(_, session)| session.user == user && !session.is_over(policy, now_s));
        let mut listed: Vec<ListedSession> =
            open.map(|(hash, session)| session.listed(hash, policy)).collect();
        listed.sort_by(|one, other| other.opened_s.cmp(&one.opened_s).then_with(|| one.id.cmp(&other.id)));
        listed
    }

    /// Returns the number of open sessions of each user who has one, and when one of them was used last.
    pub(crate) fn by_user(&self, policy: &Policy, now_s: u64) -> HashMap<String, (usize, u64)> {
        let mut users = HashMap::new();
        for session in self.open.values().filter(|session| !session.is_over(policy, now_s)) {
            let (count, used_s) = users.entry(session.user.clone()).or_insert((0, 0));
            *count += 1;
            *used_s = session.used_s.max(*used_s);
        }
        users
    }

    /// The user of the session that has an id.
    pub(crate) fn owner(&self, id: &str) -> Option<String> {
        let found = self.open.iter().find(|(hash, _)| hash.id() == id);
        found.map(|(_, session)| session.user.clone())
    }

    /// Ends the sessions of a user that `is_meant` is true for; returns how many there were.
    pub(crate) fn end(&mut self, user: &str, is_meant: impl Fn(&TokenHash) -> bool) -> usize {
        let before = self.open.len();
        self.open.retain(|hash, session| session.user != user || !is_meant(hash));
        before - self.open.len()
    }

    /// Ends the one idle longest when there are too many of a kind.
    fn make_room(&mut self, most: usize, is_counted: impl Fn(&Session) -> bool) {
        let counted = self.open.iter().filter(|(_, session)| is_counted(session));
        if counted.clone().count() >= most {
            let oldest = counted.min_by_key(|(_, session)| session.used_s).map(|(hash, _)| *hash);
            oldest.map(|hash| self.open.remove(&hash));
        }
    }

    /// Returns the user of a token, and renews the session unless a timer made the call. `credential` returns the current credential of a user.
    pub(crate) fn user<E>(
        &mut self,
        token: &str,
        policy: &Policy,
        now_s: u64,
        activity: Activity,
        credential: impl FnOnce(&str) -> Result<Option<CredentialId>, E>,
    ) -> Result<Option<User>, E> {
        let hash = TokenHash::of(token);
        let Some(session) = self.open.get_mut(&hash) else { return Ok(None) };
        if session.is_over(policy, now_s) || credential(&session.user)? != Some(session.credential) {
            self.open.remove(&hash);
            return Ok(None);
        }
        if activity == Activity::User {
            session.used_s = now_s;
        }
        let (name, credential) = (session.user.clone(), session.credential);
        let proof = Proof::Session(hash, credential);
        Ok(Some(User { name, proof, keyring: session.keyring.clone() }))
    }

    /// Returns true if a session exists and has not exceeded its lifetime.
    pub(crate) fn is_open(&self, hash: &TokenHash, policy: &Policy, now_s: u64) -> bool {
        let lifetime = policy.session_lifetime.as_secs();
        self.open.get(hash).is_some_and(|session| now_s.saturating_sub(session.opened_s) < lifetime)
    }

    /// Keeps keys for a logspace until the session ends; returns false when there is no such session.
    pub(crate) fn unlock(&mut self, token: &str, logspace: &str, unlocked: Arc<Unlocked>) -> bool {
        let session = self.open.get_mut(&TokenHash::of(token));
        session.map(|session| session.keyring.insert(logspace.to_owned(), unlocked)).is_some()
    }

    /// Lets a session stay open after its user has changed the password.
    pub(crate) fn renew(&mut self, hash: &TokenHash, credential: CredentialId) {
        if let Some(session) = self.open.get_mut(hash) {
            session.credential = credential;
        }
    }

    /// Forgets the keys for a logspace.
    pub(crate) fn lock(&mut self, token: &str, logspace: &str) {
        if let Some(session) = self.open.get_mut(&TokenHash::of(token)) {
            session.keyring.remove(logspace);
        }
    }

    /// Ends a session.
    pub(crate) fn close(&mut self, token: &str) {
        self.open.remove(&TokenHash::of(token));
    }

    /// Returns true when the file is due to be written, and then counts it as written.
    pub(crate) fn take_due(&mut self, now_s: u64) -> bool {
        let is_due = now_s.abs_diff(self.saved_s) >= SAVE_EVERY_S;
        if is_due {
            self.saved_s = now_s;
        }
        is_due
    }

    /// The bytes of the file.
    pub(crate) fn encode(&self) -> io::Result<Vec<u8>> {
        let saved = |(hash, session): (&TokenHash, &Session)| SavedSession {
            token_sha256: hex(&hash.0),
            user: session.user.clone(),
            credential: hex(&session.credential.0),
            opened_s: session.opened_s,
            used_s: session.used_s,
            address: session.client.address,
            agent: session.client.agent.clone(),
        };
        let saved = Saved { version: VERSION, sessions: self.open.iter().map(saved).collect() };
        Ok(serde_json::to_vec(&saved)?)
    }

    /// Writes bytes of [`Sessions::encode`] to a file. If that fails the file is removed: a session that has ended
    /// must not come back.
    pub(crate) fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
        durable::replace(path, bytes).inspect_err(|_| {
            // The error is reported either way.
            let _ = std::fs::remove_file(path);
        })
    }

    /// Reads a file; there need not be one.
    pub(crate) fn load(path: &Path) -> Result<Sessions, SessionFileError> {
        let Some(bytes) = durable::read(path, FILE_BYTES_MAX).map_err(SessionFileError::Io)? else {
            return Ok(Sessions::default());
        };
        let saved: Saved = serde_json::from_slice(&bytes).map_err(|_| SessionFileError::Format)?;
        if saved.version != VERSION || saved.sessions.len() > SESSIONS_MAX {
            return Err(SessionFileError::Format);
        }
        let mut sessions = Sessions::default();
        for saved in saved.sessions {
            let (Some(hash), Some(credential)) = (unhex(&saved.token_sha256), unhex(&saved.credential))
            else {
                return Err(SessionFileError::Format);
            };
            let session = Session {
                user: saved.user,
                credential: CredentialId(credential),
                opened_s: saved.opened_s,
                used_s: saved.used_s,
                client: SessionClient { address: saved.address, agent: saved.agent },
                keyring: Keyring::new(),
            };
            sessions.open.insert(TokenHash(hash), session);
        }
        Ok(sessions)
    }
}

/// The reasons for which the sessions of an earlier run are lost.
#[derive(Debug)]
pub enum SessionFileError {
    /// The file cannot be read.
    Io(io::Error),
    /// The file is not what this version writes.
    Format,
}

impl fmt::Display for SessionFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionFileError::Io(error) => error.fmt(f),
            SessionFileError::Format => f.write_str("it is not a file of sessions of this version"),
        }
    }
}

impl std::error::Error for SessionFileError {}

#[derive(Serialize, Deserialize)]
struct Saved {
    version: u32,
    sessions: Vec<SavedSession>,
}

#[derive(Serialize, Deserialize)]
struct SavedSession {
    token_sha256: String,
    user: String,
    credential: String,
    opened_s: u64,
    used_s: u64,
    /// Absent in files of earlier versions, as the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<IpAddr>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    agent: String,
}

#[cfg(test)]
mod tests;
