//! Accounts of people whom a directory knows: it has their passwords and decides about their rights.
//!
//! In: what the directory says of a person, the time as an argument. Out: the account, which is made at the first sign-in. Holds nothing.
//! Limits: an account belongs to one person of one directory for as long as it exists, whatever they are called there. A local user is
//! never one of a directory, also when the names differ only in case. [`SUFFIX_MAX`] people have had the same name.

use super::{AccountError, Accounts, DirectoryLink, File, Grant, USERS_MAX, User, drawn_id};
use serde::{Deserialize, Serialize};

/// Most accounts of one name: those after the first get a number.
const SUFFIX_MAX: usize = 99;

/// The rights that a directory gives a person.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Default, Debug)]
pub struct DirectoryRights {
    /// The rights in logspaces.
    pub grants: Vec<Grant>,
    /// Names of roles; one that is not there gives nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
}

/// A person, as a directory has them.
#[derive(Clone, Copy, Debug)]
pub struct DirectoryUser<'p> {
    /// The directory.
    pub source: &'p str,
    /// Letters that tell the person from all others of the directory, also after a change of the name.
    pub subject: &'p str,
    /// Their name in the directory.
    pub name: &'p str,
    /// Their rights.
    pub rights: &'p DirectoryRights,
}

/// The answer of a directory to whether a person may sign in.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum DirectoryState {
    /// They may.
    #[default]
    Active,
    /// They are not in the directory any more, or disabled there.
    Gone,
    /// They are in no group that has rights here.
    NoGroup,
    /// The directory could not be asked for too long.
    Unchecked,
}

impl DirectoryState {
    pub(super) fn is_active(&self) -> bool {
        *self == DirectoryState::Active
    }
}

/// An account of a directory, as it is known here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DirectoryAccount {
    /// Name of the account.
    pub account: String,
    /// The directory.
    pub source: String,
    /// The id of the person in it.
    pub subject: String,
    /// Their name in it.
    pub name: String,
    /// Seconds since 1970 when the directory was read last.
    pub checked_s: u64,
    /// The answer of the directory to whether they may sign in.
    pub state: DirectoryState,
}

/// The effect of reading a directory on an account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccountChange {
    /// The account was made.
    Added,
    /// Its rights are others than before, or it may sign in again.
    Rights,
    /// Nothing that matters.
    None,
}

impl DirectoryLink {
    fn new(person: &DirectoryUser<'_>, now_s: u64) -> DirectoryLink {
        DirectoryLink {
            source: person.source.to_owned(),
            subject: person.subject.to_owned(),
            name: person.name.to_owned(),
            rights: person.rights.clone(),
            checked_s: now_s,
            state: DirectoryState::Active,
        }
    }

    fn is_of(&self, source: &str, subject: &str) -> bool {
        self.source == source && self.subject == subject
    }

    /// Returns the parts that tell the credential of this person from that of another who has the name later.
    pub(super) fn identity(&self) -> [&str; 2] {
        [&self.source, &self.subject]
    }

    pub(super) fn is_active(&self) -> bool {
        self.state.is_active()
    }

    pub(super) fn rights(&self) -> &DirectoryRights {
        &self.rights
    }
}

impl User {
    /// Makes an account of a person, who has no password here.
    fn of_directory(id: String, link: DirectoryLink) -> User {
        User { directory: Some(link), ..User::new(id, String::new()) }
    }

    fn directory_account(&self, account: &str) -> Option<DirectoryAccount> {
        let link = self.directory.as_ref()?;
        Some(DirectoryAccount {
            account: account.to_owned(),
            source: link.source.clone(),
            subject: link.subject.clone(),
            name: link.name.clone(),
            checked_s: link.checked_s,
            state: link.state,
        })
    }
}

