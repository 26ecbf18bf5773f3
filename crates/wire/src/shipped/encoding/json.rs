//! JSON, token by token.
//!
//! In: bytes. Out: tokens with their offsets; strings are unescaped only when they are needed.
//! Holds: a position. Allocates nothing.
//! Limits: nesting [`DEPTH_MAX`]. Control characters and bytes that are not UTF-8 are accepted unchanged.

use super::super::body_error::BodyError;
use std::ops::Range;

/// Deepest nesting that is read; deeper is an error.
pub(in crate::shipped) const DEPTH_MAX: usize = 64;

/// A string, without its quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::shipped) struct Text {
    pub(in crate::shipped) start: usize,
    pub(in crate::shipped) end: usize,
    /// It has escapes.
    pub(in crate::shipped) escaped: bool,
}

/// The start of a value; of objects and arrays the bracket is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::shipped) enum Token {
    Null,
    True,
    False,
    Number { start: usize, end: usize },
    Text(Text),
    Object,
    Array,
}

/// A reader of one text.
#[derive(Clone)]
pub(in crate::shipped) struct Json<'a> {
    bytes: &'a [u8],
    pub(in crate::shipped) at: usize,
}

impl<'a> Json<'a> {
    /// Reads `bytes` from `at`.
    pub(in crate::shipped) fn new(bytes: &'a [u8], at: usize) -> Json<'a> {
        Json { bytes, at }
    }

    /// Reads a part of `bytes`; offsets still count from their start.
    pub(in crate::shipped) fn within(bytes: &'a [u8], part: Range<usize>) -> Json<'a> {
        Json { bytes: &bytes[..part.end], at: part.start }
    }

    pub(in crate::shipped) fn wrong(&self, reason: &'static str) -> BodyError {
        BodyError { offset: self.at, reason }
    }

    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    /// Returns true when only white space is left.
    pub(in crate::shipped) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Reads the start of the next value.
    pub(in crate::shipped) fn token(&mut self) -> Result<Token, BodyError> {
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                Ok(Token::Object)
            }
            Some(b'[') => {
                self.at += 1;
                Ok(Token::Array)
            }
            Some(b'"') => self.text().map(Token::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word(b"true", Token::True),
            Some(b'f') => self.word(b"false", Token::False),
            Some(b'n') => self.word(b"null", Token::Null),
            Some(_) => Err(self.wrong("no JSON value")),
            None => Err(self.wrong("the end of JSON")),
        }
    }

    fn word(&mut self, word: &[u8], token: Token) -> Result<Token, BodyError> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(self.wrong("no JSON value"));
        }
        self.at += word.len();
        Ok(token)
    }

    fn number(&mut self) -> Result<Token, BodyError> {
        let start = self.at;
        self.at += 1;
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        while self.bytes.get(self.at).is_some_and(is_part) {
            self.at += 1;
        }
        if !self.bytes[self.at - 1].is_ascii_digit() {
            return Err(self.wrong("no JSON number"));
        }
        Ok(Token::Number { start, end: self.at })
    }

    fn text(&mut self) -> Result<Text, BodyError> {
        let start = self.at + 1;
        let mut at = start;
        let mut escaped = false;
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            match memchr::memchr2(b'"', b'\\', rest) {
                None => return Err(self.wrong("a JSON string without end")),
                Some(step) if rest[step] == b'"' => {
                    self.at = at + step + 1;
                    return Ok(Text { start, end: at + step, escaped });
                }
                Some(step) => {
                    escaped = true;
                    at += step + 2;
                }
            }
        }
    }

    /// Reads the next key of an object, with its colon; `None` at the end of the object. `first` starts as true.
    pub(in crate::shipped) fn key(&mut self, first: &mut bool) -> Result<Option<Text>, BodyError> {
        if !self.goes_on(b'}', first)? {
            return Ok(None);
        }
        if self.peek() != Some(b'"') {
            return Err(self.wrong("no JSON key"));
        }
        let key = self.text()?;
        if self.peek() != Some(b':') {
            return Err(self.wrong("no colon behind a JSON key"));
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// Returns true when an array has another element. `first` starts as true.
    pub(in crate::shipped) fn element(&mut self, first: &mut bool) -> Result<bool, BodyError> {
        self.goes_on(b']', first)
    }

    fn goes_on(&mut self, end: u8, first: &mut bool) -> Result<bool, BodyError> {
        let is_first = std::mem::replace(first, false);
        match self.peek() {
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(false)
            }
            Some(b',') if !is_first => {
                self.at += 1;
                Ok(true)
            }
            Some(_) if is_first => Ok(true),
            _ => Err(self.wrong("no comma between JSON values")),
        }
    }

    /// Reads the rest of a value whose start was `token`.
    pub(in crate::shipped) fn skip(&mut self, token: Token) -> Result<(), BodyError> {
        self.skip_within(token, 0)
    }

    fn skip_within(&mut self, token: Token, depth: usize) -> Result<(), BodyError> {
        if depth > DEPTH_MAX {
            return Err(self.wrong("JSON too deep"));
        }
        let mut first = true;
        match token {
            Token::Object => {
                while self.key(&mut first)?.is_some() {
                    let token = self.token()?;
                    self.skip_within(token, depth + 1)?;
                }
            }
            Token::Array => {
                while self.element(&mut first)? {
                    let token = self.token()?;
                    self.skip_within(token, depth + 1)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Appends a string without its escapes. An unknown escape stays unchanged; half a surrogate pair becomes U+FFFD.
pub(in crate::shipped) fn unescape(raw: &[u8], out: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let Some((escape, after)) = rest.split_first() else {
            out.push(b'\\');
            return;
        };
        rest = after;
        match escape {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'"' | b'\\' | b'/' => out.push(*escape),
            b'u' => match unit(rest) {
                Some(high) => {
                    let (character, used) = joined(high, &rest[4..]);
                    rest = &rest[4 + used..];
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                None => out.extend_from_slice(b"\\u"),
            },
            other => out.extend_from_slice(&[b'\\', *other]),
        }
    }
    out.extend_from_slice(rest);
}

/// Returns the character of a UTF-16 unit and the text after it, and the number of bytes used of that text.
fn joined(high: u32, after: &[u8]) -> (char, usize) {
    if let Some(character) = char::from_u32(high) {
        return (character, 0);
    }
    let low = after.strip_prefix(b"\\u").and_then(unit).filter(|low| (0xDC00..0xE000).contains(low));
    match low.filter(|_| high < 0xDC00) {
        Some(low) => {
            let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
        }
        None => (char::REPLACEMENT_CHARACTER, 0),
    }
}

fn unit(bytes: &[u8]) -> Option<u32> {
    let digits = std::str::from_utf8(bytes.get(..4)?).ok()?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests;
