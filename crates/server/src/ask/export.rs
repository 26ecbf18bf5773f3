//! `duramen export QUERY`, and the rows of a search with pipes.
//!
//! In: a query and a time range. Out: a file of any size, or a table. A file appears under its name only when it is
//! whole. Limits: [`ALIGNED_MAX`] rows of a table are aligned; later rows are printed as they come.

use super::{
    Access, Coverage, Format,
    api::Session,
    done,
    error::AskError,
    format, say_unread,
    search::{self, Range},
};
use crate::terminal;
use clap::{Args, ValueEnum};
use query::Query;
use serde_json::Value;
use std::{
    fs,
    io::{self, BufRead, BufReader, IsTerminal, Read, Write},
    path::PathBuf,
    process::ExitCode,
    thread,
    time::Duration,
};

/// Rows of a table that are held back to align its columns.
const ALIGNED_MAX: usize = 10_000;
/// Longest line that is shown on a terminal in one piece, in bytes.
const LINE_BYTES_MAX: usize = 1 << 20;
/// Widest column of an aligned table, in characters.
const WIDTH_MAX: usize = 80;

/// Number of requests for the report of an export, and the pause between them.
const REPORT_TRIES: usize = 50;
const REPORT_WAIT: Duration = Duration::from_millis(20);

/// The format of an exported file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FileFormat {
    /// One JSON object a line
    Ndjson,
    /// Comma-separated values with a line of names, exactly as logged
    Csv,
    /// The same for spreadsheets: cells that could be taken for a formula begin with '
    CsvSafe,
    /// The frames as received, a line each
    Raw,
}

/// Options of `export`.
#[derive(Args, Debug)]
pub(crate) struct ExportOptions {
    #[command(flatten)]
    access: Access,
    /// Lucene syntax and pipes; several words are joined; exports all when left out
    query: Vec<String>,
    #[command(flatten)]
    range: Range,
    /// Format of the file
    #[arg(long = "as", value_enum, default_value_t = FileFormat::Ndjson)]
    file_format: FileFormat,
    /// Name of the file; standard output when left out
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// Exports everything that a query finds.
pub(crate) fn export(options: &ExportOptions) -> ExitCode {
    done(run(options))
}

fn run(options: &ExportOptions) -> Result<Coverage, AskError> {
    let format = match options.file_format {
        FileFormat::Ndjson => "ndjson",
        FileFormat::Csv => "csv",
        FileFormat::CsvSafe => "csv-safe",
        FileFormat::Raw => "raw",
    };
    let session = Session::open(&options.access)?;
    let mut rows = Rows::ask(&session, &options.access, &options.query.join(" "), &options.range, format)?;
    let Some(path) = &options.output else {
        let mut out = match io::stdout().is_terminal() && !options.access.raw {
            true => ToTerminal::escaping(io::stdout().lock()),
            false => ToTerminal::exact(io::stdout().lock()),
        };
        return match io::copy(&mut rows.body, &mut out) {
            // A reader that has seen enough closes the pipe.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Coverage::Whole),
            copied => copied
                .and_then(|_| out.flush())
                .map_err(AskError::ExportCutOff)
                .and_then(|()| rows.coverage(&session)),
        };
    };
    let mut unfinished = path.clone().into_os_string();
    unfinished.push(".part");
    let named = |source: io::Error| AskError::Write { path: path.clone(), source };
    let mut file = fs::File::create(&unfinished).map_err(named)?;
    let copied = io::copy(&mut rows.body, &mut file)
        .map_err(AskError::ExportCutOff)
        .and_then(|_| file.sync_all().map_err(named));
    if let Err(error) = copied {
        // An incomplete temporary file is useless.
        let _ = fs::remove_file(&unfinished);
        return Err(error);
    }
    fs::rename(&unfinished, path).map_err(named)?;
    rows.coverage(&session)
}

/// Standard output; on a terminal control characters are escaped, line by line.
struct ToTerminal<W> {
    out: W,
    /// The start of an incomplete line; none where nothing is escaped.
    line: Option<Vec<u8>>,
}

impl<W: Write> ToTerminal<W> {
    fn escaping(out: W) -> ToTerminal<W> {
        ToTerminal { out, line: Some(Vec::new()) }
    }

    fn exact(out: W) -> ToTerminal<W> {
        ToTerminal { out, line: None }
    }
}

impl<W: Write> Write for ToTerminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(line) = &mut self.line else { return self.out.write(bytes) };
        for byte in bytes {
            if *byte != b'\n' && line.len() < LINE_BYTES_MAX {
                line.push(*byte);
                continue;
            }
            self.out.write_all(terminal::bytes(line).as_bytes())?;
            line.clear();
            if *byte == b'\n' { self.out.write_all(b"\n")? } else { line.push(*byte) }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(line) = &mut self.line {
            self.out.write_all(terminal::bytes(line).as_bytes())?;
            line.clear();
        }
        self.out.flush()
    }
}

/// The rows of a query, as they come.
struct Rows {
    body: Box<dyn Read>,
    /// Identifier of the export's report.
    report: String,
}

