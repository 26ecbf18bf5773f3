//! Ranges, comparisons and exact texts.
//!
//! In: the cursor at their first character. Out: a node, the cursor after it.

use super::Parser;
use crate::language::{
    error::QueryError,
    tree::{Comparison, End, EndText, Node, ParameterPosition, Test, Text, UncomparedRange},
};

impl Parser {
    /// `[a TO b}`
    pub(super) fn range(&mut self, start: usize, field: Option<Text>) -> Result<Node, QueryError> {
        let open = self.cursor.position();
        let inclusive = self.cursor.next() == Some('[');
        let lower = End { text: self.range_end(open)?, inclusive };
        let to = self.cursor.skip_blanks();
        if !self.cursor.starts_with("TO") || self.cursor.peek_at(2).is_some_and(|c| !c.is_whitespace()) {
            let length = to.max(open + 1) - open;
            let remedy = "write [10 TO 20], or \\[ to search for the character";
            return Err(QueryError::new(open, length, "a range needs TO between its ends", remedy));
        }
        self.cursor.advance(2);
        let text = self.range_end(open)?;
        self.cursor.skip_blanks();
        let inclusive = match self.cursor.next() {
            Some(']') => true,
            Some('}') => false,
            _ => {
                let remedy = "add ] to include the upper end, } to leave it out";
                return Err(QueryError::new(open, 1, "missing ] or } that ends the range", remedy));
            }
        };
        self.finish(start, field, Test::Range { lower, upper: End { text, inclusive } })
    }

    /// One end of a range; none for `*`.
    fn range_end(&mut self, open: usize) -> Result<Option<EndText>, QueryError> {
        self.cursor.skip_blanks();
        let star = self.cursor.peek() == Some('*')
            && self.cursor.peek_at(1).is_none_or(|c| c.is_whitespace() || matches!(c, ']' | '}'));
        if star {
            self.cursor.advance(1);
            return Ok(None);
        }
        let text = self.literal(|c| matches!(c, ']' | '}'))?;
        if text.text.is_empty() && !text.quoted {
            let length = (self.cursor.position() - open).max(1);
            let remedy = "write * for an open end: [10 TO *]";
            return Err(QueryError::new(open, length, "an end of the range is missing", remedy));
        }
        Ok(Some(text))
    }

    /// `>=10`
    pub(super) fn comparison(&mut self, start: usize, field: Option<Text>) -> Result<Node, QueryError> {
        let sign = self.cursor.position();
        let greater = self.cursor.next() == Some('>');
        let comparison = match (greater, self.cursor.eat('=')) {
            (true, true) => Comparison::GreaterOrEqual,
            (true, false) => Comparison::Greater,
            (false, true) => Comparison::LessOrEqual,
            (false, false) => Comparison::Less,
        };
        let text = self.operand(sign, comparison.sign())?;
        self.finish(start, field, Test::Compare(comparison, text))
    }

    /// `=text` or `==text`
    pub(super) fn exact(&mut self, start: usize, field: Option<Text>) -> Result<Node, QueryError> {
        let sign = self.cursor.position();
        self.cursor.advance(1);
        let whole = self.cursor.eat('=');
        let text = self.operand(sign, if whole { "==" } else { "=" })?;
        let test = if whole { Test::CaseExact(text) } else { Test::Exact(text) };
        self.finish(start, field, test)
    }

    fn operand(&mut self, sign: usize, written: &str) -> Result<EndText, QueryError> {
        self.cursor.skip_blanks();
        let text = self.literal(|c| matches!(c, '(' | ')' | '"' | '^'))?;
        if text.text.is_empty() && !text.quoted {
            let message = format!("{written} has nothing after it");
            let remedy = "add a value, or put the sign in quotes to search for it";
            return Err(QueryError::new(sign, written.len(), message, remedy));
        }
        Ok(text)
    }

    /// Text without wildcards: in quotes, or up to a blank or a character for which `ends` is true.
    fn literal(&mut self, ends: fn(char) -> bool) -> Result<EndText, QueryError> {
        let start = self.cursor.position();
        if let Some(name) = self.parameter(ParameterPosition::Literal)? {
            return Ok(EndText {
                text: name,
                quoted: true,
                place: UncomparedRange(self.cursor.place_from(start)),
            });
        }
        if self.cursor.peek() == Some('"') {
            let text = self.quoted()?.shown();
            return Ok(EndText { text, quoted: true, place: UncomparedRange(self.cursor.place_from(start)) });
        }
        let mut text = String::new();
        while let Some(c) = self.cursor.peek().filter(|c| !c.is_whitespace() && !ends(*c)) {
            self.cursor.advance(1);
            text.push(if c == '\\' { self.cursor.escaped()? } else { c });
        }
        Ok(EndText { text, quoted: false, place: UncomparedRange(self.cursor.place_from(start)) })
    }
}
