//! `duramen search`, `duramen tail`, `duramen export`: asks a running server over its HTTP API.
//!
//! In: a query. Out: lines on standard output. Holds a session for the length of the command.
//! Limits: as the API's.

mod api;
mod export;
mod format;
mod search;
mod tail;

pub(crate) use export::{ExportOptions, export};
pub(crate) use search::{SearchOptions, search};
pub(crate) use tail::{TailOptions, tail};

use clap::{Args, ValueEnum};
use std::{path::PathBuf, process::ExitCode};

/// Where the server is and who asks.
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
    /// What a line looks like
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// What a line looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// Time, host, program, message
    Text,
    /// One JSON object a line, as the API sends it
    Json,
    /// The message alone
    Message,
}

/// Ends a command with its error in words.
fn done(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("duramen: {error}");
            ExitCode::FAILURE
        }
    }
}
