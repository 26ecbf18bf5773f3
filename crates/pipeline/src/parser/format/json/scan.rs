//! Scans a JSON text.
//!
//! In: the rest of a text. Out: its pieces; `None` where it is not JSON. Holds: the rest, and whether the part that was
//! skipped is in the shortest form. Limits: [`DEPTH_MAX`] levels.

use super::text::{self, Quoted};
use message::ValueKind;

/// Deepest nesting of objects and arrays.
pub(crate) const DEPTH_MAX: usize = 128;

/// The unread part of a text.
pub(super) struct Scan<'t> {
    pub(super) rest: &'t [u8],
    /// True when something was skipped that the shortest form does not have: blanks, single quotes, a last comma.
    pub(super) has_slack: bool,
}

/// `true`, `false`, `null` in any case, with the value and the type of each; a null has no text.
const WORDS: [(&[u8], &[u8], ValueKind); 5] = [
    (b"true", b"true", ValueKind::Boolean),
    (b"false", b"false", ValueKind::Boolean),
    (b"null", b"", ValueKind::Null),
    (b"NaN", b"nan", ValueKind::Double),
    (b"Infinity", b"inf", ValueKind::Double),
];

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t [u8]) -> Scan<'t> {
        Scan { rest: text, has_slack: false }
    }

    #[inline]
    pub(super) fn blanks(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
            self.has_slack = true;
        }
    }

    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> Option<()> {
        self.blanks();
        match self.rest {
            [first, rest @ ..] if *first == byte => {
                self.rest = rest;
                Some(())
            }
            _ => None,
        }
    }

    #[inline]
    pub(super) fn quoted(&mut self) -> Option<Quoted<'t>> {
        let (&quote, rest) = self.rest.split_first()?;
        let (found, rest) = text::quoted(rest, quote)?;
        self.has_slack |= quote != b'"';
        self.rest = rest;
        Some(found)
    }

    /// Reads the name of a member, with its colon.
    #[inline]
    pub(super) fn name(&mut self) -> Option<Quoted<'t>> {
        self.blanks();
        if !matches!(self.rest.first()?, b'"' | b'\'') {
            return None;
        }
        let name = self.quoted()?;
        self.take(b':')?;
        self.blanks();
        Some(name)
    }

    /// Reads a comma, or stops before `close`.
    #[inline]
    pub(super) fn between(&mut self, close: u8) -> Option<()> {
        self.blanks();
        match self.rest {
            [b',', rest @ ..] => {
                self.rest = rest;
                self.blanks();
                self.has_slack |= self.rest.first() == Some(&close);
                Some(())
            }
            [byte, ..] if *byte == close => Some(()),
            _ => None,
        }
    }

    pub(super) fn word(&mut self) -> Option<(&'static [u8], ValueKind)> {
        let is_here =
            |word: &[u8]| self.rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        let (word, value, kind) = WORDS.into_iter().find(|(word, ..)| is_here(word))?;
        self.has_slack |= !self.rest.starts_with(word) || kind == ValueKind::Double;
        self.rest = &self.rest[word.len()..];
        Some((value, kind))
    }

    /// Reads a number as written, whole or not.
    #[inline]
    pub(super) fn number(&mut self) -> Option<(&'t [u8], ValueKind)> {
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = self.rest.iter().position(|byte| !is_digit(byte)).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(length);
        self.rest = rest;
        let digits = number.strip_prefix(b"-").unwrap_or(number);
        let is_whole = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        // Up to 18 digits fit for sure.
        if is_whole && (digits.len() < 19 || parsed::<i64>(number).is_some()) {
            return Some((number, ValueKind::Integer));
        }
        parsed::<f64>(number)?;
        Some((number, ValueKind::Double))
    }

    /// Skips a value, and appends its shortest form if that is wanted.
    pub(super) fn skip(&mut self, mut json: Option<&mut Vec<u8>>) -> Option<()> {
        self.skip_into(&mut json, 0)
    }

    fn skip_into(&mut self, json: &mut Option<&mut Vec<u8>>, depth: usize) -> Option<()> {
        if depth >= DEPTH_MAX {
            return None;
        }
        self.blanks();
        match *self.rest.first()? {
            b'"' | b'\'' => self.skip_text(json)?,
            open @ (b'{' | b'[') => {
                let close = if open == b'{' { b'}' } else { b']' };
                self.rest = &self.rest[1..];
                append(json, &[open]);
                let mut is_first = true;
                while self.take(close).is_none() {
                    if !std::mem::take(&mut is_first) {
                        append(json, b",");
                    }
                    if open == b'{' {
                        self.skip_name(json)?;
                    }
                    self.skip_into(json, depth + 1)?;
                    self.between(close)?;
                }
                append(json, &[close]);
            }
            b'-' | b'0'..=b'9' => append(json, self.number()?.0),
            _ => {
                let (word, kind) = self.word()?;
                append(json, if kind == ValueKind::Boolean { word } else { b"null" });
            }
        }
        Some(())
    }

    fn skip_name(&mut self, json: &mut Option<&mut Vec<u8>>) -> Option<()> {
        self.blanks();
        if !matches!(self.rest.first()?, b'"' | b'\'') {
            return None;
        }
        self.skip_text(json)?;
        self.take(b':')?;
        append(json, b":");
        Some(())
    }

    fn skip_text(&mut self, json: &mut Option<&mut Vec<u8>>) -> Option<()> {
        let quote = *self.rest.first()?;
        let found = self.quoted()?;
        if quote == b'"' {
            append(json, b"\"");
            append(json, found.raw);
            append(json, b"\"");
        } else if let Some(json) = json {
            let mut plain = Vec::with_capacity(found.raw.len());
            text::unescape(found.raw, &mut plain);
            text::escape(&plain, json);
        }
        Some(())
    }
}

fn append(json: &mut Option<&mut Vec<u8>>, bytes: &[u8]) {
    if let Some(json) = json {
        json.extend_from_slice(bytes);
    }
}

/// Parses a number of the kind, if it is one.
pub(super) fn parsed<T: std::str::FromStr>(number: &[u8]) -> Option<T> {
    str::from_utf8(number).ok()?.parse().ok()
}
