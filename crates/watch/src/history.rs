//! A rule over messages that are stored already: what it would have reported.
//!
//! In: a rule, a snapshot of a logspace, a range of received time. Out: counts for each bar, moments. Holds one evaluator.
//! The transitions are those of one that evaluates every message of the range, with empty windows at its start: messages
//! that match no query of the rule change nothing but the time, so that only those that the index names are read.
//! Limits: [`LIMITS`] for what the rule keeps, [`MOMENTS_MAX`] moments, a cancel token for the time that it takes.

use crate::{
    evaluator::{Evaluator, Input, Limits, Selecting},
    rule::Rule,
    transition::{Change, Transition},
};
use lookup::{Bitmap, CancelToken, ReadError, SegmentView, Snapshot, Stop};
use std::{ops::Range, sync::Arc};

/// Most bytes that the state of a rule takes here: a share of what it may take while messages arrive.
pub const BYTES_MAX: usize = 16 << 20;
const LIMITS: Limits =
    Limits { rule_keys_max: 100_000, rule_bytes_max: BYTES_MAX, keys_max: 100_000, bytes_max: BYTES_MAX };
/// Most moments that are kept, the first ones; all are counted.
pub(crate) const MOMENTS_MAX: usize = 500;
/// Most bars.
pub const BARS_MAX: usize = 500;

/// The messages to evaluate.
#[derive(Clone, Copy, Debug)]
pub struct HistoryRange {
    /// Received times, the end not included, in microseconds since 1970.
    pub received_us: (i64, i64),
    /// Parts into which it is divided, 1 to [`BARS_MAX`].
    pub bars: usize,
}

/// The outcome of a rule over messages that are stored already.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Messages that match the queries of the rule, for each bar.
    pub matched: Vec<u64>,
    /// How often it would have fired, or something would have occurred, for each bar.
    pub fired: Vec<u64>,
    /// The first moments at which it would.
    pub moments: Vec<Transition>,
    /// Received time of the first message of the range, in microseconds since 1970; none: there is none.
    pub first_us: Option<i64>,
    /// Messages in the range that could not be read.
    pub unread: u64,
    /// True when not every key could be tracked.
    pub is_degraded: bool,
    /// The time up to which messages were evaluated, when there was no time for the rest; in microseconds since 1970.
    pub reached_us: Option<i64>,
}

impl History {
    /// How often it would have fired, or something would have occurred.
    pub fn fired_total(&self) -> u64 {
        self.fired.iter().sum()
    }
}

/// Evaluates a rule over a range of a snapshot. Messages that cannot be read count as time in which nobody listened.
///
/// # Errors
/// When the walk is cancelled, or the disk does not answer. When its time is over, the history ends earlier.
pub fn history(
    rule: &Arc<Rule>,
    snapshot: &Snapshot,
    range: HistoryRange,
    cancel: &CancelToken,
) -> Result<History, ReadError> {
    let Some(evaluator) = Evaluator::new(vec![Arc::clone(rule)], LIMITS, Selecting::ByMarks) else {
        // The texts that one rule requires always fit.
        return Ok(History { is_degraded: true, ..History::default() });
    };
    let bars = range.bars.clamp(1, BARS_MAX);
    let empty = History { matched: vec![0; bars], fired: vec![0; bars], ..History::default() };
    let mut walk = Walk { evaluator, range, found: Vec::new(), history: empty };
    match walk.segments(rule, snapshot, cancel) {
        Err(ReadError::Stopped(Stop::TimedOut)) => {
            walk.history.reached_us = Some(walk.evaluator.now_us().unwrap_or(range.received_us.0));
        }
        Err(error) => return Err(error),
        Ok(()) => {}
    }
    Ok(walk.history)
}

struct Walk {
    evaluator: Evaluator,
    range: HistoryRange,
    /// Transitions of the last input.
    found: Vec<Transition>,
    history: History,
}

