//! Runs a search: a bitmap a segment, segments in parallel, newest first; then the rows.
//!
//! In: a snapshot, a question, what to show. Out: an answer of which all parts agree.
//! Holds: one bit a message while it runs, and the counts of facets (bounded, see [`facets`]).
//! Limits: the watch. When its time is over, the answer covers the newest segments that were finished, and says so.

mod facets;
pub(crate) mod parallel;
mod rows;
mod segment;

use crate::{
    answer::{Answer, Bars, Clock, Search, SearchError, TimedOut, Unread},
    condition::{Condition, ValueTest},
    fields::{self, column_name},
    question::Query,
    words,
};
pub use rows::ROWS_MAX;

use facets::Counts;
use segment::Part;
pub(crate) use segment::{Frame, matching};
use std::{
    sync::{Mutex, PoisonError},
    time::Instant,
};
use store::{Column, Locked, Pattern, ReadError, SegmentView, Snapshot, Stop, Watch};

/// Most bars of an answer: more than a screen has points.
pub const BARS_MAX: usize = 4_096;
/// Threads that look for completions: they are asked for while somebody types.
const COMPLETION_THREADS: usize = 2;

/// The segments that a search may see, newest first, and the sequence number after the newest message of them.
pub(crate) fn visible<'s>(snapshot: &'s Snapshot, search: &Search) -> (Vec<&'s dyn SegmentView>, u64) {
    let end = search.until.unwrap_or(u64::MAX).min(snapshot.sequence);
    let views = snapshot.segments.iter().rev().map(|view| view.as_ref());
    (views.filter(|view| !view.is_empty() && view.first_sequence() < end).collect(), end)
}

/// Answers a question from a snapshot.
pub fn search(snapshot: &Snapshot, query: &Query, search: &Search) -> Result<Answer, SearchError> {
    let started = Instant::now();
    let (views, end) = visible(snapshot, search);
    let frame = Frame::new(&views, search, end);
    let results = parallel::each(search.threads, views.len(), |index| {
        segment::run(views[index], query.condition(), search, &frame)
    });
    let mut unread = locked(snapshot, search);
    let (parts, timed_out) = finished(results, &views, &mut unread)?;
    let mut answer = Answer {
        snapshot: end,
        total: parts.iter().map(|part| part.count).sum(),
        scanned: parts.iter().map(|part| part.scanned).sum(),
        from_us: frame.from_us,
        to_us: frame.to_us,
        bars: None,
        rows: rows::newest(&views, &parts, query, search, &mut unread)?,
        facets: Vec::new(),
        hints: Vec::new(),
        timed_out,
        unread: Vec::new(),
        took_us: 0,
    };
    set_bars(&mut answer, &views, &parts, search, &frame)?;
    match facets::count(&views, &parts, search) {
        Ok(facets) => answer.facets = facets,
        // The segments that facets cannot be read of are named; counts without them would be wrong.
        Err(ReadError::Corrupt { path, offset, what }) => {
            let error = ReadError::Corrupt { path, offset, what };
            unread.push(Unread { messages: 0..0, why: format!("facets are left out: {error}") });
        }
        // Rows and counts are there: say that time ran out, and show them.
        Err(ReadError::Stopped(Stop::TimedOut)) => {
            let oldest = views.last().map_or(0, |view| view.first_sequence());
            answer.timed_out.get_or_insert(TimedOut { searched_from: oldest });
        }
        Err(error) => return Err(error.into()),
    }
    if answer.total == 0 {
        answer.hints = unknown_fields(query.condition(), snapshot);
    }
    unread.dedup();
    answer.hints.extend(unread.iter().map(describe));
    answer.unread = unread;
    answer.took_us = started.elapsed().as_micros() as u64;
    Ok(answer)
}

/// The locked segments of the time range: neighbours together.
fn locked(snapshot: &Snapshot, search: &Search) -> Vec<Unread> {
    let mut unread: Vec<Unread> = Vec::new();
    for Locked { first, count, received_us } in &snapshot.locked {
        let outside = search.from_us.is_some_and(|from| received_us.1 < from)
            || search.to_us.is_some_and(|to| received_us.0 >= to);
        if outside && search.clock == Clock::Received {
            continue;
        }
        match unread.last_mut() {
            Some(last) if last.messages.end == *first => last.messages.end = first + count,
            _ => unread.push(Unread { messages: *first..first + count, why: "locked".to_owned() }),
        }
    }
    unread
}

fn describe(unread: &Unread) -> String {
    let Unread { messages, why } = unread;
    match (messages.is_empty(), why.as_str()) {
        (true, why) => why.to_owned(),
        (false, "locked") => format!(
            "messages {} to {} are locked and were not searched: unlock the logspace with its private key",
            messages.start,
            messages.end - 1
        ),
        (false, why) => {
            format!("messages {} to {} may be left out: {why}", messages.start, messages.end - 1)
        }
    }
}

