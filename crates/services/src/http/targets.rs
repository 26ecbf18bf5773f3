//! The addresses of a destination: the next one to use, and those that failed.
//!
//! In: how requests to them ended. Out: the address for the next one. Holds: when each is tried again. Limits: none.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

#[derive(Debug)]
struct State {
    /// The address that the next request tries first.
    turn: usize,
    /// Until when an address that failed is skipped.
    failed_until: Vec<Option<Instant>>,
}

/// The addresses, which all connections share.
#[derive(Debug)]
pub(super) struct Targets(Mutex<State>);

impl Targets {
    /// Makes `count` addresses, none of which failed yet.
    pub(super) fn new(count: usize) -> Targets {
        Targets(Mutex::new(State { turn: 0, failed_until: vec![None; count.max(1)] }))
    }

    /// The state is consistent between any two changes, so a poisoned lock is harmless.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next address in turn that did not fail lately, else the one that is tried again first.
    pub(super) fn choose(&self, now: Instant) -> usize {
        let mut state = self.state();
        let count = state.failed_until.len();
        let first = state.turn;
        state.turn = (first + 1) % count;
        let places = || (0..count).map(|step| (first + step) % count);
        let earliest = || places().min_by_key(|place| state.failed_until[*place]);
        places().find(|place| works(&state, *place, now)).or_else(earliest).unwrap_or(first)
    }

    /// Notes that an address failed; returns another one that did not.
    pub(super) fn replace(&self, place: usize, until: Instant, now: Instant) -> Option<usize> {
        let mut state = self.state();
        state.failed_until[place] = Some(until);
        let count = state.failed_until.len();
        (1..count).map(|step| (place + step) % count).find(|place| works(&state, *place, now))
    }

    /// An address works.
    pub(super) fn mend(&self, place: usize) {
        self.state().failed_until[place] = None;
    }
}

fn works(state: &State, place: usize, now: Instant) -> bool {
    state.failed_until[place].is_none_or(|until| until <= now)
}

#[cfg(test)]
mod tests {
    //! Turns and failures under a clock of the test.

    use super::*;
    use std::time::Duration;

    #[test]
    fn addresses_take_turns_and_failed_ones_are_passed_over() {
        let targets = Targets::new(3);
        let now = Instant::now();
        let later = |seconds| now + Duration::from_secs(seconds);
        let next = |now| targets.choose(now);
        assert_eq!([next(now), next(now), next(now), next(now)], [0, 1, 2, 0]);
        assert_eq!(targets.replace(1, later(60), now), Some(2));
        assert_eq!([next(now), next(now), next(now)], [2, 2, 0]);
        assert_eq!(targets.replace(2, later(90), now), Some(0));
        assert_eq!(targets.replace(0, later(70), now), None);
        assert_eq!(next(now), 1, "the one that is tried again first");
        targets.mend(2);
        assert_eq!([next(now), next(now)], [2, 2]);
        assert_eq!(next(later(60)), 1);
    }
}
