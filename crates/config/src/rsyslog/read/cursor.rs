//! The characters of one rsyslog file.
//!
//! In: its text. Out: characters, words, strings, lines, with line numbers.
//! Holds: the position.

use crate::rsyslog::refusal::{Converted, Refusal};

pub(super) struct Cursor<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Cursor { text, position: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.position += character.len_utf8();
        Some(character)
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.position = (self.position + bytes).min(self.text.len());
    }

    /// Returns the number of the current line, from 1.
    pub(super) fn line(&self) -> usize {
        self.text[..self.position].matches('\n').count() + 1
    }

    /// Returns the rest of the current line, for people.
    pub(super) fn line_text(&self) -> String {
        self.rest().lines().next().unwrap_or_default().trim().to_string()
    }

    /// Skips white space, `# ...` and `/* ... */`.
    pub(super) fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.advance(rest.len() - trimmed.len());
            if trimmed.starts_with('#') {
                self.advance(trimmed.find('\n').unwrap_or(trimmed.len()));
            } else if trimmed.starts_with("/*") {
                self.advance(trimmed.find("*/").map_or(trimmed.len(), |end| end + 2));
            } else {
                return;
            }
        }
    }

    /// Skips blanks of the current line.
    pub(super) fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.advance(1);
        }
    }

    /// Consumes a mark if it is next.
    pub(super) fn take(&mut self, mark: &str) -> bool {
        let found = self.rest().starts_with(mark);
        if found {
            self.advance(mark.len());
        }
        found
    }

    /// Returns the name at the cursor, without consuming it.
    pub(super) fn peek_name(&self) -> &'a str {
        let rest = self.rest();
        let is_name =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.');
        let length = rest.find(|character| !is_name(character)).unwrap_or(rest.len());
        rest.get(..length).unwrap_or_default()
    }

    pub(super) fn name(&mut self) -> &'a str {
        let name = self.peek_name();
        self.advance(name.len());
        name
    }

    /// Reads up to the end of the line; a backslash at its end joins the next line. A comment at its end is cut off.
    pub(super) fn logical_line(&mut self) -> String {
        let mut out = String::new();
        let mut quote = None;
        while let Some(character) = self.next() {
            match character {
                '\n' => break,
                '\\' if self.rest().starts_with('\n') || self.rest().starts_with("\r\n") => {
                    let rest = self.rest().trim_start();
                    self.advance(self.rest().len() - rest.len());
                }
                '\\' if quote.is_some() => {
                    out.push(character);
                    out.extend(self.next());
                }
                '#' if quote.is_none() && (out.is_empty() || out.ends_with([' ', '\t'])) => {
                    let rest = self.rest();
                    self.advance(rest.find('\n').unwrap_or(rest.len()));
                }
                other => {
                    match quote {
                        None if other == '"' => quote = Some(other),
                        Some(open) if open == other => quote = None,
                        _ => {}
                    }
                    out.push(other);
                }
            }
        }
        out.trim().to_string()
    }

    /// Reads a string in double or single quotes, or in backticks; its first quote is next.
    pub(super) fn string(&mut self) -> Converted<String> {
        let Some(quote @ ('"' | '\'' | '`')) = self.next() else {
            return Err(Refusal::expected("a string in quotes"));
        };
        let mut out = String::new();
        loop {
            match self.next() {
                None => return Err(Refusal::expected("the end of a string")),
                Some(character) if character == quote => return Ok(out),
                Some('\\') if quote != '`' => match self.next() {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('r') => out.push('\r'),
                    Some('b') => out.push('\u{8}'),
                    Some('f') => out.push('\u{c}'),
                    Some('a') => out.push('\u{7}'),
                    Some(other @ ('"' | '\'' | '\\' | '?' | '$' | '`' | '%')) => {
                        if other == '%' {
                            out.push('\\');
                        }
                        out.push(other);
                    }
                    Some(other) => out.extend(['\\', other]),
                    None => return Err(Refusal::expected("the end of a string")),
                },
                Some(other) => out.push(other),
            }
        }
    }
}
