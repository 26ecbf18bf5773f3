//! Texts of JSON.
//!
//! In: the bytes after an opening quote. Out: the bytes up to the closing one, and their plain form.
//! Holds nothing. Limits: half of a pair of surrogates becomes U+FFFD, an unknown escape loses its backslash.

use memchr::memchr2;

/// A text between quotes, as written.
#[derive(Clone, Copy)]
pub(super) struct Quoted<'t> {
    pub(super) raw: &'t [u8],
    /// True when it has escapes.
    pub(super) escaped: bool,
}

/// Splits after the closing quote. `None` when there is no closing quote.
#[inline]
pub(super) fn quoted(text: &[u8], quote: u8) -> Option<(Quoted<'_>, &[u8])> {
    let mut at = 0;
    let mut escaped = false;
    loop {
        at += mark(text.get(at..)?, quote)?;
        if text[at] == quote {
            return Some((Quoted { raw: &text[..at], escaped }, &text[at + 1..]));
        }
        escaped = true;
        at += 2;
    }
}

/// Returns the offset of the first quote or backslash. Most texts are short: the first bytes are examined eight at a
/// time, which is faster than a search with a setup.
#[inline]
fn mark(text: &[u8], quote: u8) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    const NEAR: usize = 32;
    // A byte that is zero has its top bit set here, and so may bytes above it: the lowest one is right.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let mut at = 0;
    while at < NEAR
        && let Some(word) = text.get(at..).and_then(|rest| rest.first_chunk::<8>())
    {
        let word = u64::from_le_bytes(*word);
        let found = zeros(word ^ (ONES * u64::from(quote))) | zeros(word ^ (ONES * u64::from(b'\\')));
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    Some(at + memchr2(quote, b'\\', &text[at..])?)
}

/// Appends the plain form.
pub(super) fn unescape(raw: &[u8], out: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let Some(&escape) = rest.get(at + 1) else { return };
        rest = &rest[at + 2..];
        match escape {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'u' => {
                let (character, after) = unicode(rest);
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = after;
            }
            other => out.push(other),
        }
    }
    out.extend_from_slice(rest);
}

/// Reads the character of `XXXX`, or of `XXXX\uXXXX`, and returns the rest.
fn unicode(text: &[u8]) -> (char, &[u8]) {
    let Some((first, rest)) = unit(text) else { return (char::REPLACEMENT_CHARACTER, text) };
    if (0xd800..0xdc00).contains(&first)
        && let Some((second, after)) = rest.strip_prefix(b"\\u").and_then(unit)
        && (0xdc00..0xe000).contains(&second)
    {
        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), after);
    }
    (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), rest)
}

fn unit(text: &[u8]) -> Option<(u32, &[u8])> {
    let digits = text.get(..4)?;
    let mut code = 0;
    for digit in digits {
        code = code * 16 + char::from(*digit).to_digit(16)?;
    }
    Some((code, &text[4..]))
}

/// Appends a plain text as JSON, with its quotes.
pub(super) fn escape(plain: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in plain {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..=31 => {
                let hex = |nibble: u8| b"0123456789abcdef"[nibble as usize & 15];
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', hex(byte >> 4), hex(byte)]);
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}
