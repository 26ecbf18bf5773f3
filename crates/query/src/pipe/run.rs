//! Runs a question with its pipes over a snapshot.
//!
//! In: a snapshot, a question, a time range. Out: rows, one by one, so that an export of any size takes constant
//! memory. Commands up to the first that makes a table work on all segments at once; counts of one column come from
//! the index and read no message.
//! Limits: the watch; when its time is over there is no answer, because half a table would be wrong.

use super::{
    GroupBy, Name, Shape, Stage, diff,
    group::{Grid, Groups},
    patterns::Patterns,
    steps::{self, Around, Reducer, Step},
};
use crate::{
    answer::{Clock, Search, SearchError},
    question::Query,
    run::{BARS_MAX, Frame, matching, parallel, visible},
    tree::FunctionKind,
};
use std::sync::{Arc, Mutex, PoisonError};
use store::{Bitmap, Column, Document, ReadError, SegmentView, Snapshot, Stop};

/// Widths that people expect of a timechart, in seconds.
const WIDTHS_S: &[i64] = &[
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
    604_800, 2_592_000,
];
/// Intervals of a timechart without a width, about.
const INTERVALS: i64 = 30;

/// What came of a run, besides its rows.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Messages that the question itself found; those that were not read because nobody wanted more rows are not
    /// among them.
    pub matched: u64,
    /// Sequence number after the newest message of the snapshot.
    pub snapshot: u64,
    /// What must be said about the rows, for instance that groups were left out.
    pub notes: Vec<String>,
}

/// Hands every row to `sink`, newest message first, until it returns false. `search.limit`, `bars` and `facets` mean
/// nothing here.
pub fn stream(
    snapshot: &Snapshot,
    query: &Query,
    search: &Search,
    sink: &mut dyn FnMut(Document) -> bool,
) -> Result<Outcome, SearchError> {
    let run = Run::new(snapshot, query, search, 0);
    let mut outcome = Outcome { snapshot: run.end, ..Outcome::default() };
    run.stages(&query.pipes().stages, &mut outcome, &mut |row| Ok(sink(row)))?;
    Ok(outcome)
}

struct Run<'a> {
    snapshot: &'a Snapshot,
    query: &'a Query,
    search: Search,
    /// Newest first.
    views: Vec<&'a dyn SegmentView>,
    frame: Frame,
    end: u64,
    /// How much earlier than asked this run looks.
    earlier_us: i64,
}

