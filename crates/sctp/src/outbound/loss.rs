//! When a chunk counts as lost: RACK with a threshold of packets, and probes into silence (RFC 8985).
//!
//! In: round trips, doubles that the peer reports. Out: times. Holds: estimates, TSNs of the last repeats.
//! Limits: a wait is at most `retry_max`, so that a line that comes back is noticed soon.

use super::chunks::Chunk;
use crate::interface::{Options, Time};
use std::collections::VecDeque;
use std::time::Duration;

/// Chunks of so many packets before the newest that arrived are lost, as long as no packets overtake each other.
const PACKETS_BEHIND: u64 = 3;
/// Clocks and queues are not more exact than this.
const GRAIN: Duration = Duration::from_micros(500);
/// The shortest round trip is forgotten after this: the path may have changed.
const ROUND_TRIP_LIFE: Duration = Duration::from_secs(10);
/// Least variance that a wait allows for.
const VARIANCE_MIN: Duration = Duration::from_millis(10);
/// TSNs of repeats that are remembered, to see whether they were needless.
const REPEATS_MAX: usize = 128;
/// Widest tolerance of reordering, in quarters of a round trip.
const TOLERANCE_MAX: u32 = 8;
/// A chunk weighs this little in the estimate of the share of losses.
const SHARE_GAIN: f64 = 1.0 / 256.0;
/// Share that is assumed before any is known.
const SHARE_FIRST: f64 = 0.05;

/// Estimates of a path.
pub(super) struct Loss {
    smoothed: Option<(Duration, Duration)>,
    shortest: Duration,
    shortest_at: Time,
    last: Duration,
    /// Number of the newest packet that has arrived.
    newest_packet: u64,
    /// Tolerance of reordering in quarters of a round trip; 0 until any was seen.
    tolerance: u32,
    repeats: VecDeque<u64>,
    share: f64,
    /// Waits in a row without an answer.
    pub(super) silent_waits: u32,
    /// The time of the last probe into silence.
    pub(super) probed: Option<Time>,
    /// The time at which the line came back after it was down.
    pub(super) came_back: Option<Time>,
    /// The last SACK says nothing about TSNs above this.
    pub(super) known_through: u64,
    retry_first: Duration,
    retry_max: Duration,
}

impl Loss {
    pub(super) fn new(options: &Options) -> Loss {
        Loss {
            smoothed: None,
            shortest: Duration::MAX,
            shortest_at: Time::default(),
            last: Duration::ZERO,
            newest_packet: 0,
            tolerance: 0,
            repeats: VecDeque::new(),
            share: SHARE_FIRST,
            silent_waits: 0,
            probed: None,
            came_back: None,
            known_through: u64::MAX,
            retry_first: options.retry_first,
            retry_max: options.retry_max,
        }
    }

    /// Returns the shortest round trip; a guess before any is known.
    pub(super) fn shortest(&self) -> Duration {
        if self.shortest == Duration::MAX { Duration::from_millis(100) } else { self.shortest }
    }

    pub(super) fn newest_packet(&self) -> u64 {
        self.newest_packet
    }

    /// Takes the round trip of a chunk that was sent once.
    pub(super) fn round_trip(&mut self, now: Time, took: Duration) {
        self.smoothed = Some(match self.smoothed {
            None => (took, took / 2),
            Some((mean, variance)) => ((mean * 7 + took) / 8, (variance * 3 + mean.abs_diff(took)) / 4),
        });
        if took <= self.shortest || now.since(self.shortest_at) > ROUND_TRIP_LIFE {
            (self.shortest, self.shortest_at) = (took, now);
        }
        self.last = took;
    }

    /// Notes that a packet has arrived.
    pub(super) fn arrived(&mut self, packet: u64) {
        self.newest_packet = self.newest_packet.max(packet);
    }

    /// Notes what became of a chunk that had no copies.
    pub(super) fn fate(&mut self, fate: Fate) {
        let target = if fate == Fate::Lost { 1.0 } else { 0.0 };
        self.share += (target - self.share) * SHARE_GAIN;
    }

    /// Returns the share of chunks that are lost.
    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// Notes that a chunk was sent again.
    pub(super) fn repeated(&mut self, tsn: u64) {
        if self.repeats.len() == REPEATS_MAX {
            self.repeats.pop_front();
        }
        self.repeats.push_back(tsn);
    }

    /// Notes that a TSN has arrived twice: if it was repeated, that was too soon.
    pub(super) fn doubled(&mut self, tsn: u64) {
        if let Some(index) = self.repeats.iter().position(|repeat| *repeat == tsn) {
            self.repeats.remove(index);
            self.tolerance = (self.tolerance + 1).min(TOLERANCE_MAX);
        }
    }

    /// Returns when a chunk is lost that was sent before one that has arrived.
    pub(super) fn lost_at(&self, chunk: &Chunk) -> Time {
        let wait = if chunk.is_important() || chunk.packet + PACKETS_BEHIND <= self.newest_packet {
            self.shortest() / 4 * self.tolerance
        } else {
            self.shortest() / 4 * (self.tolerance + 1)
        };
        let first_sign = (chunk.last_sent + self.last).before(GRAIN);
        let at = first_sign + wait;
        // One that would not live until then is repeated in time.
        chunk.life_ends().map_or(at, |end| at.min(end.before(GRAIN * 2).max(first_sign)))
    }

    /// Returns how long an answer is waited for.
    pub(super) fn wait(&self) -> Duration {
        let first = self
            .smoothed
            .map_or(self.retry_first, |(mean, variance)| mean + (variance * 4).max(VARIANCE_MIN));
        let doubled = first.saturating_mul(1 << self.silent_waits.min(16));
        doubled.min(self.retry_max.max(self.shortest() * 3))
    }
}

/// Fate of a chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Arrived,
    Lost,
}
