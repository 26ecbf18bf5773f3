//! Selectors, property filters and actions in the style of sysklogd.
//!
//! In: `mail.* -/var/log/mail.log`, `:msg, contains, "x" ~`. Out: nodes.

use super::{BadSyntax, Parsed, Reader};
use crate::rsyslog::syntax::{Node, Test};

/// Returns true when a line starts with a selector: `facility.severity` and then a blank.
pub(super) fn is_selector(rest: &str) -> bool {
    let word = joined(rest.split('\n').take(8).collect::<Vec<_>>().join("\n").as_str());
    let selector = word.split([' ', '\t', '{']).next().unwrap_or_default();
    selector.contains('.')
        && !selector.starts_with(['/', '-', '@', '|', '^', '~', '.', '?'])
        && selector.chars().all(|one| one.is_ascii_alphanumeric() || ".,;*=!-_".contains(one))
}

/// Joins lines that end with a backslash to the next one.
fn joined(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\\n") {
        out.push_str(before);
        rest = after.trim_start();
    }
    out.push_str(rest.lines().next().unwrap_or_default());
    out
}

/// Returns true when a line that starts with a colon is `:property, operation, "value"`, and not `:omusrmsg:*`.
pub(super) fn is_property_filter(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default();
    line.find(',').is_some_and(|comma| line[1..].find(':').is_none_or(|colon| comma < colon + 1))
}

impl Reader<'_> {
    /// Reads `mail.*;auth.none action`.
    pub(super) fn selector(&mut self) -> Parsed<Node> {
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
    pub(super) fn property_filter(&mut self) -> Parsed<Node> {
        let test = self.property_test()?;
        let then = self.block()?;
        Ok(Node::If { test, then, otherwise: Vec::new() })
    }

    /// Reads `:property, [!]operation, "value"`.
    pub(super) fn property_test(&mut self) -> Parsed<Test> {
        self.cursor.take(":");
        let rest = self.cursor.rest();
        let comma = rest.find([',', '\n']).filter(|at| rest[*at..].starts_with(','));
        let Some(comma) = comma else { return Err(BadSyntax::new("`,` behind the property")) };
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
            return Err(BadSyntax::new("`,` behind the operation"));
        }
        Ok(Test::Property { name, negated, operation, value })
    }

    /// Reads the string of a property filter: only `\"` and `\\` are escapes.
    fn filter_string(&mut self) -> Parsed<String> {
        if !self.cursor.take("\"") {
            return Err(BadSyntax::new("a string in double quotes"));
        }
        let mut out = String::new();
        loop {
            match self.cursor.next() {
                Some('"') => return Ok(out),
                Some('\\') => match self.cursor.next() {
                    Some(other @ ('"' | '\\')) => out.push(other),
                    Some(other) => out.extend(['\\', other]),
                    None => return Err(BadSyntax::new("the end of a string")),
                },
                Some('\n') | None => return Err(BadSyntax::new("the end of a string")),
                Some(other) => out.push(other),
            }
        }
    }

    /// Reads the rest of the line as an action; inside a block it ends before the closing brace.
    pub(super) fn legacy_action(&mut self) -> Parsed<String> {
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
            true => Err(BadSyntax::new("an action")),
            false => Ok(action),
        }
    }
}
