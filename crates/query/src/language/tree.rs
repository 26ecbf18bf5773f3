//! The tree of a query, as written: made by the parser and printed by the printer.
//!
//! In: clauses. Out: the same. Holds: every operator and quote as written, so that printing loses only blanks; an
//! editor may change a part and print the rest unchanged.
//! Limits: the parser bounds depth and number of nodes.

mod parameter;
mod pipe;
mod print;
mod text;

pub use parameter::{Parameter, ParameterPosition, is_parameter_name};
pub use pipe::{Command, Function, FunctionKind, Pipe, PipeName, SortKey};
pub use text::{Glyph, Text, escape};

/// A part of the text, counted in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextRange {
    /// First character.
    pub start: usize,
    /// Character after the last.
    pub end: usize,
}

/// A node and where it was written.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its text in the query.
    pub place: TextRange,
    /// Its meaning.
    pub kind: NodeKind,
}

/// Trees are equal when they mean the same; positions do not matter.
impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of nodes.
#[derive(Clone, PartialEq, Debug)]
pub enum NodeKind {
    /// An empty query: everything.
    Empty,
    /// `*`: everything.
    All,
    /// One clause.
    Clause(Clause),
    /// `(...)` or `field:(...)`.
    Group {
        /// Field that clauses inside without one belong to.
        field: Option<Text>,
        /// The parenthesised group.
        inner: Box<Node>,
        /// `^2`.
        boost: Option<String>,
    },
    /// A negation.
    Not {
        /// The notation of the negation.
        sign: NotSign,
        /// The negated node.
        inner: Box<Node>,
    },
    /// `+a`: required, whatever the default operator.
    Must(Box<Node>),
    /// Several, joined by one operator.
    Chain {
        /// The operator.
        operator: Operator,
        /// The members, with how each is joined to the previous one (meaningless for the first).
        members: Vec<(Join, Node)>,
    },
}

/// Joins the members of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Operator {
    /// All of them.
    #[default]
    And,
    /// At least one member must match.
    Or,
}

/// The notations of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Join {
    /// No operator between the members.
    Beside,
    /// `AND`, `OR`.
    Word,
    /// `&&`, `||`.
    Symbol,
}

/// The notations of a negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotSign {
    /// `NOT a`
    Word,
    /// `!a`
    Bang,
    /// `-a`
    Minus,
}

/// A test of a field, or of all fields.
#[derive(Clone, PartialEq, Debug)]
pub struct Clause {
    /// The field as written; `_exists_` is [`Test::Exists`] instead.
    pub field: Option<Text>,
    /// The test of the field's value.
    pub test: Test,
    /// `^2`.
    pub boost: Option<String>,
}

/// The treatment of letter case by an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LetterCase {
    /// Upper and lower case differ.
    Exact,
    /// They are the same: `/expression/i`.
    Ignored,
}

/// The test of a clause.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    /// `word`, `wor*`
    Term(Text),
    /// `word~1`; the distance as written, empty for the default.
    Fuzzy(Text, String),
    /// `"some words"~3`
    Phrase(Text, Option<u32>),
    /// `/expression/i`
    Regex {
        /// Between the slashes, its `\/` still escaped.
        pattern: String,
        /// The treatment of letter case.
        case: LetterCase,
    },
    /// `[a TO b}`
    Range {
        /// Lower end.
        lower: End,
        /// Upper end.
        upper: End,
    },
    /// `>=10`
    Compare(Comparison, EndText),
    /// `=text`: exactly these bytes somewhere in the message.
    Exact(EndText),
    /// `==text`: exactly this value, including case.
    CaseExact(EndText),
    /// `_exists_:name`
    Exists(Text),
}

/// An end of a range.
#[derive(Clone, PartialEq, Debug)]
pub struct End {
    /// Its text; none for `*`.
    pub text: Option<EndText>,
    /// True for `[` and `]`: the end itself belongs to the range.
    pub inclusive: bool,
}

/// A literal text, quoted or not.
#[derive(Clone, PartialEq, Debug)]
pub struct EndText {
    /// The text without escapes.
    pub text: String,
    /// True when it was quoted.
    pub quoted: bool,
    /// Its position in the query.
    pub place: UncomparedRange,
}

/// A range that does not take part in comparisons of trees.
#[derive(Clone, Copy, Debug, Default)]
pub struct UncomparedRange(pub TextRange);

impl PartialEq for UncomparedRange {
    fn eq(&self, _: &UncomparedRange) -> bool {
        true
    }
}

/// `<`, `<=`, `>`, `>=`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// Returns the sign as written.
    pub fn sign(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}
