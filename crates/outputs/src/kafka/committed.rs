//! The messages that committed transactions have brought to a topic.
//!
//! In: ids of messages, text that was committed with a transaction. Out: whether a message is in the topic, such text.
//! Holds: ranges of ids, the newest last. Limits: [`TEXT_BYTES_MAX`]: what does not fit is forgotten, the oldest first; a message
//! that is forgotten counts as new.
//!
//! Each transaction commits this text with its records, so that both are there or neither is. A producer that starts after a crash
//! reads it, and knows what the one before it had committed.

use message::RecordId;
use std::fmt::Write;

/// Longest text. Brokers take 4,096 bytes unless `offset.metadata.max.bytes` is another number.
const TEXT_BYTES_MAX: usize = 3000;
/// The first word of the text. Another one is of a form that is not known here.
const VERSION: &str = "duramen1";
/// Most ranges that the text may have: the shortest one has four bytes.
const RANGES_MAX: usize = TEXT_BYTES_MAX / 4;

/// Ids that follow one another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    incarnation: u64,
    first: u64,
    last: u64,
}

impl Range {
    fn has(&self, id: RecordId) -> bool {
        self.incarnation == id.incarnation && (self.first..=self.last).contains(&id.sequence)
    }

    /// Takes the id in if it follows the last one.
    fn extend(&mut self, id: RecordId) -> bool {
        let follows = self.incarnation == id.incarnation && self.last.checked_add(1) == Some(id.sequence);
        if follows {
            self.last = id.sequence;
        }
        follows
    }

    /// Returns the range of both, if one follows the other.
    fn joined(&self, other: &Range) -> Option<Range> {
        let follows = |a: &Range, b: &Range| a.last.checked_add(1) == Some(b.first);
        let are_neighbours =
            self.incarnation == other.incarnation && (follows(self, other) || follows(other, self));
        are_neighbours.then(|| Range {
            incarnation: self.incarnation,
            first: self.first.min(other.first),
            last: self.last.max(other.last),
        })
    }
}

/// Ids of committed messages.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Committed {
    ranges: Vec<Range>,
}

impl Committed {
    /// Reads the text of a transaction. One that is not known here says nothing.
    pub(super) fn parse(text: &str) -> Committed {
        let mut words = text.split(' ');
        if words.next() != Some(VERSION) {
            return Committed::default();
        }
        let ranges = words.map_while(|word| {
            let mut numbers = word.split('-').map(|number| u64::from_str_radix(number, 16).ok());
            let (incarnation, first, length) = (numbers.next()??, numbers.next()??, numbers.next()??);
            let last = first.checked_add(length)?;
            Some(Range { incarnation, first, last })
        });
        Committed { ranges: ranges.take(RANGES_MAX).collect() }
    }

    /// Returns whether a message was committed.
    pub(super) fn has(&self, id: RecordId) -> bool {
        self.ranges.iter().rev().any(|range| range.has(id))
    }

    /// Returns the same with more messages.
    pub(super) fn with(&self, ids: impl Iterator<Item = RecordId>) -> Committed {
        let mut ranges = self.ranges.clone();
        let mut new: Vec<Range> = Vec::new();
        for id in ids {
            if !new.last_mut().is_some_and(|last| last.extend(id)) {
                let RecordId { incarnation, sequence } = id;
                new.push(Range { incarnation, first: sequence, last: sequence });
            }
        }
        let skipped = new.len().saturating_sub(RANGES_MAX);
        for mut range in new.into_iter().skip(skipped) {
            while let Some((at, joined)) = neighbour(&ranges, &range) {
                ranges.remove(at);
                range = joined;
            }
            ranges.push(range);
        }
        let skipped = ranges.len().saturating_sub(RANGES_MAX);
        ranges.drain(..skipped);
        Committed { ranges }
    }

    /// Returns the text, and forgets what does not fit in it.
    pub(super) fn text(&mut self) -> String {
        let (mut words, mut bytes) = (Vec::new(), VERSION.len());
        for range in self.ranges.iter().rev() {
            let mut word = String::new();
            let length = range.last - range.first;
            let _ = write!(word, " {:x}-{:x}-{length:x}", range.incarnation, range.first);
            bytes += word.len();
            if bytes > TEXT_BYTES_MAX {
                break;
            }
            words.push(word);
        }
        let forgotten = self.ranges.len() - words.len();
        self.ranges.drain(..forgotten);
        words.reverse();
        format!("{VERSION}{}", words.concat())
    }
}

fn neighbour(ranges: &[Range], range: &Range) -> Option<(usize, Range)> {
    ranges.iter().enumerate().rev().find_map(|(at, other)| Some((at, other.joined(range)?)))
}

#[cfg(test)]
mod tests {
    //! Ranges that grow, join, are forgotten and read again.

    use super::*;

    fn id(sequence: u64) -> RecordId {
        RecordId { incarnation: 7, sequence }
    }

    #[track_caller]
    fn check(committed: &mut Committed, want: &str) {
        let text = committed.text();
        assert_eq!(text, want);
        assert_eq!(Committed::parse(&text), *committed);
    }

    #[test]
    fn messages_in_a_row_are_one_range() {
        let mut committed = Committed::default();
        check(&mut committed, "duramen1");
        committed = committed.with((16..32).map(id));
        check(&mut committed, "duramen1 7-10-f");
        committed = committed.with((32..40).map(id));
        check(&mut committed, "duramen1 7-10-17");
        for (sequence, is_there) in [(15, false), (16, true), (39, true), (40, false)] {
            assert_eq!(committed.has(id(sequence)), is_there, "{sequence}");
        }
        assert!(!committed.has(RecordId { incarnation: 8, sequence: 20 }), "of another queue");
    }

    #[test]
    fn a_gap_is_not_committed_until_it_is_filled() {
        let mut committed = Committed::default().with([1, 2, 5, 6].into_iter().map(id));
        check(&mut committed, "duramen1 7-1-1 7-5-1");
        assert!(!committed.has(id(3)) && !committed.has(id(4)));
        committed = committed.with([4].into_iter().map(id));
        check(&mut committed, "duramen1 7-1-1 7-4-2");
        committed = committed.with([3].into_iter().map(id));
        check(&mut committed, "duramen1 7-1-5");
        committed = committed.with([id(0), RecordId { incarnation: 8, sequence: 7 }].into_iter());
        check(&mut committed, "duramen1 7-0-6 8-7-0");
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut committed = Committed::default().with((0..10_000).map(|number| id(number * 2)));
        let text = committed.text();
        assert!(text.len() <= TEXT_BYTES_MAX && text.len() > TEXT_BYTES_MAX - 20, "{}", text.len());
        assert!(committed.has(id(19_998)) && !committed.has(id(0)));
        assert_eq!(Committed::parse(&text), committed);
        let largest = RecordId { incarnation: u64::MAX, sequence: u64::MAX };
        committed = committed.with([largest].into_iter());
        assert!(Committed::parse(&committed.text()).has(largest));
    }

    #[test]
    fn other_texts_say_nothing() {
        for text in
            ["", "duramen2 7-1-1", "x", "duramen1 7-1", "duramen1 7-ffffffffffffffff-1", "duramen1 g-1-1"]
        {
            assert_eq!(Committed::parse(text), Committed::default(), "{text}");
        }
        assert_eq!(Committed::parse("duramen1 7-1-1 damage").ranges.len(), 1);
    }
}