impl File {
    /// Returns the name of a new account of a person: that which the directory has, with a number if another person has had it.
    fn name_for(&self, name: &str) -> Result<String, AccountError> {
        let is_local =
            |(known, user): (&String, &User)| user.directory.is_none() && known.eq_ignore_ascii_case(name);
        if self.users.iter().any(is_local) {
            return Err(AccountError::Taken("there is a local user of that name, who is somebody else"));
        }
        let is_free = |name: &String| !self.users.keys().any(|known| known.eq_ignore_ascii_case(name));
        let numbered = (2..=SUFFIX_MAX).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.to_owned()).chain(numbered).find(is_free);
        free.filter(|name| super::allowed_name(name))
            .ok_or(AccountError::Taken("there are too many users of that name"))
    }
}

impl Accounts {
    /// Takes over what a directory says of a person who has just shown who they are; returns the name of the account.
    pub fn signed_in_by_directory(
        &self,
        person: &DirectoryUser<'_>,
        now_s: u64,
    ) -> Result<(String, AccountChange), AccountError> {
        let id = drawn_id()?;
        let mut outcome = (String::new(), AccountChange::None);
        self.update(|file| {
            let is_theirs = |user: &User| {
                user.directory.as_ref().is_some_and(|link| link.is_of(person.source, person.subject))
            };
            let fresh = DirectoryLink::new(person, now_s);
            if let Some((name, user)) = file.users.iter_mut().find(|(_, user)| is_theirs(user)) {
                let change = match &user.directory {
                    Some(old) if old.rights == fresh.rights && old.is_active() => AccountChange::None,
                    _ => AccountChange::Rights,
                };
                user.directory = Some(fresh);
                outcome = (name.clone(), change);
                return Ok(());
            }
            if file.users.len() >= USERS_MAX {
                return Err(AccountError::Taken("there are 10,000 users already"));
            }
            let name = file.name_for(person.name)?;
            file.users.insert(name.clone(), User::of_directory(id, fresh));
            outcome = (name, AccountChange::Added);
            Ok(())
        })?;
        Ok(outcome)
    }

    /// Takes over what a directory says of a person whose account is there, without a sign-in. One that has been removed
    /// meanwhile is not made again.
    pub fn checked_by_directory(
        &self,
        person: &DirectoryUser<'_>,
        now_s: u64,
    ) -> Result<AccountChange, AccountError> {
        let mut change = AccountChange::None;
        self.update(|file| {
            let linked = file.users.values_mut().filter_map(|user| user.directory.as_mut());
            for link in linked.filter(|link| link.is_of(person.source, person.subject)) {
                if link.rights != *person.rights || !link.is_active() {
                    change = AccountChange::Rights;
                }
                *link = DirectoryLink::new(person, now_s);
            }
            Ok(())
        })?;
        Ok(change)
    }

    /// Suspends an account of a directory: sessions end, and API tokens do not work until the person signs in again.
    pub fn suspend_by_directory(&self, account: &str, state: DirectoryState) -> Result<(), AccountError> {
        self.update(|file| {
            let user = file.user(account)?;
            if let Some(link) = &mut user.directory
                && link.state != state
            {
                link.state = state;
                user.end_sessions();
            }
            Ok(())
        })
    }

    /// Lists the accounts of directories.
    pub fn directory_accounts(&self) -> Result<Vec<DirectoryAccount>, AccountError> {
        Ok(self.known()?.users.iter().filter_map(|(name, user)| user.directory_account(name)).collect())
    }

    /// Returns the directory's part of an account; nothing for a local user, or when there is none of that name.
    pub fn directory_account(&self, account: &str) -> Result<Option<DirectoryAccount>, AccountError> {
        Ok(self.known()?.users.get(account).and_then(|user| user.directory_account(account)))
    }

    /// Returns true if there is a user of that name whose password is kept here.
    pub fn is_local(&self, name: &str) -> Result<bool, AccountError> {
        Ok(self.known()?.users.get(name).is_some_and(|user| user.directory.is_none()))
    }
}

#[cfg(test)]
mod tests;
