//! Patterns of filters and rewrite rules.
//!
//! In: built by the parser. Out: the matched value, the pattern, and the flags.

use super::name::Name;

/// A pattern and the text that it is matched against.
#[derive(Clone, PartialEq, Debug)]
pub struct Match {
    /// The text that is searched.
    pub target: MatchTarget,
    /// The pattern.
    pub pattern: Name,
    /// The language of the pattern.
    pub kind: MatchType,
    /// `flags(...)`.
    pub flags: Vec<MatchFlag>,
}

/// The text that a pattern is compared with.
#[derive(Clone, PartialEq, Debug)]
pub enum MatchTarget {
    /// The message with its program and pid, as `match()` without `value()` does.
    Line,
    /// A name-value pair.
    Value(Name),
    /// A template.
    Template(Name),
}

/// The language of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchType {
    /// A regular expression.
    Pcre,
    /// The characters themselves.
    Text,
    /// `*` and `?`.
    Glob,
}

impl MatchType {
    /// Every type with its word.
    pub const ALL: &'static [(&'static str, MatchType)] =
        &[("pcre", MatchType::Pcre), ("string", MatchType::Text), ("glob", MatchType::Glob)];
}

/// Words of `flags(...)` of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchFlag {
    /// Upper and lower case are one.
    IgnoreCase,
    /// Groups become `$1`, `$2` and named values.
    StoreMatches,
    /// The pattern is Unicode.
    Utf8,
    /// Any newline convention ends a line.
    Newline,
    /// `subst()` replaces every match.
    Global,
    /// The text only has to contain the pattern.
    Substring,
    /// The text only has to start with the pattern.
    Prefix,
    /// A group name may occur twice.
    Dupnames,
    /// An option of the old engine; has no effect here.
    DisableJit,
}

impl MatchFlag {
    /// Every flag with its words.
    pub const ALL: &'static [(&'static str, MatchFlag)] = &[
        ("ignore-case", MatchFlag::IgnoreCase),
        ("icase", MatchFlag::IgnoreCase),
        ("store-matches", MatchFlag::StoreMatches),
        ("unicode", MatchFlag::Utf8),
        ("utf8", MatchFlag::Utf8),
        ("newline", MatchFlag::Newline),
        ("global", MatchFlag::Global),
        ("substring", MatchFlag::Substring),
        ("prefix", MatchFlag::Prefix),
        ("dupnames", MatchFlag::Dupnames),
        ("disable-jit", MatchFlag::DisableJit),
    ];
}
