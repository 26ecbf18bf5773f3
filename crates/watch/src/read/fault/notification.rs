//! Errors in files of channels and routes, in words.
//!
//! In: what is wrong. Out: a sentence with a remedy. Holds nothing.

use std::fmt;

/// The kinds of errors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotificationFault {
    /// The lists of channels and routes are missing.
    NoLists,
    /// A list is too long.
    MoreThan {
        /// The most.
        most: usize,
    },
    /// An identifier is in a list twice.
    SameIdHere {
        /// The identifier.
        id: String,
    },
    /// A route names a channel that is not in the file.
    NoChannel {
        /// The identifier.
        id: String,
    },
    /// A value is no URL of HTTP.
    NotAUrl,
    /// A value is no address of a mailbox.
    NotAnAddress,
    /// A value is no id of a room of Matrix.
    NotARoom,
    /// A path is not absolute.
    NotAbsolute,
    /// A password would be sent over a connection that is not encrypted.
    PasswordInClear,
    /// One of several keys can be there.
    OneOf {
        /// The keys.
        keys: String,
    },
}

impl fmt::Display for NotificationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotificationFault::NoLists => {
                f.write_str("a file of notifications has two keys, channels and routes, with a list each")
            }
            NotificationFault::MoreThan { most } => write!(f, "at most {most} can be here"),
            NotificationFault::SameIdHere { id } => write!(f, "{id} is here a second time"),
            NotificationFault::NoChannel { id } => write!(f, "there is no channel {id} in this file"),
            NotificationFault::NotAUrl => f.write_str(
                "a URL is needed here, such as https://example.com/hook, without user and fragment",
            ),
            NotificationFault::NotAnAddress => {
                f.write_str("the address of a mailbox is needed here, such as ops@example.com")
            }
            NotificationFault::NotARoom => f.write_str(
                "the id of a room is needed here, which begins with an exclamation mark, not its name",
            ),
            NotificationFault::NotAbsolute => f.write_str("a path is needed here that begins with a slash"),
            NotificationFault::PasswordInClear => {
                f.write_str("the password would be sent in the clear: write starttls or tls")
            }
            NotificationFault::OneOf { keys } => write!(f, "one of these can be there: {keys}"),
        }
    }
}