impl Walk {
    fn segments(&mut self, rule: &Rule, snapshot: &Snapshot, cancel: &CancelToken) -> Result<(), ReadError> {
        let (from_us, to_us) = self.range.received_us;
        let mut first = query::matching(&rule.query, None);
        let mut then = rule.kind.then().map(|then| query::matching(then, None));
        // Sequence number and time after the segment before.
        let mut before: Option<(u64, i64)> = None;
        for segment in &snapshot.segments {
            let documents = segment.received_between(from_us, to_us);
            if documents.is_empty() {
                continue;
            }
            if let Some((sequence, at_us)) =
                before.filter(|(sequence, _)| *sequence < segment.first_sequence())
            {
                self.pass_gap((at_us, segment.received_range().0), segment.first_sequence() - sequence);
            }
            let wanted = |cancel: &CancelToken| -> Result<Bitmap, ReadError> {
                let mut wanted = first(&**segment, cancel)?;
                if let Some(then) = &mut then {
                    wanted.or(&then(&**segment, cancel)?);
                }
                wanted.keep_range(documents.clone());
                Ok(wanted)
            };
            if let Err(error) = self.segment(&**segment, documents.clone(), wanted, cancel) {
                if matches!(error, ReadError::Stopped(_) | ReadError::Io { .. }) {
                    return Err(error);
                }
                self.pass_gap(segment.received_range(), u64::from(segment.len()));
            }
            let end = segment.first_sequence() + u64::from(segment.len());
            before = Some((end, segment.received_range().1));
        }
        // The rest of the range is time in which nothing was received.
        self.apply(Input::Mark(to_us));
        Ok(())
    }

    /// Evaluates the wanted documents of a segment, after the time of the first one in the range.
    fn segment(
        &mut self,
        segment: &dyn SegmentView,
        documents: Range<u32>,
        wanted: impl FnOnce(&CancelToken) -> Result<Bitmap, ReadError>,
        cancel: &CancelToken,
    ) -> Result<(), ReadError> {
        let wanted = wanted(cancel)?;
        if self.evaluator.now_us().is_none() {
            segment.read(&mut std::iter::once(documents.start), cancel, &mut |_, document| {
                self.history.first_us = Some(document.received_us);
                self.apply(Input::Mark(document.received_us));
                false
            })?;
        }
        segment.read(&mut wanted.iter(), cancel, &mut |_, document| {
            let bar = self.bar(document.received_us);
            self.history.matched[bar] += 1;
            self.apply(Input::Message(document));
            true
        })?;
        cancel.check().map_err(ReadError::Stopped)
    }

    fn pass_gap(&mut self, (first_us, last_us): (i64, i64), messages: u64) {
        self.history.unread += messages;
        self.apply(Input::Stopped(first_us));
        self.apply(Input::Started(last_us));
    }

    fn apply(&mut self, input: Input<'_>) {
        let mut found = std::mem::take(&mut self.found);
        self.evaluator.apply(input, &mut found);
        for transition in found.drain(..) {
            match transition.change {
                Change::Fired | Change::Occurred => {
                    let bar = self.bar(transition.at_us);
                    self.history.fired[bar] += 1;
                    if self.history.moments.len() < MOMENTS_MAX {
                        self.history.moments.push(transition);
                    }
                }
                Change::Degraded => self.history.is_degraded = true,
                Change::Resolved | Change::Forgotten | Change::Recovered => {}
            }
        }
        self.found = found;
    }

    /// Returns the bar of a time; those outside belong to the first and the last one.
    fn bar(&self, at_us: i64) -> usize {
        let (from_us, to_us) = self.range.received_us;
        let bars = self.history.fired.len();
        let part = i128::from(at_us.saturating_sub(from_us).max(0));
        let whole = i128::from(to_us.saturating_sub(from_us).max(1));
        usize::try_from(part * bars as i128 / whole).map_or(bars - 1, |bar| bar.min(bars - 1))
    }
}
