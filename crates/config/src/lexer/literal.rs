//! The values of literals: numbers, and the escapes of strings.
//!
//! In: the characters of a literal. Out: its value.

use super::token::Kind;
use crate::text::{Span, Texts};

/// Returns the token of a bare word: a number, an arrow or a word. `Bad` is a number that does not fit.
pub(super) fn classify(word: String) -> Kind {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(&word);
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return if word == "=>" { Kind::Arrow } else { Kind::Word(word) };
    }
    match whole(digits) {
        Some(Some(number)) if word.starts_with('-') => Kind::Number(-number),
        Some(Some(number)) => Kind::Number(number),
        Some(None) => Kind::Bad,
        None => match fraction(digits) {
            Some(number) if word.starts_with('-') => Kind::Float(-number),
            Some(number) => Kind::Float(number),
            None => Kind::Word(word),
        },
    }
}

/// Reads decimal with a suffix, hexadecimal or octal. `None`: not a number. `Some(None)`: too large.
fn whole(word: &str) -> Option<Option<i64>> {
    if let Some(hex) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        let is_hex = !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        return is_hex.then(|| i64::from_str_radix(hex, 16).ok());
    }
    let length = word.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, suffix) = word.split_at(length);
    let factor = factor(suffix)?;
    if suffix.is_empty()
        && digits.len() > 1
        && digits.starts_with('0')
        && digits.bytes().all(|byte| byte < b'8')
    {
        return Some(i64::from_str_radix(digits, 8).ok());
    }
    Some(digits.parse::<i64>().ok().and_then(|number| number.checked_mul(factor)))
}

/// Returns the factor of a suffix: `K`, `M`, `G` are thousands, `Ki`, `Mi`, `Gi` are powers of 1024; a `b` after them
/// changes nothing.
fn factor(suffix: &str) -> Option<i64> {
    let lower = suffix.to_ascii_lowercase();
    Some(match lower.strip_suffix('b').filter(|rest| !rest.is_empty()).unwrap_or(&lower) {
        "" => 1,
        "k" => 1000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        "ki" => 1 << 10,
        "mi" => 1 << 20,
        "gi" => 1 << 30,
        _ => return None,
    })
}

fn fraction(word: &str) -> Option<f64> {
    let plain =
        word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'-' | b'+'));
    if plain { word.parse().ok() } else { None }
}

/// Returns the character that a letter after a backslash means.
pub(super) fn simple(letter: char) -> char {
    match letter {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'a' => '\u{7}',
        'v' => '\u{b}',
        other => other,
    }
}

/// Reads a character by its code, `xHH` or `oOOO`, and returns the number of bytes read.
pub(super) fn coded(text: &str) -> Option<(char, usize)> {
    let (radix, digits) = match text.bytes().next()? {
        b'x' => (16, 2),
        b'o' => (8, 3),
        _ => return None,
    };
    let code = text.get(1..=digits).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((char::from(u8::from_str_radix(code, radix).ok()?), 1 + digits))
}

/// Returns the value of the text between two double quotes.
pub(super) fn unescape(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        value.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match coded(rest) {
            Some((character, length)) => {
                value.push(character);
                rest = &rest[length..];
            }
            None => {
                let mut letters = rest.chars();
                value.extend(letters.next().map(simple));
                rest = letters.as_str();
            }
        }
    }
    value.push_str(rest);
    value
}

/// Returns the position of a byte of a literal's value, for errors inside a template or a pattern.
/// Returns the whole literal when its value was assembled from several parts.
pub fn place_inside(texts: &Texts, span: Span, offset: usize) -> Span {
    let raw = texts.slice(span);
    if raw.contains('`') {
        return span;
    }
    let quote = raw.chars().next().filter(|first| matches!(first, '"' | '\''));
    let body = raw.get(usize::from(quote.is_some())..).unwrap_or_default();
    let body = quote.and_then(|quote| body.strip_suffix(quote)).unwrap_or(body);
    let (mut at, mut value, mut last) = (0, 0, 0);
    while value <= offset && at < body.len() {
        last = at;
        let (taken, made) = match body[at..].strip_prefix('\\').filter(|_| quote == Some('"')) {
            Some(rest) => match coded(rest) {
                Some((character, length)) => (1 + length, character.len_utf8()),
                None => {
                    rest.chars().next().map_or((1, 0), |next| (1 + next.len_utf8(), simple(next).len_utf8()))
                }
            },
            None => body[at..].chars().next().map_or((1, 1), |next| (next.len_utf8(), next.len_utf8())),
        };
        at += taken;
        value += made;
    }
    let start = span.start + u32::from(quote.is_some());
    Span { start: start + last as u32, end: start + at.max(last) as u32, ..span }
}
