//! The rights of users in logspaces.
//!
//! In: grants of the users file. Out: yes or no. Holds nothing.
//! Limits: [`GRANTS_MAX`] grants of a user or a role; `*` is every logspace, and `firewall-*` every one whose name begins so, including
//! future ones.

use super::{AccountError, Accounts, allowed_name};
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// Most grants of one user, or of one role.
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
#[derive(Serialize, Deserialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    /// Its name, the beginning of names with `*` behind it, or [`EVERY_LOGSPACE`].
    pub logspace: String,
    /// The rights, in the order of [`RIGHTS`].
    pub may: Vec<Right>,
}

impl Grant {
    /// Returns the grant of all rights in every logspace.
    pub fn everything() -> Grant {
        Grant { logspace: EVERY_LOGSPACE.to_owned(), may: RIGHTS.to_vec() }
    }

    /// Returns true if the grant is about a logspace.
    pub fn reaches(&self, logspace: &str) -> bool {
        match self.logspace.strip_suffix('*') {
            Some(beginning) => logspace.starts_with(beginning),
            None => self.logspace == logspace,
        }
    }

    /// Returns true if the grant has a right in a logspace.
    pub(super) fn permits(&self, logspace: &str, right: Right) -> bool {
        self.may.contains(&right) && self.reaches(logspace)
    }
}

impl Accounts {
    /// Returns true if a user has a right in a logspace. A user who is not in the file has none.
    pub fn may(&self, user: &str, logspace: &str, right: Right) -> Result<bool, AccountError> {
        let file = self.known()?;
        let Some(user) = file.users.get(user).filter(|user| user.can_log_in()) else { return Ok(false) };
        Ok(file.permits(user, logspace, right))
    }

    /// Returns the grants of a user, without those of roles.
    pub fn grants(&self, user: &str) -> Result<Vec<Grant>, AccountError> {
        Ok(self.read()?.known_user(user)?.grants())
    }

    /// Grants a user rights in a logspace.
    pub fn grant(&self, user: &str, logspace: &str, rights: &[Right]) -> Result<(), AccountError> {
        self.change(user, |grants| add_rights(grants, logspace, rights))
    }

    /// Revokes rights in a logspace.
    pub fn revoke(&self, user: &str, logspace: &str, rights: &[Right]) -> Result<(), AccountError> {
        self.change(user, |grants| remove_rights(grants, logspace, rights))
    }

    fn change(
        &self,
        user: &str,
        change: impl FnOnce(&mut Vec<Grant>) -> Result<(), AccountError>,
    ) -> Result<(), AccountError> {
        self.update(|file| {
            let user = file.user(user)?;
            let mut grants = user.grants();
            change(&mut grants)?;
            user.grants = Some(grants);
            Ok(())
        })
    }
}

/// Returns true if a grant may be about this: the name of a logspace, its beginning with `*` behind it, or `*`.
fn allowed_reach(text: &str) -> bool {
    text == EVERY_LOGSPACE || allowed_name(text.strip_suffix('*').unwrap_or(text))
}

/// Adds rights in a logspace to grants.
pub(super) fn add_rights(
    grants: &mut Vec<Grant>,
    logspace: &str,
    rights: &[Right],
) -> Result<(), AccountError> {
    if !allowed_reach(logspace) {
        let text =
            "that is no name of a logspace; * means every one, firewall-* every one whose name begins so";
        return Err(AccountError::Refused(text));
    }
    if rights.is_empty() {
        return Ok(());
    }
    let at = match grants.iter().position(|grant| grant.logspace == logspace) {
        Some(at) => at,
        None if grants.len() >= GRANTS_MAX => {
            return Err(AccountError::Refused("a user or a role has 1,000 grants at most"));
        }
        None => {
            grants.push(Grant { logspace: logspace.to_owned(), may: Vec::new() });
            grants.len() - 1
        }
    };
    let may = &mut grants[at].may;
    may.extend(rights);
    may.sort_unstable();
    may.dedup();
    Ok(())
}

/// Removes rights in a logspace from grants.
pub(super) fn remove_rights(
    grants: &mut Vec<Grant>,
    logspace: &str,
    rights: &[Right],
) -> Result<(), AccountError> {
    if !grants.iter().any(|grant| grant.logspace == logspace) {
        return Err(AccountError::Name("there is no grant of that logspace"));
    }
    for grant in grants.iter_mut().filter(|grant| grant.logspace == logspace) {
        grant.may.retain(|right| !rights.contains(right));
    }
    grants.retain(|grant| !grant.may.is_empty());
    Ok(())
}

/// Checks grants that come from outside: one for each logspace, with rights in their order, and none without rights.
pub(super) fn checked(given: &[Grant]) -> Result<Vec<Grant>, AccountError> {
    let mut grants = Vec::new();
    for Grant { logspace, may } in given {
        add_rights(&mut grants, logspace, may)?;
    }
    Ok(grants)
}
