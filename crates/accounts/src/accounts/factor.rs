//! The second factors of users, which are kept with them in the file of users.
//!
//! In: secrets and codes, the server's key, the time as an argument. Out: accepted codes, recovery codes, refusals. Holds nothing.
//! Limits: one second factor for each user. A code that is accepted is used up in the file before anybody is let in.

use super::{AccountError, Accounts, User};
use crate::{
    password::{PASSWORD_CHARS_MIN, PasswordFault, normalized},
    second_factor::{AcceptedCode, FactorFacts, FactorKey, RecoveryCodes, Secret, StoredFactor},
};

impl User {
    /// The name that a secret is encrypted for: another account of that name cannot use it.
    fn factor_owner(&self, name: &str) -> String {
        format!("{name}#{}", self.id)
    }
}

impl Accounts {
    /// Returns the facts about the second factor of a user; nothing when they have none, or when there is no such user.
    pub fn factor(&self, name: &str) -> Result<Option<FactorFacts>, AccountError> {
        let file = self.known()?;
        Ok(file.users.get(name).and_then(|user| user.factor.as_ref()).map(StoredFactor::facts))
    }

    /// Enrols a second factor once its app has shown a right code; returns the recovery codes, which are kept nowhere.
    pub fn enrol_factor(
        &self,
        name: &str,
        key: &FactorKey,
        (secret, code): (&Secret, &str),
        now_s: u64,
    ) -> Result<RecoveryCodes, AccountError> {
        let step = secret.confirmed(code, now_s).map_err(AccountError::Code)?;
        let mut codes = RecoveryCodes::new();
        self.update(|file| {
            let user = file.user(name)?;
            if user.factor.is_some() {
                return Err(AccountError::FactorPresent);
            }
            let owner = user.factor_owner(name);
            let (factor, made) = StoredFactor::new(key, &owner, secret, step, now_s)?;
            (user.factor, codes) = (Some(factor), made);
            Ok(())
        })?;
        Ok(codes)
    }

    /// Accepts a code of a user, once: the next call with the same code is refused, also by another process.
    pub fn accept_code(
        &self,
        name: &str,
        key: &FactorKey,
        code: &str,
        now_s: u64,
    ) -> Result<AcceptedCode, AccountError> {
        let mut accepted = AcceptedCode::Totp;
        self.update(|file| {
            let user = file.user(name)?;
            let owner = user.factor_owner(name);
            let factor = user.factor.as_mut().ok_or(AccountError::NoFactor)?;
            accepted = factor.accept(key, &owner, code, now_s)?.map_err(AccountError::Code)?;
            Ok(())
        })?;
        Ok(accepted)
    }

    /// Replaces the recovery codes of a user.
    pub fn renew_recovery_codes(&self, name: &str, key: &FactorKey) -> Result<RecoveryCodes, AccountError> {
        let mut codes = RecoveryCodes::new();
        self.update(|file| {
            let user = file.user(name)?;
            let owner = user.factor_owner(name);
            let factor = user.factor.as_mut().ok_or(AccountError::NoFactor)?;
            codes = factor.renew_recovery(key, &owner)?;
            Ok(())
        })?;
        Ok(codes)
    }

    /// Removes the second factor of a user, who then logs in with the password alone.
    pub fn remove_factor(&self, name: &str) -> Result<(), AccountError> {
        self.update(|file| file.user(name)?.factor.take().map(drop).ok_or(AccountError::NoFactor))
    }

    /// The same for a user who asks for it with the password, which must be long enough to be the only factor
    /// where it is kept here.
    pub fn give_up_factor(&self, name: &str, password: &str) -> Result<(), AccountError> {
        let chars = normalized(password).chars().count();
        if self.is_local(name)? && chars < PASSWORD_CHARS_MIN {
            let fault = PasswordFault::TooShort { chars, chars_min: PASSWORD_CHARS_MIN };
            return Err(AccountError::Password(fault));
        }
        self.remove_factor(name)
    }
}
