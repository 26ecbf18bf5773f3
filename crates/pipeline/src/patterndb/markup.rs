//! XML as a sequence of elements and texts, each with its position.
//!
//! In: the text of a file. Out: starts and ends of elements, and texts that are not empty. Comments, instructions and
//! document types are left out; they part texts. Only the five entities of XML itself and character references exist.
//! Holds: the reader. Limits: text that is not well-formed is an error with its position; entities are never expanded further.

use quick_xml::{Reader, XmlVersion, escape::resolve_predefined_entity, events::Event};
use std::fmt;

/// Error in a pattern database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// The fault at that place.
    pub reason: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.reason)
    }
}

impl std::error::Error for LoadError {}

/// One item of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    Start { name: String, attributes: Vec<(String, String)> },
    Text(String),
    End { name: String },
}

/// Reads a file.
pub(super) struct Markup<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// A mark that was read already and comes next.
    waiting: Option<(Mark, usize)>,
    /// Offset of the mark returned last.
    at: usize,
    /// Offset up to which lines were counted, the number of that line, and the offset of its start.
    counted: (usize, usize, usize),
}

impl<'a> Markup<'a> {
    pub(super) fn new(text: &'a str) -> Markup<'a> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Markup { text, reader, waiting: None, at: 0, counted: (0, 1, 0) }
    }

    /// Returns the line and the column, from 1, of the mark returned last.
    pub(super) fn position(&mut self) -> (usize, usize) {
        let (from, line, start) = self.counted;
        let from = if self.at < from { 0 } else { from };
        let (line, start) = if from == 0 { (1, 0) } else { (line, start) };
        let passed = &self.text.as_bytes()[from..self.at];
        let line = line + passed.iter().filter(|byte| **byte == b'\n').count();
        let start = memchr::memrchr(b'\n', passed).map_or(start, |newline| from + newline + 1);
        self.counted = (self.at, line, start);
        (line, self.at - start + 1)
    }

    /// Returns the next mark; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Mark>, LoadError> {
        if let Some((mark, at)) = self.waiting.take() {
            self.at = at;
            return Ok(Some(mark));
        }
        let mut text = String::new();
        let mut text_at = 0;
        loop {
            let at = self.reader.buffer_position() as usize;
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => {
                    self.at = (self.reader.error_position() as usize).min(self.text.len());
                    return Err(self.error(error.to_string()));
                }
            };
            let piece = match &event {
                Event::Text(piece) => Some(self.utf8(piece, at)?),
                Event::CData(piece) => Some(self.utf8(piece, at)?),
                Event::GeneralRef(name) => Some(self.entity(name, at)?),
                _ => None,
            };
            if let Some(piece) = piece {
                if text.is_empty() {
                    text_at = at;
                }
                text.push_str(&piece);
                continue;
            }
            let (mark, is_last) = match event {
                Event::Start(start) => {
                    let name = self.utf8(start.name().as_ref(), at)?;
                    (Some(Mark::Start { name, attributes: self.attributes(&start, at)? }), false)
                }
                Event::End(end) => (Some(Mark::End { name: self.utf8(end.name().as_ref(), at)? }), false),
                Event::Eof => (None, true),
                _ => (None, false),
            };
            if !text.is_empty() {
                self.waiting = mark.map(|mark| (mark, at));
                self.at = text_at;
                return Ok(Some(Mark::Text(text)));
            }
            self.at = at.min(self.text.len());
            if mark.is_some() || is_last {
                return Ok(mark);
            }
        }
    }

    fn attributes(
        &mut self,
        start: &quick_xml::events::BytesStart<'_>,
        at: usize,
    ) -> Result<Vec<(String, String)>, LoadError> {
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let read = attribute.map_err(|error| error.to_string()).and_then(|attribute| {
                let value =
                    attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| error.to_string())?;
                Ok((String::from_utf8_lossy(attribute.key.as_ref()).into_owned(), value.into_owned()))
            });
            attributes.push(read.map_err(|reason| self.error_at(at, reason))?);
        }
        Ok(attributes)
    }

    /// Returns the text of a reference such as `&amp;` or `&#10;`.
    fn entity(
        &mut self,
        reference: &quick_xml::events::BytesRef<'_>,
        at: usize,
    ) -> Result<String, LoadError> {
        if let Ok(Some(character)) = reference.resolve_char_ref() {
            return Ok(character.to_string());
        }
        let name = String::from_utf8_lossy(reference).into_owned();
        match resolve_predefined_entity(&name) {
            Some(text) => Ok(text.to_owned()),
            None => Err(self.error_at(at, format!("unknown entity &{name};"))),
        }
    }

    fn utf8(&mut self, bytes: &[u8], at: usize) -> Result<String, LoadError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(self.error_at(at, "text is no UTF-8")),
        }
    }

    /// Makes an error at the mark returned last.
    pub(super) fn error(&mut self, reason: impl Into<String>) -> LoadError {
        let (line, column) = self.position();
        LoadError { line, column, reason: reason.into() }
    }

    fn error_at(&mut self, at: usize, reason: impl Into<String>) -> LoadError {
        self.at = at.min(self.text.len());
        self.error(reason)
    }
}
