//! The `@version:` of a configuration, which decides some meanings.
//!
//! In: major and minor. Out: what they change. Limits: none.

/// Version of a configuration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version {
    /// For instance 4.
    pub major: u16,
    /// For instance 2.
    pub minor: u16,
}

impl Version {
    /// The newest version whose meanings we know; also that of `@version: current`.
    pub const CURRENT: Version = Version { major: 4, minor: 27 };

    /// Whether values have types: comparisons and value pairs look at them since 4.0.
    pub fn is_typed(self) -> bool {
        self.major >= 4
    }

    /// Whether `$MSG` and `$MESSAGE` hold the tag before the text: until 3.0.
    pub fn has_tag_in_message(self) -> bool {
        self.major < 3
    }
}

impl Default for Version {
    fn default() -> Self {
        Version::CURRENT
    }
}
