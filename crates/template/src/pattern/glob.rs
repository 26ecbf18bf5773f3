//! Globs: `*` is any text, `?` any one character.
//!
//! In: a glob, once; bytes, often. Out: whether the whole text matches. Holds: the glob.
//! Limits: time is the product of both lengths at worst.

use super::options::PatternFlags;

/// A compiled glob.
#[derive(Debug)]
pub(super) struct Glob {
    pattern: Vec<u8>,
    ignore_case: bool,
}

impl Glob {
    pub(super) fn new(text: &str, flags: PatternFlags) -> Glob {
        Glob { pattern: text.as_bytes().to_vec(), ignore_case: flags.ignore_case }
    }

    /// Returns true when the whole text matches. After a mismatch the last `*` takes one byte more.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        let pattern = &self.pattern;
        let (mut p, mut t) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        loop {
            match pattern.get(p) {
                Some(b'*') => {
                    star = Some((p + 1, t));
                    p += 1;
                    continue;
                }
                Some(b'?') if t < text.len() => {
                    p += 1;
                    t += char_length(&text[t..]);
                    continue;
                }
                Some(byte) if t < text.len() && self.same(*byte, text[t]) => {
                    p += 1;
                    t += 1;
                    continue;
                }
                None if t == text.len() => return true,
                _ => {}
            }
            match star {
                Some((after, from)) if from < text.len() => {
                    star = Some((after, from + 1));
                    p = after;
                    t = from + 1;
                }
                _ => return false,
            }
        }
    }

    fn same(&self, left: u8, right: u8) -> bool {
        left == right || self.ignore_case && left.eq_ignore_ascii_case(&right)
    }
}

/// Returns the length of the first character; a byte that starts no UTF-8 character counts as one.
fn char_length(text: &[u8]) -> usize {
    let length = match text.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => 1,
    };
    let whole = text.get(1..length).is_some_and(|rest| rest.iter().all(|byte| byte & 0xc0 == 0x80));
    if whole { length } else { 1 }
}
