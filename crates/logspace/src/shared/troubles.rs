//! Faults of a logspace that persist until an operator confirms them: a clock that jumped, lost messages.
//!
//! In: sentences. Out: the same, for the status of the logspace. Holds: at most two sentences.
//! Limits: of several losses the newest is shown, with the number of messages lost in all of them.

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
    /// Losses that must still be recorded in the chain of evidence.
    unrecorded: Vec<Locked>,
}

impl Troubles {
    /// Sets the reason why removal by age waits for the clock; none when it does not.
    pub(crate) fn set_clock(&self, trouble: Option<String>) {
        self.locked().clock = trouble;
    }

    /// Records that messages are lost.
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

    /// Takes the losses that are not in the chain of evidence yet.
    pub(crate) fn take_unrecorded(&self) -> Vec<Locked> {
        std::mem::take(&mut self.locked().unrecorded)
    }

    /// Puts back a loss that could not be recorded.
    pub(crate) fn put_back(&self, extent: Locked) {
        self.locked().unrecorded.push(extent);
    }

    /// Clears the faults that an operator confirmed.
    pub(crate) fn confirm(&self) {
        let mut state = self.locked();
        (state.clock, state.lost, state.lost_messages) = (None, None, 0);
    }

    /// Returns all faults together with another one.
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
