//! Pipes, resolved: the commands of a query and the columns that they produce.
//!
//! In: commands as written. Out: stages that can be run over any snapshot. Holds: names, conditions, expressions.

mod columns;
mod compile;
mod name;

pub(crate) use columns::{PATTERN_COLUMNS, TIME, change, earlier};
pub(crate) use compile::compile;
pub use name::Name;
pub(crate) use name::{add_value, number_kind, number_text};

use crate::{condition::Condition, language::tree::FunctionKind};
use regex::bytes::Regex;
use std::sync::Arc;

/// A command, resolved.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    Fields { names: Vec<Name>, drop: bool },
    Head(u64),
    Sort(Vec<(Name, bool)>),
    Dedup(Vec<Name>),
    Group(Arc<GroupBy>),
    Rex { from: Name, regex: Regex },
    Json(Name),
    Kv(Name),
    Where(Arc<Condition>),
    Context { before: usize, after: usize },
    Patterns { limit: usize },
    Diff { earlier_us: i64, keys: Vec<Name>, values: Vec<String> },
}

impl Stage {
    /// Returns the names of the fields that it reads.
    fn names(&self) -> Vec<&Name> {
        match self {
            Stage::Fields { names, .. } | Stage::Dedup(names) => names.iter().collect(),
            Stage::Sort(keys) => keys.iter().map(|(name, _)| name).collect(),
            Stage::Group(by) => {
                by.keys.iter().chain(by.functions.iter().filter_map(|of| of.name.as_ref())).collect()
            }
            Stage::Rex { from, .. } | Stage::Json(from) | Stage::Kv(from) => vec![from],
            Stage::Diff { keys, .. } => keys.iter().collect(),
            Stage::Head(_) | Stage::Where(_) | Stage::Context { .. } | Stage::Patterns { .. } => Vec::new(),
        }
    }
}

/// The grouping of `stats`, `top` and `timechart`: its keys and the functions computed for each group.
#[derive(Clone, Debug)]
pub(crate) struct GroupBy {
    pub(crate) keys: Vec<Name>,
    pub(crate) functions: Vec<Of>,
    pub(crate) shape: Shape,
}

/// The form of the rows of a grouping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// One row per group, by key.
    Stats,
    /// The largest groups with their share.
    Top { limit: usize },
    /// One row per group and interval; without a width, about thirty intervals.
    Timechart { span_us: Option<i64>, offset_us: i64 },
}

/// One function.
#[derive(Clone, Debug)]
pub(crate) struct Of {
    pub(crate) kind: FunctionKind,
    pub(crate) name: Option<Name>,
    pub(crate) shown: String,
}

/// The commands of a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipes {
    pub(crate) stages: Vec<Stage>,
    /// Names of the columns when the result is a table; none when it is messages.
    pub(crate) columns: Option<Vec<Name>>,
}

impl Pipes {
    /// Returns true if a pipe uses sequence numbers.
    pub(crate) fn has_sequences(&self) -> bool {
        let names = self.stages.iter().flat_map(Stage::names).chain(self.columns.iter().flatten());
        names.into_iter().any(Name::is_sequence)
    }
}
