//! A position in the text of a query.
//!
//! In: text. Out: its characters, one by one, and errors with their position. Counts characters, not bytes.

use crate::language::{error::QueryError, tree::TextRange};

pub(super) struct Cursor {
    chars: Vec<char>,
    at: usize,
}

/// Characters that end a term unless escaped.
pub(super) fn ends_term(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '"' | '^' | '~' | ':' | '|')
}

impl Cursor {
    pub(super) fn new(text: &str) -> Cursor {
        Cursor { chars: text.chars().collect(), at: 0 }
    }

    pub(super) fn length(&self) -> usize {
        self.chars.len()
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.chars.len()
    }

    pub(super) fn char_at(&self, index: usize) -> Option<char> {
        self.chars.get(index).copied()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.char_at(self.at)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.char_at(self.at + ahead)
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    pub(super) fn advance(&mut self, count: usize) {
        self.at = (self.at + count).min(self.chars.len());
    }

    pub(super) fn back_to(&mut self, position: usize) {
        self.at = position;
    }

    /// Skips a character if it is next.
    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    /// Skips blanks; returns the position after them.
    pub(super) fn skip_blanks(&mut self) -> usize {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
        self.at
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(index, c)| self.peek_at(index) == Some(c))
    }

    /// Returns true if the whole word comes next, and not the start of a longer word or of a field's name.
    pub(super) fn starts_with_word(&self, word: &str) -> bool {
        self.starts_with(word)
            && self.peek_at(word.len()).is_none_or(|c| ends_term(c) && !matches!(c, ':' | '^' | '~'))
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> String {
        self.chars.get(start..end.min(self.chars.len())).unwrap_or_default().iter().collect()
    }

    pub(super) fn place_from(&self, start: usize) -> TextRange {
        TextRange { start, end: self.at }
    }

    /// Reads the character after a backslash.
    pub(super) fn escaped(&mut self) -> Result<char, QueryError> {
        let start = self.at - 1;
        match self.next() {
            None => Err(QueryError::new(
                start,
                1,
                "a backslash at the end escapes nothing",
                "write \\\\ to search for a backslash",
            )),
            Some('u') => {
                let digits = self.slice(self.at, self.at + 4);
                let complete = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                let code = u32::from_str_radix(&digits, 16).ok().filter(|_| complete);
                let Some(c) = code.and_then(char::from_u32) else {
                    return Err(QueryError::new(
                        start,
                        2,
                        "\\u needs the four hexadecimal digits of a character",
                        "write \\\\u to search for a backslash and a u",
                    ));
                };
                self.advance(4);
                Ok(c)
            }
            Some(c) => Ok(c),
        }
    }
}
