//! `duramen tail QUERY`: messages as they arrive.
//!
//! In: a query. Out: a line per message, until interrupted. After a lost connection it reconnects and
//! continues.

use super::{
    api::Session,
    coverage::{Coverage, done},
    error::AskError,
    format,
    options::TailOptions,
};
use crate::terminal;
use serde_json::Value;
use std::{
    io::{self, BufRead, BufReader, Write},
    process::ExitCode,
    thread,
    time::Duration,
};

/// Pause between attempts to reconnect.
const RECONNECT_EVERY: Duration = Duration::from_millis(if cfg!(test) { 1 } else { 1_000 });

/// Follows and prints.
pub(crate) fn tail(options: &TailOptions) -> ExitCode {
    done(run(options))
}

fn run(options: &TailOptions) -> Result<Coverage, AskError> {
    let session = Session::open(&options.access.login)?;
    let query = options.query.join(" ");
    let (mut after, mut first) = (String::new(), true);
    loop {
        let mut parameters = vec![("query", query.as_str())];
        if let Some(logspace) = &options.access.logspace {
            parameters.push(("logspace", logspace));
        }
        if !after.is_empty() {
            parameters.push(("after", &after));
        }
        let mut newest = after.clone();
        match session.get("tail", &parameters) {
            Ok(answer) => {
                first = false;
                match follow(answer.into_body().into_reader(), options, &mut newest) {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Coverage::Whole),
                    _ => errln!("duramen: the connection was lost; connecting again"),
                }
            }
            Err(error) if first => return Err(error),
            Err(_) => {}
        }
        after = newest;
        thread::sleep(RECONNECT_EVERY);
    }
}

/// Prints the events of one connection until it ends.
fn follow(reader: impl io::Read, options: &TailOptions, newest: &mut String) -> io::Result<()> {
    let mut event = String::new();
    for line in BufReader::new(reader).lines() {
        let line = line?;
        if let Some(name) = line.strip_prefix("event:") {
            event = name.trim().to_owned();
        } else if let Some(id) = line.strip_prefix("id:") {
            *newest = id.trim().to_owned();
        } else if let Some(data) = line.strip_prefix("data:")
            && event == "row"
            && let Ok(row) = serde_json::from_str::<Value>(data)
        {
            let mut out = terminal::output();
            writeln!(out, "{}", format::line(&row, &options.access))?;
            out.flush()?;
        }
    }
    Ok(())
}
