//! Characters of nested texts, one after the other.
//!
//! In: texts pushed by includes, block uses and substitutions. Out: bytes with their positions.
//! Holds: the stack of texts being read. A substituted value joins the words around it; a file or a block ends a word.
//! Limits: the caller of `push` checks the depth.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::text::{Span, TextId};

/// The values of a block's arguments in one use: name in keyword spelling, and the pieces of its text.
#[derive(Default, Debug)]
pub(crate) struct Values {
    pub(crate) named: BTreeMap<String, Vec<Span>>,
}

/// The kind of a text on the stack.
pub(crate) enum Nature {
    /// A file.
    File,
    /// The body of a block, with the values of its arguments.
    Block(Arc<Values>),
    /// One of several pieces that are read one after the other in place of a use; it has no arguments.
    Piece,
    /// The value of an argument, a define or a variable: substituted once, never again.
    Value,
    /// A standalone filter expression, with its own rules for words: see [`super::expression`].
    Expression,
}

pub(crate) struct Frame {
    pub(crate) text: TextId,
    content: Arc<str>,
    position: usize,
    end: usize,
    pub(crate) nature: Nature,
}

impl Frame {
    pub(crate) fn new(
        text: TextId,
        content: Arc<str>,
        region: std::ops::Range<usize>,
        nature: Nature,
    ) -> Self {
        let end = region.end.min(content.len());
        Frame { text, content, position: region.start.min(end), end, nature }
    }

    fn rest(&self) -> &[u8] {
        self.content.as_bytes().get(self.position..self.end).unwrap_or_default()
    }
}

/// A mark from which a span can be made later.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    text: TextId,
    position: usize,
    depth: usize,
}

#[derive(Default)]
pub(crate) struct Reader {
    frames: Vec<Frame>,
}

impl Reader {
    pub(crate) fn push(&mut self, frame: Frame) {
        self.frames.push(frame);
    }

    pub(crate) fn depth(&self, of: fn(&Nature) -> bool) -> usize {
        self.frames.iter().filter(|frame| of(&frame.nature)).count()
    }

    /// Returns true when a backtick in the text being read is an ordinary character.
    pub(crate) fn in_value(&self) -> bool {
        self.frames.last().is_some_and(|frame| matches!(frame.nature, Nature::Value | Nature::Expression))
    }

    /// Returns true when the text being read is a standalone expression.
    pub(crate) fn in_expression(&self) -> bool {
        self.frames.last().is_some_and(|frame| matches!(frame.nature, Nature::Expression))
    }

    /// Returns the next byte if it may belong to the current word.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            let frame = self.frames.last()?;
            match frame.rest().first() {
                Some(byte) => return Some(*byte),
                None if matches!(frame.nature, Nature::Value) => self.frames.pop(),
                None => return None,
            };
        }
    }

    /// Returns the byte after the next one, within the same text.
    pub(crate) fn peek_second(&self) -> Option<u8> {
        self.frames.last()?.rest().get(1).copied()
    }

    /// Returns the unread part of the current text.
    pub(crate) fn rest(&self) -> &[u8] {
        self.frames.last().map(Frame::rest).unwrap_or_default()
    }

    pub(crate) fn bump(&mut self) {
        self.advance(1);
    }

    pub(crate) fn advance(&mut self, bytes: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.position = (frame.position + bytes).min(frame.end);
        }
    }

    /// Reads the next character.
    pub(crate) fn next_char(&mut self) -> Option<char> {
        self.peek()?;
        let frame = self.frames.last()?;
        let character = frame.content.get(frame.position..frame.end)?.chars().next()?;
        self.advance(character.len_utf8());
        Some(character)
    }

    /// Leaves texts that are read to their end. Returns true if there is more to read.
    pub(crate) fn settle(&mut self) -> bool {
        while let Some(frame) = self.frames.last() {
            if !frame.rest().is_empty() {
                return true;
            }
            if self.frames.len() == 1 {
                return false;
            }
            self.frames.pop();
        }
        false
    }

    pub(crate) fn start(&self) -> Start {
        match self.frames.last() {
            Some(frame) => Start { text: frame.text, position: frame.position, depth: self.frames.len() },
            None => Start { text: TextId::default(), position: 0, depth: 0 },
        }
    }

    /// Returns the span from a mark to here. When the reader is in another text by now, it ends with the text of the
    /// mark.
    pub(crate) fn span(&self, from: Start) -> Span {
        let end = match self.frames.get(from.depth.wrapping_sub(1)) {
            Some(frame) if frame.text == from.text => frame.position,
            _ => from.position + 1,
        };
        let (start, end) = (from.position as u32, end.max(from.position) as u32);
        Span { text: from.text, start, end }
    }

    /// Returns the values of the innermost block being expanded, unless its text is only a file included from it.
    pub(crate) fn values(&self) -> Option<Arc<Values>> {
        self.frames.iter().rev().find_map(|frame| match &frame.nature {
            Nature::Block(values) => Some(Some(values.clone())),
            Nature::File | Nature::Piece | Nature::Expression => Some(None),
            Nature::Value => None,
        })?
    }
}
