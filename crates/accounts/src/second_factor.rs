//! The second factor of a user: codes of an app on their phone (TOTP, RFC 6238), and recovery codes for the day it is lost.
//!
//! In: secrets, codes, the time as an argument. Out: whether a code is accepted, and why not. Holds nothing: what belongs to a user
//! is in the file of users, the secret encrypted and recovery codes hashed, under a key in a file of its own.
//! Limits: a code is accepted once; [`RECOVERY_CODES`] recovery codes, each once.

mod key;
mod recovery;
mod totp;

pub use key::{FactorKey, FactorKeyError};
pub use recovery::RECOVERY_CODES;
pub use totp::{CodeFault, Secret};

use recovery::RecoveryCode;
use serde::{Deserialize, Serialize};
use totp::Code;

/// The second factor, as the file of users has it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct StoredFactor {
    /// The secret, encrypted, in hexadecimal.
    secret: String,
    /// The step of the code that was accepted last: no earlier one, and not the same again, is accepted.
    last_step: u64,
    /// Keyed hashes of the recovery codes that were not used, in hexadecimal.
    recovery: Vec<String>,
    /// Seconds since 1970 when it was enrolled.
    pub(crate) since_s: u64,
}

/// The facts about a second factor that people see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FactorFacts {
    /// Seconds since 1970 when it was enrolled.
    pub since_s: u64,
    /// Number of recovery codes that were not used.
    pub recovery_left: usize,
}

/// The kind of code that was accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AcceptedCode {
    /// A code of the app.
    Totp,
    /// A recovery code, which works no more.
    Recovery {
        /// Number of recovery codes that were not used.
        left: usize,
    },
}

/// Recovery codes that have just been made: they are shown once.
pub type RecoveryCodes = Vec<String>;

impl StoredFactor {
    /// Makes a factor of a secret whose code was accepted, with recovery codes. `owner` is the account that it belongs to.
    pub(crate) fn new(
        key: &FactorKey,
        owner: &str,
        secret: &Secret,
        step: u64,
        now_s: u64,
    ) -> Result<(StoredFactor, RecoveryCodes), FactorKeyError> {
        let sealed = key.seal(owner, secret.bytes())?;
        let mut factor =
            StoredFactor { secret: sealed, last_step: step, recovery: Vec::new(), since_s: now_s };
        let codes = factor.renew_recovery(key, owner)?;
        Ok((factor, codes))
    }

    /// Replaces the recovery codes by new ones.
    pub(crate) fn renew_recovery(
        &mut self,
        key: &FactorKey,
        owner: &str,
    ) -> Result<RecoveryCodes, FactorKeyError> {
        let codes = RecoveryCode::draw_all()?;
        self.recovery = codes.iter().map(|code| key.tag(owner, code.letters())).collect();
        Ok(codes.iter().map(RecoveryCode::shown).collect())
    }

    /// Accepts a code, once.
    pub(crate) fn accept(
        &mut self,
        key: &FactorKey,
        owner: &str,
        text: &str,
        now_s: u64,
    ) -> Result<Result<AcceptedCode, CodeFault>, FactorKeyError> {
        if let Some(code) = RecoveryCode::parse(text) {
            let tag = key.tag(owner, code.letters());
            let Some(at) = self.recovery.iter().position(|known| *known == tag) else {
                return Ok(Err(CodeFault::Wrong));
            };
            self.recovery.remove(at);
            return Ok(Ok(AcceptedCode::Recovery { left: self.recovery.len() }));
        }
        let Some(code) = Code::parse(text) else { return Ok(Err(CodeFault::Form)) };
        let secret = Secret::of(&key.open(owner, &self.secret)?);
        Ok(secret.step_of(code, now_s, self.last_step).map(|step| {
            self.last_step = step;
            AcceptedCode::Totp
        }))
    }

    pub(crate) fn facts(&self) -> FactorFacts {
        FactorFacts { since_s: self.since_s, recovery_left: self.recovery.len() }
    }
}

#[cfg(test)]
mod tests;
