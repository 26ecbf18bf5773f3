//! The steps of commands: each takes rows one by one and passes its results to the next.
//!
//! In: rows, newest first. Out: rows; `false` when no more are wanted. Holds: the state of its command.
//! Limits: [`KEYS_MAX`] keys of a dedup and the memory of the search; beyond that, the query is refused with a remedy.

use super::{
    extract,
    sort::Sort,
    step::{Next, Step},
};
use crate::{
    answer::SearchError,
    condition::matcher::Matcher,
    memory::{MemoryBudget, MemoryPermit},
    scope::{
        SearchScope,
        browse::{self, Near, Same},
        member_of,
    },
    stage::{Name, Stage},
};
use lookup::{CancelToken, Document};
use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hasher},
};

/// Most keys that `dedup` remembers.
const KEYS_MAX: usize = 2_000_000;
/// Memory per key in a set that was just enlarged.
const KEY_BYTES: usize = 32;

/// The parts of a search that steps use.
pub(super) struct Around<'a> {
    pub(super) space: &'a SearchScope,
    pub(super) cancel: &'a CancelToken,
    pub(super) memory: &'a MemoryBudget,
}

/// A command that handles one row at a time and keeps nothing, so that it can run on several threads.
pub(super) fn is_simple(stage: &Stage) -> bool {
    matches!(
        stage,
        Stage::Fields { .. } | Stage::Rex { .. } | Stage::Json(_) | Stage::Kv(_) | Stage::Where(_)
    )
}

/// Returns for each command the number of its rows that are needed when `wanted` rows of the last one are; none:
/// all.
pub(super) fn demands(stages: &[Stage], mut wanted: Option<usize>) -> Vec<Option<usize>> {
    let mut demands: Vec<Option<usize>> = Vec::with_capacity(stages.len());
    for stage in stages.iter().rev() {
        demands.push(wanted);
        wanted = match stage {
            Stage::Fields { .. } | Stage::Rex { .. } | Stage::Json(_) | Stage::Kv(_) => wanted,
            Stage::Head(count) => {
                let count = usize::try_from(*count).unwrap_or(usize::MAX);
                Some(wanted.map_or(count, |wanted| wanted.min(count)))
            }
            _ => None,
        };
    }
    demands.reverse();
    demands
}

/// Makes the step of a command that has to yield `wanted` rows. Commands that make tables are not handled
/// here.
pub(super) fn step(stage: &Stage, wanted: Option<usize>, around: &Around<'_>) -> Option<Box<dyn Step>> {
    Some(match stage {
        Stage::Fields { names, drop } => {
            Box::new(Fields { names: if *drop { names.clone() } else { Vec::new() } })
        }
        Stage::Rex { .. } | Stage::Json(_) | Stage::Kv(_) => Box::new(Extract(stage.clone())),
        Stage::Where(condition) => Box::new(Where(Matcher::new(condition.clone()))),
        Stage::Head(count) => Box::new(Head { left: *count }),
        Stage::Dedup(names) => Box::new(Dedup {
            names: names.clone(),
            known: HashSet::new(),
            memory: around.memory.permit("dedup"),
        }),
        Stage::Sort(keys) => Box::new(Sort::new(keys.clone(), wanted, around.memory.permit("sort"))),
        Stage::Context { before, after } => Box::new(Context {
            before: *before,
            after: *after,
            space: around.space.clone(),
            cancel: around.cancel.clone(),
            memory: around.memory.clone(),
            shown: HashMap::new(),
        }),
        Stage::Group(_) | Stage::Patterns { .. } | Stage::Diff { .. } => return None,
    })
}

struct Fields {
    /// The fields to remove.
    names: Vec<Name>,
}

impl Step for Fields {
    fn push(&mut self, mut row: Document, next: Next<'_>) -> Result<bool, SearchError> {
        row.values.retain(|(known, ..)| !self.names.iter().any(|name| name.shown() == known));
        next(row)
    }
}

struct Extract(Stage);

impl Step for Extract {
    fn push(&mut self, mut row: Document, next: Next<'_>) -> Result<bool, SearchError> {
        match &self.0 {
            Stage::Rex { from, regex } => extract::rex(&mut row, from, regex),
            Stage::Json(from) => extract::json(&mut row, from),
            Stage::Kv(from) => extract::kv(&mut row, from),
            _ => {}
        }
        next(row)
    }
}

struct Where(Matcher);

impl Step for Where {
    fn push(&mut self, row: Document, next: Next<'_>) -> Result<bool, SearchError> {
        if self.0.matches(&row) { next(row) } else { Ok(true) }
    }
}

struct Head {
    left: u64,
}

impl Step for Head {
    fn push(&mut self, row: Document, next: Next<'_>) -> Result<bool, SearchError> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        Ok(next(row)? && self.left > 0)
    }
}

struct Dedup {
    names: Vec<Name>,
    known: HashSet<u64>,
    memory: MemoryPermit,
}

impl Step for Dedup {
    fn push(&mut self, row: Document, next: Next<'_>) -> Result<bool, SearchError> {
        let mut hasher = DefaultHasher::new();
        for name in &self.names {
            match name.value(&row) {
                Some((value, _)) => {
                    hasher.write_usize(value.len());
                    hasher.write(&value);
                }
                None => hasher.write_usize(usize::MAX),
            }
        }
        if !self.known.insert(hasher.finish()) {
            return Ok(true);
        }
        self.memory.grow(KEY_BYTES)?;
        if self.known.len() > KEYS_MAX {
            let text =
                format!("dedup remembers at most {KEYS_MAX} combinations: narrow the search, or use stats");
            return Err(SearchError::Refused(text));
        }
        next(row)
    }
}

struct Context {
    before: usize,
    after: usize,
    space: SearchScope,
    cancel: CancelToken,
    memory: MemoryBudget,
    /// The oldest message of each member that was passed on: its neighbours are not repeated.
    shown: HashMap<usize, u64>,
}

impl Step for Context {
    fn push(&mut self, row: Document, next: Next<'_>) -> Result<bool, SearchError> {
        let (before, after) = (self.before, self.after);
        let mut memory = self.memory.permit("context");
        let near = Near { before, after, same: Same::Source };
        let around = browse::context(&self.space, row.sequence, near, &self.cancel, &mut memory)?;
        for near in around.into_iter().rev() {
            let (member, sequence) = member_of(near.sequence);
            let shown = self.shown.entry(member).or_insert(u64::MAX);
            if sequence < *shown {
                *shown = sequence;
                if !next(near)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
