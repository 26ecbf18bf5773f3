//! The texts of a configuration and positions in them.
//!
//! In: files, built-in blocks, expansions. Out: spans, and line and column of a span.
//! Holds: every text once; the expansion of a block shares the text of the file that defines it, so that a
//! position inside an expansion is a position in a file, plus the chain of expansions that lead to it.
//! Limits: `TEXT_BYTES_MAX` bytes, `EXPANSIONS_MAX` texts.

use std::sync::Arc;

use crate::limits::{EXPANSIONS_MAX, TEXT_BYTES_MAX};

/// One text: a file, or one expansion of a block, an argument or a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextId(pub(crate) u32);

/// A stretch of a text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// The text that contains it.
    pub text: TextId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the span from the start of `self` to the end of `last`, when both are in one text; `self` otherwise.
    pub fn to(self, last: Span) -> Span {
        if self.text == last.text && last.end >= self.start { Span { end: last.end, ..self } } else { self }
    }
}

/// The origin of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The file that the user named.
    Root,
    /// An `@include` at this position.
    Include(Span),
    /// A use of a substitution at this position.
    Expansion {
        /// The expanded expression: ``block `name()` `` or `` `NAME` ``.
        what: String,
        /// The position of its use.
        at: Span,
    },
}

/// Line and column of a span, for people: both count from 1, columns count characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// File name, or the name of the substituted value.
    pub name: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

struct Text {
    name: Arc<str>,
    content: Arc<str>,
    origin: Origin,
}

/// All texts of one configuration.
#[derive(Default)]
pub struct Texts {
    texts: Vec<Text>,
    bytes: usize,
}

/// The limit on texts is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooMuchText;

impl Texts {
    /// Takes a new text.
    pub(crate) fn add(&mut self, name: &str, content: String, origin: Origin) -> Result<TextId, TooMuchText> {
        self.bytes += content.len();
        if self.bytes > TEXT_BYTES_MAX {
            return Err(TooMuchText);
        }
        self.push(name.into(), content.into(), origin)
    }

    /// Adds a second view of the text that `source` is, with its own origin.
    pub(crate) fn share(&mut self, source: TextId, origin: Origin) -> Result<TextId, TooMuchText> {
        let (name, content) = match self.text(source) {
            Some(text) => (text.name.clone(), text.content.clone()),
            None => return Err(TooMuchText),
        };
        self.push(name, content, origin)
    }

    fn push(&mut self, name: Arc<str>, content: Arc<str>, origin: Origin) -> Result<TextId, TooMuchText> {
        if self.texts.len() >= EXPANSIONS_MAX {
            return Err(TooMuchText);
        }
        let id = TextId(u32::try_from(self.texts.len()).map_err(|_| TooMuchText)?);
        self.texts.push(Text { name, content, origin });
        Ok(id)
    }

    fn text(&self, id: TextId) -> Option<&Text> {
        self.texts.get(id.0 as usize)
    }

    /// Returns the content of a text.
    pub(crate) fn content(&self, id: TextId) -> Arc<str> {
        self.text(id).map(|text| text.content.clone()).unwrap_or_default()
    }

    /// Returns the name of a text: its file, or the name that it is the value of.
    pub fn name(&self, id: TextId) -> &str {
        self.text(id).map_or("", |text| &text.name)
    }

    /// Returns the files that were read: the first one and those that it includes, each once.
    pub fn files(&self) -> Vec<&str> {
        let is_file = |text: &&Text| matches!(text.origin, Origin::Root | Origin::Include(_));
        let mut files: Vec<&str> = self.texts.iter().filter(is_file).map(|text| &*text.name).collect();
        let mut known = std::collections::HashSet::new();
        files.retain(|file| known.insert(*file));
        files
    }

    /// Returns the origin of a text.
    pub fn origin(&self, id: TextId) -> &Origin {
        self.text(id).map_or(&Origin::Root, |text| &text.origin)
    }

    /// Returns the words at a span.
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.text)
            .and_then(|text| text.content.get(span.start as usize..span.end as usize))
            .unwrap_or_default()
    }

    /// Returns the file, line and column of the start of a span.
    pub fn location(&self, span: Span) -> Location {
        let (line, column, _) = self.line(span);
        Location { name: self.name(span.text).to_string(), line, column }
    }

    /// Returns the line number, the column and the text of the line that a span starts in.
    pub(crate) fn line(&self, span: Span) -> (usize, usize, &str) {
        let content: &str = self.text(span.text).map_or("", |text| &text.content);
        let mut at = (span.start as usize).min(content.len());
        while !content.is_char_boundary(at) {
            at -= 1;
        }
        let (before, after) = content.split_at(at);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = at + after.find('\n').unwrap_or(after.len());
        let number = before.matches('\n').count() + 1;
        let column = before[start..].chars().count() + 1;
        (number, column, content[start..end].trim_end_matches('\r'))
    }
}
