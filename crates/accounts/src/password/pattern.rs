//! Passwords that are a pattern: words from a list, repetitions, rows of keys.
//!
//! In: a password in small letters. Out: true if it is such a pattern as a whole. Holds nothing. Limits: the time grows with the
//! length of the password, times the number of words.

/// Rows that people type along, forwards or backwards.
const ROWS: &[&str] = &[
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "1234567890",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "1q2w3e4r5t6y7u8i9o0p",
    "q1w2e3r4t5y6u7i8o9p0",
];
/// A unit of more characters than this may be repeated: it is a word of its own.
const UNIT_CHARS_MAX: usize = 4;

/// Returns true if a password consists of words, of digits and of signs between them, and has a word at all.
pub(super) fn consists_of(password: &[char], words: &[Vec<char>]) -> bool {
    // The ends of parts that consist of words: without a word yet, and with one.
    let mut reached = vec![[false; 2]; password.len() + 1];
    reached[0][0] = true;
    for at in 0..password.len() {
        let [without, with] = reached[at];
        if !without && !with {
            continue;
        }
        if !password[at].is_alphabetic() {
            reached[at + 1][0] |= without;
            reached[at + 1][1] |= with;
        }
        for word in words.iter().filter(|word| password[at..].starts_with(word)) {
            reached[at + word.len()][1] = true;
        }
    }
    reached[password.len()][1]
}

/// Returns true if a password repeats a few characters, or follows a row, as a whole. Blanks and signs do not count.
pub(super) fn is_pattern(password: &[char]) -> bool {
    let bare: Vec<char> = password.iter().copied().filter(|c| c.is_alphanumeric()).collect();
    let is_repeated = |text: &[char]| text.is_empty() || period(text) <= UNIT_CHARS_MAX.min(text.len() / 2);
    is_repeated(password) || is_repeated(&bare) || ROWS.iter().any(|row| follows(&bare, row))
}

/// Returns the part of a text that it repeats; all of it when it repeats nothing.
pub(super) fn unit(text: &str) -> &str {
    let chars: Vec<char> = text.chars().collect();
    let period = period(&chars);
    match period > 0 && chars.len().is_multiple_of(period) {
        true => text.char_indices().nth(period).map_or(text, |(end, _)| &text[..end]),
        false => text,
    }
}

/// Returns the number of characters after which a text repeats; the last repetition may be cut.
fn period(text: &[char]) -> usize {
    (1..text.len()).find(|period| text[*period..] == text[..text.len() - period]).unwrap_or(text.len())
}

/// Returns true if a text is a part of a row that is typed again and again, forwards or backwards.
fn follows(text: &[char], row: &str) -> bool {
    let forwards: Vec<char> = row.chars().collect();
    let backwards: Vec<char> = row.chars().rev().collect();
    [forwards, backwards].iter().any(|row| {
        let mut starts = (0..row.len()).filter(|start| text.first() == row.get(*start));
        starts.any(|start| text.iter().zip(row.iter().cycle().skip(start)).all(|(c, of_row)| c == of_row))
    })
}
