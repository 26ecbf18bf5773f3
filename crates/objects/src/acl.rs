//! The people that an object is shared with.
//!
//! In: names of principals, the caller. Out: the level at which the caller may use the object. Holds nothing.
//! A level of an object gives no right to any message: what a search finds is decided by the grants of the user who runs it.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Longest name of a user, as the accounts allow it.
const USER_CHARS_MAX: usize = 64;

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

/// Someone that an object is shared with. As text: `everyone`, or `user:` and a name.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[serde(try_from = "String", into = "String")]
pub enum Principal {
    /// Each user who can log in.
    Everyone,
    /// A user.
    User(String),
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
            Some(name) if is_user_name(name) => Ok(Principal::User(name.to_owned())),
            None if text == "everyone" => Ok(Principal::Everyone),
            _ => Err(PrincipalError),
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
            Principal::User(name) => write!(f, "user:{name}"),
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
    /// The user.
    pub user: String,
    /// True for those who may administer every logspace: they may see, share and delete every object.
    pub is_administrator: bool,
}

impl Caller {
    /// Returns the level of an object that is shared with the caller, or that the caller owns.
    pub(crate) fn own_level(&self, owner: &str, acl: &[AclEntry]) -> Option<Level> {
        if owner == self.user {
            return Some(Level::Own);
        }
        let meant = |entry: &&AclEntry| match &entry.principal {
            Principal::Everyone => true,
            Principal::User(name) => *name == self.user,
        };
        acl.iter().filter(meant).map(|entry| entry.level).max()
    }
}
