//! Commands at work: each takes rows one by one and hands on what comes out.
//!
//! In: rows, newest first. Out: rows; `false` when no more are wanted. Holds: what its command must remember.
//! Limits: [`ROWS_MAX`] rows of a sort, [`KEYS_MAX`] keys of a dedup; beyond, the search is refused with a remedy.

use super::{Name, Stage, aggregate::compare, extract, group::Groups, patterns::Patterns};
use crate::{
    answer::SearchError,
    browse::{self, Same},
    matcher::Matcher,
    space::{Space, member_of},
};
use std::{
    cmp::Ordering,
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hasher},
};
use store::{Document, Watch};

/// Most rows that `sort` holds.
pub(crate) const ROWS_MAX: usize = 100_000;
/// Most keys that `dedup` remembers.
const KEYS_MAX: usize = 2_000_000;

/// Takes the next row; `false` when no more are wanted.
pub(super) type Next<'a> = &'a mut dyn FnMut(Document) -> Result<bool, SearchError>;

/// A command at work.
pub(super) trait Step: Send {
    /// Takes a row; `false` when no more are wanted.
    fn push(&mut self, row: Document, next: Next<'_>) -> Result<bool, SearchError>;

    /// Hands on what was held back.
    fn finish(&mut self, _next: Next<'_>) -> Result<(), SearchError> {
        Ok(())
    }
}

/// Sends a row through all steps.
pub(super) fn push(steps: &mut [Box<dyn Step>], row: Document, sink: Next<'_>) -> Result<bool, SearchError> {
    match steps.split_first_mut() {
        None => sink(row),
        Some((first, rest)) => first.push(row, &mut |row| push(rest, row, sink)),
    }
}

/// Lets every step hand on what it held back, in order.
pub(super) fn finish(steps: &mut [Box<dyn Step>], sink: Next<'_>) -> Result<(), SearchError> {
    for index in 0..steps.len() {
        if let Some((first, rest)) = steps[index..].split_first_mut() {
            first.finish(&mut |row| push(rest, row, sink))?;
        }
    }
    Ok(())
}

/// What steps may need of their search.
pub(super) struct Around<'a> {
    pub(super) space: &'a Space,
    pub(super) watch: &'a Watch,
}

/// A command that looks at one row at a time and keeps nothing: it may work on several threads.
pub(super) fn is_simple(stage: &Stage) -> bool {
    matches!(
        stage,
        Stage::Fields { .. } | Stage::Rex { .. } | Stage::Json(_) | Stage::Kv(_) | Stage::Where(_)
    )
}

/// The step of a command; `next` is the command after it. Commands that make tables are not made here.
pub(super) fn step(stage: &Stage, next: Option<&Stage>, around: &Around<'_>) -> Option<Box<dyn Step>> {
    Some(match stage {
        Stage::Fields { names, drop } => {
            Box::new(Fields { names: if *drop { names.clone() } else { Vec::new() } })
        }
        Stage::Rex { .. } | Stage::Json(_) | Stage::Kv(_) => Box::new(Extract(stage.clone())),
        Stage::Where(condition) => Box::new(Where(Matcher::new(condition.clone()))),
        Stage::Head(count) => Box::new(Head { left: *count }),
        Stage::Dedup(names) => Box::new(Dedup { names: names.clone(), known: HashSet::new() }),
        Stage::Sort(keys) => {
            let few = match next {
                Some(Stage::Head(count)) => Some(*count as usize),
                _ => None,
            };
            Box::new(Sort { keys: keys.clone(), few, rows: Vec::new() })
        }
        Stage::Context { before, after } => Box::new(Context {
            before: *before,
            after: *after,
            space: around.space.clone(),
            watch: around.watch.clone(),
            shown: HashMap::new(),
        }),
        Stage::Group(_) | Stage::Patterns { .. } | Stage::Diff { .. } => return None,
    })
}

struct Fields {
    /// What is left out.
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
        if self.known.len() > KEYS_MAX {
            let text =
                format!("dedup remembers at most {KEYS_MAX} combinations: narrow the search, or use stats");
            return Err(SearchError::Refused(text));
        }
        next(row)
    }
}

struct Sort {
    keys: Vec<(Name, bool)>,
    /// How many are wanted, when the next command says so.
    few: Option<usize>,
    rows: Vec<Document>,
}

impl Sort {
    fn order(&mut self) {
        let order = |a: &Document, b: &Document| {
            let each = self.keys.iter().map(|(name, descending)| by(name, *descending, a, b));
            each.fold(Ordering::Equal, Ordering::then)
        };
        self.rows.sort_by(order);
    }
}

impl Step for Sort {
    fn push(&mut self, row: Document, _next: Next<'_>) -> Result<bool, SearchError> {
        self.rows.push(row);
        match self.few {
            Some(few) if self.rows.len() >= 2 * few.max(500) => {
                self.order();
                self.rows.truncate(few);
            }
            None if self.rows.len() > ROWS_MAX => {
                let text =
                    format!("sort holds at most {ROWS_MAX} rows: put head behind it, or narrow the search");
                return Err(SearchError::Refused(text));
            }
            _ => {}
        }
        Ok(true)
    }

    fn finish(&mut self, next: Next<'_>) -> Result<(), SearchError> {
        self.order();
        for row in std::mem::take(&mut self.rows) {
            if !next(row)? {
                break;
            }
        }
        Ok(())
    }
}

/// The order of two rows by one key; what has no value comes last in either direction.
fn by(name: &Name, descending: bool, a: &Document, b: &Document) -> Ordering {
    match (name.value(a), name.value(b)) {
        (Some((one, _)), Some((other, _))) => {
            let order = compare(&one, &other);
            if descending { order.reverse() } else { order }
        }
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

struct Context {
    before: usize,
    after: usize,
    space: Space,
    watch: Watch,
    /// The oldest message of each member that was handed on: those around it are not repeated.
    shown: HashMap<usize, u64>,
}

impl Step for Context {
    fn push(&mut self, row: Document, next: Next<'_>) -> Result<bool, SearchError> {
        let (before, after) = (self.before, self.after);
        let around = browse::context(&self.space, row.sequence, before, after, Same::Source, &self.watch)?;
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

/// A command that makes a table of all rows.
pub(super) enum Reducer {
    Groups(Groups),
    Patterns(Patterns, usize),
}

impl Reducer {
    pub(super) fn add(&mut self, row: &Document) {
        match self {
            Reducer::Groups(groups) => groups.add(row),
            Reducer::Patterns(patterns, _) => patterns.add(row),
        }
    }

    pub(super) fn merge(&mut self, other: Reducer) {
        match (self, other) {
            (Reducer::Groups(own), Reducer::Groups(other)) => own.merge(other),
            (Reducer::Patterns(own, _), Reducer::Patterns(other, _)) => own.merge(other),
            _ => {}
        }
    }

    pub(super) fn rows(self, notes: &mut Vec<String>) -> Result<Vec<Document>, SearchError> {
        match self {
            Reducer::Groups(groups) => groups.rows(notes),
            Reducer::Patterns(patterns, limit) => Ok(patterns.rows(limit, notes)),
        }
    }
}
