//! Fuzzy equality: at most two edits, a transposition of neighbours being one (optimal string alignment).
//!
//! In: a text, then others. Out: yes or no. Holds: the text as characters.
//! Limits: texts of other lengths than the allowed are refused before any comparing; the work is a band of five a row.

use std::cell::RefCell;

/// A text to be near to.
pub(super) struct Fuzzy {
    bytes: Vec<u8>,
    characters: Vec<u32>,
    distance: usize,
    /// Characters of the other text, kept to be used again.
    other: RefCell<Vec<u32>>,
}

/// More edits than any that is asked for.
const FAR: usize = 9;
/// Cells of a row that can be near enough: up to two on either side.
const BAND: usize = 5;

impl Fuzzy {
    pub(super) fn new(text: &[u8], distance: u8) -> Fuzzy {
        let mut characters = Vec::new();
        read_characters(text, &mut characters);
        Fuzzy { bytes: text.to_vec(), characters, distance: usize::from(distance), other: RefCell::default() }
    }

    pub(super) fn matches(&self, text: &[u8]) -> bool {
        // A character has at most four bytes: texts much longer or shorter are out at once.
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

fn read_characters(text: &[u8], characters: &mut Vec<u32>) {
    characters.clear();
    characters.extend(String::from_utf8_lossy(text).chars().map(u32::from));
}

/// Whether two texts are at most `distance` edits apart.
fn within<T: PartialEq>(a: &[T], b: &[T], distance: usize) -> bool {
    if a.len().abs_diff(b.len()) > distance {
        return false;
    }
    // Row i of the band holds the cells (i, i - 2) to (i, i + 2).
    let cell = |row: &[usize; BAND], i: usize, j: usize| {
        (j + 2).checked_sub(i).and_then(|at| row.get(at)).copied().unwrap_or(FAR)
    };
    let mut before = [FAR; BAND];
    let mut last = [FAR; BAND];
    (0..=2).for_each(|j| last[j + 2] = j);
    for i in 1..=a.len() {
        let mut row = [FAR; BAND];
        for (at, slot) in row.iter_mut().enumerate() {
            let Some(j) = (i + at).checked_sub(2).filter(|j| *j <= b.len()) else { continue };
            if j == 0 {
                *slot = i;
                continue;
            }
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (cell(&last, i - 1, j) + 1).min(cell(&last, i - 1, j - 1) + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(cell(&before, i - 2, j - 2) + 1);
            }
            *slot = best;
        }
        // A step to the right inside the row: insertions.
        for at in 1..BAND {
            row[at] = row[at].min(row[at - 1] + 1);
        }
        if row.iter().all(|cost| *cost > distance) {
            return false;
        }
        before = std::mem::replace(&mut last, row);
    }
    cell(&last, a.len(), b.len()) <= distance
}
