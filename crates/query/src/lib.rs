//! Questions and their answers: text in Lucene's syntax, a tree, a plan over the segments of a snapshot, then
//! rows, bars and facets; the same tree also watches messages as they arrive.
//!
//! In: the text of a question and a [`store::Snapshot`]. Out: an [`Answer`], or a [`QueryError`] with its place.
//! Holds: nothing between questions. Knows no clock: the time of "now" is an argument.
//! Limits: text, nesting and number of clauses are bounded (see [`QueryError`]); a [`store::Watch`] bounds time.

mod answer;
mod error;
mod parse;
mod times;
mod tree;

pub use answer::{Answer, Bars, Clock, Facet, Row, Search, SearchError, TimedOut};
pub use error::{Hint, QueryError};
pub use parse::{DEPTH_MAX, NODES_MAX, Parsed, TEXT_CHARS_MAX, parse};
pub use times::parse_time;
pub use tree::{Node, NodeKind, Operator, Text, escape};
