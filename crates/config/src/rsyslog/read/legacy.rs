//! Selectors, property filters and actions in the style of sysklogd.
//!
//! In: `mail.* -/var/log/mail.log`, `:msg, contains, "x" ~`. Out: nodes.

use super::reader::Reader;
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::{Node, Test};

impl Reader<'_> {
    /// Reads `mail.*;auth.none action`.
    pub(super) fn selector(&mut self) -> Converted<Node> {
        let mut selector = String::new();
        while let Some(character) = self.cursor.peek() {
            match character {
                '\\' => {
                    self.cursor.next();
                    let rest = self.cursor.rest();
                    self.cursor.advance(rest.len() - rest.trim_start().len());
                }
                ' ' | '\t' | '\n' | '\r' | '{' => break,
                _ => selector.extend(self.cursor.next()),
            }
        }
        let then = self.block()?;
        Ok(Node::If { test: Test::Selector(selector), then, otherwise: Vec::new() })
    }

    /// Reads `:property, [!]operation, "value" action`.
    pub(super) fn property_filter(&mut self) -> Converted<Node> {
        let test = self.property_test()?;
        let then = self.block()?;
        Ok(Node::If { test, then, otherwise: Vec::new() })
    }

    /// Reads `:property, [!]operation, "value"`.
    pub(super) fn property_test(&mut self) -> Converted<Test> {
        self.cursor.take(":");
        let rest = self.cursor.rest();
        let comma = rest.find([',', '\n']).filter(|at| rest[*at..].starts_with(','));
        let Some(comma) = comma else { return Err(Refusal::expected("`,` behind the property")) };
        let name = rest[..comma].trim().to_string();
        self.cursor.advance(comma + 1);
        self.cursor.skip_spaces();
        let negated = self.cursor.take("!");
        let operation = self.cursor.name().to_ascii_lowercase();
        self.cursor.skip_spaces();
        let mut value = String::new();
        if self.cursor.take(",") {
            self.cursor.skip_spaces();
            value = self.filter_string()?;
        } else if operation != "isempty" {
            return Err(Refusal::expected("`,` behind the operation"));
        }
        Ok(Test::Property { name, negated, operation, value })
    }

    /// Reads the string of a property filter: only `\"` and `\\` are escapes.
    fn filter_string(&mut self) -> Converted<String> {
        if !self.cursor.take("\"") {
            return Err(Refusal::expected("a string in double quotes"));
        }
        let mut out = String::new();
        loop {
            match self.cursor.next() {
                Some('"') => return Ok(out),
                Some('\\') => match self.cursor.next() {
                    Some(other @ ('"' | '\\')) => out.push(other),
                    Some(other) => out.extend(['\\', other]),
                    None => return Err(Refusal::expected("the end of a string")),
                },
                Some('\n') | None => return Err(Refusal::expected("the end of a string")),
                Some(other) => out.push(other),
            }
        }
    }

    /// Reads the rest of the line as an action; inside a block it ends before the closing brace.
    pub(super) fn legacy_action(&mut self) -> Converted<String> {
        let line_end = self.cursor.rest().find('\n').unwrap_or(self.cursor.rest().len());
        let line = self.cursor.rest().get(..line_end).unwrap_or_default();
        let brace = line.find('}').filter(|_| self.nesting > 0 && !line.contains('{'));
        let action = match brace {
            Some(at) => {
                self.cursor.advance(at);
                line[..at].trim().to_string()
            }
            None => self.cursor.logical_line(),
        };
        match action.is_empty() {
            true => Err(Refusal::expected("an action")),
            false => Ok(action),
        }
    }
}
