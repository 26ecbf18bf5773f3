//! `csv-parser()`: columns between delimiters.
//!
//! In: a text. Out: a value for each column, under its name, or under its number when there are no names.
//! A value in quotes holds delimiters; the quotes end where the dialect says. With `greedy` the last column takes the
//! rest as it is.
//! Reading fails with `drop_invalid`, when there are more columns or fewer than names, and when a column does not fit its
//! type.
//! Limits: those of [`Writer`]; one walk over the text.

use crate::parser::reader::{Reader, Writer};
use memchr::memchr;
use message::ValueKind;
use template::{OnError, TypeHint, pattern::GROUPS_MAX};

/// How a quote is written inside quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CsvDialect {
    /// Not at all.
    #[default]
    EscapeNone,
    /// With a backslash, which also escapes any other character.
    EscapeBackslash,
    /// With a backslash; `\n`, `\t`, `\x41` and so on are read as in C.
    EscapeBackslashWithSequences,
    /// Twice.
    EscapeDoubleChar,
}

impl CsvDialect {
    /// Returns the dialect of a name.
    pub fn from_name(name: &str) -> Option<CsvDialect> {
        Some(match name {
            "escape-none" => CsvDialect::EscapeNone,
            "escape-backslash" => CsvDialect::EscapeBackslash,
            "escape-backslash-with-sequences" => CsvDialect::EscapeBackslashWithSequences,
            "escape-double-char" => CsvDialect::EscapeDoubleChar,
            _ => return None,
        })
    }
}

/// Reads columns.
#[derive(Clone, Debug)]
pub struct Csv {
    /// Names of the columns; without names they have their numbers, from 1.
    pub columns: Vec<String>,
    /// Types of the first columns; the others are texts.
    pub types: Vec<TypeHint>,
    /// `on-type-error()`.
    pub on_type_error: OnError,
    /// Bytes that end a column.
    pub delimiters: Vec<u8>,
    /// Texts that end a column; tried before the bytes.
    pub string_delimiters: Vec<String>,
    /// Opening and closing quotes.
    pub quotes: Vec<(u8, u8)>,
    /// How a quote is written inside quotes.
    pub dialect: CsvDialect,
    /// `null()`: a text that means an empty value.
    pub null: Option<String>,
    /// `strip-whitespace`.
    pub strip_whitespace: bool,
    /// `greedy`.
    pub greedy: bool,
    /// `drop-invalid`.
    pub drop_invalid: bool,
}

impl Default for Csv {
    fn default() -> Csv {
        Csv {
            columns: Vec::new(),
            types: Vec::new(),
            on_type_error: OnError::DropMessage,
            delimiters: vec![b' '],
            string_delimiters: Vec::new(),
            quotes: vec![(b'"', b'"'), (b'\'', b'\'')],
            dialect: CsvDialect::EscapeNone,
            null: None,
            strip_whitespace: false,
            greedy: false,
            drop_invalid: false,
        }
    }
}

/// A column that was read.
struct Column<'t> {
    /// Its bytes, when they are one piece of the text.
    plain: Option<&'t [u8]>,
    /// Offset of the next column.
    end: usize,
}

impl Csv {
    /// Reads pairs of quotes as they are written in `quote-pairs()`.
    pub fn pairs(text: &str) -> Vec<(u8, u8)> {
        text.as_bytes().chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
    }

    /// Returns the length of the delimiter at an offset; `None` when there is none.
    #[inline]
    fn delimiter(&self, text: &[u8], at: usize) -> Option<usize> {
        let found = self.string_delimiters.iter().find(|word| text[at..].starts_with(word.as_bytes()));
        if let Some(word) = found.filter(|word| !word.is_empty()) {
            return Some(word.len());
        }
        self.delimiters.contains(&text[at]).then_some(1)
    }

