//! The options of a pattern: its language and flags, and the errors in both.
//!
//! In: names of `type()` and `flags()`. Out: types; an error that lists what would be accepted. Holds nothing.
//! Limits: [`PATTERN_BYTES_MAX`].

use std::fmt;

/// Longest pattern.
pub const PATTERN_BYTES_MAX: usize = 64 << 10;

/// The language of a pattern: `type(...)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum PatternKind {
    /// A regular expression of PCRE2.
    #[default]
    Pcre,
    /// The text itself.
    Literal,
    /// `*` and `?`.
    Glob,
}

impl PatternKind {
    /// Returns the kind of a name in `type()`. `posix`, an old spelling, is read as `pcre`.
    pub fn from_name(name: &str) -> Option<PatternKind> {
        Some(match name {
            "pcre" | "posix" => PatternKind::Pcre,
            "string" => PatternKind::Literal,
            "glob" => PatternKind::Glob,
            _ => return None,
        })
    }
}

/// The `flags(...)` of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct PatternFlags {
    /// ASCII letters match in either case; with `utf8` all letters.
    pub ignore_case: bool,
    /// Pattern and text are UTF-8: `.` is a character.
    pub utf8: bool,
    /// Line ends are CR, LF or both.
    pub newline: bool,
    /// `subst()` replaces every match.
    pub global: bool,
    /// The groups of a match become the values `$0` to `$255` and named values.
    pub store_matches: bool,
    /// Strings match anywhere.
    pub substring: bool,
    /// Strings match at the start.
    pub prefix: bool,
    /// PCRE2 runs without its compiler.
    pub disable_jit: bool,
    /// Group names may repeat.
    pub dupnames: bool,
    /// A group that takes no part in a match keeps the value of an earlier match: depends on the version.
    pub keeps_unused_groups: bool,
}

/// The names of `flags()`, for messages to users.
pub const FLAG_NAMES: [&str; 9] = [
    "ignore-case",
    "utf8",
    "newline",
    "global",
    "store-matches",
    "substring",
    "prefix",
    "disable-jit",
    "dupnames",
];

impl PatternFlags {
    /// Sets the flag of a name.
    pub fn set(&mut self, name: &str) -> Result<(), PatternError> {
        let flag = match name.replace('_', "-").as_str() {
            "ignore-case" | "icase" => &mut self.ignore_case,
            "utf8" | "unicode" => &mut self.utf8,
            "newline" => &mut self.newline,
            "global" => &mut self.global,
            "store-matches" => &mut self.store_matches,
            "substring" => &mut self.substring,
            "prefix" => &mut self.prefix,
            "disable-jit" => &mut self.disable_jit,
            "dupnames" => &mut self.dupnames,
            _ => return Err(PatternError::Flag { name: name.to_owned() }),
        };
        *flag = true;
        Ok(())
    }
}

/// Error in a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatternError {
    /// PCRE2 does not accept it.
    Syntax {
        /// Byte of the pattern at which it stopped.
        offset: usize,
        /// The error of the compiler.
        reason: String,
    },
    /// It is longer than [`PATTERN_BYTES_MAX`].
    Long {
        /// Its length.
        size: usize,
    },
    /// A flag that does not exist.
    Flag {
        /// Its name.
        name: String,
    },
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternError::Syntax { offset, reason } => {
                write!(f, "regular expression is wrong at byte {offset}: {reason}")
            }
            PatternError::Long { size } => {
                write!(f, "pattern of {size} bytes is longer than {PATTERN_BYTES_MAX}")
            }
            PatternError::Flag { name } if name == "nobackref" => f.write_str(
                "flag nobackref is gone since version 3: matches are stored by store-matches only",
            ),
            PatternError::Flag { name } => {
                write!(f, "unknown flag {name}; known are {}", FLAG_NAMES.join(", "))
            }
        }
    }
}

impl std::error::Error for PatternError {}