/// The newest segments that were searched without a gap. A segment that cannot be read counts as searched without a
/// find, and is named.
fn finished(
    results: Vec<Result<Part, ReadError>>,
    views: &[&dyn SegmentView],
    unread: &mut Vec<Unread>,
) -> Result<(Vec<Part>, Option<TimedOut>), SearchError> {
    let mut parts: Vec<Part> = Vec::with_capacity(results.len());
    let mut late = false;
    for (result, view) in results.into_iter().zip(views) {
        let result = match result {
            Err(error @ (ReadError::Corrupt { .. } | ReadError::Io { .. } | ReadError::Locked { .. })) => {
                unread.push(Unread::of(*view, error)?);
                Ok(Part::empty(view.len()))
            }
            result => result,
        };
        match result {
            Ok(part) if !late => parts.push(part),
            Ok(_) | Err(ReadError::Stopped(Stop::TimedOut)) => late = true,
            Err(error) => return Err(error.into()),
        }
    }
    if !late {
        return Ok((parts, None));
    }
    match parts.len().checked_sub(1).and_then(|last| views.get(last)) {
        None => Err(SearchError::TimedOut),
        Some(view) => Ok((parts, Some(TimedOut { searched_from: view.first_sequence() }))),
    }
}

/// Adds up the bars of the segments. On the sender's clock without a range, the range is that of what was found.
fn set_bars(
    answer: &mut Answer,
    views: &[&dyn SegmentView],
    parts: &[Part],
    search: &Search,
    frame: &Frame,
) -> Result<(), SearchError> {
    let mut frame = frame.clone();
    let open = search.clock == Clock::Event && (search.from_us.is_none() || search.to_us.is_none());
    if open {
        let first = parts.iter().filter_map(|part| part.event_range).map(|(first, _)| first).min();
        let last = parts.iter().filter_map(|part| part.event_range).map(|(_, last)| last).max();
        if let (Some(first), Some(last)) = (first, last) {
            let from = search.from_us.unwrap_or(first);
            let to = search.to_us.unwrap_or(last.saturating_add(1)).max(from);
            frame.set_range(from, to, search.bars);
            (answer.from_us, answer.to_us) = (from, to);
        }
    }
    if frame.bars == 0 {
        return Ok(());
    }
    let mut counts = vec![0; frame.bars];
    for (view, part) in views.iter().zip(parts) {
        let late;
        let own = if open {
            late = segment::event_bars(*view, &part.matching, &frame)?;
            &late
        } else {
            &part.bars
        };
        counts.iter_mut().zip(own).for_each(|(sum, count)| *sum += count);
    }
    answer.bars = Some(Bars { start_us: frame.from_us, width_us: frame.width_us, counts });
    Ok(())
}

/// Advice on fields that no message of the snapshot has.
fn unknown_fields(condition: &Condition, snapshot: &Snapshot) -> Vec<String> {
    let mut names = Vec::new();
    named_fields(condition, &mut names);
    if names.is_empty() {
        return Vec::new();
    }
    let mut known: Vec<String> = fields::fixed_names().map(str::to_owned).collect();
    for view in &snapshot.segments {
        known.extend(view.columns().iter().map(|used| column_name(&used.column).to_owned()));
    }
    known.sort_unstable();
    known.dedup();
    names.sort_unstable();
    names.dedup();
    let missing = names.into_iter().filter(|name| !known.contains(name));
    missing
        .map(|name| {
            let near = |distance| {
                let fuzzy = Pattern::Fuzzy { text: words::lower(&name), distance };
                known.iter().find(|known| words::value_matches(&fuzzy, known.as_bytes()))
            };
            match near(1).or_else(|| near(2)) {
                Some(known) => format!("no message has a field {name}; did you mean {known}?"),
                None => format!("no message has a field {name}"),
            }
        })
        .collect()
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

/// Values of a column that start with a text, most frequent first, with their counts.
pub fn values(
    snapshot: &Snapshot,
    column: &Column,
    prefix: &str,
    limit: usize,
    watch: &Watch,
) -> Result<Vec<(Vec<u8>, u64)>, SearchError> {
    let views: Vec<&dyn SegmentView> = snapshot.segments.iter().map(|view| view.as_ref()).collect();
    let pattern = if prefix.is_empty() { Pattern::Any } else { Pattern::Prefix(words::lower(prefix)) };
    let sum = Mutex::new(Counts::default());
    let results = parallel::each(COMPLETION_THREADS, views.len(), |index| {
        let mut counts = Counts::default();
        let documents = views[index].values(column, &pattern, watch)?;
        views[index].count_values(column, &documents, watch, &mut |value, count| {
            // A document may have other tags as well.
            if words::value_matches(&pattern, value) {
                counts.add(value, count);
            }
        })?;
        sum.lock().unwrap_or_else(PoisonError::into_inner).merge(counts);
        Ok(())
    });
    results.into_iter().collect::<Result<(), ReadError>>()?;
    let sum = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(sum.top(limit))
}

#[cfg(test)]
mod tests;
