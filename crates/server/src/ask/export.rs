//! `duramen export QUERY`.
//!
//! In: a query and a time range. Out: a file of any size. A file appears under its name only when it is complete.
//! Limits: [`LINE_BYTES_MAX`] of a line are escaped in one piece on a terminal.

use super::{
    api::Session,
    coverage::{Coverage, done},
    error::AskError,
    options::{ExportOptions, FileFormat},
    rows::Rows,
};
use crate::terminal;
use std::{
    fs,
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

/// Longest line that is shown on a terminal in one piece, in bytes.
const LINE_BYTES_MAX: usize = 1 << 20;

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
    let session = Session::open(&options.access.login)?;
    let mut rows = Rows::ask(&session, &options.access, &options.query.join(" "), &options.range, format)?;
    let Some(path) = &options.output else {
        let mut out = match io::stdout().is_terminal() && !options.access.raw {
            true => ToTerminal::escaping(terminal::output()),
            false => ToTerminal::exact(terminal::output()),
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

#[cfg(test)]
mod tests {
    //! Control characters in files that go to a terminal.

    use super::*;

    /// Writes pieces and returns what reached the terminal before the end, and in all.
    fn shown(mut out: ToTerminal<Vec<u8>>, pieces: &[&[u8]]) -> (usize, Vec<u8>) {
        for piece in pieces {
            assert_eq!(out.write(piece).unwrap(), piece.len());
        }
        let early = out.out.len();
        out.flush().unwrap();
        (early, out.out)
    }

    #[test]
    fn a_terminal_obeys_no_message() {
        let pieces: [&[u8]; 3] = [b"one \x1b[2J\nt", b"wo\n", b"thr\xffee"];
        let want = b"one \\x1b[2J\ntwo\nthr\\xffee".to_vec();
        assert_eq!(shown(ToTerminal::escaping(Vec::new()), &pieces), (16, want));
        assert_eq!(shown(ToTerminal::exact(Vec::new()), &pieces).1, pieces.concat());
        assert_eq!(shown(ToTerminal::escaping(Vec::new()), &[b"a\n\n"]).1, b"a\n\n");
    }

    #[test]
    fn a_line_without_end_is_shown_in_pieces() {
        let long = vec![b'x'; LINE_BYTES_MAX];
        assert_eq!(shown(ToTerminal::escaping(Vec::new()), &[&long]), (0, long.clone()));
        let (early, all) = shown(ToTerminal::escaping(Vec::new()), &[&long, b"y", &long]);
        assert_eq!((early, all.len()), (2 * LINE_BYTES_MAX, 2 * LINE_BYTES_MAX + 1));
        assert_eq!(all[LINE_BYTES_MAX - 1..=LINE_BYTES_MAX + 1], *b"xyx");
    }
}