    /// Reads a column. A value that is not one piece of the text is put into `made`.
    fn column<'t>(&self, text: &'t [u8], start: usize, made: &mut Vec<u8>) -> Column<'t> {
        let mut at = start;
        let mut quote = None;
        if let Some((_, close)) = self.quotes.iter().find(|(open, _)| *open == text[start]) {
            quote = Some(*close);
            at += 1;
        }
        if self.strip_whitespace {
            at += text[at..].iter().take_while(|byte| is_blank(**byte)).count();
        }
        let Some(close) = quote else {
            let (end, next) = self.end_of_unquoted(text, at);
            return Column { plain: Some(&text[at..end]), end: next };
        };
        let (length, after) = self.quoted(&text[at..], close, made);
        let after = at + after;
        if made.is_empty() && (after == text.len() || self.delimiter(text, after).is_some()) {
            let next = after + text.get(after).map_or(0, |_| self.delimiter(text, after).unwrap_or_default());
            return Column { plain: Some(&text[at..at + length]), end: next };
        }
        // The text after the closing quote belongs to the value too.
        if made.is_empty() {
            made.extend_from_slice(&text[at..at + length]);
        }
        let (end, next) = self.end_of_unquoted(text, after);
        made.extend_from_slice(&text[after..end]);
        Column { plain: None, end: next }
    }

    /// Returns the offset of the end of a value without quotes, and that of the next value.
    fn end_of_unquoted(&self, text: &[u8], start: usize) -> (usize, usize) {
        if let ([delimiter], []) = (self.delimiters.as_slice(), self.string_delimiters.as_slice()) {
            return match memchr(*delimiter, &text[start..]) {
                Some(at) => (start + at, start + at + 1),
                None => (text.len(), text.len()),
            };
        }
        let found = (start..text.len()).find_map(|at| Some((at, at + self.delimiter(text, at)?)));
        found.unwrap_or((text.len(), text.len()))
    }

    /// Returns the length of the text before the closing quote, and the offset after it. When there are escapes, the
    /// plain form is put into `made`.
    fn quoted(&self, text: &[u8], close: u8, made: &mut Vec<u8>) -> (usize, usize) {
        let mut at = 0;
        let mut copied = 0;
        while let Some(&byte) = text.get(at) {
            let next = text.get(at + 1).copied();
            let (plain, length) =
                match (self.dialect, next) {
                    (CsvDialect::EscapeBackslash, Some(next)) if byte == b'\\' => (next, 2),
                    (CsvDialect::EscapeBackslashWithSequences, Some(next)) if byte == b'\\' => {
                        if next == close { (next, 2) } else { sequence(&text[at + 1..], next) }
                    }
                    (CsvDialect::EscapeDoubleChar, Some(next)) if byte == close && next == close => (next, 2),
                    _ if byte == close => break,
                    _ => {
                        at += 1;
                        continue;
                    }
                };
            made.extend_from_slice(&text[copied..at]);
            made.push(plain);
            at += length;
            copied = at;
        }
        if copied > 0 {
            made.extend_from_slice(&text[copied..at]);
        }
        (at, (at + 1).min(text.len()))
    }

    /// Writes the value of a column; returns false when it does not fit its type and the message is stopped.
    fn give(&self, number: usize, value: &[u8], out: &mut Writer<'_>) -> bool {
        let mut value = value;
        if self.strip_whitespace {
            let end = value.iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1);
            value = &value[..end];
        }
        if self.null.as_ref().is_some_and(|null| null.as_bytes() == value) {
            value = &value[..0];
        }
        let mut kind = ValueKind::String;
        if let Some(wanted) = self.types.get(number) {
            match (wanted.fits(value), self.on_type_error) {
                (true, _) => kind = wanted.kind(),
                (false, OnError::DropMessage) => return false,
                (false, OnError::DropProperty) => return true,
                (false, OnError::FallbackToString) => {}
            }
        }
        match self.columns.get(number) {
            Some(name) => out.set(name.as_bytes(), value, kind),
            None if number + 1 < GROUPS_MAX => {
                out.set_unprefixed((number + 1).to_string().as_bytes(), value, kind);
            }
            None => {}
        }
        true
    }
}

impl Reader for Csv {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        let mut at = 0;
        let mut number = 0;
        let mut made = Vec::new();
        while self.columns.is_empty() || number < self.columns.len() {
            let is_rest = self.greedy && number + 1 == self.columns.len();
            if is_rest {
                let blanks =
                    text[at..].iter().take_while(|byte| self.strip_whitespace && is_blank(**byte)).count();
                return self.give(number, &text[at + blanks..], out);
            }
            if at >= text.len() {
                break;
            }
            made.clear();
            let column = self.column(text, at, &mut made);
            let value = column.plain.unwrap_or(&made);
            if !self.give(number, value, out) {
                return false;
            }
            at = column.end;
            number += 1;
        }
        let is_whole = at >= text.len() && (self.columns.is_empty() || number == self.columns.len());
        is_whole || !self.drop_invalid
    }
}

/// Returns the character of an escape of C, and its length with the backslash.
fn sequence(text: &[u8], escape: u8) -> (u8, usize) {
    let plain = match escape {
        b'a' => 7,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'x' => {
            let digit = |at: usize| text.get(at).and_then(|digit| char::from(*digit).to_digit(16));
            return match (digit(1), digit(2)) {
                (Some(high), Some(low)) => ((high * 16 + low) as u8, 4),
                _ => (b'x', 2),
            };
        }
        other => other,
    };
    (plain, 2)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
