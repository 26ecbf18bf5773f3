//! `duramen ctl tap`: messages of a running server as they pass a point.
//!
//! In: a point, a filter, a format. Out: messages on standard output, notices on standard error, until there
//! are enough or the user interrupts it. Limits: those of the server's taps.

use crate::{
    control::{Reply, follow},
    taps::{LOOKED_AT_A_SECOND, TapRequest},
    terminal,
};
use clap::{Args, ValueEnum};
use std::{
    borrow::Cow,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

/// A line as in `/var/log/messages`, with the whole date.
const LINE: &str = "${R_ISODATE} ${FACILITY}.${SEVERITY} ${HOST} ${MSGHDR}${MSG}";
/// A template of all fields of a message.
const JSON: &str =
    "$(format-json --scope selected-macros --scope nv-pairs --scope dot-nv-pairs --scope sdata)";

/// Options of `ctl tap`.
#[derive(Args, Debug)]
#[command(after_help = format!(
    "A tap never delays messages: it looks at {LOOKED_AT_A_SECOND} messages a second at most, and prints how many others passed."
))]
pub(crate) struct TapOptions {
    /// A source, a destination (`d_file`, or `d_file#1` for its second driver), or a log path: its name, its line, or FILE:LINE
    place: String,
    /// Only messages that match this filter: an expression as in filter { ... }
    #[arg(short, long)]
    filter: Option<String>,
    /// Format of the messages
    #[arg(long, value_enum, default_value = "line")]
    format: TapFormat,
    /// Print messages with this template, as in template("...")
    #[arg(short, long)]
    template: Option<String>,
    /// Stop after this number of messages, or of seconds with --rate
    #[arg(short = 'n', long)]
    count: Option<u64>,
    /// Print how many messages pass each second instead of the messages
    #[arg(long)]
    rate: bool,
    /// Print control characters as they are, although a terminal may obey them
    #[arg(long)]
    raw: bool,
}

/// Forms of messages.
#[derive(Clone, Copy, ValueEnum, Debug)]
enum TapFormat {
    /// Time, priority, host, program, text
    Line,
    /// All fields as JSON
    Json,
}

impl TapOptions {
    /// Prints until the end.
    pub(crate) fn run(&self, control: &Path) -> ExitCode {
        let default = match self.format {
            TapFormat::Line => LINE,
            TapFormat::Json => JSON,
        };
        let request = TapRequest {
            place: self.place.clone(),
            filter: self.filter.clone(),
            template: self.template.clone().unwrap_or_else(|| default.to_owned()),
            count: self.count,
            rate: self.rate,
        };
        let Ok(request) = serde_json::to_string(&request) else { return ExitCode::FAILURE };
        let mut ended = false;
        let followed = follow(control, &format!("TAP {request}"), &mut |line| {
            match line.split_at_checked(1) {
                Some(("M" | "R", text)) => {
                    let mut out = terminal::output();
                    let shown = match self.format {
                        _ if self.raw => Cow::Borrowed(text),
                        TapFormat::Json if self.template.is_none() => terminal::json(text),
                        _ => terminal::line(text),
                    };
                    writeln!(out, "{shown}")?;
                    out.flush()?;
                }
                Some(("N", "end")) => ended = true,
                Some(("N", "OK")) | None => {}
                Some((_, notice)) => errln!("{}", terminal::line(notice)),
            }
            Ok(!ended)
        });
        match followed {
            Ok(Reply::Done(_)) if ended => ExitCode::SUCCESS,
            Ok(Reply::Done(_)) => {
                errln!("duramen: the server hung up");
                ExitCode::FAILURE
            }
            Ok(Reply::Failed(why)) => {
                err!("{}", terminal::lines(&why));
                ExitCode::FAILURE
            }
            // The reader of standard output has closed the pipe, which is its normal end.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) => {
                errln!("duramen: {error}");
                ExitCode::FAILURE
            }
        }
    }
}
