//! Filter expressions.
//!
//! In: built by the parser, facilities and severities already numbers. Out: read by the server.

use super::{Arg, Call, Name};
use crate::text::Span;

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Filter {
    /// All of them.
    And(Vec<Filter>, Span),
    /// One of them.
    Or(Vec<Filter>, Span),
    /// Not it.
    Not(Box<Filter>, Span),
    /// One test.
    Leaf(FilterLeaf, Span),
}

impl Filter {
    /// Returns its span.
    pub fn span(&self) -> Span {
        match self {
            Filter::And(_, span) | Filter::Or(_, span) | Filter::Not(_, span) | Filter::Leaf(_, span) => {
                *span
            }
        }
    }
}

/// One test.
#[derive(Clone, PartialEq, Debug)]
pub enum FilterLeaf {
    /// `facility(...)`.
    Facility(FacilitySet),
    /// `severity(...)`, `level(...)`, `priority(...)`.
    Severity(SeveritySet),
    /// `host()`, `program()`, `message()`, `match()`.
    Match(Match),
    /// `netmask("10.0.0.0/8")`.
    Netmask(Name),
    /// `netmask6("fe80::/10")`.
    Netmask6(Name),
    /// `tags(...)`: one of them.
    Tags(Vec<Name>),
    /// `source(name)`.
    Source(Name),
    /// `in-list("file" value("NAME"))`.
    InList {
        /// The file with one value a line.
        file: Name,
        /// The name-value pair that is looked up.
        value: Name,
    },
    /// `rate-limit(template("...") rate(100))`, also `throttle(...)`.
    RateLimit {
        /// Template whose values are counted separately; without it all messages are counted together.
        key: Option<Name>,
        /// Messages a second.
        rate: u32,
    },
    /// `filter(name)`.
    Named(Name),
    /// `"template" op "template"`.
    Compare(Box<Comparison>),
    /// A test that is known and not run yet.
    Later(Call),
}

/// A set of facilities: bit N is facility N.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FacilitySet(pub u32);

/// A set of severities: bit N is severity N.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SeveritySet(pub u8);

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
    /// Says how the old engine runs; means nothing here.
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

/// `left op right`.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The template on the left.
    pub left: Operand,
    /// The operator, as written: `==` and its like, or `eq` and its like.
    pub operator: Name,
    /// The template on the right.
    pub right: Operand,
}

/// One side of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct Operand {
    /// The type of `int("5")`; `None` for a template without one.
    pub cast: Option<Name>,
    /// The template, or a literal.
    pub value: Arg,
}
