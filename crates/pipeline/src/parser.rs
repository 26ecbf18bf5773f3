//! Parsers: steps that extract values from messages.
//!
//! In: a batch and the messages to read. Out: the same batch with more values, and the messages that could be read; the
//! caller stops the others.
//! Most parsers read the text of one message after the other: such a parser is a [`Reader`], which [`TextParser`]
//! runs. Values that are in the text unchanged become spans of it: nothing is copied and nothing is allocated
//! for a message.
//! Limits: those of [`Writer`]; each parser names its own.

mod context;
mod date;
mod format;
mod geoip;
mod input;
mod probe;
mod reader;
mod syslog;

pub use context::{Context, ContextError, ContextReading, ContextTable, Contexts, RowFault, Selector};
pub use date::{Date, DateFormat, DateFormatError, DateTarget};
pub use format::{
    Cef, Csv, CsvDialect, ExtractPath, ExtractPathError, Json, Kv, Leef, Regexp, Sdata, Snmptrapd, Tags, Xml,
};
pub use geoip::Geoip;
pub use input::Input;
pub use probe::{Probe, Probes, SERIES_MAX, Series};
pub use reader::{Reader, TextParser, VALUES_MAX, Writer};
pub use syslog::{Syslog, Unreadable};

use message::{Ack, Batch, Selection};
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

    /// Does the work of [`Parser::parse`] for a parser that [waits](Parser::waits). When it gives messages up, it fails `ack`, so that
    /// their source may send them again.
    fn parse_waiting(
        &self,
        batch: &mut Batch,
        within: &Selection,
        renderer: &mut Renderer,
        ack: &Ack,
    ) -> Selection {
        let _ = ack;
        self.parse(batch, within, renderer)
    }

    /// Returns true when the parser waits for another process: paths with it run on threads of their own.
    fn waits(&self) -> bool {
        false
    }

    /// Returns true when messages that the parser does not return were consumed: they became part of generated ones, so
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

#[cfg(test)]
mod tests;
