//! The options of `search`, `export`, `tail` and `objects`.
//!
//! In: the command line. Out: the server to ask, the question, the form of the answer. Holds nothing.

use crate::terminal;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The server to ask, and the user.
#[derive(Args, Debug, Clone)]
pub(crate) struct Login {
    /// Address of the server's web page
    #[arg(long, default_value = "http://127.0.0.1:8514", env = "DURAMEN_URL")]
    pub(super) url: String,
    /// User name
    #[arg(long, default_value = "admin", env = "DURAMEN_USER")]
    pub(super) user: String,
    /// Certificates (PEM) of the authorities that may have issued the server's certificate; the system's when
    /// left out
    #[arg(long, value_name = "FILE", env = "DURAMEN_CA_FILE")]
    pub(super) ca_file: Option<PathBuf>,
}

/// The server to ask, the user, and the form of the output.
#[derive(Args, Debug, Clone)]
pub(crate) struct Access {
    #[command(flatten)]
    pub(super) login: Login,
    /// Logspace; may be left out when there is only one
    #[arg(long)]
    pub(super) logspace: Option<String>,
    /// Format of a line
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    /// Print control characters as they are, although a terminal may obey them
    #[arg(long)]
    pub(super) raw: bool,
}

impl Access {
    /// Parses the options from the words of a command line.
    #[cfg(test)]
    pub(super) fn of(words: &[&str]) -> Access {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            access: Access,
        }
        <Line as clap::Parser>::parse_from([&["x"], words].concat()).access
    }

    /// Returns the text of a message for printing.
    pub(super) fn shown(&self, text: &str) -> String {
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

/// Options of `search`.
#[derive(Args, Debug)]
pub(crate) struct SearchOptions {
    #[command(flatten)]
    pub(super) access: Access,
    /// Lucene syntax and pipes; several words are joined
    pub(super) query: Vec<String>,
    #[command(flatten)]
    pub(super) range: Range,
    /// Most messages (the newest ones) or rows to print
    #[arg(short = 'n', long, default_value_t = 1000)]
    pub(super) limit: usize,
    /// Print only the number of messages
    #[arg(short = 'c', long)]
    pub(super) count: bool,
    /// Run the query and print its cost: the index entries of each part, and the messages read
    #[arg(long, conflicts_with = "count")]
    pub(super) explain: bool,
}

/// The messages to find, by time.
#[derive(Args, Debug)]
pub(crate) struct Range {
    /// Start of the time range: ISO 8601, seconds since 1970, now-1h
    #[arg(long)]
    pub(super) from: Option<String>,
    /// End of the time range
    #[arg(long)]
    pub(super) to: Option<String>,
    /// Use the sender's time instead of the server's
    #[arg(long)]
    pub(super) event_time: bool,
}

/// The format of an exported file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum FileFormat {
    /// One JSON object a line
    Ndjson,
    /// Comma-separated values with a header line, exactly as logged
    Csv,
    /// The same for spreadsheets: cells that could be read as a formula begin with '
    CsvSafe,
    /// The frames as received, one a line
    Raw,
}

/// Options of `export`.
#[derive(Args, Debug)]
pub(crate) struct ExportOptions {
    #[command(flatten)]
    pub(super) access: Access,
    /// Lucene syntax and pipes; several words are joined; exports all when left out
    pub(super) query: Vec<String>,
    #[command(flatten)]
    pub(super) range: Range,
    /// Format of the file
    #[arg(long = "as", value_enum, default_value_t = FileFormat::Ndjson)]
    pub(super) file_format: FileFormat,
    /// Name of the file; standard output when left out
    #[arg(short, long)]
    pub(super) output: Option<PathBuf>,
}

/// Options of `tail`.
#[derive(Args, Debug)]
pub(crate) struct TailOptions {
    #[command(flatten)]
    pub(super) access: Access,
    /// Lucene syntax; several words are joined; shows all when left out
    pub(super) query: Vec<String>,
}

/// Options of `objects`.
#[derive(Args, Debug)]
pub(crate) struct ObjectsOptions {
    #[command(subcommand)]
    pub(super) verb: ObjectsVerb,
}

/// The verbs of `objects`.
#[derive(Subcommand, Debug)]
pub(super) enum ObjectsVerb {
    /// Show what `apply` would do; exit status 0 when it would do nothing, 3 when there are changes
    Plan(FolderOptions),
    /// Make and change objects as the files of a folder say: all of them, or none when there is an error
    Apply(FolderOptions),
    /// Write all objects of the server to a folder, one file each
    Export(FolderOptions),
}

/// A folder of files, and the server.
#[derive(Args, Debug)]
pub(super) struct FolderOptions {
    #[command(flatten)]
    pub(super) login: Login,
    /// The folder; its files that end in .json are objects
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    /// Print JSON, as the API sends it
    #[arg(long)]
    pub(super) json: bool,
}
