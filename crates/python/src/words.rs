//! What user code prints, and what it writes to its log, for ours.
//!
//! In: the standard error output of a process. Out: lines in our log. Holds: a line.
//! Limits: a line is cut at [`LINE_BYTES_MAX`]; of more than [`LINES_MAX`] lines in [`LINES_IN`] the rest are counted only.
//!
//! A line of a log begins with the byte 0x1e and the number of its severity; all others are of `print()` and of the interpreter.

use message::Severity;
use std::{
    io::{BufRead, BufReader, Read},
    time::{Duration, Instant},
};
use transport::InternalLog;

/// Longest line.
const LINE_BYTES_MAX: usize = 4096;
/// Most lines in a while.
const LINES_MAX: usize = 500;
/// The while.
const LINES_IN: Duration = Duration::from_secs(10);
/// The first byte of a line of a log.
const LOGGED: u8 = 0x1e;

/// Copies lines to our log until the output is closed.
pub(crate) fn copy(output: impl Read, class: &str, log: &InternalLog) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    let (mut since, mut lines, mut left_out) = (Instant::now(), 0, 0_usize);
    while read_line(&mut output, &mut line) {
        if since.elapsed() >= LINES_IN {
            (since, lines) = (Instant::now(), 0);
            if left_out > 0 {
                log.warning(&format!(
                    "Python printed too much, lines left out; class='{class}', lines='{left_out}'"
                ));
                left_out = 0;
            }
        }
        lines += 1;
        if lines > LINES_MAX {
            left_out += 1;
            continue;
        }
        let (severity, text) = read(&line);
        log.write(severity, &format!("Python: {}; class='{class}'", String::from_utf8_lossy(text)));
    }
}

/// Reads the severity and the text of a line.
pub(crate) fn read(line: &[u8]) -> (Severity, &[u8]) {
    match line {
        [LOGGED, level @ b'0'..=b'7', text @ ..] => (Severity(level - b'0'), text),
        text => (Severity::NOTICE, text),
    }
}

/// Reads a line without its end, and no more than its first bytes. Returns false at the end of the output.
fn read_line(output: &mut impl BufRead, line: &mut Vec<u8>) -> bool {
    line.clear();
    let mut is_any = false;
    loop {
        let Ok(bytes) = output.fill_buf() else { return is_any };
        if bytes.is_empty() {
            return is_any;
        }
        is_any = true;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        let room = LINE_BYTES_MAX.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let taken = part.len() + usize::from(end.is_some());
        output.consume(taken);
        if end.is_some() {
            return true;
        }
    }
}

#[cfg(test)]
mod tests;
