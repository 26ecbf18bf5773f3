//! Estimates the cost of a query before it is run.
//!
//! In: a scope, a query, a time range. Out: each part of the condition in the order of evaluation, with the exact
//! counts of the index; the messages that have to be read. The index is used as in a search; no message is read.
//! Limits: the cancel token. If messages are hidden the index is not counted, because it would reveal them.

use crate::{
    answer::{Search, SearchError, Unread},
    condition::{Condition, explain::show},
    matches::{locked, parallel, segment},
    plan::{self, Trace, Used},
    question::Query,
    scope::{SearchScope, VisibleSegment},
};
use lookup::{ReadCost, ReadError, Stop};
use std::time::{Duration, Instant};

/// Estimated time of reading, as measured with the test data: docs/measurements/queries.md says how. To open a
/// block,
const BLOCK_BEGUN: Duration = Duration::from_micros(20);
/// to decompress all of it (128 KiB),
const BLOCK: Duration = Duration::from_micros(120);
/// and to assemble one of its messages and test its text.
const MESSAGE: Duration = Duration::from_nanos(500);

/// The cost of a query.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The condition.
    pub root: ExplainedPart,
    /// Segments of the scope.
    pub segments: u64,
    /// Number of segments outside the time range, which are skipped.
    pub skipped: u64,
    /// Messages in the time range.
    pub messages: u64,
    /// Messages that the index cannot decide: they are read.
    pub undecided: u64,
    /// The blocks that these are in.
    pub text: ReadCost,
    /// Time spent in the index, microseconds.
    pub index_us: u64,
    /// Estimated total time, microseconds.
    pub estimated_us: u64,
    /// Messages that cannot be read.
    pub unread: Vec<Unread>,
}

/// The ways in which a part of a condition is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means {
    /// By its parts.
    Parts,
    /// Nothing has to be read.
    Nothing,
    /// The index of words.
    Words,
    /// Columns of values or of times.
    Columns,
    /// The index of words narrows what is read.
    Text,
}

/// A part of a condition.
#[derive(Clone, Debug)]
pub struct ExplainedPart {
    /// The condition in words; `AND`, `OR` and `NOT` for those with parts.
    pub shown: String,
    /// How it is answered.
    pub means: Means,
    /// Number of segments in which it was evaluated.
    pub segments: u64,
    /// Distinct words, or values of a column, that match; a word counts in each segment.
    pub words: Option<u64>,
    /// Entries of the words' lists.
    pub postings: Option<u64>,
    /// Messages that may match, of those that the earlier parts left over.
    pub documents: u64,
    /// Documents among them that the index cannot decide.
    pub undecided: u64,
    /// Time in the index, microseconds.
    pub took_us: u64,
    /// Its parts, in the order of evaluation.
    pub parts: Vec<ExplainedPart>,
}

/// Estimates the cost of a query, without its pipes and the rows that are shown.
pub fn explain(space: &SearchScope, query: &Query, search: &Search) -> Result<Explanation, SearchError> {
    let started = Instant::now();
    let views = space.visible(search);
    let condition = query.condition();
    let of_segments =
        parallel::each(search.threads, views.len(), |index| of_segment(views[index], condition, search));
    let mut explanation = Explanation {
        root: part(condition, &|_| None),
        segments: views.len() as u64,
        skipped: 0,
        messages: 0,
        undecided: 0,
        text: ReadCost::default(),
        index_us: 0,
        estimated_us: 0,
        unread: locked(space, search),
    };
    for (result, seen) in of_segments.into_iter().zip(&views) {
        match result {
            Ok(None) => explanation.skipped += 1,
            Ok(Some(own)) => explanation.add(own),
            Err(ReadError::Stopped(Stop::TimedOut)) => return Err(SearchError::TimedOut),
            Err(error) => explanation.unread.push(seen.unread(error)?),
        }
    }
    explanation.unread.dedup();
    explanation.index_us = started.elapsed().as_micros() as u64;
    explanation.estimated_us =
        explanation.root.took_us + reading(explanation.text, explanation.undecided).as_micros() as u64;
    let threads = search.threads.clamp(1, views.len().max(1)) as u64;
    explanation.estimated_us /= threads;
    Ok(explanation)
}

