//! The people that an object is shared with.
//!
//! In: names of principals, the caller. Out: the level at which the caller may use the object. Holds nothing.
//! A level of an object gives no right to any message: what a search finds is decided by the grants of the user who runs it.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Longest name of a user, as the accounts allow it.
const USER_CHARS_MAX: usize = 64;
/// Most letters that are drawn for the id of an account.
const DRAWN_CHARS_MAX: usize = 32;

/// A level at which a person may use an object; each includes those before it.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// See and use it.
    View,
    /// Change and delete it.
    Edit,
    /// Share it, and give it to another owner.
    Own,
}

impl Level {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Level::View => "view",
            Level::Edit => "edit",
            Level::Own => "own",
        }
    }

    /// Its number in the database.
    pub(crate) fn number(self) -> i64 {
        match self {
            Level::View => 1,
            Level::Edit => 2,
            Level::Own => 3,
        }
    }

    /// Returns the level with a number.
    pub(crate) fn of_number(number: i64) -> Option<Level> {
        [Level::View, Level::Edit, Level::Own].into_iter().find(|level| level.number() == number)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The id of an account. A name can be given again when its user was removed; an id is never given again.
///
/// It is the name, then `#` and letters that were drawn when the account was made. Accounts from before there were ids have
/// their name alone: what they own stays theirs, and an account that is made later under the name has another id.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct UserId(String);

impl UserId {
    /// The id of nobody, for an object of a file that names no owner.
    pub fn nobody() -> UserId {
        UserId::default()
    }

    /// Returns the id of an account; `drawn` is empty for one from before there were ids.
    pub fn new(name: &str, drawn: &str) -> Result<UserId, PrincipalError> {
        let is_drawn = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        if !is_user_name(name) || drawn.len() > DRAWN_CHARS_MAX || !drawn.bytes().all(is_drawn) {
            return Err(PrincipalError);
        }
        Ok(UserId(if drawn.is_empty() { name.to_owned() } else { format!("{name}#{drawn}") }))
    }

    /// The name that the account has.
    pub fn name(&self) -> &str {
        self.0.split('#').next().unwrap_or_default()
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true for the id of nobody.
    pub fn is_nobody(&self) -> bool {
        self.0.is_empty()
    }

    /// The same as a file has it.
    pub(crate) fn by_name(&self) -> UserId {
        UserId(self.name().to_owned())
    }
}

impl FromStr for UserId {
    type Err = PrincipalError;

    fn from_str(text: &str) -> Result<UserId, PrincipalError> {
        match text.split_once('#') {
            None if text.is_empty() => Ok(UserId::nobody()),
            None => UserId::new(text, ""),
            Some((_, "")) => Err(PrincipalError),
            Some((name, drawn)) => UserId::new(name, drawn),
        }
    }
}

/// The accounts of the server.
pub trait Users: Send + Sync {
    /// Returns the id of the account that has a name now.
    fn id_of(&self, name: &str) -> Option<UserId>;

    /// Returns true if the account of an id is still there.
    fn is_present(&self, id: &UserId) -> bool {
        self.id_of(id.name()).as_ref() == Some(id)
    }
}

/// Every name as an account, for a store without accounts.
pub(crate) struct EveryName;

impl Users for EveryName {
    fn id_of(&self, name: &str) -> Option<UserId> {
        UserId::new(name, "").ok()
    }
}

/// Someone that an object is shared with. As text: `everyone`, or `user:` and a name.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[serde(try_from = "String", into = "String")]
pub enum Principal {
    /// Each user who can log in.
    Everyone,
    /// A user. Of a text it is only the name; the store needs the id.
    User(UserId),
}

/// A text that names nobody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrincipalError;

impl fmt::Display for PrincipalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object is shared with `everyone` or with `user:` and the name of a user")
    }
}

impl std::error::Error for PrincipalError {}

impl FromStr for Principal {
    type Err = PrincipalError;

