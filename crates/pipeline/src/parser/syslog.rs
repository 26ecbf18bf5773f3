//! `syslog-parser()`: a text as a syslog message of its own.
//!
//! In: a text, mostly `${MESSAGE}` from a source with `flags(no-parse)`. Out: the header fields of the message are
//! those of the text. Parts that RFC 5424 requires and the text lacks are marked, or stopped with `drop-invalid`.
//! Holds: the decoder, of which each batch gets a copy, so that batches may run at the same time.
//! Limits: those of the decoder.

use super::{Input, Parser};
use message::{Batch, Mark, Selection};
use template::Renderer;
use wire::{DecodeOptions, Decoder};

/// The fate of a text that cannot be read as syslog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unreadable {
    /// Its message is marked and passes.
    Marks,
    /// Its message is stopped: `drop-invalid(yes)`.
    Stops,
}

/// Reads syslog headers.
pub struct Syslog {
    decoder: Decoder,
    input: Input,
    unreadable: Unreadable,
}

impl Syslog {
    /// Makes a reader of an input.
    pub fn new(options: DecodeOptions, input: Input, unreadable: Unreadable) -> Syslog {
        Syslog { decoder: Decoder::new(options), input, unreadable }
    }
}

impl Parser for Syslog {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        let mut decoder = self.decoder.clone();
        let mut read = within.clone();
        for index in within.iter() {
            let text = self.input.span(batch, index, renderer);
            if decoder.decode_into(batch, index, text) {
                continue;
            }
            match self.unreadable {
                Unreadable::Stops => read.remove(index),
                Unreadable::Marks => batch.messages[index].marks.add(Mark::ParseError),
            }
        }
        read
    }
}
