//! Questions and their answers: text in Lucene's syntax, a tree, a plan over the segments of a snapshot, then
//! rows, bars and facets; the same tree also watches messages as they arrive.
//!
//! In: the text of a question and a [`Space`]. Out: an [`Answer`], or a [`QueryError`] with its place.
//! Holds: nothing between questions. Knows no clock: the time of "now" is an argument.
//! Limits: text, nesting and number of clauses are bounded (see [`QueryError`]); a [`lookup::CancelToken`] bounds time.

mod answer;
mod boundary;
mod browse;
mod compile;
mod condition;
mod error;
mod explain;
mod fields;
mod highlight;
mod matcher;
mod matches;
mod memory;
#[cfg(test)]
mod naive;
mod parse;
mod pipe;
mod plan;
mod question;
mod run;
mod space;
mod stage;
mod times;
mod tree;
mod words;

pub use answer::{
    AWAY, Answer, Bars, Clock, Facet, LOCKED, LOST, Row, STARTING, Search, SearchError, TimedOut, Unread,
};
pub use boundary::{Boundary, matching};
pub use browse::{Extent, Found, NEIGHBOURS_MAX, Near, Same, columns, context, extent, message};
pub use error::{Hint, QueryError};
pub use fields::{column, column_name};
pub use highlight::utf16_ranges;
pub use matcher::Matcher;
pub use matches::BARS_MAX;
pub use memory::{BudgetOf, MemoryBudget, MemoryError, MemoryPermit, MemoryPool, OverBudget};
pub use parse::{DEPTH_MAX, NODES_MAX, Parsed, TEXT_CHARS_MAX, parse};
pub use pipe::{Outcome, stream};
pub use question::{ParseOptions, Query};
pub use run::{
    ChosenRows, ExplainedPart, Explanation, Means, ROWS_MAX, explain, search, search_piped, search_rows,
    values,
};
pub use space::{MEMBERS_MAX, Member, Space, member_of, place};
pub use stage::Name;
pub use times::parse_time;
pub use tree::{
    AnyPlace, Clause, Command, Comparison, End, EndText, Function, FunctionKind, Glyph, Join, LetterCase,
    Node, NodeKind, NotSign, Operator, Pipe, PipeName, Place, SortKey, Test, Text, escape,
};
