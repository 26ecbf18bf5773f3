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

#[cfg(test)]
mod tests {
    //! Losses, the clock, and what is still to be recorded.

    use super::*;

    fn extent(first: u64, count: u64) -> Locked {
        Locked { first, count, received_us: (0, 1) }
    }

    #[test]
    fn losses_add_up_until_somebody_confirms_them() {
        let troubles = Troubles::default();
        let lost = |count: u64, first: u64, last: u64| {
            format!(
                "up to {count} acknowledged messages are lost, the last of them with the numbers {first} to {last}"
            )
        };
        assert_eq!(troubles.with(None), None);
        troubles.lose(extent(10, 5));
        assert_eq!(troubles.with(None), Some(lost(5, 10, 14)));
        troubles.lose(extent(20, 1));
        troubles.set_clock(Some("clock".to_owned()));
        assert_eq!(
            troubles.with(Some("other".to_owned())),
            Some(format!("other; {}; clock", lost(6, 20, 20)))
        );
        troubles.set_clock(None);
        assert_eq!(troubles.with(None), Some(lost(6, 20, 20)));
        troubles.set_clock(Some("clock".to_owned()));
        troubles.confirm();
        assert_eq!(troubles.with(Some("other".to_owned())).as_deref(), Some("other"));
        troubles.lose(extent(30, 2));
        assert_eq!(troubles.with(None), Some(lost(2, 30, 31)), "those before are known");
    }

    #[test]
    fn a_loss_is_recorded_once() {
        let troubles = Troubles::default();
        troubles.lose(extent(10, 5));
        troubles.lose(extent(20, 1));
        let firsts = |extents: Vec<Locked>| extents.iter().map(|extent| extent.first).collect::<Vec<_>>();
        assert_eq!(firsts(troubles.take_unrecorded()), [10, 20]);
        assert_eq!(firsts(troubles.take_unrecorded()), [0; 0]);
        troubles.put_back(extent(20, 1));
        assert_eq!(firsts(troubles.take_unrecorded()), [20]);
    }
}
