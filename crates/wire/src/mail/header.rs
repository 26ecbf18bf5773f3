//! Header fields of mails: folded lines, encoded words (RFC 2047), names in quotes.
//!
//! In: values as messages gave them. Out: lines. Holds: nothing.
//! Limits: a line has at most [`FOLDED_BYTES`] where the value has blanks; a word that is longer is encoded.

use base64::{Engine, engine::general_purpose::STANDARD};

/// Length in bytes at which lines are folded.
const FOLDED_BYTES: usize = 76;
/// Bytes of text in one encoded word: it has at most 75 characters, 12 of which are not text.
const ENCODED_BYTES: usize = 45;

/// Appends one field.
pub(super) fn append_field(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    let value = one_line(value);
    out.extend_from_slice(name.as_bytes());
    out.push(b':');
    let mut column = name.len() + 1;
    let encoded = encoded_words(&value);
    let words = match needs_encoding(&value) {
        true => encoded.split(' '),
        false => value.split(' '),
    };
    for word in words {
        // A line of blanks alone would end the header for some readers: only a word begins a line.
        if column + 1 + word.len() > FOLDED_BYTES && !word.is_empty() && column > name.len() + 1 {
            out.extend_from_slice(b"\r\n");
            column = 0;
        }
        out.push(b' ');
        out.extend_from_slice(word.as_bytes());
        column += 1 + word.len();
    }
    out.extend_from_slice(b"\r\n");
}

/// Returns a name to show before an address.
pub(super) fn phrase(name: &[u8]) -> Vec<u8> {
    let name = one_line(name);
    let name = name.trim();
    if name.is_empty() {
        return Vec::new();
    }
    if needs_encoding(name) {
        return encoded_words(name).replace(' ', "\r\n ").into_bytes();
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b" !#$%&'*+-/=?^_`{|}~".contains(&byte);
    if name.bytes().all(is_word) {
        return name.as_bytes().to_vec();
    }
    let mut out = vec![b'"'];
    for byte in name.bytes() {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
    out
}

/// Returns a text without control characters.
fn one_line(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    text.chars()
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .collect()
}

/// Returns true when a value must be encoded: it has letters beyond ASCII, words too long to fold, or looks encoded.
fn needs_encoding(value: &str) -> bool {
    !value.is_ascii() || value.contains("=?") || value.split(' ').any(|word| word.len() > FOLDED_BYTES - 2)
}

fn encoded_words(value: &str) -> String {
    let mut words = Vec::new();
    let mut rest = value;
    while !rest.is_empty() {
        let most = ENCODED_BYTES.min(rest.len());
        // A character has four bytes at most: one boundary is among the last four.
        let end = (0..=most).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(most);
        let (word, after) = rest.split_at(end);
        words.push(format!("=?UTF-8?B?{}?=", STANDARD.encode(word)));
        rest = after;
    }
    words.join(" ")
}
