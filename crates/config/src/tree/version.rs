//! Versions of the language.
//!
//! In: the text of `@version`. Out: numbers that can be compared.

use std::fmt;

/// The version of the language that a configuration is written for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version {
    /// The number before the dot.
    pub major: u16,
    /// The number after it.
    pub minor: u16,
}

impl Version {
    /// The newest version of syslog-ng's language, which `current` means.
    pub const CURRENT: Version = Version { major: 4, minor: 11 };
    /// The newest version that this program knows: from 4.12 on they are AxoSyslog's, which counts on from there.
    pub const NEWEST: Version = Version { major: 4, minor: 27 };
    /// The oldest one it reads.
    pub const OLDEST: Version = Version { major: 3, minor: 0 };
    /// First version in which two objects of one kind cannot have the same name.
    pub const UNIQUE_NAMES: Version = Version { major: 3, minor: 3 };

    /// Returns the version of syslog-ng that a version of syslog-ng Premium Edition is built upon, and itself otherwise: no
    /// other configuration has the numbers 5 to 8.
    pub fn of_syslog_ng(self) -> Version {
        match self.major {
            5 => Version { major: 3, minor: 5 },
            6 => Version { major: 3, minor: 7 },
            7 => Version { major: 3, minor: 38 },
            8 => Self::CURRENT,
            _ => self,
        }
    }

    /// Reads `4.8`.
    pub fn read(text: &str) -> Option<Version> {
        let (major, minor) = text.split_once('.')?;
        Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.major, self.minor)
    }
}
