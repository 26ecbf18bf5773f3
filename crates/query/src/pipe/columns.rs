//! Tables made from the columns of a segment, without reading its messages.
//!
//! In: a segment, the messages that match. Out: the same groups as if every message had been read. Holds: the value
//! ids of the columns that are used, for these messages.
//! Limits: columns must have all keys and all fields of functions; if a message has several values of one, or there is
//! no memory for the value ids, the messages are read instead.

mod combine;

use super::{
    run::Run,
    table::{Reducer, aggregate::Aggregate, group::Groups},
};
use crate::{
    answer::Clock,
    language::tree::FunctionKind,
    memory::MemoryPermit,
    stage::{GroupBy, Name, Of, Shape},
};
use combine::Combinations;
use lookup::{Bitmap, Column, ColumnValues, ReadError, SegmentView};
use std::collections::HashMap;

/// The columns of the keys and of the functions of a table, for the messages that match.
struct Selected {
    keys: Vec<ColumnValues>,
    /// None for a count of rows.
    functions: Vec<Option<ColumnValues>>,
}

/// The intervals of the messages that match: the number of each, counted from 1, and their starts.
struct Intervals {
    ids: Vec<u32>,
    starts_us: Vec<i64>,
}

impl Run<'_> {
    /// Computes the table from columns if they are sufficient; returns true if they were.
    pub(super) fn compute_from_columns(
        &self,
        view: &dyn SegmentView,
        found: &Bitmap,
        part: &mut Reducer,
    ) -> Result<bool, ReadError> {
        let Reducer::Groups(groups) = part else {
            return Ok(false);
        };
        let by = groups.by().clone();
        let is_known =
            |of: &Of| of.name.as_ref().map_or(of.kind == FunctionKind::Count, |name| name.column().is_some());
        if !by.keys.iter().all(|key| key.column().is_some()) || !by.functions.iter().all(is_known) {
            return Ok(false);
        }
        let counts = by.functions.iter().all(|of| of.name.is_none());
        let is_timed = matches!(by.shape, Shape::Timechart { .. });
        let column = by.keys.first().and_then(Name::column);
        match by.keys.len() {
            0 | 1 if counts && !is_timed => self.count_values(view, found, column, None, groups)?,
            0 | 1 if counts && groups.grid.clock == Clock::Received => {
                self.count_over_time(view, found, column, groups)?;
            }
            0 if !is_timed => self.count_functions(view, found, &by, groups)?,
            _ => return self.combined(view, found, &by, groups),
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
            Some(column) => view.count_values(column, found, &self.search.cancel, &mut |value, count| {
                groups.add_counted(interval_us, Some(value), count);
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
        let (mut start, last) = self.received_ends(view, groups);
        let width_us = groups.grid.width_us;
        while start <= last {
            self.search.cancel.check()?;
            let range = view.received_between(start, start.saturating_add(width_us));
            if found.count_range(range.clone()) > 0 {
                let mut within = found.clone();
                within.keep_range(range);
                self.count_values(view, &within, column, Some(start), groups)?;
            }
            start = start.saturating_add(width_us);
        }
        Ok(())
    }

    /// The start of the first interval of a segment that the search may have messages of, and the last time.
    fn received_ends(&self, view: &dyn SegmentView, groups: &Groups) -> (i64, i64) {
        let (first, last) = view.received_range();
        let from = self.search.from_us.map_or(first, |from| from.max(first));
        let to = self.search.to_us.map_or(last, |to| to.saturating_sub(1).min(last));
        (groups.grid.start(from), to)
    }

    /// Functions of columns without keys: the column's values with their counts are sufficient.
    fn count_functions(
        &self,
        view: &dyn SegmentView,
        found: &Bitmap,
        by: &GroupBy,
        groups: &mut Groups,
    ) -> Result<(), ReadError> {
        for (index, of) in by.functions.iter().enumerate() {
            match of.name.as_ref().and_then(Name::column) {
                None => groups.add_value(index, b"", found.count()),
                Some(column) => {
                    view.count_values(column, found, &self.search.cancel, &mut |value, count| {
                        groups.add_value(index, value, count);
                    })?
                }
            }
        }
        Ok(())
    }

    /// Combines the columns of all keys, and those of the functions with them; returns false if the messages have to be
    /// read.
    fn combined(
        &self,
        view: &dyn SegmentView,
        found: &Bitmap,
        by: &GroupBy,
        groups: &mut Groups,
    ) -> Result<bool, ReadError> {
        let mut memory = self.search.memory.permit("the columns of a table");
        let Some(intervals) = self.intervals(view, found, groups, &mut memory)? else { return Ok(false) };
        let Some(selected) = self.selected(view, found, by, &mut memory)? else { return Ok(false) };
        let mut keys: Vec<&[u32]> = selected.keys.iter().map(|values| values.ids.as_slice()).collect();
        let is_timed = !intervals.starts_us.is_empty();
        if is_timed {
            keys.insert(0, &intervals.ids);
        }
        let Some(rows) = Combinations::of(&keys, found.count() as usize, &mut memory) else {
            return Ok(false);
        };
        let Some(sums) = sums(&rows, &selected, by, &mut memory) else { return Ok(false) };
        for (number, sums) in sums.into_iter().enumerate() {
            let ids = rows.ids(number);
            let (interval, ids) = match is_timed {
                true => (ids.first().and_then(|id| intervals.starts_us.get(*id as usize - 1)), &ids[1..]),
                false => (None, ids.as_slice()),
            };
            let values = selected.keys.iter().zip(ids).map(|(values, id)| values.value(*id));
            groups.add_group(interval.copied(), values, rows.counts[number], sums);
        }
        Ok(true)
    }

    /// Returns the columns of a table; none when one of them does not tell the values.
    fn selected(
        &self,
        view: &dyn SegmentView,
        found: &Bitmap,
        by: &GroupBy,
        memory: &mut MemoryPermit,
    ) -> Result<Option<Selected>, ReadError> {
        let mut values = |name: &Name| {
            let Some(column) = name.column() else { return Ok(None) };
            let ids = found.count() as usize * size_of::<u32>();
            if memory.grow_at_once(ids).is_err() {
                return Ok(None);
            }
            let made = view.value_ids(column, found, &self.search.cancel)?;
            // The number of distinct values and their lengths are known only now.
            let more = made.as_ref().map_or(0, |values| values.memory_bytes().saturating_sub(ids));
            Ok::<_, ReadError>(made.filter(|_| memory.grow_at_once(more).is_ok()))
        };
        let mut selected = Selected { keys: Vec::new(), functions: Vec::new() };
        for key in &by.keys {
            let Some(key) = values(key)? else { return Ok(None) };
            selected.keys.push(key);
        }
        for of in &by.functions {
            let of = of.name.as_ref().map(&mut values).transpose()?;
            let Some(of) = of.map_or(Some(None), |values| values.map(Some)) else { return Ok(None) };
            selected.functions.push(of);
        }
        Ok(Some(selected))
    }

    /// Returns the interval of each message; none of them for a table that is not over time, and nothing when there is
    /// no memory.
    fn intervals(
        &self,
        view: &dyn SegmentView,
        found: &Bitmap,
        groups: &Groups,
        memory: &mut MemoryPermit,
    ) -> Result<Option<Intervals>, ReadError> {
        let mut made = Intervals { ids: Vec::new(), starts_us: Vec::new() };
        let grid = groups.grid;
        if grid.width_us == 0 {
            return Ok(Some(made));
        }
        if memory.grow_at_once(found.count() as usize * size_of::<u32>()).is_err() {
            return Ok(None);
        }
        match grid.clock {
            Clock::Received => {
                let (mut start, last) = self.received_ends(view, groups);
                while start <= last {
                    self.search.cancel.check()?;
                    let range = view.received_between(start, start.saturating_add(grid.width_us));
                    let count = found.count_range(range) as usize;
                    if count > 0 {
                        made.starts_us.push(start);
                        made.ids.resize(made.ids.len() + count, made.starts_us.len() as u32);
                    }
                    start = start.saturating_add(grid.width_us);
                }
            }
            Clock::Event => {
                let mut known: HashMap<i64, u32> = HashMap::new();
                view.event_times(found, &mut |_, us| {
                    let start = grid.start(us);
                    let id = *known.entry(start).or_insert_with(|| {
                        made.starts_us.push(start);
                        made.starts_us.len() as u32
                    });
                    made.ids.push(id);
                })?;
            }
        }
        // Otherwise the times and the messages would not belong together.
        Ok((made.ids.len() as u64 == found.count()).then_some(made))
    }
}

/// Computes the functions of each group; nothing when there is no memory.
fn sums(
    rows: &Combinations,
    selected: &Selected,
    by: &GroupBy,
    memory: &mut MemoryPermit,
) -> Option<Vec<Vec<Aggregate>>> {
    let fresh = || by.functions.iter().map(|of| Aggregate::new(of.kind)).collect();
    let bytes = by.functions.len() * size_of::<Aggregate>() + size_of::<Vec<Aggregate>>();
    memory.grow_at_once(rows.counts.len() * bytes).ok()?;
    let mut sums: Vec<Vec<Aggregate>> = rows.counts.iter().map(|_| fresh()).collect();
    for (index, values) in selected.functions.iter().enumerate() {
        let Some(values) = values else {
            sums.iter_mut().zip(&rows.counts).for_each(|(sums, count)| sums[index].add_value(b"", *count));
            continue;
        };
        let pairs = Combinations::of(&[&rows.of, &values.ids], rows.of.len(), memory)?;
        for (number, times) in pairs.counts.iter().enumerate() {
            if let [group, value] = pairs.ids(number)[..] {
                sums[group as usize - 1][index].add_value(values.value(value), *times);
            }
        }
        let held: usize = sums.iter().map(|sums| sums[index].heap_bytes()).sum();
        memory.grow_at_once(held).ok()?;
    }
    Some(sums)
}
