//! When API tokens were used last, and when users logged in last.
//!
//! In: uses, with the time as an argument. Out: the last use of each token. Holds: one entry for each token that was used; a
//! file has them, at most [`SAVE_EVERY_S`] seconds behind, so that `duramen user token ls` shows them too.
//! Limits: only tokens and users that are in the file of users are kept, so there are at most as many entries as of both.

use crate::durable;
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, fmt, io, net::IpAddr, path::Path};

/// Seconds between two updates of the file.
const SAVE_EVERY_S: u64 = 60;
/// Largest file that is read: it has some 80 bytes a token.
const FILE_BYTES_MAX: u64 = 128 << 20;
/// Version of the file.
const VERSION: u32 = 1;

/// The last use of a token.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct TokenUse {
    /// Seconds since 1970.
    pub at_s: u64,
    /// Address of the client.
    pub address: IpAddr,
}

/// The last uses of tokens, by their ids, and the last log-ins of users, by [`TokenUses::of_user`].
#[derive(Default)]
pub struct TokenUses {
    uses: HashMap<String, TokenUse>,
    saved_s: u64,
}

#[derive(Serialize, Deserialize)]
struct Saved {
    version: u32,
    uses: HashMap<String, TokenUse>,
}

/// The reasons for which last uses of an earlier run are not known.
#[derive(Debug)]
pub enum TokenUsesError {
    /// The file cannot be read.
    Io(io::Error),
    /// The file is not what this version writes.
    Format,
}

impl fmt::Display for TokenUsesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenUsesError::Io(error) => error.fmt(f),
            TokenUsesError::Format => f.write_str("it is not a file of token uses of this version"),
        }
    }
}

impl std::error::Error for TokenUsesError {}

impl TokenUses {
    /// Reads a file; there need not be one.
    pub fn load(path: &Path) -> Result<TokenUses, TokenUsesError> {
        let Some(bytes) = durable::read(path, FILE_BYTES_MAX).map_err(TokenUsesError::Io)? else {
            return Ok(TokenUses::default());
        };
        let saved: Saved = serde_json::from_slice(&bytes).map_err(|_| TokenUsesError::Format)?;
        match saved.version {
            VERSION => Ok(TokenUses { uses: saved.uses, saved_s: 0 }),
            _ => Err(TokenUsesError::Format),
        }
    }

    /// Returns the id under which the log-ins of a user are kept: no token has a blank in its own.
    pub fn of_user(name: &str) -> String {
        format!("user {name}")
    }

    /// The last use of a token; nothing when it was never used.
    pub fn last(&self, id: &str) -> Option<TokenUse> {
        self.uses.get(id).copied()
    }

    /// Notes a use. Returns true when the file is due to be written, and then counts it as written; a first use is written at once.
    pub fn record(&mut self, id: &str, address: IpAddr, now_s: u64) -> bool {
        let is_first = self.uses.insert(id.to_owned(), TokenUse { at_s: now_s, address }).is_none();
        let is_due = is_first || now_s.abs_diff(self.saved_s) >= SAVE_EVERY_S;
        if is_due {
            self.saved_s = now_s;
        }
        is_due
    }

    /// Forgets the tokens that are gone, and returns the bytes of the file.
    pub fn encode(&mut self, exists: impl Fn(&str) -> bool) -> io::Result<Vec<u8>> {
        self.uses.retain(|id, _| exists(id));
        Ok(serde_json::to_vec(&Saved { version: VERSION, uses: self.uses.clone() })?)
    }

    /// Writes bytes of [`TokenUses::encode`] to a file.
    pub fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
        durable::replace(path, bytes)
    }
}
