//! The thread that evaluates the rules of one logspace.
//!
//! In: the messages of the logspace as they become visible, marks of time while none arrive, new sets of rules. Out:
//! transitions in the database; the state of the rules in a file. Holds: the evaluator, one batch.
//! It reads what queries read, so that nothing waits for it: neither a source nor sealing. A write that fails is tried
//! again, and until it succeeds nothing more is evaluated.
//! Limits: [`LIMITS`]; [`BATCH_TIME`] and [`TRANSITIONS_MAX`] for a batch.

mod desk;
mod part;
mod saved_state;
mod start;

pub(crate) use desk::{Desk, Ending};
pub(crate) use saved_state::SavedState;
use saved_state::remove_others;

use crate::{
    folder::RuleSet,
    status::{FollowerStatus, StallReason},
    store::{Batch, Gap, GapReason, Mark, MarkKind, RulesById, Store, StoreError},
};
use journal::{Disk, OsDisk};
use logspace::{Clock, Logspace};
use lookup::{CancelToken, ReadError, SegmentView, Snapshot};
use part::{NextMessages, next_part};
use std::{
    collections::VecDeque,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use watch::{Evaluator, Input, Limits, Rule};

/// The most that the rules of one logspace keep.
pub const LIMITS: Limits =
    Limits { rule_keys_max: 1_000_000, rule_bytes_max: 256 << 20, keys_max: 1_000_000, bytes_max: 256 << 20 };
/// Longest time that messages are evaluated before their transitions are written.
const BATCH_TIME: Duration = Duration::from_millis(250);
/// Most transitions that are written at once.
const TRANSITIONS_MAX: usize = 10_000;
/// Messages between two looks at the clock.
const LOOK_EVERY: u32 = 64;
/// How often a thread that has read everything looks for more. Messages become visible about as often.
const IDLE: Duration = Duration::from_millis(100);
/// How long to wait before something that failed is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// Longest time between two writes of the sequence number that was reached, when nothing is reported.
const COMMIT_GAP: Duration = Duration::from_secs(1);
/// Longest time between two notes that the server is alive.
const ALIVE_GAP: Duration = Duration::from_secs(10);
/// Ticks wait so long for messages that were received before them and are on their way, in microseconds.
const MARK_LAG_US: i64 = 2_000_000;

/// How often the state of the rules is saved, while messages arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) save_gap: Duration,
    /// As many messages are read again after a crash.
    pub(crate) save_messages: u64,
}

impl Default for Pace {
    /// Half a minute, or a million messages.
    fn default() -> Pace {
        Pace { save_gap: Duration::from_secs(30), save_messages: 1_000_000 }
    }
}

/// The surroundings of a thread.
pub(crate) struct Surroundings {
    pub(crate) name: Arc<str>,
    pub(crate) logspace: Arc<Logspace>,
    pub(crate) store: Arc<Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) pace: Pace,
    pub(crate) desk: Arc<Desk>,
    pub(crate) status: Arc<Mutex<FollowerStatus>>,
}

impl Surroundings {
    /// The surroundings of a thread that uses the disk of the operating system.
    pub(crate) fn new(
        name: Arc<str>,
        logspace: Arc<Logspace>,
        store: Arc<Store>,
        clock: Arc<dyn Clock>,
        pace: Pace,
    ) -> Surroundings {
        let status = FollowerStatus { logspace: Arc::clone(&name), ..FollowerStatus::default() };
        let (disk, desk) = (Arc::new(OsDisk), Arc::default());
        Surroundings { name, logspace, store, clock, disk, pace, desk, status: Arc::new(Mutex::new(status)) }
    }

    fn complain(&self, trouble: Option<StallReason>) {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).trouble = trouble;
    }

    /// Closes the account of the rules. After a failure the next start tries it again.
    fn retire(&self) {
        let _ = retire(&self.store, &self.name, self.clock.wall_us());
    }

    /// Notes that something could be written: what was wrong with that no longer is.
    fn recovered(&self) {
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        status.trouble.take_if(|trouble| *trouble != StallReason::TooLarge);
    }
}

