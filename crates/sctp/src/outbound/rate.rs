//! How fast the path takes packets: a model of its rate and its round-trip time, not of its losses.
//!
//! In: deliveries, losses. Out: a window, and when the next packet may go. Holds: the best rates of the last ten rounds.
//! Limits: losses lower the rate only when so much of a round is lost that a queue must be overflowing; a link that loses at
//! random keeps its rate.

use crate::interface::Time;
use std::collections::VecDeque;
use std::time::Duration;

/// Gain while the rate is unknown: it doubles with each round.
const STARTUP_GAIN: f64 = 2.885;
/// Gains afterwards, one for each round trip: more, to see whether there is more; less, to empty the queue that this made.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// A rate counts for so many rounds.
const ROUNDS: u64 = 10;
/// A larger share of a round's bytes is not lost at random.
const RANDOM_LOSS_MAX: f64 = 0.15;
/// After such a round, this much of the rate is left; it grows back a little in each round.
const BACK_OFF: f64 = 0.85;
const GROW_BACK: f64 = 1.05;
/// Bytes on their way before a rate is known.
const WINDOW_FIRST: usize = 14_400;
/// Packets that a window holds at least.
const WINDOW_PACKETS_MIN: usize = 4;
/// Time that a sender that was idle may catch up.
const BURST: Duration = Duration::from_millis(2);

/// Deliveries until a chunk was sent.
#[derive(Clone, Copy, Default)]
pub(super) struct Snapshot {
    delivered: u64,
    delivered_at: Time,
    limit: Limit,
}

/// The newest chunk that a SACK acknowledges.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) sent: Time,
    pub(super) snapshot: Snapshot,
}

/// The model.
pub(super) struct Rate {
    /// Round and bytes per nanosecond, from the best to the newest.
    best: VecDeque<(u64, f64)>,
    round: u64,
    round_ends: u64,
    delivered: u64,
    delivered_at: Time,
    limit: Limit,
    is_starting: bool,
    full_rate: f64,
    full_rounds: u32,
    phase: usize,
    phase_since: Time,
    ceiling: f64,
    round_lost: u64,
    round_from: u64,
    next_send: Time,
}

impl Rate {
    pub(super) fn new() -> Rate {
        Rate {
            best: VecDeque::new(),
            round: 0,
            round_ends: 0,
            delivered: 0,
            delivered_at: Time::default(),
            limit: Limit::User,
            is_starting: true,
            full_rate: 0.0,
            full_rounds: 0,
            phase: 0,
            phase_since: Time::default(),
            ceiling: f64::MAX,
            round_lost: 0,
            round_from: 0,
            next_send: Time::default(),
        }
    }

    /// Returns bytes per nanosecond; 0 if nothing is known.
    fn rate(&self) -> f64 {
        self.best.front().map_or(0.0, |(_, rate)| *rate).min(self.ceiling)
    }

    fn pace(&self) -> f64 {
        self.rate() * if self.is_starting { STARTUP_GAIN } else { CYCLE[self.phase] }
    }

    /// Returns the most bytes on their way.
    pub(super) fn window(&self, round_trip: Duration, packet_bytes: usize) -> usize {
        let rate = self.rate();
        if rate <= 0.0 {
            return WINDOW_FIRST;
        }
        // A cast of a float saturates.
        let window = (2.0 * rate * round_trip.as_nanos() as f64) as usize;
        let least = if self.is_starting { WINDOW_FIRST } else { 0 };
        window.max(least).max(WINDOW_PACKETS_MIN * packet_bytes)
    }

    /// Returns when the next packet may go.
    pub(super) fn next_send(&self) -> Time {
        self.next_send
    }

    /// Returns whether a packet may go now that is ahead of the pace by at most so many bytes.
    pub(super) fn may_hurry(&self, now: Time, bytes: usize) -> bool {
        let pace = self.pace();
        let ahead = self.next_send.since(now).as_nanos() as f64;
        pace <= 0.0 || ahead * pace <= bytes as f64
    }

