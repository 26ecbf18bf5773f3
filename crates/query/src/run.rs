//! Runs a search: a bitmap per segment, segments in parallel, newest first; then the rows.
//!
//! In: a scope, a query, the parameters of the answer. Out: an answer whose parts agree.
//! Holds: one bit per message while it runs, and the counts of facets (bounded, see [`facets`]).
//! Limits: the cancel token. When its time is over, the answer covers the newest segments that were finished, and says so.

mod explain;
mod facets;
mod rows;

use crate::{
    answer::{Answer, Clock, Histogram, Search, SearchError, TimedOut, Unread},
    condition::{Condition, ValueTest},
    language::{
        fields::{self, column_name},
        words,
    },
    matches::{HistogramRange, Matches, SegmentMatches, event_buckets, parallel},
    memory::MemoryBudget,
    pipe::{self, Outcome},
    question::Query,
    scope::{SearchScope, VisibleSegment},
};
pub use explain::{ExplainedPart, Explanation, Means, explain};
pub use rows::{ChosenRows, ROWS_MAX};

use facets::{Counts, Uncounted};
use lookup::{CancelToken, Column, Document, Pattern, ReadError, SegmentView, Stop};
use std::{
    sync::{Mutex, PoisonError},
    time::Instant,
};

/// Threads that search for completions: the user is typing and waits for them.
const COMPLETION_THREADS: usize = 2;

/// Answers a query, without its pipes.
pub fn search(space: &SearchScope, query: &Query, search: &Search) -> Result<Answer, SearchError> {
    let started = Instant::now();
    let mut found = Matches::of(space, query, search)?;
    let mut chosen = ChosenRows::of(&found, search)?;
    // Chosen rows are read even after the deadline: they are few.
    let cancel = search.cancel.without_deadline();
    chosen.read_ahead(query, search.threads, &cancel)?;
    let mut rows = Vec::with_capacity(search.limit.min(1_024));
    while let Some(row) = chosen.next(query, &cancel)? {
        rows.push(row);
    }
    found.unread.extend(chosen.take_unread());
    Ok(Answer { rows, ..answer(found, query, search, started)? })
}

/// Answers a query. Its rows are not in the answer, but are read one by one on demand; messages that then turn out
/// to be unreadable are reported by [`ChosenRows::take_unread`].
pub fn search_rows(
    space: &SearchScope,
    query: &Query,
    search: &Search,
) -> Result<(Answer, ChosenRows), SearchError> {
    let started = Instant::now();
    let mut found = Matches::of(space, query, search)?;
    let mut chosen = ChosenRows::of(&found, search)?;
    chosen.read_ahead(query, search.threads, &search.cancel.without_deadline())?;
    found.unread.extend(chosen.take_unread());
    Ok((answer(found, query, search, started)?, chosen))
}

/// Answers a query and passes the rows that its pipes make to `sink`, `search.limit` of them and perhaps one more.
/// The messages are searched only once.
pub fn search_piped(
    space: &SearchScope,
    query: &Query,
    search: &Search,
    sink: &mut dyn FnMut(Document) -> Result<bool, SearchError>,
) -> Result<(Answer, Outcome), SearchError> {
    let started = Instant::now();
    let found = Matches::of(space, query, search)?;
    if found.timed_out.is_some() {
        // An incomplete table would be wrong.
        return Err(SearchError::TimedOut);
    }
    let outcome = pipe::stream_found(&found, query, search, sink)?;
    let mut answer = answer(found, query, search, started)?;
    for unread in &outcome.unread {
        if !answer.unread.contains(unread) {
            answer.hints.push(unread.describe());
            answer.unread.push(unread.clone());
        }
    }
    answer.took_us = started.elapsed().as_micros() as u64;
    Ok((answer, outcome))
}

fn answer(
    found: Matches<'_>,
    query: &Query,
    search: &Search,
    started: Instant,
) -> Result<Answer, SearchError> {
    let Matches { space, views, parts, frame, mut unread, timed_out, memory: _memory } = found;
    let mut answer = Answer {
        snapshot: space.ends(search),
        total: parts.iter().map(|part| part.count).sum(),
        scanned: parts.iter().map(|part| part.scanned).sum(),
        from_us: frame.from_us,
        to_us: frame.to_us,
        histogram: None,
        rows: Vec::new(),
        facets: Vec::new(),
        hints: Vec::new(),
        timed_out,
        unread: Vec::new(),
        took_us: 0,
    };
    set_histogram(&mut answer, &views, &parts, search, &frame)?;
    match facets::count(&views, &parts, query, search) {
        Ok(facets) => answer.facets = facets,
        // Counts without some segments would be wrong.
        Err(Uncounted::Read(seen, error @ (ReadError::Corrupt { .. } | ReadError::Io { .. }))) => {
            answer.hints.push("facets are left out: a segment cannot be read".to_owned());
            unread.push(seen.unread(error)?);
        }
        // Rows and counts exist: return them, and report that time ran out.
        Err(Uncounted::Read(seen, ReadError::Stopped(Stop::TimedOut))) => {
            answer.timed_out.get_or_insert(TimedOut { searched_from_us: seen.view.received_range().0 });
        }
        Err(Uncounted::Read(_, error)) => return Err(error.into()),
        Err(Uncounted::Memory(error)) => return Err(error),
    }
    if answer.total == 0 {
        answer.hints.extend(unknown_fields(query.condition(), space, &search.cancel)?);
    }
    unread.dedup();
    answer.hints.extend(unread.iter().map(Unread::describe));
    answer.unread = unread;
    answer.took_us = started.elapsed().as_micros() as u64;
    Ok(answer)
}

