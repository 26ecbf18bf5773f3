//! Sequences of frequent tokens, numbered.
//!
//! In: sequences. Out: their numbers; the sequences again. Holds: each distinct sequence once.
//! Limits: one sequence per message at worst.

use super::adjacency::Layout;
use crate::memory;
use lookup::tokens::Seed;
use std::ops::Range;

/// A sequence to be numbered, by its position among others.
pub(crate) struct Sequence {
    hash: u64,
    range: Range<usize>,
}

/// A template in the table.
#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u64,
    /// Start of its sequence.
    start: u32,
    length: u32,
    /// Its number plus one; 0 for a free slot.
    number: u32,
}

/// Slots of a new table.
const FIRST_SLOTS: usize = 1 << 10;

/// Distinct sequences of token numbers.
pub(crate) struct Templates {
    seed: Seed,
    /// Open addressing, half full at most.
    slots: Vec<Slot>,
    sequences: Vec<u16>,
    ends: Vec<u32>,
    /// The positions of the other tokens in all texts of each.
    layouts: Vec<Layout>,
}

impl Templates {
    /// Placeholder for one or more tokens that are not frequent.
    pub(crate) const GAP: u16 = u16::MAX;

    pub(crate) fn new() -> Templates {
        Templates {
            seed: Seed::of_process(),
            slots: vec![Slot::default(); FIRST_SLOTS],
            sequences: Vec::new(),
            ends: Vec::new(),
            layouts: Vec::new(),
        }
    }

    /// Number of sequences.
    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Bytes of memory in use.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(self.slots.as_slice())
            + size_of_val(self.sequences.as_slice())
            + size_of_val(self.ends.as_slice())
            + size_of_val(self.layouts.as_slice())
    }

    /// The tokens of a template.
    pub(crate) fn sequence(&self, number: u32) -> &[u16] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize] as usize);
        &self.sequences[start..self.ends[number as usize] as usize]
    }

    /// The sequence from `start` on, to be numbered.
    pub(crate) fn sequence_of(&self, numbers: &[u16], start: usize) -> Sequence {
        Sequence { hash: self.seed.hash_numbers(&numbers[start..]), range: start..numbers.len() }
    }

    /// Prefetches the slot of a sequence before its look-up.
    pub(crate) fn prefetch(&self, sequence: &Sequence) {
        memory::prefetch(&self.slots, sequence.hash as usize & (self.slots.len() - 1));
    }

    /// Prefetches the sequence to compare with; its slot should be in the cache already.
    pub(crate) fn prefetch_known(&self, sequence: &Sequence) {
        let slot = &self.slots[sequence.hash as usize & (self.slots.len() - 1)];
        memory::prefetch(&self.sequences, slot.start as usize);
    }

    /// Returns the positions of the other tokens in all texts, template by template.
    pub(crate) fn layouts(&self) -> &[Layout] {
        &self.layouts
    }

    /// Returns the number of a sequence in `numbers`, assigning one if it is new. `layout` is that of the text.
    pub(crate) fn intern(&mut self, sequence: &Sequence, numbers: &[u16], layout: Layout) -> u32 {
        let (hash, sequence) = (sequence.hash, &numbers[sequence.range.clone()]);
        if (self.ends.len() + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while let slot = &self.slots[at]
            && let Some(number) = slot.number.checked_sub(1)
        {
            let known = slot.start as usize..(slot.start + slot.length) as usize;
            if slot.hash == hash && self.sequences[known] == *sequence {
                self.layouts[number as usize].add(layout);
                return number;
            }
            at = (at + 1) & mask;
        }
        let (start, length) = (self.sequences.len() as u32, sequence.len() as u32);
        self.sequences.extend_from_slice(sequence);
        self.ends.push(start + length);
        self.layouts.push(layout);
        debug_assert_eq!(self.layouts.len(), self.ends.len(), "a layout for each template");
        let number = self.ends.len() as u32;
        self.slots[at] = Slot { hash, start, length, number };
        number - 1
    }

    #[cold]
    fn grow(&mut self) {
        let count = self.slots.len() * 2;
        let mut slots = vec![Slot::default(); count];
        for slot in self.slots.iter().filter(|slot| slot.number > 0) {
            let mut at = slot.hash as usize & (count - 1);
            while slots[at].number > 0 {
                at = (at + 1) & (count - 1);
            }
            slots[at] = *slot;
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    //! Rows for numbering, through several sizes of the table.

    use super::*;

    fn intern(templates: &mut Templates, numbers: &[u16], start: usize, layout: Layout) -> u32 {
        let sequence = templates.sequence_of(numbers, start);
        templates.prefetch(&sequence);
        templates.prefetch_known(&sequence);
        templates.intern(&sequence, numbers, layout)
    }

    #[test]
    fn a_sequence_keeps_its_number() {
        let of = |at: u16| [9, at % 50, at, Templates::GAP];
        let mut templates = Templates::new();
        for round in 0..2 {
            for at in 0..3_000u16 {
                // The first number belongs to another sequence.
                let number = intern(&mut templates, &of(at), 1, Layout::default());
                assert_eq!(number, u32::from(at), "round {round}");
            }
        }
        assert_eq!(templates.len(), 3_000);
        for at in 0..3_000 {
            assert_eq!(templates.sequence(u32::from(at)), &of(at)[1..]);
        }
        assert!(templates.memory_bytes() > 3_000 * 3 * size_of::<u16>());
        assert_eq!(intern(&mut templates, &[], 0, Layout::default()), 3_000, "nothing is a sequence, too");
        assert_eq!(templates.sequence(3_000), [0; 0]);
    }

    #[test]
    fn layouts_of_all_texts_are_joined() {
        let mut templates = Templates::new();
        intern(&mut templates, &[1, 2], 0, Layout::new(0, 1, 1));
        intern(&mut templates, &[1, 3], 0, Layout::new(2, 1, 0));
        intern(&mut templates, &[1, 2], 0, Layout::default().with_values());
        let [first, second] = templates.layouts() else { panic!("two templates") };
        assert!(first.has_tail() && first.has_values() && !first.is_loose() && !first.has_long_tail());
        assert!(second.is_loose() && !second.has_tail() && !second.has_values());
    }
}
