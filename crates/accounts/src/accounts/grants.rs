//! The rights of users in logspaces.
//!
//! In: grants of the users file. Out: yes or no. Holds nothing.
//! Limits: [`GRANTS_MAX`] grants per user; `*` is every logspace, including future ones.

use super::{AccountError, Accounts, allowed_name};
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// Most grants of one user.
const GRANTS_MAX: usize = 1_000;
/// The name that means every logspace.
pub const EVERY_LOGSPACE: &str = "*";

/// A right in a logspace.
#[derive(Serialize, Deserialize, ToSchema, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Right {
    /// See the logspace's name, search it, follow its live tail, read messages.
    Search,
    /// Export all matches of a query.
    Export,
    /// Seal the active segment, see problems; with a grant for every logspace also see the statistics of the
    /// server.
    Administer,
}

/// All rights, in their order.
pub const RIGHTS: [Right; 3] = [Right::Search, Right::Export, Right::Administer];

impl Right {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Right::Search => "search",
            Right::Export => "export",
            Right::Administer => "administer",
        }
    }

    /// Returns the right with a name.
    pub fn parse(name: &str) -> Option<Right> {
        RIGHTS.into_iter().find(|right| right.name() == name)
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The rights of a user in one logspace.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    /// Its name, or [`EVERY_LOGSPACE`].
    pub logspace: String,
    /// The rights, in the order of [`RIGHTS`].
    pub may: Vec<Right>,
}

impl Grant {
    /// Returns the grant of all rights in every logspace.
    pub fn everything() -> Grant {
        Grant { logspace: EVERY_LOGSPACE.to_owned(), may: RIGHTS.to_vec() }
    }
}

impl Accounts {
    /// Returns true if a user has a right in a logspace. A user who is not in the file has none.
    pub fn may(&self, user: &str, logspace: &str, right: Right) -> Result<bool, AccountError> {
        let file = self.known()?;
        let Some(user) = file.users.get(user).filter(|user| !user.locked) else { return Ok(false) };
        let meant = |grant: &Grant| grant.logspace == EVERY_LOGSPACE || grant.logspace == logspace;
        let grants = user.grants();
        Ok(grants.iter().any(|grant| meant(grant) && grant.may.contains(&right)))
    }

    /// Returns the grants of a user.
    pub fn grants(&self, user: &str) -> Result<Vec<Grant>, AccountError> {
        let file = self.read()?;
        Ok(file.users.get(user).ok_or(AccountError::Name("there is no user of that name"))?.grants())
    }

    /// Grants a user rights in a logspace.
    pub fn grant(&self, user: &str, logspace: &str, rights: &[Right]) -> Result<(), AccountError> {
        if logspace != EVERY_LOGSPACE && !allowed_name(logspace) {
            return Err(AccountError::Name("that is no name of a logspace; * means every one"));
        }
        self.change(user, |grants| {
            let at = grants.iter().position(|grant| grant.logspace == logspace);
            let at = at.unwrap_or_else(|| {
                grants.push(Grant { logspace: logspace.to_owned(), may: Vec::new() });
                grants.len() - 1
            });
            let may = &mut grants[at].may;
            may.extend(rights.iter().filter(|right| !may.contains(right)).copied().collect::<Vec<_>>());
            may.sort_unstable();
        })
    }

    /// Revokes rights in a logspace.
    pub fn revoke(&self, user: &str, logspace: &str, rights: &[Right]) -> Result<(), AccountError> {
        let grants = self.grants(user)?;
        if !grants.iter().any(|grant| grant.logspace == logspace) {
            return Err(AccountError::Name("the user has no grant of that logspace"));
        }
        self.change(user, |grants| {
            for grant in grants.iter_mut().filter(|grant| grant.logspace == logspace) {
                grant.may.retain(|right| !rights.contains(right));
            }
            grants.retain(|grant| !grant.may.is_empty());
        })
    }

    fn change(&self, user: &str, change: impl FnOnce(&mut Vec<Grant>)) -> Result<(), AccountError> {
        self.update(|file| {
            let user = file.user(user)?;
            let mut grants = user.grants();
            change(&mut grants);
            if grants.len() > GRANTS_MAX {
                return Err(AccountError::Name("a user has 1,000 grants at most"));
            }
            user.grants = Some(grants);
            Ok(())
        })
    }
}