/// Notes that a logspace has no rules any more, and removes their saved states.
pub(crate) fn retire(store: &Store, name: &str, now_us: i64) -> Result<(), StoreError> {
    store.retire(name, now_us)?;
    remove_others(store.folder(), name, None);
    Ok(())
}

/// A thread's state.
struct Follower {
    around: Surroundings,
    /// The files of rules in force.
    set: Arc<RuleSet>,
    /// Those of their rules that watch this logspace.
    rules: Vec<Arc<Rule>>,
    generation: u64,
    evaluator: Evaluator,
    /// Sequence number of the next message.
    cursor: u64,
    /// Number of the last mark that was evaluated.
    mark: u64,
    /// Marks and gaps of the database that come after that, in their order.
    marks_ahead: VecDeque<Mark>,
    gaps_ahead: VecDeque<Gap>,
    /// Everything below this was evaluated before a restart.
    replayed_below: u64,
    batch: Batch,
    committed: Instant,
    committed_cursor: u64,
    saved: Instant,
    saved_cursor: u64,
    saved_mark: u64,
    figures: Figures,
}

/// Figures since the start of a thread.
#[derive(Clone, Copy, Default)]
struct Figures {
    evaluated: u64,
    transitions: u64,
    missed: u64,
}

/// How far a step came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Progress {
    /// There is more.
    More,
    /// Everything that is visible was read.
    CaughtUp,
}

/// Works until the end is asked for.
pub(crate) fn run(around: Surroundings, set: Arc<RuleSet>) {
    let desk = Arc::clone(&around.desk);
    let mut follower = loop {
        match Follower::start(&around, &set) {
            Ok(started) => break started.follow(around, &set),
            Err(trouble) => around.complain(Some(trouble)),
        }
        desk.wait(RETRY);
        if let Some(ending) = desk.ending() {
            if ending == Ending::Retire {
                around.retire();
            }
            return;
        }
    };
    let mut wanted = None;
    loop {
        wanted = desk.take_rules().or(wanted);
        let ending = desk.ending();
        if ending == Some(Ending::Crash) {
            return;
        }
        let progress = match ending {
            // The last batch is still to be written.
            Some(_) => Progress::More,
            None => follower.step(),
        };
        let is_written = follower.commit_when_due(ending);
        if let Some(ending) = ending {
            return follower.end(ending);
        }
        if is_written && follower.is_past_restart() {
            if let Some(rules) = wanted.take() {
                follower.change_rules(rules);
            }
            follower.save_when_due();
        }
        follower.publish();
        match (is_written, progress) {
            (false, _) => desk.wait(RETRY),
            (true, Progress::CaughtUp) => desk.wait(IDLE),
            (true, Progress::More) => {}
        }
    }
}

impl Follower {
    /// Evaluates what is there, for at most the time of a batch.
    fn step(&mut self) -> Progress {
        let until = Instant::now() + BATCH_TIME;
        // The clock comes before the messages: none that was received before this time can become visible later.
        let now_us = self.around.clock.wall_us();
        let is_quiet = self.around.logspace.is_quiet();
        let snapshot = self.around.logspace.snapshot();
        while Instant::now() < until && self.batch.transitions.len() < TRANSITIONS_MAX {
            self.pass_marks();
            match self.part(&snapshot) {
                NextMessages::End => {
                    if is_quiet {
                        self.pass_time(now_us);
                    }
                    return Progress::CaughtUp;
                }
                NextMessages::Starting => return Progress::CaughtUp,
                NextMessages::Gap(gap) => self.pass_gap(gap),
                NextMessages::Segment(segment, documents) => {
                    if let Err(error) = self.evaluate(&**segment, documents.clone(), until) {
                        if let ReadError::Io { .. } = error {
                            // The disk may answer again.
                            self.around.complain(Some(StallReason::Read(error.to_string())));
                            return Progress::CaughtUp;
                        }
                        let to = segment.first_sequence() + u64::from(documents.end);
                        let received_us = (i64::MIN, segment.received_range().1);
                        self.pass_gap(Gap { from: self.cursor, to, received_us, reason: GapReason::Damaged });
                    }
                }
            }
        }
        Progress::More
    }

