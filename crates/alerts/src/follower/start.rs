//! Starts the rules of a logspace: afresh, or from where they were; changes one set of rules for another.
//!
//! In: the database, the saved state, a set of rules. Out: a thread's state. Holds nothing.
//! The old set of rules evaluates everything up to the sequence number that the database has; then the new one starts there.
//! The order of writes is: the state of the new set under a name of its own, the database, then the old state is removed.

use super::{Figures, Follower, LIMITS, Surroundings, saved_state};
use crate::{
    folder::RuleSet,
    status::StallReason,
    store::{Adoption, Batch, Gap, Mark, MarkKind, Resumed, StoreError, Windows},
};
use saved_state::SavedState;
use std::{collections::VecDeque, io, sync::Arc, time::Instant};
use watch::{Evaluator, Input, Rule, Selecting};

/// A thread's state before it owns its surroundings.
pub(super) struct Started {
    set: Arc<RuleSet>,
    rules: Vec<Arc<Rule>>,
    generation: u64,
    evaluator: Evaluator,
    cursor: u64,
    mark: u64,
    marks_ahead: VecDeque<Mark>,
    gaps_ahead: VecDeque<Gap>,
    replayed_below: u64,
}

impl From<StoreError> for StallReason {
    fn from(error: StoreError) -> StallReason {
        StallReason::Write(error.to_string())
    }
}

impl From<io::Error> for StallReason {
    fn from(error: io::Error) -> StallReason {
        StallReason::Write(error.to_string())
    }
}

impl Started {
    /// Makes the thread's state; a set that is not the one in force is changed to once the old one has come as far as the
    /// database.
    pub(super) fn follow(self, around: Surroundings, wanted: &Arc<RuleSet>) -> Follower {
        if self.set.texts != wanted.texts {
            around.desk.put_rules_unless_newer(Arc::clone(wanted));
        }
        let now = Instant::now();
        Follower {
            around,
            batch: Batch { cursor: self.cursor, ..Batch::default() },
            set: self.set,
            rules: self.rules,
            generation: self.generation,
            evaluator: self.evaluator,
            cursor: self.cursor,
            mark: self.mark,
            marks_ahead: self.marks_ahead,
            gaps_ahead: self.gaps_ahead,
            replayed_below: self.replayed_below,
            committed: now,
            committed_cursor: self.cursor,
            saved: now,
            saved_cursor: self.cursor,
            saved_mark: self.mark,
            figures: Figures::default(),
        }
    }
}

impl Follower {
    /// Goes on where the rules of a logspace were, or starts them at its end.
    pub(super) fn start(around: &Surroundings, set: &Arc<RuleSet>) -> Result<Started, StallReason> {
        let end = end_of(around);
        let Some(resumed) = around.store.resumed(&around.name)? else {
            return fresh(around, set, (1, end), Windows::Kept);
        };
        let generation = resumed.watched.generation;
        if resumed.texts.is_empty() {
            // Its rules were removed, and there are some again.
            return fresh(around, set, (generation + 1, end), Windows::Kept);
        }
        if resumed.watched.cursor > end {
            // It is another logspace of the same name, or it has lost what it had.
            return fresh(around, set, (generation + 1, end), Windows::Lost);
        }
        let cursor = resumed.watched.cursor;
        match resume(around, resumed, end)? {
            Some(started) => Ok(started),
            None => fresh(around, set, (generation + 1, cursor), Windows::Lost),
        }
    }

    /// Changes to another set of rules at the present sequence number. What cannot be written is tried again.
    pub(super) fn change_rules(&mut self, set: Arc<RuleSet>) {
        if set.texts == self.set.texts {
            return;
        }
        let rules = set.watching(&self.around.name);
        let Some(mut evaluator) = Evaluator::new(rules.clone(), LIMITS, Selecting::ByMarks) else {
            return self.around.complain(Some(StallReason::TooLarge));
        };
        let snapshot = self.evaluator.snapshot();
        if evaluator.restore(&snapshot).is_err() {
            // An evaluator's own snapshot of this moment.
            return self.around.complain(Some(StallReason::TooLarge));
        }
        let generation = self.generation + 1;
        let alive_us = self.around.clock.wall_us();
        let (kind, at_us) = (MarkKind::Changed, self.evaluator.now_us().unwrap_or(alive_us));
        let mark = Mark { number: self.mark + 1, sequence: self.cursor, kind, at_us };
        let state = SavedState { cursor: self.cursor, mark: mark.number, evaluator: evaluator.snapshot() };
        let adoption = Adoption {
            generation,
            cursor: self.cursor,
            alive_us,
            texts: &set.texts,
            rules: &rules,
            marks: &[mark],
            windows: Windows::Kept,
        };
        let written = state
            .write(&*self.around.disk, &self.state_path(generation))
            .map_err(StallReason::from)
            .and_then(|()| Ok(self.around.store.adopt(&self.around.name, &adoption)?));
        if let Err(trouble) = written {
            self.around.complain(Some(trouble));
            return self.around.desk.put_rules_unless_newer(set);
        }
        saved_state::remove_others(self.around.store.folder(), &self.around.name, Some(generation));
        (self.generation, self.evaluator, self.set, self.rules) = (generation, evaluator, set, rules);
        self.mark = mark.number;
        self.around.complain(None);
        (self.saved, self.saved_cursor, self.saved_mark) = (Instant::now(), self.cursor, self.mark);
    }
}

