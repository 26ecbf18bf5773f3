//! The rate of a route: what is over it waits and is merged, never dropped.
//!
//! In: the most notifications of an hour, the time that the route has used up. Out: how many may be sent now. Holds nothing.
//! It is a leaky bucket (the "generic cell rate algorithm" of ITU-T I.371): half of the hour's notifications may come at
//! once, the other half keeps coming evenly, so that no hour has more than all.

/// An hour, in microseconds.
const HOUR_US: i64 = 3_600_000_000;

/// The rate of a route.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rate {
    /// Notifications that may come at once.
    burst: i64,
    /// Time that each one uses up.
    each_us: i64,
}

impl Rate {
    pub(super) fn of(hourly_max: u32) -> Rate {
        let most = i64::from(hourly_max.max(1));
        let burst = (most / 2).max(1);
        Rate { burst, each_us: HOUR_US / (most - burst).max(1) }
    }

    /// Returns how many may be sent. `used_us` is the time up to which the route is used up.
    pub(super) fn available(self, used_us: i64, now_us: i64) -> usize {
        let free_us = now_us + self.burst * self.each_us - used_us.max(now_us);
        usize::try_from(free_us / self.each_us).unwrap_or(0)
    }

    /// Returns the time up to which the route is used up after one more.
    pub(super) fn after(self, used_us: i64, now_us: i64) -> i64 {
        used_us.max(now_us) + self.each_us
    }
}

#[cfg(test)]
mod tests {
    //! Rates over hours.

    use super::*;

    #[test]
    fn no_hour_has_more_than_the_limit_and_none_starves() {
        for hourly_max in [1, 2, 3, 10, 60, 3_600] {
            let rate = Rate::of(hourly_max);
            let (mut used_us, mut sent) = (0, Vec::new());
            for second in 0..4 * 3_600 {
                let now_us = second * 1_000_000;
                for _ in 0..rate.available(used_us, now_us) {
                    used_us = rate.after(used_us, now_us);
                    sent.push(now_us);
                }
            }
            for (index, at_us) in sent.iter().enumerate() {
                let within = sent[index..].iter().take_while(|other| **other < at_us + HOUR_US).count();
                assert!(within <= hourly_max as usize, "{hourly_max}: {within}");
            }
            assert!(sent.len() >= 4, "{hourly_max}");
        }
    }

    #[test]
    fn a_clock_that_is_set_back_keeps_the_limit() {
        let rate = Rate::of(60);
        let used_us = rate.after(0, 100 * HOUR_US);
        assert_eq!(rate.available(used_us, 50 * HOUR_US), 0);
    }
}
