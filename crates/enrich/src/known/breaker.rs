//! Leaves a server alone that fails.
//!
//! In: failures, successes, times. Out: whether a lookup may be made. Holds: how long the server is left alone.
//! Limits: [`FAILURES_MAX`] failures one after the other; pauses from [`PAUSE_MIN`], twice as long each time, up to `time-reopen()`.

use std::time::{Duration, Instant};

/// Failures after which a server is left alone.
pub(crate) const FAILURES_MAX: u32 = 3;
/// First pause.
const PAUSE_MIN: Duration = Duration::from_secs(1);

/// Permission to ask a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Permission {
    /// It works: ask, and wait for the answer.
    Ask,
    /// It failed, and the pause is over: ask for one key, beside the messages.
    Probe,
    /// It failed, and is left alone.
    Wait,
}

/// The state of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    /// It works, as far as is known.
    #[default]
    Works,
    /// It is left alone for a pause.
    Alone { until: Instant, pause: Duration },
    /// It was asked once after such a pause.
    Probed { pause: Duration },
}

/// The state of a server, and the failures that led to it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Breaker {
    state: State,
    failures: u32,
}

impl Breaker {
    /// Returns whether the server may be asked now. Who gets [`Permission::Probe`] has to ask.
    pub(crate) fn permission(&mut self, now: Instant) -> Permission {
        match self.state {
            State::Works => Permission::Ask,
            State::Alone { until, pause } if now >= until => {
                self.state = State::Probed { pause };
                Permission::Probe
            }
            State::Alone { .. } | State::Probed { .. } => Permission::Wait,
        }
    }

    /// Returns true while it works, as far as is known.
    pub(crate) fn works(&self) -> bool {
        self.state == State::Works
    }

    /// Records an answer. Returns true when the server had been left alone.
    pub(crate) fn succeed(&mut self) -> bool {
        let was_alone = self.state != State::Works;
        *self = Breaker::default();
        was_alone
    }

    /// Records a failure. Returns the pause when one begins that is the first.
    pub(crate) fn fail(&mut self, now: Instant, pause_max: Duration) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);
        let (pause, is_first) = match self.state {
            State::Works if self.failures < FAILURES_MAX => return None,
            State::Works => (PAUSE_MIN, true),
            State::Probed { pause } => (pause * 2, false),
            // One of several that were asked at the same time.
            State::Alone { .. } => return None,
        };
        let pause = pause.min(pause_max.max(PAUSE_MIN));
        self.state = State::Alone { until: now + pause, pause };
        is_first.then_some(pause)
    }
}

#[cfg(test)]
mod tests;