    /// Returns what a chunk keeps that is sent now.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { delivered: self.delivered, delivered_at: self.delivered_at, limit: self.limit }
    }

    /// Notes that nothing was on its way until now.
    pub(super) fn wakes(&mut self, now: Time) {
        self.delivered_at = now;
    }

    pub(super) fn set_limited(&mut self, limit: Limit) {
        self.limit = limit;
    }

    /// Notes that a packet was sent. The next one waits for at most a round trip: a rate that was measured while the line was
    /// down must not last.
    pub(super) fn sent(&mut self, now: Time, bytes: usize, round_trip: Duration) {
        let pace = self.pace();
        if pace > 0.0 {
            // A few messages at the start say nothing about the path.
            let first = WINDOW_FIRST as f64 / round_trip.as_nanos().max(1) as f64;
            let pace = if self.is_starting { pace.max(first) } else { pace };
            let from = self.next_send.max(now.before(BURST));
            self.next_send = from + Duration::from_nanos((bytes as f64 / pace) as u64).min(round_trip);
        }
    }

    pub(super) fn delivered(&mut self, now: Time, bytes: usize) {
        self.delivered += bytes as u64;
        self.delivered_at = now;
    }

    pub(super) fn lost(&mut self, bytes: usize) {
        self.round_lost += bytes as u64;
    }

    /// Notes that the line was down: what was lost then says nothing about queues, and the rate is looked for from the start,
    /// because much waits.
    pub(super) fn comes_back(&mut self) {
        (self.round_from, self.round_lost) = (self.delivered, 0);
        (self.full_rate, self.full_rounds) = (0.0, 0);
        self.ceiling = f64::MAX;
        self.is_starting = true;
    }

    /// Takes the newest chunk of a SACK; `round_trip` is the shortest known.
    pub(super) fn sample(&mut self, now: Time, sample: Sample, round_trip: Duration, packet_bytes: usize) {
        let Snapshot { delivered, delivered_at, limit } = sample.snapshot;
        let took = now.since(delivered_at).max(round_trip.min(now.since(sample.sent))).as_nanos().max(1);
        let rate = (self.delivered - delivered) as f64 / took as f64;
        if delivered >= self.round_ends {
            self.ends_round(now, rate, limit, packet_bytes);
        }
        if limit == Limit::Path || rate > self.rate() {
            while self.best.back().is_some_and(|(_, other)| *other <= rate) {
                self.best.pop_back();
            }
            self.best.push_back((self.round, rate));
            while self.best.len() > 1
                && self.best.front().is_some_and(|(round, _)| round + ROUNDS < self.round)
            {
                self.best.pop_front();
            }
        }
        if !self.is_starting && now.since(self.phase_since) > round_trip {
            self.phase = (self.phase + 1) % CYCLE.len();
            self.phase_since = now;
        }
    }

    fn ends_round(&mut self, now: Time, rate: f64, limit: Limit, packet_bytes: usize) {
        self.round += 1;
        self.round_ends = self.delivered;
        let arrived = self.delivered - self.round_from;
        let share = self.round_lost as f64 / (self.round_lost + arrived).max(1) as f64;
        if share > RANDOM_LOSS_MAX && self.round_lost > 8 * packet_bytes as u64 {
            self.is_starting = false;
            // One slow sample does not bring everything to a halt: the rate falls by steps.
            self.ceiling = rate.clamp(self.rate() / 2.0, self.rate()) * BACK_OFF;
        } else if self.ceiling < f64::MAX {
            self.ceiling *= GROW_BACK;
        }
        (self.round_from, self.round_lost) = (self.delivered, 0);
        if !self.is_starting || limit == Limit::User {
            return;
        }
        if rate > self.full_rate * 1.25 {
            (self.full_rate, self.full_rounds) = (rate, 0);
            return;
        }
        self.full_rounds += 1;
        if self.full_rounds >= 3 {
            self.is_starting = false;
            // The queue that the start has made is emptied first.
            (self.phase, self.phase_since) = (1, now);
        }
    }
}

/// The side that bounds the rate.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Limit {
    /// The user has less to send than the path takes.
    #[default]
    User,
    Path,
}
