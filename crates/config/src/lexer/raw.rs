//! Raw pieces: text between a pair of marks, taken literally.
//!
//! In: the characters after an opening `(` or `{` that has been consumed. Out: the span of the piece; the closing mark is consumed.
//! Limits: pairs, strings and comments inside are respected; a piece ends within the text that it starts in.

use super::stream::Lexer;
use super::substitute::inside;
use crate::diagnostic::Diagnostic;
use crate::text::{Origin, Span};

impl Lexer<'_> {
    /// Reads a piece as written, backticks included: they are replaced when it is used.
    pub(crate) fn raw(&mut self, close: u8, opening: Span) -> Option<Span> {
        let length = piece_length(self.reader.rest(), close);
        self.taken(length, close, opening)
    }

    /// Reads code in Python as written, up to the closing brace.
    pub(crate) fn raw_python(&mut self, opening: Span) -> Option<Span> {
        let length = python_length(self.reader.rest());
        self.taken(length, b'}', opening)
    }

    fn taken(&mut self, length: Option<usize>, close: u8, opening: Span) -> Option<Span> {
        let start = self.reader.start();
        let Some(length) = length else {
            self.report.push(
                Diagnostic::error(opening, format!("`{}` is not closed", self.texts.slice(opening)))
                    .help(format!("add the missing `{}`", char::from(close))),
            );
            self.reader.advance(usize::MAX / 2);
            return None;
        };
        self.reader.advance(length);
        let span = self.reader.span(start);
        self.reader.bump();
        Some(Span { end: span.start + length as u32, ..span })
    }

    /// Reads a piece with its backticks replaced, because they belong to the text around it.
    pub(crate) fn raw_substituted(&mut self, close: u8, opening: Span, what: &str) -> Option<Span> {
        let in_value = self.reader.in_value();
        let span = self.raw(close, opening)?;
        if in_value || !self.texts.slice(span).contains('`') {
            return Some(span);
        }
        let text = self.texts.slice(span).to_string();
        let replaced = self.replaced(&text, span);
        self.made(replaced, what, span)
    }

    /// Adds a text that is in no file, made from the words at a span.
    pub(crate) fn made(&mut self, content: String, what: &str, at: Span) -> Option<Span> {
        let end = content.len() as u32;
        match self.texts.add(what, content, Origin::Expansion { what: what.to_string(), at }) {
            Ok(text) => Some(Span { text, start: 0, end }),
            Err(_) => {
                self.stop(at, "the configuration expands to too much text".to_string());
                None
            }
        }
    }

    fn replaced(&mut self, text: &str, span: Span) -> String {
        let mut out = String::with_capacity(text.len());
        let mut quote = None;
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let mut taken = character.len_utf8();
            match (quote, character) {
                (Some('"'), '\\') => {
                    taken += rest[1..].chars().next().map_or(0, char::len_utf8);
                    out.push_str(&rest[..taken]);
                }
                (_, '`') => {
                    let at = (text.len() - rest.len()) as u32 + span.start;
                    let (value, length) = self.backtick_value(rest, Span { start: at, end: at + 1, ..span });
                    taken = length;
                    match quote {
                        Some(quote) => out.push_str(&inside(quote, &value)),
                        None => out.push_str(&value),
                    }
                }
                (Some(open), _) => {
                    if character == open {
                        quote = None;
                    }
                    out.push(character);
                }
                (None, _) => {
                    if matches!(character, '"' | '\'') {
                        quote = Some(character);
                    }
                    out.push(character);
                }
            }
            rest = &rest[taken..];
        }
        out
    }
}

/// Returns the number of bytes before the closing mark. `None` when there is none.
fn piece_length(text: &[u8], close: u8) -> Option<usize> {
    let open = if close == b')' { b'(' } else { b'{' };
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match *byte {
            b'#' => at += text[at..].iter().position(|byte| *byte == b'\n')?,
            quote @ (b'"' | b'\'') => at = string_end(text, at + 1, quote)?,
            b'/' if is_pattern(&text[..at]) => at = pattern_end(text, at + 1)?,
            byte if byte == open => depth += 1,
            byte if byte == close && depth == 0 => return Some(at),
            byte if byte == close => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the number of bytes of Python before the closing brace. `None` when there is none.
fn python_length(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match *byte {
            b'#' => at += text[at..].iter().position(|byte| *byte == b'\n')?,
            quote @ (b'"' | b'\'') => at = python_string_end(text, at, quote)?,
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the offset of the last byte of a string of Python that begins at a quote. One of a single line ends with it.
fn python_string_end(text: &[u8], start: usize, quote: u8) -> Option<usize> {
    let long = [quote; 3];
    let is_long = text[start..].starts_with(&long);
    let mut at = start + if is_long { 3 } else { 1 };
    loop {
        match *text.get(at)? {
            b'\\' => at += 2,
            byte if is_long && byte == quote && text[at..].starts_with(&long) => return Some(at + 2),
            byte if !is_long && (byte == quote || byte == b'\n') => return Some(at),
            _ => at += 1,
        }
    }
}

/// Returns true when the next token is the pattern of a match in filterx: it comes after `=~` or `!~`.
fn is_pattern(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    before.ends_with(b"=~") || before.ends_with(b"!~")
}

/// Returns the offset of the slash that ends a pattern.
fn pattern_end(text: &[u8], mut at: usize) -> Option<usize> {
    while let Some(byte) = text.get(at) {
        match *byte {
            b'/' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

/// Returns the offset of the closing quote.
fn string_end(text: &[u8], mut at: usize, quote: u8) -> Option<usize> {
    while let Some(byte) = text.get(at) {
        match *byte {
            byte if byte == quote => return Some(at),
            b'\\' if quote == b'"' => at += 2,
            _ => at += 1,
        }
    }
    None
}
