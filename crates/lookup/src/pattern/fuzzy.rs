//! Fuzzy equality: at most two edits, a transposition of neighbours being one (optimal string alignment).
//!
//! In: a text, then others. Out: yes or no. Holds: the text as characters.
//! Limits: texts whose length differs by more than the distance are rejected without comparing; each edit is tried
//! in at most four ways.

use std::cell::RefCell;

/// A text to compare with.
pub(super) struct Fuzzy {
    bytes: Vec<u8>,
    characters: Vec<u32>,
    distance: usize,
    /// Characters of the other text, kept to be used again.
    other: RefCell<Vec<u32>>,
}

impl Fuzzy {
    pub(super) fn new(text: &[u8], distance: u8) -> Fuzzy {
        let mut characters = Vec::new();
        read_characters(text, &mut characters);
        Fuzzy { bytes: text.to_vec(), characters, distance: usize::from(distance), other: RefCell::default() }
    }

    pub(super) fn matches(&self, text: &[u8]) -> bool {
        // A character has at most four bytes: texts much longer or shorter are rejected at once.
        let (long, short) = (text.len().max(self.bytes.len()), text.len().min(self.bytes.len()));
        if long - short > self.distance * 4 {
            return false;
        }
        let is_ascii = self.characters.len() == self.bytes.len();
        if is_ascii && text.is_ascii() {
            return within(&self.bytes, text, self.distance);
        }
        let mut other = self.other.borrow_mut();
        read_characters(text, &mut other);
        within(&self.characters, &other, self.distance)
    }
}

/// Longest text for which prefixes are tested.
const ROW_MAX: usize = 64;

impl Fuzzy {
    /// Returns the length of the part of a prefix that already shows that no text with it is near enough; `None`
    /// when some may be.
    pub(super) fn impossible_prefix(&self, prefix: &[u8]) -> Option<usize> {
        let length = self.bytes.len();
        if length >= ROW_MAX || self.characters.len() != length || !prefix.is_ascii() {
            return None;
        }
        // The fewest edits between the beginnings of the text and the prefix so far, all but its last byte, and all
        // but its last two.
        let mut rows = [[0u8; ROW_MAX]; 3];
        rows[0].iter_mut().zip(0..).for_each(|(edits, to)| *edits = to);
        for (at, byte) in prefix.iter().enumerate() {
            let [row, before, older] = &mut rows;
            std::mem::swap(before, older);
            std::mem::swap(row, before);
            row[0] = before[0] + 1;
            let mut least = row[0];
            for (to, own) in self.bytes.iter().enumerate() {
                let replaced = before[to] + u8::from(own != byte);
                let mut edits = replaced.min(before[to + 1] + 1).min(row[to] + 1);
                if at > 0 && to > 0 && *own == prefix[at - 1] && self.bytes[to - 1] == *byte {
                    edits = edits.min(older[to - 1] + 1);
                }
                row[to + 1] = edits;
                least = least.min(edits);
            }
            // Swapping the next byte with this one does not help: it costs one edit more than the previous row, and
            // the minimum of a row is at most that.
            if usize::from(least) > self.distance {
                return Some(at + 1);
            }
        }
        None
    }
}

fn read_characters(text: &[u8], characters: &mut Vec<u32>) {
    characters.clear();
    characters.extend(String::from_utf8_lossy(text).chars().map(|c| u32::from(lower_char(c))));
}

/// Returns a character in lower case, if that is one character.
pub fn lower_char(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// Returns true when two texts are at most `distance` edits apart. A common beginning and end cost nothing; at the
/// first difference each kind of edit is tried, so that nearly all texts are rejected after a few bytes.
fn within<T: PartialEq>(a: &[T], b: &[T], distance: usize) -> bool {
    if a.len().abs_diff(b.len()) > distance {
        return false;
    }
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - same], &b[..b.len() - same]);
    if a.is_empty() || b.is_empty() {
        // The rest of the other text is the difference of the lengths.
        return true;
    }
    let Some(left) = distance.checked_sub(1) else { return false };
    let is_swapped = matches!((a, b), ([a0, a1, ..], [b0, b1, ..]) if a0 == b1 && a1 == b0);
    within(&a[1..], &b[1..], left)
        || within(&a[1..], b, left)
        || within(a, &b[1..], left)
        || is_swapped && within(&a[2..], &b[2..], left)
}
