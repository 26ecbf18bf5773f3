//! The tree of a configuration.
//!
//! In: built by the parser. Out: read by the check and by the server, which turns it into running parts.
//! Holds: every statement in written order, with the place of every word. Blocks are expanded, in-place objects are not named.

mod block;
mod call;
mod filter;
mod path;
mod tags;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::text::{Span, Texts};
pub use block::{Block, Parameter, Raw};
pub use call::{Arg, Call};
pub use filter::{
    Comparison, FacilitySet, Filter, FilterLeaf, Match, MatchFlag, MatchTarget, MatchType, Operand,
    SeveritySet,
};
pub use path::{Arm, Branch, Condition, Flag, Item, Junction, LogFlag, Path, Reference, Step};

/// A word and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// As written.
    pub text: String,
    /// The place.
    pub span: Span,
}

impl Name {
    /// Returns it as a keyword: `_` and `-` are the same.
    pub fn key(&self) -> String {
        crate::words::keyword(&self.text)
    }
}

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
    /// From here on, two objects of one kind cannot have one name.
    pub const UNIQUE_NAMES: Version = Version { major: 3, minor: 3 };

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

/// A module that the configuration asks to load. Everything this program has is built in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Its name.
    pub name: Name,
    /// The whole pragma.
    pub span: Span,
}

/// A configuration, read.
pub struct Tree {
    /// Its texts, which every span points into.
    pub texts: Texts,
    /// The version of `@version`.
    pub version: Option<Version>,
    /// The values of `@define`, the last one of each name, in keyword spelling.
    pub defines: BTreeMap<String, String>,
    /// The modules of `@module`.
    pub modules: Vec<Module>,
    /// The sets of ready-made blocks that it includes: `scl.conf`.
    pub includes: BTreeSet<&'static str>,
    /// The statements.
    pub statements: Vec<Statement>,
    /// The statements that have errors of the language in them.
    pub unread: Vec<Unread>,
}

/// A statement that could not be read whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// Its keyword.
    pub keyword: Span,
    /// Its kind and name, when others can refer to it.
    pub object: Option<(Kind, Name)>,
    /// Its place among the statements, when a part of it is there.
    pub statement: Option<usize>,
    /// Number of errors in it.
    pub errors: usize,
    /// True when all of them are about words that this program does not know; the bounds of the statement are certain.
    pub is_unsupported: bool,
    /// The first of them.
    pub why: String,
}

/// A statement at the top of a configuration.
#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    /// `source`, `destination`, `parser` or `rewrite`, with a name.
    Object(Object),
    /// `filter NAME { expression };`
    Filter(NamedFilter),
    /// `template NAME "text";` or `template NAME { template("text"); ... };`
    Template(Template),
    /// `template-function NAME "text";`
    TemplateFunction(Template),
    /// `options { ... };`
    Options(Vec<Call>),
    /// `log { ... };`
    Log(Path),
    /// `logspace NAME { filtered("OTHER" "query"); };` or `logspace NAME { multiple("A", "B"); };`
    Logspace(LogspaceView),
    /// `block CONTEXT NAME(...) { ... };` Its uses are expanded already.
    Block(Block),
    /// `application NAME[TOPIC] { filter {...}; parser {...}; };` Used only by `app-parser()`.
    Application(Application),
    /// A statement of the language that this program does not run yet: `filterx NAME { ... };`, `python { ... };`.
    Later(Later),
}

/// The kinds of objects that log paths refer to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Produces messages.
    Source,
    /// Delivers messages.
    Destination,
    /// Selects messages.
    Filter,
    /// Extracts values from messages.
    Parser,
    /// Changes messages.
    Rewrite,
    /// Formats messages.
    Template,
}

impl Kind {
    /// Returns the keyword.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Source => "source",
            Kind::Destination => "destination",
            Kind::Filter => "filter",
            Kind::Parser => "parser",
            Kind::Rewrite => "rewrite",
            Kind::Template => "template",
        }
    }
}

/// A named source, destination, parser or rewrite rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Object {
    /// The kind of object.
    pub kind: Kind,
    /// Its name.
    pub name: Name,
    /// Its drivers, or pieces of a log path.
    pub items: Vec<Item>,
}

/// A named filter.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedFilter {
    /// Its name.
    pub name: Name,
    /// Its expression.
    pub filter: Filter,
}

/// A named template.
#[derive(Clone, PartialEq, Debug)]
pub struct Template {
    /// Its name.
    pub name: Name,
    /// `template(...)`, `template-escape(...)`; the short form is one `template(...)`.
    pub options: Vec<Call>,
}

/// A logspace that is made of others.
#[derive(Clone, PartialEq, Debug)]
pub struct LogspaceView {
    /// Its name.
    pub name: Name,
    /// `filtered(...)` or `multiple(...)`.
    pub options: Vec<Call>,
}

/// An application that `app-parser()` would find.
#[derive(Clone, PartialEq, Debug)]
pub struct Application {
    /// Its name.
    pub name: Name,
    /// The topic it belongs to.
    pub topic: Name,
    /// Its `filter` and `parser` bodies, unread until used.
    pub bodies: Vec<(Name, Raw)>,
}

/// A statement that is known and not run yet.
#[derive(Clone, PartialEq, Debug)]
pub struct Later {
    /// Its keyword.
    pub keyword: Name,
    /// Its body.
    pub body: Raw,
}
