//! The pipes after a query, as written.
//!
//! In: commands. Out: the same; the text of each is kept, so that printing loses nothing.

use super::{Node, TextRange};

/// One command after a `|`.
#[derive(Clone, Debug)]
pub struct Pipe {
    /// Its position, from the name to the last character.
    pub place: TextRange,
    /// The text as written.
    pub text: String,
    /// The parsed command.
    pub command: Command,
}

/// Pipes are equal when they mean the same; position and notation do not matter.
impl PartialEq for Pipe {
    fn eq(&self, other: &Pipe) -> bool {
        self.command == other.command
    }
}

/// A name in a pipe and its position.
#[derive(Clone, Debug)]
pub struct PipeName {
    /// The name, without quotes and escapes.
    pub name: String,
    /// Its position in the query.
    pub place: TextRange,
}

/// Names are equal wherever they are written.
impl PartialEq for PipeName {
    fn eq(&self, other: &PipeName) -> bool {
        self.name == other.name
    }
}

/// The commands of pipes, with their arguments.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// `fields a, b`, `fields - a`: only these fields, or all but these.
    Fields {
        /// The names of the fields.
        names: Vec<PipeName>,
        /// True to remove these fields, false to keep only them.
        drop: bool,
    },
    /// `head 10`
    Head(u64),
    /// `sort -bytes, host`
    Sort(Vec<SortKey>),
    /// `dedup host, user`: the first of each combination.
    Dedup(Vec<PipeName>),
    /// `top 20 host`, `terms host`: the most frequent values with their counts.
    Top {
        /// Number of values.
        count: u64,
        /// The fields whose values are counted.
        names: Vec<PipeName>,
    },
    /// `stats count(), avg(bytes) as mean by host`
    Stats {
        /// The functions to compute.
        functions: Vec<Function>,
        /// The fields to group by.
        by: Vec<PipeName>,
    },
    /// `timechart 5m count() by host`
    Timechart {
        /// Width of an interval in microseconds; none: about thirty in the time range.
        span_us: Option<i64>,
        /// The functions to compute.
        functions: Vec<Function>,
        /// The field to group by.
        by: Vec<PipeName>,
    },
    /// `rex field=message "(?<user>\w+)"`: named groups become fields.
    Rex {
        /// The field to read.
        from: PipeName,
        /// The expression.
        pattern: PipeName,
    },
    /// `json`, `json field`: members of an object become fields.
    Json(PipeName),
    /// `kv`, `kv field`: `name=value` pairs become fields.
    Kv(PipeName),
    /// `where count:>5`: a condition in the query language.
    Where(Node),
    /// `context 5 5`: messages of the same source before and after each.
    Context {
        /// Number of older ones.
        before: u64,
        /// Number of newer ones.
        after: u64,
    },
    /// `patterns 50`: the texts that messages have in common, with exact counts.
    Patterns(u64),
    /// `diff earlier=1d`: compares the table with that of an earlier time.
    Diff {
        /// Distance of the earlier time, in microseconds.
        earlier_us: i64,
    },
}

/// One key of `sort`.
#[derive(Clone, PartialEq, Debug)]
pub struct SortKey {
    /// The field.
    pub name: PipeName,
    /// True for largest first.
    pub descending: bool,
}

/// One function of `stats` or `timechart`.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The function.
    pub kind: FunctionKind,
    /// The field that it reads; none for `count()`.
    pub of: Option<PipeName>,
    /// Name of the column.
    pub shown: String,
}

/// The functions of `stats` and `timechart`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionKind {
    /// Rows; with a field, those that have it.
    Count,
    /// Sum of numbers.
    Sum,
    /// Arithmetic mean of numbers.
    Avg,
    /// Smallest value.
    Min,
    /// Largest value.
    Max,
    /// A percentile of numbers, 1 to 99, within one percent of the value.
    Percentile(u8),
    /// Number of distinct values.
    Distinct,
}
