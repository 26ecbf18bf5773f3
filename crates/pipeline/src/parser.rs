//! Parsers: steps that extract values from messages.
//!
//! In: a batch and the messages to read. Out: the same batch with more values, and which messages could be read; the
//! caller stops the others.
//! Most parsers read the text of one message after the other: such a parser is a [`Reader`], which [`TextParser`]
//! runs. Values that are in the text unchanged become spans of it: nothing is copied and nothing is allocated
//! for a message.
//! Limits: those of [`Writer`]; each parser names its own.

mod context;
mod csv;
mod date;
mod event_format;
mod geoip;
mod input;
mod json;
mod kv;
mod linux_audit;
mod names;
mod probe;
mod regexp;
mod sdata;
mod snmptrap;
mod syslog;
mod tags;
mod writer;
mod xml;

pub use context::{Context, ContextError, ContextReading, ContextTable, Contexts, Selector};
pub use csv::{Csv, CsvDialect};
pub use date::{Date, DateFormat, DateFormatError, DateTarget};
pub use event_format::{Cef, Leef};
pub use geoip::Geoip;
pub use input::{Input, TextParser};
pub use json::{ExtractPath, ExtractPathError, Json};
pub use kv::Kv;
pub use probe::{Probe, Probes, SERIES_MAX, Series};
pub use regexp::Regexp;
pub use sdata::Sdata;
pub use snmptrap::Snmptrapd;
pub use syslog::Syslog;
pub use tags::Tags;
pub use writer::{VALUES_MAX, Writer};
pub use xml::Xml;

use message::{Batch, Selection};
use template::Renderer;

/// A step that extracts values from messages.
pub trait Parser: Send + Sync {
    /// Changes the messages of `within` and returns those it could read.
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection;

    /// Does the work of [`Parser::parse`] for a parser that also makes messages: batches in `made` continue along the
    /// path right after the parser, before the batch does.
    fn parse_making(
        &self,
        batch: &mut Batch,
        within: &Selection,
        renderer: &mut Renderer,
        made: &mut Vec<Batch>,
    ) -> Selection {
        let _ = made;
        self.parse(batch, within, renderer)
    }

    /// Returns true when messages that the parser does not return were consumed: they became part of those it makes, so
    /// they count as matched, and neither `else` nor `fallback` gets them.
    fn consumes(&self) -> bool {
        false
    }

    /// Returns true when [`Parser::tick`] does something.
    fn is_timed(&self) -> bool {
        false
    }

    /// Ends the input: the parser emits the messages that it holds back.
    fn close(&self, renderer: &mut Renderer, made: &mut Vec<Batch>) {
        let _ = (renderer, made);
    }

    /// Advances the time to `renderer.now`, with or without messages. Called about once a second.
    fn tick(&self, renderer: &mut Renderer, made: &mut Vec<Batch>) {
        let _ = (renderer, made);
    }
}

/// A parser of texts, seen one message at a time.
pub trait Reader: Send + Sync {
    /// Reads a text and writes its values to `out`. Returns false when the text is of another format: the message is
    /// stopped.
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool;
}

#[cfg(test)]
mod tests;
