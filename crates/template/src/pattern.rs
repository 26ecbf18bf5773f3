//! Patterns of `match()`, `subst()` and so on: regular expressions, strings, globs.
//!
//! In: a pattern with its type and flags, once; bytes, often. Out: whether and where it matches.
//! Holds: the cheapest engine that answers exactly as PCRE2 would: a set of literals, a literal search, the
//! linear-time engine after a literal test, or PCRE2 itself for look-around, back-references and similar.
//! Limits: [`PATTERN_BYTES_MAX`] bytes of pattern, [`GROUPS_MAX`] groups, [`MATCH_STEPS_MAX`] steps of a PCRE2
//! match; a text that needs more does not match.

mod dialect;
mod engine;
mod glob;
mod literal;
mod options;

pub use dialect::MATCH_STEPS_MAX;
pub use engine::{GROUPS_MAX, Groups};
pub use options::{FLAG_NAMES, PATTERN_BYTES_MAX, PatternError, PatternFlags, PatternKind};

use engine::Engine;

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
            PatternKind::Glob => Engine::Glob(glob::Glob::new(text, flags)),
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
        self.engine.find(bytes, from, groups)
    }

    /// Returns the range of the first match at or after `from`: cheaper than [`Pattern::find`] with its groups.
    #[inline]
    pub fn find_range(&self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        self.engine.find_range(bytes, from)
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