/// Adds up the buckets of the segments. For event times without a range, the range is that of the matches.
fn set_histogram(
    answer: &mut Answer,
    views: &[VisibleSegment<'_>],
    parts: &[SegmentMatches],
    search: &Search,
    frame: &HistogramRange,
) -> Result<(), SearchError> {
    let mut frame = frame.clone();
    let open = search.clock == Clock::Event && (search.from_us.is_none() || search.to_us.is_none());
    if open {
        let first = parts.iter().filter_map(|part| part.event_range).map(|(first, _)| first).min();
        let last = parts.iter().filter_map(|part| part.event_range).map(|(_, last)| last).max();
        if let (Some(first), Some(last)) = (first, last) {
            let from = search.from_us.unwrap_or(first);
            let to = search.to_us.unwrap_or(last.saturating_add(1)).max(from);
            frame.set_range(from, to, search.buckets);
            (answer.from_us, answer.to_us) = (from, to);
        }
    }
    if frame.buckets == 0 {
        return Ok(());
    }
    let mut counts = vec![0; frame.buckets];
    for (seen, part) in views.iter().zip(parts) {
        let late;
        let own = if open {
            late = event_buckets(seen.view, &part.matching, &frame)?;
            &late
        } else {
            &part.buckets
        };
        counts.iter_mut().zip(own).for_each(|(sum, count)| *sum += count);
    }
    answer.histogram = Some(Histogram { start_us: frame.from_us, width_us: frame.width_us, counts });
    Ok(())
}

/// Returns advice on fields that no message of the scope has.
fn unknown_fields(
    condition: &Condition,
    space: &SearchScope,
    cancel: &CancelToken,
) -> Result<Vec<String>, SearchError> {
    let mut names = Vec::new();
    named_fields(condition, &mut names);
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut known: Vec<String> = fields::fixed_names().map(str::to_owned).collect();
    let used = crate::scope::browse::columns(space, cancel)?;
    known.extend(used.iter().map(|used| column_name(&used.column).to_owned()));
    known.sort_unstable();
    known.dedup();
    names.sort_unstable();
    names.dedup();
    let missing = names.into_iter().filter(|name| !known.contains(name));
    let advice = missing.map(|name| {
        let full = format!(".SDATA.{name}");
        if known.contains(&full) {
            return format!("no message has a field {name}; in structured data it is {full}, or sd.{name}");
        }
        let near = |distance| {
            let fuzzy = Pattern::Fuzzy { text: words::lower(&name), distance };
            known.iter().find(|known| words::value_matches(&fuzzy, known.as_bytes()))
        };
        match near(1).or_else(|| near(2)) {
            Some(known) => format!("no message has a field {name}; did you mean {known}?"),
            None => format!("no message has a field {name}"),
        }
    });
    Ok(advice.collect())
}

fn named_fields(condition: &Condition, names: &mut Vec<String>) {
    match condition {
        Condition::And(members) | Condition::Or(members) => {
            members.iter().for_each(|member| named_fields(member, names));
        }
        Condition::Not(inner) => named_fields(inner, names),
        Condition::Value(Column::Named(name), ValueTest::Pattern(_) | ValueTest::Regex(_)) => {
            names.push(name.clone());
        }
        _ => {}
    }
}

/// Returns the values of a column that start with a text, most frequent first, with their counts. Segments that
/// cannot be read are left out.
pub fn values(
    space: &SearchScope,
    column: &Column,
    prefix: &str,
    limit: usize,
    cancel: &CancelToken,
    memory: &MemoryBudget,
) -> Result<Vec<(Vec<u8>, u64)>, SearchError> {
    let segments = space.members.iter().flat_map(|member| &member.snapshot.segments);
    let views: Vec<&dyn SegmentView> = segments.map(|view| view.as_ref()).collect();
    let pattern = if prefix.is_empty() { Pattern::Any } else { words::prefix(prefix) };
    let sum = Mutex::new(Counts::new(memory));
    let of_segment = |view: &dyn SegmentView| {
        let mut counts = Counts::new(memory);
        let documents = view.values(column, &pattern, cancel)?;
        view.count_values(column, &documents, cancel, &mut |value, count| {
            // A document may have other tags as well.
            if words::value_matches(&pattern, value) {
                counts.add(value, count);
            }
        })?;
        Ok(counts)
    };
    let results = parallel::each(COMPLETION_THREADS, views.len(), |index| match of_segment(views[index]) {
        Ok(mut counts) => {
            counts.check()?;
            let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
            sum.merge(counts);
            sum.check()
        }
        Err(ReadError::Stopped(stop)) => Err(SearchError::from(stop)),
        Err(_) => Ok(()),
    });
    results.into_iter().collect::<Result<(), SearchError>>()?;
    let sum = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(sum.top(limit))
}

#[cfg(test)]
mod tests;
