//! The path to the peer: signs of life, and the largest packet that passes (RFC 9260, 8.3; RFC 8899).
//!
//! In: time, answers. Out: heartbeats, some of them padded to the size of a probe. Holds: one heartbeat on its way.
//! Limits: a size is tried three times; sizes that failed are tried again after ten minutes.

use crate::interface::{Options, Time};
use std::time::Duration;

/// Size of packets that every path takes: that of IPv6 less the headers of IPv6 and UDP.
pub(crate) const PACKET_BYTES_MIN: usize = 1200;
/// Sizes that are tried, in their order; 1452 fills Ethernet over IPv6, 1472 over IPv4.
const SIZES: &[usize] = &[1280, 1400, 1452, 1472];
/// A probe is sent so often before its size counts as too large.
const TRIES: u32 = 3;
/// An answer is waited for so long.
const ANSWER_WAIT: Duration = Duration::from_secs(2);
/// Failed sizes are tried again after this.
const RETRY: Duration = Duration::from_secs(600);

/// A heartbeat to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Heartbeat {
    pub(crate) nonce: u64,
    /// Size of the packet, if it is a probe.
    pub(crate) probe: Option<usize>,
}

/// A heartbeat that has no answer yet.
#[derive(Clone, Copy)]
struct Unanswered {
    heartbeat: Heartbeat,
    sent: Time,
}

/// The state of the path.
pub(crate) struct Path {
    packet_bytes: usize,
    packet_bytes_max: usize,
    unanswered: Option<Unanswered>,
    tries: u32,
    /// The next sign of life that is asked for.
    next_heartbeat: Time,
    next_probe: Time,
    interval: Duration,
}

impl Path {
    pub(crate) fn new(now: Time, options: &Options) -> Path {
        Path {
            packet_bytes: PACKET_BYTES_MIN.min(options.packet_bytes_max),
            packet_bytes_max: options.packet_bytes_max,
            unanswered: None,
            tries: 0,
            next_heartbeat: now + options.heartbeat_interval,
            next_probe: now,
            interval: options.heartbeat_interval,
        }
    }

    /// Returns the size of the largest packet that is known to pass.
    pub(crate) fn packet_bytes(&self) -> usize {
        self.packet_bytes
    }

    /// Notes that the peer lives.
    pub(crate) fn hears(&mut self, now: Time) {
        self.next_heartbeat = now + self.interval;
    }

    /// Returns a heartbeat that is due; `nonce` is a number that nobody can guess.
    pub(crate) fn heartbeat(&mut self, now: Time, nonce: impl FnOnce() -> u64) -> Option<Heartbeat> {
        if let Some(unanswered) = self.unanswered {
            if now < unanswered.sent + ANSWER_WAIT {
                return None;
            }
            self.unanswered = None;
            if unanswered.heartbeat.probe.is_some() {
                self.tries += 1;
                if self.tries >= TRIES {
                    self.tries = 0;
                    self.next_probe = now + RETRY;
                }
            }
        }
        let probe = self.next_size().filter(|_| now >= self.next_probe);
        if probe.is_none() && now < self.next_heartbeat {
            return None;
        }
        self.next_heartbeat = now + self.interval;
        let heartbeat = Heartbeat { nonce: nonce(), probe };
        self.unanswered = Some(Unanswered { heartbeat, sent: now });
        Some(heartbeat)
    }

    /// Takes the answer to a heartbeat; returns whether it answers the one on its way.
    pub(crate) fn answered(&mut self, now: Time, nonce: u64) -> bool {
        let Some(unanswered) = self.unanswered.filter(|unanswered| unanswered.heartbeat.nonce == nonce)
        else {
            return false;
        };
        self.unanswered = None;
        if let Some(size) = unanswered.heartbeat.probe {
            self.packet_bytes = size;
            self.tries = 0;
        }
        self.hears(now);
        true
    }

    /// Falls back to the size that every path takes: nothing has arrived for some time, perhaps because of the size.
    pub(crate) fn shrink(&mut self, now: Time) {
        if self.packet_bytes > PACKET_BYTES_MIN {
            self.packet_bytes = PACKET_BYTES_MIN;
            self.next_probe = now + RETRY / 10;
        }
    }

    pub(crate) fn next_timeout(&self) -> Time {
        match self.unanswered {
            Some(unanswered) => unanswered.sent + ANSWER_WAIT,
            None if self.next_size().is_some() => self.next_probe.min(self.next_heartbeat),
            None => self.next_heartbeat,
        }
    }

    fn next_size(&self) -> Option<usize> {
        let fits = |size: &&usize| **size > self.packet_bytes && **size <= self.packet_bytes_max;
        SIZES.iter().find(fits).copied()
    }
}
