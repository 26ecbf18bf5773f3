//! The `@version:` of a configuration, which decides some meanings.
//!
//! In: major and minor. Out: their effects. Limits: none.

/// Version of a configuration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version {
    /// For instance 4.
    pub major: u16,
    /// For instance 2.
    pub minor: u16,
}

impl Version {
    /// The newest version of syslog-ng's language; also that of `@version: current`.
    pub const CURRENT: Version = Version { major: 4, minor: 11 };

    /// Returns true when values have types: comparisons and value pairs use them since 4.0.
    pub fn is_typed(self) -> bool {
        self.major >= 4
    }

    /// Returns true for a version of AxoSyslog: its versions continue from 4.12; syslog-ng's own ended at 4.11.
    fn is_axosyslog(self) -> bool {
        self >= Version { major: 4, minor: 12 }
    }

    /// Returns true when a group that took no part in a match loses the value of an earlier match.
    pub fn clears_unused_groups(self) -> bool {
        self.is_axosyslog()
    }

    /// Returns true when `${MSGFORMAT}` of syslog messages begins with `syslog:`.
    pub fn has_prefixed_formats(self) -> bool {
        self.is_axosyslog()
    }

    /// Returns true when `==` and the other operators without a type compare text, as a bug had it before 3.8.
    pub fn compares_numbers_as_text(self) -> bool {
        self < Version { major: 3, minor: 8 }
    }

    /// Returns true when `$MSG` and `$MESSAGE` hold the tag before the text: until 3.0.
    pub fn has_tag_in_message(self) -> bool {
        self.major < 3
    }
}

impl Default for Version {
    fn default() -> Self {
        Version::CURRENT
    }
}
