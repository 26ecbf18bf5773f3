//! `duramen search`, `duramen tail`, `duramen export`: query a running server over its HTTP API.
//!
//! In: a query. Out: lines on standard output. Holds a session for the length of the command.
//! Limits: those of the API. Exit status: 0, 1 for an error, 3 when something could not be read and is
//! missing from the answer.

mod api;
mod error;
mod explain;
mod export;
mod format;
mod search;
mod tail;

pub(crate) use export::{ExportOptions, export};
pub(crate) use search::{SearchOptions, search};
pub(crate) use tail::{TailOptions, tail};

use crate::terminal;
use clap::{Args, ValueEnum};
use error::AskError;
use jiff::Timestamp;
use serde_json::Value;
use std::{path::PathBuf, process::ExitCode};

/// The server to ask, the user, and the form of the output.
#[derive(Args, Debug, Clone)]
pub(crate) struct Access {
    /// Address of the server's page
    #[arg(long, default_value = "http://127.0.0.1:8514", env = "DURAMEN_URL")]
    url: String,
    /// User name
    #[arg(long, default_value = "admin", env = "DURAMEN_USER")]
    user: String,
    /// Certificates of the authorities that the server's certificate may come from, in PEM; the system's when left out
    #[arg(long, value_name = "FILE", env = "DURAMEN_CA_FILE")]
    ca_file: Option<PathBuf>,
    /// Logspace; may be left out when there is one
    #[arg(long)]
    logspace: Option<String>,
    /// Format of a line
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print control characters as they are: a terminal obeys them
    #[arg(long)]
    raw: bool,
}

impl Access {
    /// The options as the words of a command line give them.
    #[cfg(test)]
    fn of(words: &[&str]) -> Access {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            access: Access,
        }
        <Line as clap::Parser>::parse_from([&["x"], words].concat()).access
    }

    /// Returns the text of a message for printing.
    fn shown(&self, text: &str) -> String {
        if self.raw { text.to_owned() } else { terminal::line(text).into_owned() }
    }
}

/// The format of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// Time, host, program, message
    Text,
    /// One JSON object a line, as the API sends it
    Json,
    /// The message alone
    Message,
}

/// Exit status of a command whose answer is incomplete because something could not be read: locked, or
/// damaged.
const INCOMPLETE: u8 = 3;

/// The completeness of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Coverage {
    Whole,
    /// Something could not be read, and was reported.
    Partial,
}

/// Reports on standard error what is missing from an answer or a report.
fn say_unread(answer: &Value) -> Coverage {
    let unread = answer["unread"].as_array().map(Vec::as_slice).unwrap_or_default();
    for part in unread {
        let time = |name: &str| {
            let time = part[name].as_i64().and_then(|us| Timestamp::from_microsecond(us).ok());
            time.map_or_else(|| "?".to_owned(), |time| format!("{time:.3}"))
        };
        let of = part["logspace"].as_str().map(|name| format!("logspace {name}: ")).unwrap_or_default();
        let why = terminal::line(part["why"].as_str().unwrap_or_default());
        errln!("duramen: not read: {of}received {} to {}: {why}", time("from_us"), time("to_us"));
    }
    if unread.is_empty() { Coverage::Whole } else { Coverage::Partial }
}

/// Reports the error of a command and returns its exit status.
fn done(result: Result<Coverage, AskError>) -> ExitCode {
    match result {
        Ok(Coverage::Whole) => ExitCode::SUCCESS,
        Ok(Coverage::Partial) => ExitCode::from(INCOMPLETE),
        Err(error) => {
            errln!("duramen: {}", terminal::lines(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}
