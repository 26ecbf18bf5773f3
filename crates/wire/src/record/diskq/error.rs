//! The reasons why a message of syslog-ng cannot be read.

use std::fmt;

/// The version of messages that can be read.
pub(super) const VERSION: u8 = 26;

/// The reasons why bytes are not a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SavedMessageError {
    /// They end too early.
    Short,
    /// The version cannot be read.
    Version(u8),
    /// A machine with the other order of bytes wrote them.
    BigEndian,
    /// The sender's address is of an unknown family.
    Address(u16),
    /// The table of name-value pairs contradicts itself.
    Table,
}

impl fmt::Display for SavedMessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SavedMessageError::Short => f.write_str("the message ends too early"),
            SavedMessageError::Version(version) => {
                write!(
                    f,
                    "messages of version {version} cannot be read, only {VERSION} (syslog-ng 3.9 and later)"
                )
            }
            SavedMessageError::BigEndian => f.write_str("the message was written on a big-endian machine"),
            SavedMessageError::Address(family) => {
                write!(f, "the sender's address is of the unknown family {family}")
            }
            SavedMessageError::Table => f.write_str("the message's table of name-value pairs is damaged"),
        }
    }
}

impl std::error::Error for SavedMessageError {}
