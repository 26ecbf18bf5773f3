//! A link: loss, a queue, a line, a delay; all from a seed.

use std::collections::VecDeque;

/// Headers of UDP and IP.
const HEADER_BYTES: usize = 28;

/// Random numbers that are the same on every machine (splitmix64).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.number() % limit
    }

    /// A number between 0 and 1.
    pub(super) fn part(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Properties of a link.
#[derive(Clone, Copy)]
pub(super) struct LinkOptions {
    /// Bits per second.
    pub(super) rate: f64,
    pub(super) delay_ns: u64,
    /// Packets of the queue.
    pub(super) queue: usize,
    pub(super) loss: f64,
    pub(super) doubles: f64,
    /// Packets are late by up to this.
    pub(super) jitter_ns: u64,
    /// Nothing passes between these times.
    pub(super) outage_ns: (u64, u64),
    /// Larger datagrams do not pass.
    pub(super) datagram_bytes_max: usize,
}

impl LinkOptions {
    pub(super) fn new(rate: f64, delay_ns: u64, loss: f64) -> LinkOptions {
        LinkOptions {
            rate,
            delay_ns,
            queue: 20,
            loss,
            doubles: 0.0,
            jitter_ns: 0,
            outage_ns: (0, 0),
            datagram_bytes_max: 1472,
        }
    }
}

/// One direction.
pub(super) struct Link {
    options: LinkOptions,
    dice: Dice,
    line_free: u64,
    departures: VecDeque<u64>,
    pub(super) bytes: u64,
}

impl Link {
    pub(super) fn new(options: LinkOptions, seed: u64) -> Link {
        Link { options, dice: Dice::new(seed), line_free: 0, departures: VecDeque::new(), bytes: 0 }
    }

    /// Returns when a datagram arrives: never, once or twice.
    pub(super) fn offer(&mut self, now: u64, datagram_bytes: usize) -> Vec<u64> {
        let LinkOptions { rate, delay_ns, queue, loss, doubles, jitter_ns, outage_ns, .. } = self.options;
        let bytes = datagram_bytes + HEADER_BYTES;
        self.bytes += bytes as u64;
        let is_lost = self.dice.part() < loss || (outage_ns.0..outage_ns.1).contains(&now);
        if is_lost || datagram_bytes > self.options.datagram_bytes_max {
            return Vec::new();
        }
        while self.departures.front().is_some_and(|departure| *departure <= now) {
            self.departures.pop_front();
        }
        if self.departures.len() >= queue {
            return Vec::new();
        }
        self.line_free = self.line_free.max(now) + (bytes as f64 * 8e9 / rate) as u64;
        self.departures.push_back(self.line_free);
        let count = 1 + usize::from(doubles > 0.0 && self.dice.part() < doubles);
        let mut late = || if jitter_ns == 0 { 0 } else { self.dice.below(jitter_ns) };
        (0..count).map(|_| self.line_free + delay_ns + late()).collect()
    }
}
