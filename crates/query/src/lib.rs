//! Queries and their answers: text in Lucene's syntax, a tree, a plan over the segments of a snapshot, then rows,
//! buckets and facets; the same tree also filters messages as they arrive.
//!
//! In: the text of a query and a [`SearchScope`]. Out: an [`Answer`], or a [`QueryError`] with its position.
//! Holds: nothing between queries. Reads no clock: the time of "now" is an argument.
//! Limits: text, nesting and number of clauses are bounded (see [`QueryError`]); a [`lookup::CancelToken`] bounds time.

mod answer;
mod condition;
mod language;
mod matches;
mod memory;
mod pipe;
mod plan;
mod question;
mod run;
mod scope;
mod stage;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Clock, Facet, Histogram, Row, Search, SearchError, TimedOut, Unread, UnreadReason};
pub use condition::{
    highlight::utf16_ranges,
    matcher::{Matcher, MessageTokens, any_value},
    required::{RequiredMark, number_of},
};
pub use language::{
    bind::{ParameterValue, bind, parameters, with_values},
    error::{Hint, QueryError},
    fields::{column, column_name},
    parse::{DEPTH_MAX, NODES_MAX, Parsed, TEXT_CHARS_MAX, parse},
    times::{parse_duration, parse_time},
    tree::{
        Clause, Command, Comparison, End, EndText, Function, FunctionKind, Glyph, Join, LetterCase, Node,
        NodeKind, NotSign, Operator, Parameter, ParameterPosition, Pipe, PipeName, SortKey, Test, Text,
        TextRange, UncomparedRange, escape, is_parameter_name,
    },
};
pub use matches::BUCKETS_MAX;
pub use memory::{
    BudgetOf, MemoryBudget, MemoryError, MemoryPermit, MemoryPool, OverBudget, ResultCache,
    ResultCacheCounters,
};
pub use pipe::{Outcome, stream};
pub use question::{ParseOptions, Query};
pub use run::{
    ChosenRows, ExplainedPart, Explanation, Means, ROWS_MAX, explain, search, search_piped, search_rows,
    values,
};
pub use scope::{
    MEMBERS_MAX, SearchScope, SearchedLogspace,
    boundary::{Boundary, matching},
    browse::{Extent, NEIGHBOURS_MAX, Near, Same, TokenizedMessage, columns, context, extent, message},
    member_of, row_number,
};
pub use stage::Name;
