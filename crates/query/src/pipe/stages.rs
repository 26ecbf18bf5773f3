//! Runs a query with its pipes over a scope.
//!
//! In: a scope, a query, a time range. Out: rows, one by one, so that an export of any size takes constant
//! memory. Commands up to the first that makes a table work on all segments at once; what columns tell is computed
//! from them (see `columns`), and no message is read.
//! Limits: the cancel token; when its time is over there is no answer, because an incomplete table would be wrong.

use super::{
    merge,
    run::Run,
    step::{self, HeldRows, Next, Step},
    steps::{self, Around},
    table::{
        Reducer, diff,
        group::{Grid, Groups, KeptGroups},
        patterns::Patterns,
    },
};
use crate::{
    answer::{Clock, Search, SearchError, Unread},
    matches::{BUCKETS_MAX, Matches, is_whole, parallel},
    memory::document_bytes,
    question::Query,
    scope::SearchScope,
    stage::{GroupBy, Name, Shape, Stage},
};
use lookup::{Bitmap, Document, ReadError};
use std::sync::{Arc, Mutex, PoisonError};

/// Interval widths that people expect in a timechart, in seconds.
const WIDTHS_S: &[i64] = &[
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
    604_800, 2_592_000,
];
/// Approximate number of intervals of a timechart without a width.
const INTERVALS: i64 = 30;

/// The table of a segment, kept for the next search, and the number of messages that it was made from.
struct KeptTable {
    groups: KeptGroups,
    matched: u64,
}

/// The result of a run, besides its rows.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Number of messages that the query itself matched, excluding those that were never read because enough rows
    /// had been found.
    pub matched: u64,
    /// For each member of the scope, the sequence number after the newest message that was searched.
    pub snapshot: Vec<u64>,
    /// Messages that could not be read and are missing from the rows.
    pub unread: Vec<Unread>,
    /// Remarks for the user about the rows, for instance that groups were left out.
    pub notes: Vec<String>,
}

/// Passes every row to `sink`, newest message first, until it returns false. `search.limit`, `buckets` and `facets`
/// are ignored.
pub fn stream(
    space: &SearchScope,
    query: &Query,
    search: &Search,
    sink: &mut dyn FnMut(Document) -> bool,
) -> Result<Outcome, SearchError> {
    Run::new(space, query, search, 0)?.all(None, &mut |row| Ok(sink(row)))
}

/// Like [`stream`], for the first `search.limit` rows, when the matches of the query are already known. `sink` may
/// receive one more.
pub(crate) fn stream_found(
    found: &Matches<'_>,
    query: &Query,
    search: &Search,
    sink: &mut dyn FnMut(Document) -> Result<bool, SearchError>,
) -> Result<Outcome, SearchError> {
    let search = Search { buckets: 0, ..search.clone() };
    let (views, frame) = (found.views.clone(), found.frame.clone());
    let unread = Mutex::new(found.unread.clone());
    // One row more than shown proves that there are more.
    let wanted = Some(search.limit.saturating_add(1));
    Run { space: found.space, query, search, views, frame, known: Some(found), earlier_us: 0, unread }
        .all(wanted, sink)
}

