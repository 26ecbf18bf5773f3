//! Users who may not log in at present, and the last one who may administer.
//!
//! In: names. Out: changed users. Holds nothing. Limits: changes that would leave no administrator are refused where that is asked for.

use super::{AccountError, Accounts, EVERY_LOGSPACE, File, Right, User};

impl File {
    /// Returns true if somebody can administer.
    pub(super) fn has_administrator(&self) -> bool {
        self.users.values().any(|user| self.is_administrator(user))
    }

    /// Returns true if a user can log in without a directory and may administer every logspace.
    fn is_administrator(&self, user: &User) -> bool {
        user.can_log_in() && user.directory.is_none() && self.permits(user, EVERY_LOGSPACE, Right::Administer)
    }
}

impl Accounts {
    /// The same accounts, of which changes are refused that would leave nobody who may administer every logspace.
    pub fn with_administrator(self) -> Accounts {
        Accounts { needs_administrator: true, ..self }
    }

    /// Locks a user out: sessions end, an invitation with them, and neither the password nor API tokens work until the user is unlocked.
    pub fn lock(&self, name: &str) -> Result<(), AccountError> {
        self.update(|file| {
            let user = file.user(name)?;
            (user.locked, user.invitation) = (true, None);
            user.end_sessions();
            Ok(())
        })
    }

    /// Returns true if a user may not log in at present.
    pub fn is_locked(&self, name: &str) -> Result<bool, AccountError> {
        Ok(self.known()?.users.get(name).is_some_and(|user| user.locked))
    }

    /// Lets a user in again.
    pub fn unlock(&self, name: &str) -> Result<(), AccountError> {
        self.update(|file| {
            file.user(name)?.locked = false;
            Ok(())
        })
    }
}