/// Returns the sequence number after the last message that the logspace has, visible already or not.
fn end_of(around: &Surroundings) -> u64 {
    let snapshot = around.logspace.snapshot();
    snapshot.starting.map_or(snapshot.sequence, |starting| starting.first + starting.count)
}

/// Starts the rules at a sequence number, without a past.
fn fresh(
    around: &Surroundings,
    set: &Arc<RuleSet>,
    (generation, cursor): (u64, u64),
    windows: Windows,
) -> Result<Started, StallReason> {
    let rules = set.watching(&around.name);
    let mut evaluator =
        Evaluator::new(rules.clone(), LIMITS, Selecting::ByMarks).ok_or(StallReason::TooLarge)?;
    let now_us = around.clock.wall_us();
    let last = around.store.last_mark(&around.name)?;
    let mark = |number, kind| Mark { number, sequence: cursor, kind, at_us: now_us };
    let marks = [mark(last + 1, MarkKind::Begun), mark(last + 2, MarkKind::Passed)];
    let number = last + 2;
    // A start reports nothing.
    evaluator.apply(Input::Mark(now_us), &mut Vec::new());
    let state = SavedState { cursor, mark: number, evaluator: evaluator.snapshot() };
    state.write(&*around.disk, &saved_state::path(around.store.folder(), &around.name, generation))?;
    around.store.adopt(
        &around.name,
        &Adoption {
            generation,
            cursor,
            alive_us: now_us,
            texts: &set.texts,
            rules: &rules,
            marks: &marks,
            windows,
        },
    )?;
    saved_state::remove_others(around.store.folder(), &around.name, Some(generation));
    Ok(Started {
        set: Arc::clone(set),
        rules,
        generation,
        evaluator,
        cursor,
        mark: number,
        marks_ahead: VecDeque::new(),
        gaps_ahead: VecDeque::new(),
        replayed_below: cursor,
    })
}

/// Goes on from the saved state with the rules of the database; none when that is not possible.
fn resume(around: &Surroundings, resumed: Resumed, end: u64) -> Result<Option<Started>, StallReason> {
    let Resumed { watched, texts } = resumed;
    let path = saved_state::path(around.store.folder(), &around.name, watched.generation);
    let Some(state) = SavedState::read(&*around.disk, &path)? else { return Ok(None) };
    // A later version may refuse what an earlier one has read.
    let Ok(set) = RuleSet::of(texts) else { return Ok(None) };
    let rules = set.watching(&around.name);
    let evaluator = Evaluator::new(rules.clone(), LIMITS, Selecting::ByMarks);
    let Some(mut evaluator) = evaluator else { return Ok(None) };
    if evaluator.restore(&state.evaluator).is_err() {
        return Ok(None);
    }
    // Nobody listened from the last sign of life until now: the rules learn of it after what was received before.
    let number = around.store.last_mark(&around.name)?;
    let pause = [
        Mark { number: number + 1, sequence: end, kind: MarkKind::Stopped, at_us: watched.alive_us },
        Mark { number: number + 2, sequence: end, kind: MarkKind::Started, at_us: around.clock.wall_us() },
    ];
    around.store.mark(&around.name, &pause)?;
    let marks_ahead: VecDeque<Mark> = around.store.marks(&around.name, state.mark)?.into();
    let gaps_ahead = around.store.gaps(&around.name, state.cursor)?.into();
    saved_state::remove_others(around.store.folder(), &around.name, Some(watched.generation));
    Ok(Some(Started {
        set: Arc::new(set),
        rules,
        generation: watched.generation,
        evaluator,
        cursor: state.cursor,
        mark: state.mark,
        marks_ahead,
        gaps_ahead,
        replayed_below: watched.cursor,
    }))
}