    /// Returns what comes next: up to the next mark and the next known gap, and not beyond what was evaluated before a
    /// restart as long as that is repeated.
    fn part<'a>(&mut self, snapshot: &'a Snapshot) -> NextMessages<'a> {
        while let Some(gap) = self.gaps_ahead.front().copied() {
            if gap.from > self.cursor {
                break;
            }
            self.gaps_ahead.pop_front();
            if gap.to > self.cursor {
                return NextMessages::Gap(gap);
            }
        }
        let bounds = [
            self.marks_ahead.front().map(|mark| mark.sequence),
            self.gaps_ahead.front().map(|gap| gap.from),
            Some(self.replayed_below).filter(|below| *below > self.cursor),
        ];
        let bound = bounds.into_iter().flatten().min().unwrap_or(u64::MAX);
        match next_part(snapshot, self.cursor) {
            NextMessages::Segment(segment, documents) => {
                let most = bound - segment.first_sequence();
                let end = u32::try_from(most).unwrap_or(u32::MAX).min(documents.end);
                NextMessages::Segment(segment, documents.start..end)
            }
            NextMessages::Gap(gap) => NextMessages::Gap(Gap { to: gap.to.min(bound), ..gap }),
            part => part,
        }
    }

    fn evaluate(
        &mut self,
        segment: &dyn SegmentView,
        documents: Range<u32>,
        until: Instant,
    ) -> Result<(), ReadError> {
        let Follower { evaluator, batch, cursor, .. } = self;
        let before = *cursor;
        let mut seen = 0u32;
        let read = segment.read(&mut documents.into_iter(), &CancelToken::unlimited(), &mut |_, document| {
            debug_assert_eq!(document.sequence, *cursor, "messages in their order");
            evaluator.apply(Input::Message(document), &mut batch.transitions);
            *cursor = document.sequence + 1;
            seen += 1;
            batch.transitions.len() < TRANSITIONS_MAX
                && (!seen.is_multiple_of(LOOK_EVERY) || Instant::now() < until)
        });
        self.figures.evaluated += self.cursor - before;
        self.batch.cursor = self.cursor;
        read
    }

    /// Evaluates the marks of the database that stand here.
    fn pass_marks(&mut self) {
        while let Some(mark) = self.marks_ahead.pop_front_if(|mark| mark.sequence <= self.cursor) {
            self.pass(mark);
        }
    }

    fn pass(&mut self, mark: Mark) {
        let input = match mark.kind {
            MarkKind::Passed => Input::Mark(mark.at_us),
            MarkKind::Stopped => Input::Stopped(mark.at_us),
            MarkKind::Started => Input::Started(mark.at_us),
            // The state that was saved then is the one after it.
            MarkKind::Begun | MarkKind::Changed => {
                self.mark = mark.number;
                return;
            }
        };
        self.evaluator.apply(input, &mut self.batch.transitions);
        self.mark = mark.number;
    }

    /// Gives the rules a tick that is due: nothing that was received before it can still come.
    fn pass_time(&mut self, now_us: i64) {
        let at_us = now_us.saturating_sub(MARK_LAG_US);
        let is_due = self.evaluator.next_tick_us().is_some_and(|due_us| due_us <= at_us);
        if !is_due || !self.marks_ahead.is_empty() || self.cursor < self.replayed_below {
            return;
        }
        let mark = Mark { number: self.mark + 1, sequence: self.cursor, kind: MarkKind::Passed, at_us };
        self.batch.marks.push(mark);
        self.pass(mark);
    }

    /// Passes over messages that cannot be read: silence in them says nothing.
    fn pass_gap(&mut self, gap: Gap) {
        let (first_us, last_us) = gap.received_us;
        self.evaluator.apply(Input::Stopped(first_us), &mut self.batch.transitions);
        self.evaluator.apply(Input::Started(last_us), &mut self.batch.transitions);
        self.figures.missed += gap.to - self.cursor;
        self.batch.gaps.push(gap);
        self.cursor = gap.to;
        self.batch.cursor = gap.to;
    }

    /// Returns true when everything from before a restart was evaluated, and the batch is written.
    fn is_past_restart(&self) -> bool {
        self.cursor >= self.replayed_below && self.marks_ahead.is_empty() && self.has_no_news()
    }

    fn has_no_news(&self) -> bool {
        let batch = &self.batch;
        batch.transitions.is_empty() && batch.marks.is_empty() && batch.gaps.is_empty()
    }

    /// Writes the batch if it is due; returns false when it cannot be written.
    fn commit_when_due(&mut self, ending: Option<Ending>) -> bool {
        let has_news = !self.has_no_news();
        let age = self.committed.elapsed();
        let has_moved = self.cursor > self.committed_cursor;
        let is_due = has_news || ending.is_some() || age >= ALIVE_GAP || (has_moved && age >= COMMIT_GAP);
        if !is_due {
            return true;
        }
        self.batch.alive_us = self.around.clock.wall_us();
        // Most batches have none.
        let wanted = if self.batch.transitions.is_empty() { &[] } else { self.rules.as_slice() };
        let by_id: RulesById<'_> = wanted.iter().map(|rule| (rule.id.as_ref(), rule)).collect();
        match self.around.store.advance(&self.around.name, &self.batch, &by_id) {
            Ok(new) => {
                self.figures.transitions += new;
                self.batch = Batch { cursor: self.cursor, ..Batch::default() };
                (self.committed, self.committed_cursor) = (Instant::now(), self.cursor);
                self.around.recovered();
                true
            }
            Err(error) => {
                self.around.complain(Some(StallReason::Write(error.to_string())));
                false
            }
        }
    }

    /// Saves the state of the rules when it is due. Everything before it is written.
    fn save_when_due(&mut self) {
        let messages = self.cursor - self.saved_cursor;
        let pace = self.around.pace;
        let is_due = self.saved.elapsed() >= pace.save_gap || messages >= pace.save_messages;
        let has_moved = messages > 0 || self.mark > self.saved_mark;
        if is_due && has_moved {
            self.save();
        }
    }

    fn save(&mut self) {
        // A state that cannot be saved costs a longer way after the next crash, no more.
        self.saved = Instant::now();
        match self.state().write(&*self.around.disk, &self.state_path(self.generation)) {
            Ok(()) => {
                (self.saved_cursor, self.saved_mark) = (self.cursor, self.mark);
                // Old marks only take space.
                let _ = self.around.store.forget_marks(&self.around.name, self.mark);
            }
            Err(error) => self.around.complain(Some(StallReason::Write(error.to_string()))),
        }
    }

    fn state(&self) -> SavedState {
        SavedState { cursor: self.cursor, mark: self.mark, evaluator: self.evaluator.snapshot() }
    }

    fn state_path(&self, generation: u64) -> std::path::PathBuf {
        saved_state::path(self.around.store.folder(), &self.around.name, generation)
    }

    /// Ends in order.
    fn end(mut self, ending: Ending) {
        match ending {
            Ending::Stop if self.cursor >= self.replayed_below && self.has_no_news() => self.save(),
            Ending::Stop | Ending::Crash => {}
            Ending::Retire => self.around.retire(),
        }
    }

    fn publish(&self) {
        let snapshot = self.around.logspace.snapshot();
        let now_us = self.around.clock.wall_us();
        let behind_messages = snapshot.sequence.saturating_sub(self.cursor);
        let reached_us = self.evaluator.now_us().unwrap_or(now_us);
        let behind_us = if behind_messages > 0 { now_us.saturating_sub(reached_us).max(0) } else { 0 };
        let (mut keys, mut bytes) = (0, 0);
        for (_, counters) in self.evaluator.rules() {
            keys += counters.keys as u64;
            bytes += counters.bytes as u64;
        }
        let mut status = self.around.status.lock().unwrap_or_else(PoisonError::into_inner);
        *status = FollowerStatus {
            logspace: Arc::clone(&self.around.name),
            rules: self.rules.len() as u64,
            cursor: self.cursor,
            behind_messages,
            behind_us,
            evaluated: self.figures.evaluated,
            transitions: self.figures.transitions,
            missed: self.figures.missed,
            keys,
            bytes,
            ahead_us: reached_us.saturating_sub(now_us).max(0),
            trouble: status.trouble.take(),
        };
    }
}
