//! Patterns of `match()`, `subst()` and so on: regular expressions, strings, globs.
//!
//! In: a pattern with its type and flags, once; bytes, often. Out: whether and where it matches.
//! Holds: the cheapest engine that answers exactly as PCRE2 would: a set of literals, a literal search, the
//! linear-time engine after a literal test, or PCRE2 itself for look-around, back-references and the like.
//! Limits: [`PATTERN_BYTES_MAX`] bytes of pattern, [`GROUPS_MAX`] groups, [`MATCH_STEPS_MAX`] steps of a PCRE2
//! match; a text that needs more does not match.

mod dialect;
mod engine;
mod glob;
mod literal;

use engine::Engine;
use std::fmt;

/// Longest pattern.
pub const PATTERN_BYTES_MAX: usize = 64 << 10;
/// Most groups that are stored, the whole match included (`$0` to `$255`).
pub const GROUPS_MAX: usize = 256;
/// Most backtracking steps of one PCRE2 match: about 10 ms. A line that needs more does not match, so
/// that a crafted line cannot stop the server.
pub const MATCH_STEPS_MAX: u32 = 1_000_000;

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
    /// A group that takes no part in a match keeps the value of an earlier match: decided by the version.
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

/// Ranges of the groups of one match; group 0 is the whole match.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    places: Vec<Option<(usize, usize)>>,
}

impl Groups {
    /// Returns the range of a group; `None` when it took no part or does not exist.
    #[inline]
    pub fn place(&self, group: usize) -> Option<(usize, usize)> {
        self.places.get(group).copied().flatten()
    }

    /// Returns the number of groups, the whole match included.
    #[inline]
    pub fn count(&self) -> usize {
        self.places.len()
    }
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    text: String,
    flags: PatternFlags,
    engine: Engine,
}

impl Pattern {
    /// Compiles a pattern.
    pub fn compile(text: &str, kind: PatternKind, flags: PatternFlags) -> Result<Pattern, PatternError> {
        if text.len() > PATTERN_BYTES_MAX {
            return Err(PatternError::Long { size: text.len() });
        }
        let engine = match kind {
            PatternKind::Pcre => dialect::compile(text, flags)?,
            PatternKind::Literal => literal::compile(text, flags),
            PatternKind::Glob => Engine::Glob(glob::Glob::new(text, flags.ignore_case)),
        };
        Ok(Pattern { text: text.to_owned(), flags, engine })
    }

    /// Makes a pattern that matches no text.
    pub(crate) fn nothing() -> Pattern {
        Pattern { text: String::new(), flags: PatternFlags::default(), engine: Engine::Nothing }
    }

    /// Returns the pattern as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its flags.
    #[inline]
    pub fn flags(&self) -> PatternFlags {
        self.flags
    }

    /// Returns true when it matches.
    #[inline]
    pub fn is_match(&self, bytes: &[u8]) -> bool {
        self.engine.is_match(bytes)
    }

    /// Finds the groups of the first match at or after `from`. Returns false when there is no match.
    #[inline]
    pub fn find(&self, bytes: &[u8], from: usize, groups: &mut Groups) -> bool {
        let found = self.engine.find(bytes, from, groups);
        // Groups after the last that took part do not count, as in PCRE2.
        let used = groups.places.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        groups.places.truncate(used);
        found
    }

    /// Returns the range of the first match at or after `from`: cheaper than [`Pattern::find`] with its groups.
    #[inline]
    pub fn place(&self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        self.engine.place(bytes, from)
    }

    /// Returns the named groups with their numbers.
    #[inline]
    pub fn names(&self) -> &[(String, usize)] {
        self.engine.names()
    }

    /// Returns the cost of one test, roughly in nanoseconds: cheap tests run first.
    pub fn cost(&self) -> u32 {
        self.engine.cost()
    }
}

#[cfg(test)]
mod tests;
