//! Backticks: block argument, then define, then environment variable.
//!
//! In: `` `NAME` `` in the text. Out: its value, read as if it were written there; inside a string, the value as
//! characters.
//! Limits: a value is substituted once; an unknown name is replaced by nothing, with a warning.

use super::literal;
use super::reader::{Frame, Nature};
use super::stream::Lexer;
use crate::diagnostic::Diagnostic;
use crate::text::{Origin, Span};
use crate::words::keyword;

/// Longest name between backticks; a longer one is a forgotten backtick.
const NAME_BYTES_MAX: usize = 128;

/// The replacement of a name.
enum Meaning {
    /// Pieces of text from elsewhere in the configuration.
    Pieces(Vec<Span>),
    /// The value of a define or a variable.
    Value(String),
}

impl Lexer<'_> {
    /// Replaces a substitution outside strings: its value is read next.
    pub(super) fn substitute(&mut self) {
        let Some((name, at)) = self.backticked() else { return };
        if name.is_empty() {
            return;
        }
        if let Some(argument) = name.strip_suffix('?') {
            self.skip_line_without(argument);
            return;
        }
        let origin = Origin::Expansion { what: format!("`{name}`"), at };
        match self.meaning(&name, at) {
            Some(Meaning::Pieces(spans)) => {
                for span in spans.into_iter().rev() {
                    self.push(span, origin.clone(), Nature::Value);
                }
            }
            Some(Meaning::Value(value)) => {
                let length = value.len();
                match self.texts.add(&format!("value of `{name}`"), value, origin) {
                    Ok(text) => {
                        let content = self.texts.content(text);
                        self.reader.push(Frame::new(text, content, 0..length, Nature::Value));
                    }
                    Err(_) => self.stop(at, "the configuration expands to too much text".to_string()),
                }
            }
            None => {}
        }
    }

    /// Skips the rest of a line after `` `NAME?` `` when the argument NAME of the block is empty.
    fn skip_line_without(&mut self, argument: &str) {
        let spans = self.reader.values().and_then(|values| values.named.get(&keyword(argument)).cloned());
        let given = spans.map(|spans| self.joined(&spans)).unwrap_or_default();
        if !matches!(given.trim(), "" | "\"\"" | "''") {
            return;
        }
        let rest = self.reader.rest();
        self.reader.advance(rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()));
    }

    /// Replaces a substitution inside a string. A value that is itself a quoted string becomes its characters;
    /// backslashes in other values have the meaning that they have in the string.
    pub(super) fn substitute_in_string(&mut self, quote: u8, out: &mut String) {
        let Some((name, at)) = self.backticked() else {
            out.push('`');
            return;
        };
        if name.is_empty() {
            out.push('`');
            return;
        }
        let value = match self.meaning(&name, at) {
            Some(Meaning::Pieces(spans)) => self.joined(&spans),
            Some(Meaning::Value(value)) => value,
            None => return,
        };
        match characters(value.trim()) {
            Some(characters) => out.push_str(&characters),
            None if quote == b'"' => out.push_str(&literal::unescape(&value)),
            None => out.push_str(&value),
        }
    }

    /// Reads the name between two backticks, and its position. `None`, with an error, if the second backtick is
    /// missing.
    pub(super) fn backticked(&mut self) -> Option<(String, Span)> {
        let start = self.reader.start();
        let rest = self.reader.rest();
        let name = rest.get(1..).unwrap_or_default();
        let length = name.iter().take(NAME_BYTES_MAX).position(|byte| matches!(byte, b'`' | b'\n'));
        let closed = length.filter(|length| name.get(*length) == Some(&b'`'));
        let Some(length) = closed else {
            self.reader.bump();
            let span = self.reader.span(start);
            self.report.push(
                Diagnostic::error(span, "backtick is not closed")
                    .help("write `NAME` for the value of NAME, and two backticks for a backtick"),
            );
            return None;
        };
        let name = String::from_utf8_lossy(&name[..length]).into_owned();
        self.reader.advance(length + 2);
        Some((name, self.reader.span(start)))
    }

    /// Returns the replacement of the backtick expression at the start of `text`, and the number of bytes that the
    /// expression takes. For text that the reader does not read.
    pub(super) fn backtick_value(&mut self, text: &str, at: Span) -> (String, usize) {
        let Some(length) = text[1..].find('`') else {
            self.report.push(Diagnostic::error(at, "backtick is not closed"));
            return (String::new(), text.len());
        };
        let at = Span { end: at.start + length as u32 + 2, ..at };
        let name = &text[1..1 + length];
        if name.is_empty() {
            return ("`".to_string(), 2);
        }
        let value = match self.meaning(name, at) {
            Some(Meaning::Pieces(spans)) => self.joined(&spans),
            Some(Meaning::Value(value)) => value,
            None => String::new(),
        };
        (value, length + 2)
    }

    fn joined(&self, spans: &[Span]) -> String {
        spans.iter().map(|span| self.texts.slice(*span)).collect::<Vec<_>>().join(" ")
    }

    fn meaning(&mut self, name: &str, at: Span) -> Option<Meaning> {
        let key = keyword(name);
        if let Some(spans) = self.reader.values().and_then(|values| values.named.get(&key).cloned()) {
            return Some(Meaning::Pieces(spans));
        }
        let value = self.defines.get(&key).cloned().or_else(|| self.surroundings.variable(name));
        if value.is_none() && self.undefined_told.insert(name.to_string()) {
            self.report.push(
                Diagnostic::warning(at, format!("`{name}` is not defined; it is replaced by nothing"))
                    .label("no block argument, no @define and no environment variable of this name")
                    .help(format!("add `@define {name} \"value\"` above")),
            );
        }
        value.map(Meaning::Value)
    }
}

/// Returns the text that a value becomes inside quotes, where it is read once more.
pub(super) fn inside(quote: char, value: &str) -> String {
    match (quote, characters(value.trim())) {
        ('"', Some(characters)) => characters.replace('\\', "\\\\").replace('"', "\\\""),
        (_, Some(characters)) => characters,
        ('"', None) => value.replace('"', "\\\""),
        (_, None) => value.to_string(),
    }
}

/// Returns the characters of a quoted string: `"abc"` and `'abc'` yield abc; anything else is not a quoted string.
fn characters(text: &str) -> Option<String> {
    let inner = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    match inner('\'').filter(|raw| !raw.contains('\'')) {
        Some(raw) => Some(raw.to_string()),
        None => inner('"').map(literal::unescape),
    }
}
