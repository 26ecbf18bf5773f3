//! Decides which lines belong together in messages of several lines.
//!
//! In: lines, one after the other. Out: for each, whether the lines before it are complete, and what happens to it.
//! Holds: whether lines between messages are being skipped, or the position in a stack trace.
//! Limits: none; the framer, which joins the lines, bounds the message.

mod trace;
mod verdict;

use std::{fmt, ops::Range, sync::Arc};
use trace::Trace;

pub use verdict::{Joined, LineUse, Preceding};

/// Returns the range in a line at which a pattern matches first.
type Find = dyn Fn(&[u8]) -> Option<Range<usize>> + Send + Sync;

/// A regular expression that the caller compiled.
#[derive(Clone)]
pub struct LinePattern {
    text: String,
    find: Arc<Find>,
}

impl LinePattern {
    /// Makes a pattern of its text and of the function that finds it. Patterns with equal texts are equal.
    pub fn new(text: &str, find: Arc<Find>) -> LinePattern {
        LinePattern { text: text.to_owned(), find }
    }

    fn find(&self, line: &[u8]) -> Option<Range<usize>> {
        (self.find)(line).filter(|found| found.start <= found.end && found.end <= line.len())
    }
}

impl PartialEq for LinePattern {
    fn eq(&self, other: &LinePattern) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for LinePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text)
    }
}

/// `multi-line-mode()`: how lines belong together.
#[derive(Clone, PartialEq, Debug)]
pub enum MultiLine {
    /// `indented`: a line that begins with a blank or a tab belongs to the one before.
    Indented,
    /// `regexp`, also called `prefix-garbage`: a line with the prefix begins a message. Where garbage is found
    /// the message ends before it; with both, text up to the next prefix is skipped.
    PrefixGarbage {
        /// `multi-line-prefix()`
        prefix: Option<LinePattern>,
        /// `multi-line-garbage()`
        garbage: Option<LinePattern>,
    },
    /// `prefix-suffix`: the same, but the message ends after the suffix.
    PrefixSuffix {
        /// `multi-line-prefix()`
        prefix: Option<LinePattern>,
        /// `multi-line-suffix()`
        suffix: Option<LinePattern>,
    },
    /// `smart`: a stack trace of a known language is one message, every other line is one.
    Smart,
    /// `empty-line-separated`
    EmptyLineSeparated,
}

const OPEN: Joined = Joined { closes: false, line: LineUse::Open };
const BEGINS: Joined = Joined { closes: true, line: LineUse::Open };

/// Judges the lines of one stream.
#[derive(Clone, Debug)]
pub struct Joiner {
    mode: Arc<MultiLine>,
    /// Between the end of a message and the next prefix.
    skipping: bool,
    trace: Trace,
}

impl Joiner {
    /// Makes a joiner at the start of a stream.
    pub fn new(mode: Arc<MultiLine>) -> Joiner {
        Joiner { mode, skipping: false, trace: Trace::default() }
    }

    /// Returns the mode.
    pub fn mode(&self) -> &Arc<MultiLine> {
        &self.mode
    }

    /// Forgets all earlier lines.
    pub fn reset(&mut self) {
        self.skipping = false;
        self.trace = Trace::default();
    }

    /// Returns true when a line that begins so belongs to the message before, whatever comes next.
    pub(super) fn continues(&self, start: &[u8]) -> bool {
        match &*self.mode {
            MultiLine::Indented => matches!(start.first(), Some(b' ' | b'\t')),
            MultiLine::EmptyLineSeparated => start != b"\r",
            MultiLine::PrefixGarbage { prefix, .. } | MultiLine::PrefixSuffix { prefix, .. } => {
                prefix.is_none()
            }
            MultiLine::Smart => false,
        }
    }

    /// Judges a line, given without its end.
    pub fn judge(&mut self, line: &[u8], preceding: Preceding) -> Joined {
        let mode = self.mode.clone();
        match &*mode {
            MultiLine::Indented if matches!(line.first(), Some(b' ' | b'\t')) => OPEN,
            MultiLine::Indented => BEGINS,
            MultiLine::EmptyLineSeparated if line.is_empty() => {
                Joined { closes: true, line: LineUse::Skipped }
            }
            MultiLine::EmptyLineSeparated => OPEN,
            MultiLine::Smart => self.trace.judge(line),
            MultiLine::PrefixGarbage { prefix, garbage } => {
                let end = |line: &[u8]| garbage.as_ref()?.find(line).map(|found| found.start);
                self.between(line, preceding, prefix.as_ref(), end)
            }
            MultiLine::PrefixSuffix { prefix, suffix } => {
                let end = |line: &[u8]| suffix.as_ref()?.find(line).map(|found| found.end);
                self.between(line, preceding, prefix.as_ref(), end)
            }
        }
    }

    /// Judges a line of messages that begin with a prefix and end where `end` says.
    fn between(
        &mut self,
        line: &[u8],
        preceding: Preceding,
        prefix: Option<&LinePattern>,
        end: impl Fn(&[u8]) -> Option<usize>,
    ) -> Joined {
        let begins = prefix.is_some_and(|prefix| prefix.find(line).is_some());
        if self.skipping && !begins {
            return Joined { closes: false, line: LineUse::Skipped };
        }
        self.skipping = false;
        let closes = begins && preceding == Preceding::OpenMessage;
        match end(line) {
            Some(size) => {
                self.skipping = prefix.is_some();
                Joined { closes, line: LineUse::Ends(size) }
            }
            None => Joined { closes, line: LineUse::Open },
        }
    }
}

#[cfg(test)]
mod tests;