/// Estimates the time to read `messages` messages from these blocks. A block is decompressed up to the last message
/// needed: half of it for one message, two thirds for two.
pub(super) fn reading(text: ReadCost, messages: u64) -> Duration {
    let (blocks, messages) = (text.blocks as f64, messages as f64);
    let opened = blocks * messages / (messages + blocks).max(1.0);
    BLOCK_BEGUN.mul_f64(blocks) + BLOCK.mul_f64(opened) + MESSAGE.mul_f64(messages)
}

/// The cost of a query in one segment.
struct Own {
    root: ExplainedPart,
    messages: u64,
    undecided: u64,
    text: ReadCost,
}

/// Explains one segment; none when it lies outside the time range.
fn of_segment(
    seen: VisibleSegment<'_>,
    condition: &Condition,
    search: &Search,
) -> Result<Option<Own>, ReadError> {
    search.cancel.check()?;
    let scan = segment::scan_range(seen, search)?;
    if scan.count == 0 {
        return Ok(None);
    }
    let trace = Trace::default();
    let undecided = plan::undecided(seen.view, condition, scan.within.as_ref(), &search.cancel, &trace)?;
    Ok(Some(Own {
        root: part(condition, &|part| trace.of(part)),
        messages: scan.count,
        undecided: undecided.count(),
        text: seen.view.read_cost(&undecided)?.unwrap_or_default(),
    }))
}

impl Explanation {
    fn add(&mut self, own: Own) {
        self.root.add(own.root);
        self.messages += own.messages;
        self.undecided += own.undecided;
        self.text.blocks += own.text.blocks;
        self.text.bytes += own.text.bytes;
    }
}

impl ExplainedPart {
    /// Adds the figures of the same part in another segment.
    fn add(&mut self, other: ExplainedPart) {
        let mut used = self.used();
        used.merge(other.used());
        self.set(used);
        self.parts.iter_mut().zip(other.parts).for_each(|(own, other)| own.add(other));
    }

    fn used(&self) -> Used {
        Used {
            segments: self.segments,
            words: self.words,
            postings: self.postings,
            documents: self.documents,
            undecided: self.undecided,
            took: Duration::from_micros(self.took_us),
        }
    }

    fn set(&mut self, used: Used) {
        self.segments = used.segments;
        (self.words, self.postings) = (used.words, used.postings);
        (self.documents, self.undecided) = (used.documents, used.undecided);
        self.took_us = used.took.as_micros() as u64;
    }
}

/// Returns the tree of a condition, each part with its figures.
fn part(condition: &Condition, used: &dyn Fn(&Condition) -> Option<Used>) -> ExplainedPart {
    let (shown, members): (String, &[Condition]) = match condition {
        Condition::And(members) => ("AND".to_owned(), members),
        Condition::Or(members) => ("OR".to_owned(), members),
        Condition::Not(inner) => ("NOT".to_owned(), std::slice::from_ref(&**inner)),
        leaf => (show(leaf), &[]),
    };
    let mut part = ExplainedPart {
        shown,
        means: means(condition),
        segments: 0,
        words: None,
        postings: None,
        documents: 0,
        undecided: 0,
        took_us: 0,
        parts: members.iter().map(|member| self::part(member, used)).collect(),
    };
    part.set(used(condition).unwrap_or_default());
    part
}

fn means(condition: &Condition) -> Means {
    match condition {
        Condition::And(_) | Condition::Or(_) | Condition::Not(_) => Means::Parts,
        Condition::All | Condition::Never | Condition::Received(..) => Means::Nothing,
        Condition::Word(_) | Condition::Phrase(_) | Condition::CasePhrase { .. } => Means::Words,
        Condition::Value(..) | Condition::Values(..) | Condition::Event(..) | Condition::Skew(..) => {
            Means::Columns
        }
        Condition::TextRegex { .. }
        | Condition::TextHas { .. }
        | Condition::RawRegex(_)
        | Condition::RawHas(_) => Means::Text,
    }
}