impl Rows {
    fn ask(
        session: &Session,
        access: &Access,
        query: &str,
        range: &Range,
        format: &str,
    ) -> Result<Rows, AskError> {
        let clock = if range.event_time { "event" } else { "received" };
        let mut parameters = vec![("query", query), ("format", format), ("clock", clock)];
        let others = [("logspace", &access.logspace), ("from", &range.from), ("to", &range.to)];
        parameters.extend(others.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))));
        let answer = session.get("export", &parameters)?;
        let report = answer.headers().get("x-export-report").and_then(|id| id.to_str().ok());
        let report = report.unwrap_or_default().to_owned();
        let body = answer.into_body().into_with_config().limit(u64::MAX).reader();
        Ok(Rows { body: Box::new(body), report })
    }

    /// Reports what could not be read, and returns whether the export is complete.
    fn coverage(&self, session: &Session) -> Result<Coverage, AskError> {
        // The report is written when the last piece has gone.
        for _ in 0..REPORT_TRIES {
            match session.get("export/report", &[("id", &self.report)]) {
                Ok(mut answer) => {
                    let report: Value =
                        answer.body_mut().read_json().map_err(|error| AskError::Report(Box::new(error)))?;
                    return Ok(say_unread(&report));
                }
                Err(_) => thread::sleep(REPORT_WAIT),
            }
        }
        Err(AskError::NoReport)
    }
}

/// Prints the rows that the pipes of a search make, at most `options.limit`.
pub(super) fn print_piped(options: &search::SearchOptions, query: &Query) -> Result<Coverage, AskError> {
    let session = Session::open(&options.access)?;
    let mut asked = Rows::ask(&session, &options.access, &options.query.join(" "), &options.range, "ndjson")?;
    let mut rows = Vec::new();
    let mut count = 0;
    let mut out = io::stdout().lock();
    for line in BufReader::new(&mut asked.body).lines().take(options.limit) {
        count += 1;
        let line = line.map_err(AskError::AnswerCutOff)?;
        let row: Value = serde_json::from_str(&line).map_err(AskError::Row)?;
        let shown = match (query.columns().is_some(), options.access.format) {
            (_, Format::Json) | (false, _) => format::line(&row, &options.access),
            (true, Format::Message) => cells(&row, &options.access).join("\t"),
            (true, Format::Text) => {
                rows.push(row);
                if rows.len() == ALIGNED_MAX {
                    table(&std::mem::take(&mut rows), &options.access, &mut out);
                }
                continue;
            }
        };
        // A reader that has seen enough closes the pipe.
        if writeln!(out, "{shown}").is_err() {
            return Ok(Coverage::Whole);
        }
    }
    if !rows.is_empty() {
        table(&rows, &options.access, &mut out);
    }
    // A reader that stopped early has no use for the report.
    if count == options.limit { Ok(Coverage::Whole) } else { asked.coverage(&session) }
}

fn cells(row: &Value, access: &Access) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => access.shown(text),
        other => other.to_string(),
    };
    row.as_object().map(|object| object.values().map(text).collect()).unwrap_or_default()
}

/// Prints rows under the names of their columns; numbers are aligned right.
fn table(rows: &[Value], access: &Access, out: &mut impl Write) {
    let names: Vec<String> = rows[0]
        .as_object()
        .map(|row| row.keys().map(|name| access.shown(name)).collect())
        .unwrap_or_default();
    let lines: Vec<Vec<String>> = rows.iter().map(|row| cells(row, access)).collect();
    let length = |text: &String| text.chars().count();
    let widths: Vec<usize> = (0..names.len())
        .map(|index| {
            let cells = lines.iter().filter_map(|line| line.get(index));
            cells.map(length).chain([length(&names[index])]).max().unwrap_or_default().min(WIDTH_MAX)
        })
        .collect();
    let numeric: Vec<bool> = (0..names.len())
        .map(|index| {
            rows.iter().all(|row| {
                row.as_object()
                    .and_then(|row| row.values().nth(index))
                    .is_some_and(|cell| cell.is_number() || cell.is_null())
            })
        })
        .collect();
    for line in [&names].into_iter().chain(&lines) {
        let mut text = String::new();
        for (index, cell) in line.iter().enumerate() {
            let gap = " ".repeat(widths.get(index).copied().unwrap_or_default().saturating_sub(length(cell)));
            let cell = if numeric.get(index) == Some(&true) {
                format!("{gap}{cell}  ")
            } else {
                format!("{cell}{gap}  ")
            };
            text.push_str(&cell);
        }
        // A reader that has seen enough closes the pipe.
        if writeln!(out, "{}", text.trim_end()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    //! Rows for tables.

    use super::*;
    use serde_json::json;

    #[test]
    fn tables_are_aligned() {
        let rows = [json!({"host": "gw1", "count": 5}), json!({"host": "a\u{1b}b", "count": 12})];
        let mut out = Vec::new();
        table(&rows, &Access::of(&[]), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), "host    count\ngw1         5\na\\x1bb     12\n");
    }
}
