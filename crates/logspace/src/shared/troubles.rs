//! What is wrong with a logspace until somebody looks at it: a clock that jumped, messages that are lost.
//!
//! In: sentences. Out: the same, for those who ask how the logspace is. Holds: at most two sentences.
//! Limits: of several losses the newest is shown, with how many messages all of them took.

use lookup::Locked;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub(crate) struct Troubles {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    clock: Option<String>,
    lost: Option<String>,
    lost_messages: u64,
    /// Losses that the chain of evidence is to have.
    unrecorded: Vec<Locked>,
}

impl Troubles {
    /// Removal by age waits because of the clock; none: it does not.
    pub(crate) fn set_clock(&self, trouble: Option<String>) {
        self.locked().clock = trouble;
    }

    /// Messages are lost.
    pub(crate) fn lose(&self, extent: Locked) {
        let mut state = self.locked();
        state.lost_messages += extent.count;
        let Locked { first, count, .. } = extent;
        state.lost = Some(format!(
            "up to {} acknowledged messages are lost, the last of them with the numbers {first} to {}",
            state.lost_messages,
            first + count.saturating_sub(1)
        ));
        state.unrecorded.push(extent);
    }

    /// Returns the losses that the chain of evidence does not have yet; they are no longer kept here.
    pub(crate) fn take_unrecorded(&self) -> Vec<Locked> {
        std::mem::take(&mut self.locked().unrecorded)
    }

    /// A loss could not be recorded.
    pub(crate) fn put_back(&self, extent: Locked) {
        self.locked().unrecorded.push(extent);
    }

    /// Somebody knows.
    pub(crate) fn confirm(&self) {
        let mut state = self.locked();
        (state.clock, state.lost, state.lost_messages) = (None, None, 0);
    }

    /// All that is wrong, with what else is.
    pub(crate) fn with(&self, other: Option<String>) -> Option<String> {
        let state = self.locked();
        let all: Vec<&str> =
            [&other, &state.lost, &state.clock].into_iter().flatten().map(String::as_str).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