    fn from_str(text: &str) -> Result<Principal, PrincipalError> {
        match text.strip_prefix("user:") {
            Some(name) => UserId::new(name, "").map(Principal::User),
            None if text == "everyone" => Ok(Principal::Everyone),
            None => Err(PrincipalError),
        }
    }
}

impl Principal {
    /// Reads the text of a row of the database, which has the id.
    pub(crate) fn of_row(text: &str) -> Result<Principal, PrincipalError> {
        match text.strip_prefix("user:") {
            Some("") => Err(PrincipalError),
            Some(id) => id.parse().map(Principal::User),
            None => text.parse(),
        }
    }

    /// The text of a row of the database.
    pub(crate) fn row(&self) -> String {
        match self {
            Principal::Everyone => "everyone".to_owned(),
            Principal::User(id) => format!("user:{}", id.as_str()),
        }
    }
}

impl TryFrom<String> for Principal {
    type Error = PrincipalError;

    fn try_from(text: String) -> Result<Principal, PrincipalError> {
        text.parse()
    }
}

impl From<Principal> for String {
    fn from(principal: Principal) -> String {
        principal.to_string()
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Principal::Everyone => f.write_str("everyone"),
            Principal::User(id) => write!(f, "user:{}", id.name()),
        }
    }
}

/// Returns true for the name of a user.
pub(crate) fn is_user_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte);
    (1..=USER_CHARS_MAX).contains(&name.len()) && name.bytes().all(allowed)
}

/// One entry of an object's list: someone, and their level.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(deny_unknown_fields)]
pub struct AclEntry {
    /// The person.
    pub principal: Principal,
    /// The level.
    pub level: Level,
}

/// The person who asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The user's account.
    pub user: UserId,
    /// True for those who may administer every logspace: they may see, share and delete every object.
    pub is_administrator: bool,
}

impl Caller {
    /// Returns the level of an object that is shared with the caller, or that the caller owns.
    pub(crate) fn own_level(&self, owner: &UserId, acl: &[AclEntry]) -> Option<Level> {
        self.level(owner, acl, |id| *id == self.user)
    }

    /// The same for the object of a file, which names people: the account that has the name now.
    pub(crate) fn level_by_name(&self, owner: &UserId, acl: &[AclEntry]) -> Option<Level> {
        self.level(owner, acl, |id| id.name() == self.user.name())
    }

    fn level(&self, owner: &UserId, acl: &[AclEntry], is_caller: impl Fn(&UserId) -> bool) -> Option<Level> {
        if !owner.is_nobody() && is_caller(owner) {
            return Some(Level::Own);
        }
        let meant = |entry: &&AclEntry| match &entry.principal {
            Principal::Everyone => true,
            Principal::User(id) => is_caller(id),
        };
        acl.iter().filter(meant).map(|entry| entry.level).max()
    }
}

#[cfg(test)]
mod tests {
    //! The texts of ids.

    use super::*;

    #[test]
    fn ids_have_a_name_and_what_was_drawn() {
        let id: UserId = "eva#k3x9".parse().unwrap();
        assert_eq!((id.name(), id.as_str(), id.by_name().as_str()), ("eva", "eva#k3x9", "eva"));
        assert_ne!(id, "eva".parse().unwrap());
        assert_eq!("".parse(), Ok(UserId::nobody()));
        for text in ["#", "#x", "eva#", "eva#X", "eva#a#b", "e a", &format!("eva#{}", "x".repeat(33))] {
            assert_eq!(text.parse::<UserId>(), Err(PrincipalError), "{text}");
        }
        for text in ["everyone", "user:eva", "user:eva#k3x9"] {
            assert_eq!(Principal::of_row(text).unwrap().row(), text);
        }
        assert!(Principal::of_row("user:").is_err() && "user:eva#k3x9".parse::<Principal>().is_err());
        assert_eq!(Principal::of_row("user:eva#k3x9").unwrap().to_string(), "user:eva");
    }
}
