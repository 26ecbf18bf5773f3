//! The identity of a message at one destination.
//!
//! In: a position in the queue that numbers messages. Out: an id that a receiver may use as a key. Holds: two
//! numbers. Limits: none.

use std::fmt;

/// Identifies a message at one destination. The id survives restarts while the message waits in a queue on disk, so
/// a receiver with a key recognises messages that it already has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct RecordId {
    /// Random; drawn when the queue is created.
    pub incarnation: u64,
    /// Position of the message in the queue, counted from 0.
    pub sequence: u64,
}

impl RecordId {
    /// Returns the id of the message that is `places` positions later in the queue.
    pub fn after(self, places: u64) -> RecordId {
        RecordId { sequence: self.sequence.wrapping_add(places), ..self }
    }

    /// Returns the nanoseconds after its second of a message whose time has `fraction` of them, for a receiver that takes messages with
    /// equal times for one. The digits that the time does not have are made of the id: all nine for a time in seconds, as BSD syslog has
    /// it, six for one in milliseconds, three else, but at most as many as move it by less than `moved` nanoseconds (a power of ten).
    /// A message has the same in every request, so the receiver recognises one that is sent again.
    pub fn nanoseconds(self, fraction: u64, moved: u64) -> u64 {
        let free = match fraction {
            0 => 1_000_000_000,
            fraction if fraction % 1_000_000 == 0 => 1_000_000,
            _ => 1_000,
        };
        let free = free.min(moved).max(1);
        // Queues in memory count from 0 after each start: their incarnation keeps them apart.
        fraction + (self.incarnation % free + self.sequence % free) % free
    }

    /// Reads the 32 hexadecimal digits that `Display` writes.
    pub fn parse(text: &str) -> Option<RecordId> {
        let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u128::from_str_radix(text, 16).ok().filter(|_| digits)?;
        Some(RecordId { incarnation: (number >> 64) as u64, sequence: number as u64 })
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.incarnation, self.sequence)
    }
}

#[cfg(test)]
mod tests {
    //! Times made of ids.

    use super::RecordId;
    use std::collections::HashSet;

    #[test]
    fn messages_of_one_time_have_nanoseconds_of_their_own() {
        let check = |fraction: u64, moved: u64, count: u64, below: u64| {
            let all: HashSet<u64> = (0..count)
                .map(|sequence| RecordId { incarnation: u64::MAX - 5, sequence }.nanoseconds(fraction, moved))
                .collect();
            assert_eq!(all.len() as u64, count, "{fraction} {moved}");
            assert!(all.iter().all(|time| (fraction..below).contains(time)), "{fraction} {moved}");
        };
        check(0, 1_000_000_000, 100_000, 1_000_000_000);
        check(0, 1_000_000, 100_000, 1_000_000);
        check(250_000_000, 1_000_000_000, 100_000, 251_000_000);
        check(250_007_000, 1_000_000_000, 1_000, 250_008_000);
        check(999_999_000, 1_000_000, 1_000, 1_000_000_000);
        // Two starts of a queue in memory.
        let of = |incarnation| RecordId { incarnation, sequence: 5 }.nanoseconds(0, 1_000_000_000);
        assert_ne!(of(1), of(900));
    }
}
