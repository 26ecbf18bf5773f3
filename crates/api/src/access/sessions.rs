//! The sessions of users who are logged in.
//!
//! In: tokens, with the time as an argument. Out: the user. Holds: sessions under a hash of their token, with the
//! credential that opened them and the keys that they unlocked logspaces with. A file has everything but the keys, so
//! that sessions survive a restart; its contents cannot be used to log in.
//! Limits: [`SESSIONS_MAX`] sessions, [`USER_SESSIONS_MAX`] of one user (the one idle longest is ended); a session ends
//! after its lifetime, after an idle time, at the log-out, and when its credential was changed or removed.

use crate::{
    access::{accounts::CredentialId, api_tokens::ApiToken, durable, policy::Policy},
    scope::Keyring,
};
use aws_lc_rs::digest;
use logspace::Unlocked;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
    sync::Arc,
};

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

/// The user of a call. Only logged-in users reach handlers that take one.
pub(crate) struct User {
    pub(crate) name: String,
    /// How the user has shown who they are.
    pub(crate) proof: Proof,
    /// Keys that the session unlocked logspaces with, by local logspace.
    pub(crate) keyring: Keyring,
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

/// SHA-256 of a token, which itself is stored nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TokenHash([u8; 32]);

impl TokenHash {
    pub(crate) fn of(token: &str) -> TokenHash {
        let mut hash = [0; 32];
        let digest = digest::digest(&digest::SHA256, token.as_bytes());
        hash.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
        TokenHash(hash)
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
    keyring: Keyring,
}

impl Session {
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
        let session = Session { user, credential, opened_s: now_s, used_s: now_s, keyring };
        self.open.insert(TokenHash::of(token), session);
    }

    /// Ends the one idle longest when there are too many of a kind.
    fn make_room(&mut self, most: usize, is_counted: impl Fn(&Session) -> bool) {
        let counted = self.open.iter().filter(|(_, session)| is_counted(session));
        if counted.clone().count() >= most {
            let oldest = counted.min_by_key(|(_, session)| session.used_s).map(|(hash, _)| *hash);
            oldest.map(|hash| self.open.remove(&hash));
        }
    }

    /// Returns the user of a token and renews the session. `credential` returns the current credential of a user.
    pub(crate) fn user<E>(
        &mut self,
        token: &str,
        policy: &Policy,
        now_s: u64,
        credential: impl FnOnce(&str) -> Result<Option<CredentialId>, E>,
    ) -> Result<Option<User>, E> {
        let hash = TokenHash::of(token);
        let Some(session) = self.open.get_mut(&hash) else { return Ok(None) };
        if session.is_over(policy, now_s) || credential(&session.user)? != Some(session.credential) {
            self.open.remove(&hash);
            return Ok(None);
        }
        session.used_s = now_s;
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
        let mut bytes = Vec::new();
        match File::open(path) {
            Ok(file) => file.take(FILE_BYTES_MAX).read_to_end(&mut bytes).map_err(SessionFileError::Io)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Sessions::default()),
            Err(error) => return Err(SessionFileError::Io(error)),
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
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (number, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * number..2 * number + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests;
