//! Log paths.
//!
//! In: built by the parser. Out: the steps that a message takes, in written order.

use super::block::Raw;
use super::call::{Call, Filter};
use super::name::{Kind, Name};
use crate::text::Span;

/// The content of a `log`, `channel`, `junction` branch or `if` arm.
#[derive(Clone, PartialEq, Debug)]
pub struct Path {
    /// `log NAME { ... };`
    pub name: Option<Name>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
    /// `flags(...)`.
    pub flags: Vec<Flag>,
    /// The keyword that opens it.
    pub span: Span,
}

/// One step of a path.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// `source(name)`, `parser { ... }` and their like.
    Use(Reference),
    /// `filter(name)` or `filter { expression }`.
    Filter(Filter),
    /// `junction { ... }`: every branch sees the message, then they join.
    Junction(Junction),
    /// `channel { ... }` by itself: a path inside the path.
    Channel(Path),
    /// `log { ... }` inside a path: never joins again.
    Log(Path),
    /// `if ... elif ... else ...`.
    If(Condition),
    /// `parallelize(workers(4) partition-key("$HOST"))`: the steps after it run on several threads.
    Parallelize(Call),
    /// A step that is known and not run yet: `filterx { ... }`.
    Later(Name, Raw),
}

/// An object used in a path.
#[derive(Clone, PartialEq, Debug)]
pub enum Reference {
    /// By name.
    Named(Kind, Name),
    /// Written in place; the span is its keyword's.
    InPlace(Kind, Vec<Item>, Span),
}

impl Reference {
    /// Returns the kind of the object.
    pub fn kind(&self) -> Kind {
        match self {
            Reference::Named(kind, _) | Reference::InPlace(kind, _, _) => *kind,
        }
    }

    /// Returns its span.
    pub fn span(&self) -> Span {
        match self {
            Reference::Named(_, name) => name.span,
            Reference::InPlace(_, _, span) => *span,
        }
    }
}

/// One item in the body of an object.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// A driver.
    Call(Call),
    /// A piece of a path: `channel { ... }`, `junction { ... }`, `if ...`.
    Step(Step),
}

/// `junction { ... }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Junction {
    /// Its branches, in order.
    pub branches: Vec<Branch>,
    /// The keyword.
    pub span: Span,
}

/// One branch of a junction.
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// Its path.
    pub path: Path,
}

/// `if (filter) { ... } elif { ... } else { ... }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// The arms, tried in order.
    pub arms: Vec<Arm>,
    /// The path of messages that no arm takes.
    pub otherwise: Option<Path>,
    /// The first keyword.
    pub span: Span,
}

/// One arm.
#[derive(Clone, PartialEq, Debug)]
pub struct Arm {
    /// The test; without one, the filters and parsers inside the arm are the test.
    pub test: Option<Filter>,
    /// The path of messages for which it holds.
    pub path: Path,
}

/// One word of `flags(...)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flag {
    /// The flag.
    pub flag: LogFlag,
    /// Its position in the configuration.
    pub span: Span,
}

/// The flags of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFlag {
    /// Later paths do not see the message.
    Final,
    /// Only messages that no other path took.
    Fallback,
    /// Messages of every source.
    Catchall,
    /// Sources wait for the destinations.
    FlowControl,
    /// Destinations may drop messages, whatever the global option says.
    NoFlowControl,
    /// Messages that match nothing are dropped and counted.
    DropUnmatched,
}

impl LogFlag {
    /// Every flag with its word.
    pub const ALL: &'static [(&'static str, LogFlag)] = &[
        ("final", LogFlag::Final),
        ("fallback", LogFlag::Fallback),
        ("catchall", LogFlag::Catchall),
        ("catch-all", LogFlag::Catchall),
        ("flow-control", LogFlag::FlowControl),
        ("no-flow-control", LogFlag::NoFlowControl),
        ("drop-unmatched", LogFlag::DropUnmatched),
    ];
}