impl<'a> Run<'a> {
    fn new(snapshot: &'a Snapshot, query: &'a Query, search: &Search, earlier_us: i64) -> Run<'a> {
        let (views, end) = visible(snapshot, search);
        let mut search = Search { bars: 0, ..search.clone() };
        if earlier_us != 0 {
            search.from_us = search.from_us.map(|us| us.saturating_sub(earlier_us));
            search.to_us = search.to_us.map(|us| us.saturating_sub(earlier_us));
        }
        let frame = Frame::new(&views, &search, end);
        Run { snapshot, query, search, views, frame, end, earlier_us }
    }

    fn stages(
        &self,
        stages: &[Stage],
        outcome: &mut Outcome,
        sink: steps::Next<'_>,
    ) -> Result<(), SearchError> {
        let last_diff = stages.iter().rposition(|stage| matches!(stage, Stage::Diff { .. }));
        if let Some(at) = last_diff
            && let Stage::Diff { earlier_us, keys, values } = &stages[at]
        {
            let rows = self.compared(&stages[..at], *earlier_us, keys, values, outcome)?;
            return self.rest(rows, &stages[at + 1..], outcome, sink);
        }
        let reducer =
            stages.iter().position(|stage| matches!(stage, Stage::Group(_) | Stage::Patterns { .. }));
        match reducer {
            Some(at) if stages[..at].iter().all(steps::is_simple) => {
                let rows = self.reduced(&stages[..at], &stages[at], outcome)?;
                self.rest(rows, &stages[at + 1..], outcome, sink)
            }
            Some(at) => {
                let mut reducer = self.reducer(&stages[at])?;
                let mut before = self.steps(&stages[..at]);
                self.each(outcome, &mut |row| {
                    steps::push(&mut before, row, &mut |row| {
                        reducer.add(&row);
                        Ok(true)
                    })
                })?;
                steps::finish(&mut before, &mut |row| {
                    reducer.add(&row);
                    Ok(true)
                })?;
                let rows = reducer.rows(&mut outcome.notes)?;
                self.rest(rows, &stages[at + 1..], outcome, sink)
            }
            None => {
                let mut all = self.steps(stages);
                self.each(outcome, &mut |row| steps::push(&mut all, row, sink))?;
                steps::finish(&mut all, sink)
            }
        }
    }

    /// Sends the rows of a table through what follows it.
    fn rest(
        &self,
        rows: Vec<Document>,
        stages: &[Stage],
        outcome: &mut Outcome,
        sink: steps::Next<'_>,
    ) -> Result<(), SearchError> {
        let reducer = stages.iter().position(|stage| matches!(stage, Stage::Group(_)));
        let (first, behind) = stages.split_at(reducer.unwrap_or(stages.len()));
        let mut steps = self.steps(first);
        let Some((stage, behind)) = behind.split_first() else {
            for row in rows {
                if !steps::push(&mut steps, row, sink)? {
                    break;
                }
            }
            return steps::finish(&mut steps, sink);
        };
        let mut reducer = self.reducer(stage)?;
        let mut add = |row: Document| {
            reducer.add(&row);
            Ok(true)
        };
        for row in rows {
            if !steps::push(&mut steps, row, &mut add)? {
                break;
            }
        }
        steps::finish(&mut steps, &mut add)?;
        let rows = reducer.rows(&mut outcome.notes)?;
        self.rest(rows, behind, outcome, sink)
    }

    fn steps(&self, stages: &[Stage]) -> Vec<Box<dyn Step>> {
        let around = Around { snapshot: self.snapshot, watch: &self.search.watch };
        let each = stages.iter().enumerate();
        each.filter_map(|(index, stage)| steps::step(stage, stages.get(index + 1), &around)).collect()
    }

    /// The table beside the one of an earlier time.
    fn compared(
        &self,
        stages: &[Stage],
        earlier_us: i64,
        keys: &[Name],
        values: &[String],
        outcome: &mut Outcome,
    ) -> Result<Vec<Document>, SearchError> {
        if self.search.from_us.is_none() {
            let text = "diff compares with an earlier time: choose a time range that has a start";
            return Err(SearchError::Refused(text.to_owned()));
        }
        // A key that is rare now may have been frequent: what is shown is chosen after the comparison.
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
        self.stages(&whole, outcome, &mut |row| {
            now.push(row);
            Ok(true)
        })?;
        let earlier = Run::new(self.snapshot, self.query, &self.search, earlier_us);
        let mut unsaid = Outcome::default();
        earlier.stages(&whole, &mut unsaid, &mut |row| {
            before.push(row);
            Ok(true)
        })?;
        let said = unsaid.notes.into_iter().map(|note| format!("in the earlier time, {note}"));
        outcome.notes.extend(said);
        let mut rows = diff::rows(now, &before, keys, values);
        rows.truncate(limit);
        Ok(rows)
    }

    /// Reads every message that matches, newest first.
    fn each(
        &self,
        outcome: &mut Outcome,
        visit: &mut dyn FnMut(Document) -> Result<bool, SearchError>,
    ) -> Result<(), SearchError> {
        for view in &self.views {
            let found = self.found(*view)?;
            let mut failure = None;
            let mut more = true;
            view.read(&mut found.iter_rev(), &self.search.watch, &mut |_, document| {
                outcome.matched += 1;
                match visit(document.clone()) {
                    Ok(wanted) => more = wanted,
                    Err(error) => {
                        failure = Some(error);
                        more = false;
                    }
                }
                more
            })?;
            if let Some(error) = failure {
                return Err(error);
            }
            if !more {
                break;
            }
        }
        Ok(())
    }

    fn found(&self, view: &dyn SegmentView) -> Result<Bitmap, ReadError> {
        self.search.watch.check()?;
        Ok(matching(view, self.query.condition(), &self.search, &self.frame)?.0)
    }

    /// The rows of the first table, made from all segments at once.
    fn reduced(
        &self,
        simple: &[Stage],
        stage: &Stage,
        outcome: &mut Outcome,
    ) -> Result<Vec<Document>, SearchError> {
        let sum = Mutex::new((self.reducer(stage)?, 0));
        let results = parallel::each(self.search.threads, self.views.len(), |index| {
            let view = self.views[index];
            let found = self.found(view)?;
            let mut part = self.reducer(stage)?;
            let counted = simple.is_empty() && self.count(view, &found, &mut part)?;
            if !counted {
                self.add_all(view, &found, simple, &mut part)?;
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

    fn add_all(
        &self,
        view: &dyn SegmentView,
        found: &Bitmap,
        simple: &[Stage],
        part: &mut Reducer,
    ) -> Result<(), SearchError> {
        let mut steps = self.steps(simple);
        let mut failure = None;
        view.read(&mut found.iter(), &self.search.watch, &mut |_, document| {
            let result = match steps.is_empty() {
                true => {
                    part.add(document);
                    Ok(true)
                }
                false => steps::push(&mut steps, document.clone(), &mut |row| {
                    part.add(&row);
                    Ok(true)
                }),
            };
            failure = result.err();
            failure.is_none()
        })?;
        failure.map_or(Ok(()), Err)
    }

    fn reducer(&self, stage: &Stage) -> Result<Reducer, SearchError> {
        let event = self.search.clock == Clock::Event;
        Ok(match stage {
            Stage::Patterns { limit } => {
                Reducer::Patterns(Patterns::new(self.frame.from_us, self.frame.to_us, event), *limit)
            }
            Stage::Group(group) => Reducer::Groups(Groups::new(group.clone(), self.grid(group)?)),
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
        if count > BARS_MAX as i64 {
            let text =
                format!("timechart would have {count} intervals, more than {BARS_MAX}: make them wider");
            return Err(SearchError::Refused(text));
        }
        let event = self.search.clock == Clock::Event;
        let mut grid = Grid { width_us, offset_us, event, shift_us: self.earlier_us, range: None };
        // On the sender's clock without a range there is no first interval to start with.
        let known = !event || (self.search.from_us.is_some() && self.search.to_us.is_some());
        if known && !self.views.is_empty() {
            grid.range =
                Some((grid.start(self.frame.from_us), grid.start(self.frame.to_us.saturating_sub(1))));
        }
        Ok(grid)
    }

    /// Counts from the index, where it knows all that is asked; whether it did.
    fn count(&self, view: &dyn SegmentView, found: &Bitmap, part: &mut Reducer) -> Result<bool, ReadError> {
        let Reducer::Groups(groups) = part else {
            return Ok(false);
        };
        let by = groups.by().clone();
        let counts = by.functions.iter().all(|of| of.kind == FunctionKind::Count && of.name.is_none());
        let column = match by.keys.as_slice() {
            [] => None,
            [only] if counts && only.column().is_some() => only.column(),
            _ => return Ok(false),
        };
        match by.shape {
            Shape::Timechart { .. } if counts && !groups.grid.event => {
                self.count_over_time(view, found, column, groups)?
            }
            Shape::Timechart { .. } => return Ok(false),
            _ if counts => self.count_values(view, found, column, None, groups)?,
            _ => return self.count_functions(view, found, &by, groups),
        }
        Ok(true)
    }

    fn count_values(
        &self,
        view: &dyn SegmentView,
        found: &Bitmap,
        column: Option<&Column>,
        interval_us: Option<i64>,
        groups: &mut Groups,
    ) -> Result<(), ReadError> {
        match column {
            None => groups.add_counted(interval_us, None, found.count()),
            Some(column) => view.count_values(column, found, &self.search.watch, &mut |value, count| {
                if count > 0 {
                    groups.add_counted(interval_us, Some(value), count);
                }
            })?,
        }
        Ok(())
    }

    fn count_over_time(
        &self,
        view: &dyn SegmentView,
        found: &Bitmap,
        column: Option<&Column>,
        groups: &mut Groups,
    ) -> Result<(), ReadError> {
        let (first, last) = view.received_range();
        let grid = groups.grid;
        let mut start = grid.start(first);
        while start <= last {
            self.search.watch.check().map_err(|stop: Stop| ReadError::Stopped(stop))?;
            let range = view.received_between(start, start.saturating_add(grid.width_us));
            let mut within = found.clone();
            within.keep_range(range);
            if within.count() > 0 {
                self.count_values(view, &within, column, Some(start), groups)?;
            }
            start = start.saturating_add(grid.width_us);
        }
        Ok(())
    }

    /// Functions of columns without keys: a column's values with their counts say it all.
    fn count_functions(
        &self,
        view: &dyn SegmentView,
        found: &Bitmap,
        by: &GroupBy,
        groups: &mut Groups,
    ) -> Result<bool, ReadError> {
        let known = |of: &super::Of| {
            of.name.as_ref().map_or(of.kind == FunctionKind::Count, |name| name.column().is_some())
        };
        if !by.keys.is_empty() || !by.functions.iter().all(known) {
            return Ok(false);
        }
        for (index, of) in by.functions.iter().enumerate() {
            match of.name.as_ref().and_then(Name::column) {
                None => groups.add_value(index, b"", found.count()),
                Some(column) => {
                    view.count_values(column, found, &self.search.watch, &mut |value, count| {
                        if count > 0 {
                            groups.add_value(index, value, count);
                        }
                    })?
                }
            }
        }
        Ok(true)
    }
}
