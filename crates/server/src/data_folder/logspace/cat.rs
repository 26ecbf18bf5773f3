//! `duramen logspace cat`: sealed messages, one after the other.
//!
//! In: a logspace, a query. Out: bytes as received, control characters escaped unless `--raw` is given, or JSON.
//! Limits: one message in memory; messages that are not sealed yet are not printed; a segment that cannot be read is
//! reported, and the others are printed.

mod sealed_messages;

pub(in crate::data_folder) use sealed_messages::{SealedMessages, SealedPart, Walk};

use super::{super::author::now_us, error::VerbError, keys::KeyFiles, location::Location};
use crate::terminal;
use clap::{Args, ValueEnum};
use logspace::document_json;
use lookup::Document;
use query::{ParseOptions, Query};
use serde_json::json;
use std::io::{self, BufWriter, ErrorKind, Write};

/// The format of a printed message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// The bytes as received, control characters escaped, and a line break
    Raw,
    /// One JSON object a line
    Json,
}

/// The messages to print.
#[derive(Args, Debug)]
pub(super) struct Selection {
    /// Only messages that match, in the query language
    #[arg(long, default_value = "")]
    pub(super) query: String,
    /// Only messages received from this time on, such as 2026-11-21T10:00:00Z
    #[arg(long)]
    from: Option<String>,
    /// Only messages received before this time
    #[arg(long)]
    to: Option<String>,
}

/// Options of `cat`.
#[derive(Args, Debug)]
pub(super) struct Options {
    #[command(flatten)]
    location: Location,
    #[command(flatten)]
    keys: KeyFiles,
    #[command(flatten)]
    selection: Selection,
    /// Format of a message
    #[arg(long, value_enum, default_value_t = Format::Raw)]
    format: Format,
    /// The same as --format json
    #[arg(long)]
    json: bool,
    /// Print the bytes as they were received, with control characters that a terminal may obey
    #[arg(long)]
    raw: bool,
}

impl Selection {
    /// Returns the range of received times.
    pub(super) fn range(&self) -> Result<(Option<i64>, Option<i64>), VerbError> {
        let time = |text: &Option<String>| {
            let read = |text: &String| {
                let time = text.parse::<jiff::Timestamp>().map(|time| time.as_microsecond());
                time.map_err(|_| VerbError::Time { text: text.clone() })
            };
            text.as_ref().map(read).transpose()
        };
        Ok((time(&self.from)?, time(&self.to)?))
    }

    /// Parses the query.
    pub(super) fn query(&self) -> Result<Query, VerbError> {
        let options = ParseOptions { now_us: now_us(), ..ParseOptions::default() };
        Query::parse(&self.query, &options).map_err(VerbError::Query)
    }

    /// Returns a function that selects the messages.
    fn matcher(&self) -> Result<impl FnMut(&Document) -> bool, VerbError> {
        let mut matcher = self.query()?.matcher();
        Ok(move |document: &Document| matcher.matches(document))
    }
}

pub(super) fn run(options: &Options) -> Result<bool, VerbError> {
    let range = options.selection.range()?;
    let mut wanted = options.selection.matcher()?;
    let details = json!({"from_us": range.0, "to_us": range.1});
    let messages = SealedMessages::open(&options.location, &options.keys, range)?;
    options.location.record("cat", &options.selection.query, details)?;
    let mut out = BufWriter::with_capacity(1 << 16, terminal::output());
    let mut good = true;
    let mut written = Ok(());
    messages.walk(&mut |part| {
        match part {
            SealedPart::Message(document) if wanted(document) => written = print(&mut out, document, options),
            SealedPart::Message(_) => {}
            SealedPart::Unread(unread) => {
                errln!("duramen: {}", unread.reason);
                good = false;
            }
        }
        if written.is_ok() { Walk::On } else { Walk::Ended }
    });
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(good),
        Err(error) => return Err(VerbError::Print(error)),
        Ok(()) => {}
    }
    match out.flush() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(VerbError::Print(error)),
        _ => Ok(good),
    }
}

fn print(out: &mut impl Write, document: &Document, options: &Options) -> io::Result<()> {
    if options.json || options.format == Format::Json {
        // JSON escapes C0 only.
        return writeln!(out, "{}", terminal::json(&document_json(document).to_string()));
    }
    if options.raw {
        out.write_all(&document.raw)?;
        return out.write_all(b"\n");
    }
    writeln!(out, "{}", terminal::bytes(&document.raw))
}