impl Run<'_> {
    /// Returns the first `wanted` rows; none: all.
    fn all(
        self,
        wanted: Option<usize>,
        sink: &mut dyn FnMut(Document) -> Result<bool, SearchError>,
    ) -> Result<Outcome, SearchError> {
        let mut outcome = Outcome { snapshot: self.space.ends(&self.search), ..Outcome::default() };
        self.stages(&self.query.pipes().stages, wanted, &mut outcome, sink)?;
        outcome.unread.extend(self.unread.into_inner().unwrap_or_else(PoisonError::into_inner));
        outcome.unread.dedup();
        Ok(outcome)
    }

    fn stages(
        &self,
        stages: &[Stage],
        wanted: Option<usize>,
        outcome: &mut Outcome,
        sink: Next<'_>,
    ) -> Result<(), SearchError> {
        let last_diff = stages.iter().rposition(|stage| matches!(stage, Stage::Diff { .. }));
        if let Some(at) = last_diff
            && let Stage::Diff { earlier_us, keys, values } = &stages[at]
        {
            let rows = self.compared(&stages[..at], *earlier_us, keys, values, outcome)?;
            return self.rest(rows, &stages[at + 1..], wanted, outcome, sink);
        }
        let reducer =
            stages.iter().position(|stage| matches!(stage, Stage::Group(_) | Stage::Patterns { .. }));
        match reducer {
            Some(at) if stages[..at].iter().all(steps::is_simple) => {
                let rows = self.reduced(&stages[..at], &stages[at], outcome)?;
                self.rest(rows, &stages[at + 1..], wanted, outcome, sink)
            }
            Some(at) => {
                let mut reducer = self.reducer(&stages[at])?;
                let mut before = self.steps(&stages[..at], None);
                self.each(outcome, &mut |row| {
                    step::push(&mut before, row, &mut |row| reducer.add(&row).map(|()| true))
                })?;
                step::finish(&mut before, &mut |row| reducer.add(&row).map(|()| true))?;
                let rows = reducer.rows(&mut outcome.notes)?;
                self.rest(rows, &stages[at + 1..], wanted, outcome, sink)
            }
            None => {
                let mut all = self.steps(stages, wanted);
                self.each(outcome, &mut |row| step::push(&mut all, row, sink))?;
                step::finish(&mut all, sink)
            }
        }
    }

    /// Sends the rows of a table through what follows it.
    fn rest(
        &self,
        table: HeldRows,
        stages: &[Stage],
        wanted: Option<usize>,
        outcome: &mut Outcome,
        sink: Next<'_>,
    ) -> Result<(), SearchError> {
        let reducer = stages.iter().position(|stage| matches!(stage, Stage::Group(_)));
        let (first, behind) = stages.split_at(reducer.unwrap_or(stages.len()));
        // Its memory is released when all its rows were passed on.
        let HeldRows { rows, memory: _memory } = table;
        let Some((stage, behind)) = behind.split_first() else {
            let mut steps = self.steps(first, wanted);
            for row in rows {
                if !step::push(&mut steps, row, sink)? {
                    break;
                }
            }
            return step::finish(&mut steps, sink);
        };
        let mut steps = self.steps(first, None);
        let mut reducer = self.reducer(stage)?;
        let mut add = |row: Document| reducer.add(&row).map(|()| true);
        for row in rows {
            if !step::push(&mut steps, row, &mut add)? {
                break;
            }
        }
        step::finish(&mut steps, &mut add)?;
        let rows = reducer.rows(&mut outcome.notes)?;
        self.rest(rows, behind, wanted, outcome, sink)
    }

    /// Makes the steps of the commands, when `wanted` rows of the last one are needed.
    fn steps(&self, stages: &[Stage], wanted: Option<usize>) -> Vec<Box<dyn Step>> {
        let around = Around { space: self.space, cancel: &self.search.cancel, memory: &self.search.memory };
        let each = stages.iter().zip(steps::demands(stages, wanted));
        each.filter_map(|(stage, wanted)| steps::step(stage, wanted, &around)).collect()
    }

    /// Compares the table with that of an earlier time.
    fn compared(
        &self,
        stages: &[Stage],
        earlier_us: i64,
        keys: &[Name],
        values: &[String],
        outcome: &mut Outcome,
    ) -> Result<HeldRows, SearchError> {
        if self.search.from_us.is_none() {
            let text = "diff compares with an earlier time: choose a time range that has a start";
            return Err(SearchError::Refused(text.to_owned()));
        }
        // A key that is rare now may have been frequent, so rows are chosen after the comparison.
        let mut whole = stages.to_vec();
        let mut limit = usize::MAX;
        match whole.last_mut() {
            Some(Stage::Group(group)) => {
                if let Shape::Top { limit: few } = group.shape {
                    limit = few;
                    *group =
                        Arc::new(GroupBy { shape: Shape::Top { limit: usize::MAX }, ..(**group).clone() });
                }
            }
            Some(Stage::Patterns { limit: few }) => limit = std::mem::replace(few, usize::MAX),
            _ => {}
        }
        let (mut now, mut before) = (Vec::new(), Vec::new());
        let mut memory = self.search.memory.permit("diff");
        // Each row is held, and returned with twice as many values.
        let needed = |row: &Document| 3 * document_bytes(row);
        self.stages(&whole, None, outcome, &mut |row| {
            memory.grow(needed(&row))?;
            now.push(row);
            Ok(true)
        })?;
        let earlier = Run::new(self.space, self.query, &self.search, earlier_us)?;
        let mut unsaid = Outcome::default();
        earlier.stages(&whole, None, &mut unsaid, &mut |row| {
            memory.grow(needed(&row))?;
            before.push(row);
            Ok(true)
        })?;
        let missed = earlier.unread.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.unread.extend(missed);
        let said = unsaid.notes.into_iter().map(|note| format!("in the earlier time, {note}"));
        outcome.notes.extend(said);
        let mut rows = diff::rows(now, &before, keys, values);
        rows.truncate(limit);
        Ok(HeldRows { rows, memory })
    }

    /// Reads every message that matches, newest first.
    fn each(
        &self,
        outcome: &mut Outcome,
        visit: &mut dyn FnMut(Document) -> Result<bool, SearchError>,
    ) -> Result<(), SearchError> {
        let mut counted = |row: Document| {
            outcome.matched += 1;
            visit(row)
        };
        if self.space.members.len() > 1 {
            return merge::each(self, &mut counted);
        }
        for index in 0..self.views.len() {
            let Some(found) = self.found(index)? else { continue };
            if !self.read(index, &mut found.iter_rev(), &mut counted)? {
                break;
            }
        }
        Ok(())
    }

    /// The rows of the first table, made from all segments at once.
    fn reduced(
        &self,
        simple: &[Stage],
        stage: &Stage,
        outcome: &mut Outcome,
    ) -> Result<HeldRows, SearchError> {
        let sum = Mutex::new((self.reducer(stage)?, 0));
        let name = self.table_name(simple, stage)?;
        let results = parallel::each(self.search.threads, self.views.len(), |index| {
            let seen = self.views[index];
            let name = name.as_ref().filter(|_| is_whole(seen, &self.search));
            let kept = name.and_then(|name| self.search.cache.get::<KeptTable>(seen.view, name));
            if let Some(kept) = kept {
                let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
                sum.0.add_kept(&kept.groups);
                sum.1 += kept.matched;
                return sum.0.check();
            }
            let Some(found) = self.found(index)? else { return Ok(()) };
            let mut part = self.reducer(stage)?;
            let counted = match simple.is_empty() {
                true => self.compute_from_columns(self.views[index].view, &found, &mut part),
                false => Ok(false),
            };
            match counted {
                Ok(true) => part.check()?,
                Ok(false) => self.add_all(index, &found, simple, &mut part)?,
                Err(error @ ReadError::Stopped(_)) => return Err(error.into()),
                // The index is damaged, but the messages may not be.
                Err(_) => {
                    part = self.reducer(stage)?;
                    self.add_all(index, &found, simple, &mut part)?;
                }
            }
            if let Some(name) = name {
                self.keep(index, name, &part, found.count());
            }
            let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
            sum.0.merge(part);
            sum.1 += found.count();
            Ok::<_, SearchError>(())
        });
        results.into_iter().collect::<Result<(), SearchError>>()?;
        let (reducer, matched) = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.matched += matched;
        reducer.rows(&mut outcome.notes)
    }

    /// Names the table that a segment makes for a search; none when another search would make another one.
    fn table_name(&self, simple: &[Stage], stage: &Stage) -> Result<Option<Arc<str>>, SearchError> {
        let Stage::Group(group) = stage else { return Ok(None) };
        let (condition, pipes) = (self.query.condition_name(), self.query.pipes_name(simple.len()));
        let (Some(condition), Some(pipes)) = (condition, pipes) else { return Ok(None) };
        // Sequence numbers depend on the position of the logspace among those that are searched.
        if self.query.has_sequences() {
            return Ok(None);
        }
        let Grid { width_us, offset_us, clock, .. } = self.grid(group)?;
        let (keys, functions) = (&group.keys, &group.functions);
        let functions: Vec<_> = functions.iter().map(|of| (of.kind, &of.name)).collect();
        let name = format!("{width_us} {offset_us} {clock:?} {keys:?} {functions:?} {condition}{pipes}");
        Ok(Some(name.into()))
    }

    /// Keeps the table of a segment for the next search, unless messages are missing in it.
    fn keep(&self, index: usize, name: &Arc<str>, part: &Reducer, matched: u64) {
        let seen = self.views[index];
        let Reducer::Groups(groups) = part else { return };
        let bytes = groups.held_bytes();
        if !self.search.cache.accepts(seen.view, bytes) || self.has_missed(seen) {
            return;
        }
        if let Some(groups) = groups.kept() {
            let kept = Arc::new(KeptTable { groups, matched });
            self.search.cache.insert(seen.view, name, kept, bytes);
        }
    }

    fn add_all(
        &self,
        index: usize,
        found: &Bitmap,
        simple: &[Stage],
        part: &mut Reducer,
    ) -> Result<(), SearchError> {
        let mut steps = self.steps(simple, None);
        self.read(index, &mut found.iter(), &mut |row| match steps.is_empty() {
            true => part.add(&row).map(|()| true),
            false => step::push(&mut steps, row, &mut |row| part.add(&row).map(|()| true)),
        })?;
        Ok(())
    }

    fn reducer(&self, stage: &Stage) -> Result<Reducer, SearchError> {
        Ok(match stage {
            Stage::Patterns { limit } => {
                let (from_us, to_us) = (self.frame.from_us, self.frame.to_us);
                Reducer::Patterns(
                    Patterns::new(from_us, to_us, self.search.clock, &self.search.memory),
                    *limit,
                )
            }
            Stage::Group(group) => {
                Reducer::Groups(Groups::new(group.clone(), self.grid(group)?, &self.search.memory))
            }
            _ => return Err(SearchError::Refused("this command makes no table".to_owned())),
        })
    }

    /// The intervals of a timechart over the time range.
    fn grid(&self, group: &GroupBy) -> Result<Grid, SearchError> {
        let Shape::Timechart { span_us, offset_us } = group.shape else {
            return Ok(Grid::default());
        };
        let length = self.frame.to_us.saturating_sub(self.frame.from_us).max(1);
        let automatic = || {
            let wanted = length / INTERVALS;
            let width = WIDTHS_S.iter().map(|width| width * 1_000_000).find(|width| *width >= wanted);
            width.unwrap_or(wanted)
        };
        let width_us = span_us.unwrap_or_else(automatic).max(1);
        let count = length / width_us + 2;
        if count > BUCKETS_MAX as i64 {
            let text =
                format!("timechart would have {count} intervals, more than {BUCKETS_MAX}: make them wider");
            return Err(SearchError::Refused(text));
        }
        let clock = self.search.clock;
        let mut grid = Grid { width_us, offset_us, clock, shift_us: self.earlier_us, range: None };
        // On the sender's clock without a range there is no first interval to start with.
        let known =
            clock == Clock::Received || (self.search.from_us.is_some() && self.search.to_us.is_some());
        if known && !self.views.is_empty() {
            grid.range =
                Some((grid.start(self.frame.from_us), grid.start(self.frame.to_us.saturating_sub(1))));
        }
        Ok(grid)
    }
}
