//! Readers: parsers that read the text of one message after the other.
//!
//! In: an input, a reader. Out: a parser of batches. Holds: the reader and its input.
//! Limits: those of [`Writer`].

mod names;
mod writer;

pub(in crate::parser) use names::JoinedName;
pub use writer::{VALUES_MAX, Writer};

use super::{Input, Parser};
use message::{Batch, Selection};
use template::Renderer;
use writer::{NameCache, Target};

/// Most values of the first message for which memory is reserved in all others.
const VALUES_LIKELY_MAX: usize = 64;

/// A parser of texts, seen one message at a time.
pub trait Reader: Send + Sync {
    /// Reads a text and writes its values to `out`. Returns false when the text has another format: the message is
    /// stopped.
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool;
}

/// A [`Reader`] as a step of a path.
pub struct TextParser<R> {
    reader: R,
    input: Input,
    /// Stands before the names of all values.
    prefix: String,
}

impl<R: Reader> TextParser<R> {
    /// Makes a reader of an input, with the prefix of its names.
    pub fn new(reader: R, input: Input, prefix: impl Into<String>) -> TextParser<R> {
        TextParser { reader, input, prefix: prefix.into() }
    }
}

impl<R: Reader> Parser for TextParser<R> {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        let received = batch.received_bytes.clone();
        let mut names = NameCache::new(&self.prefix);
        let mut read = within.clone();
        let mut copy = Vec::new();
        let mut rest = within.count();
        let mut is_first = true;
        for index in within.iter() {
            let span = self.input.span(batch, index, renderer);
            // Text among the bytes that the batch grows by is read from a copy; its spans stay the same.
            let text = if span.is_extra() {
                copy.clear();
                copy.extend_from_slice(batch.bytes(span));
                copy.as_slice()
            } else {
                received.get(span.start()..span.start() + span.len()).unwrap_or_default()
            };
            let target = Target { index, text_at: text.as_ptr() as usize, span };
            let mut writer = Writer::new(batch, &mut names, target);
            if !self.reader.read(text, &mut writer) {
                read.remove(index);
            }
            rest -= 1;
            // Neighbouring messages have about the same number of values: memory is reserved once for all.
            if std::mem::take(&mut is_first) {
                let count = writer.count();
                batch.reserve_values(count.min(VALUES_LIKELY_MAX) * rest);
            }
        }
        read
    }
}
