//! A whole log: lines in order, each with its number.
//!
//! In: the encrypted log, the key of its first line. Out: the log in clear, and the errors. Limits: a line that claims
//! to be more than [`AHEAD_MAX`] lines ahead is rejected: all keys up to it would have to be derived.

use super::scheme::{self, HostKey, Mac, NUMBER_CHARACTERS};

/// Most keys that are derived to reach a line with a higher number.
const AHEAD_MAX: u64 = 10_000_000;

/// The result of reading a log.
pub(super) struct Reading {
    /// `NUMBER: line` each, the number with 16 hexadecimal digits.
    pub(super) text: Vec<u8>,
    pub(super) lines: u64,
    /// MAC of all lines that could be opened.
    pub(super) mac: Mac,
    pub(super) troubles: Vec<String>,
}

/// The lines of a log, without their ends.
pub(super) fn split(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// Decrypts every line.
pub(super) fn open(mut host: HostKey, mac: Mac, text: &[u8]) -> Reading {
    let mut reading = Reading { text: Vec::with_capacity(text.len()), lines: 0, mac, troubles: Vec::new() };
    // Lines that were opened count for the MAC, in any position.
    let mut counted = host.lines;
    for (place, line) in split(text).enumerate() {
        let mut complain = |what: String| reading.troubles.push(format!("line {}: {what}", place + 1));
        reading.lines += 1;
        let Some(number) = scheme::number(line).filter(|_| line.get(NUMBER_CHARACTERS) == Some(&b':')) else {
            complain("is no encrypted line".into());
            scheme::evolve(&mut host);
            continue;
        };
        if number != host.lines {
            complain(format!("has the number {number} instead of {}", host.lines));
        }
        if number < host.lines || number - host.lines > AHEAD_MAX {
            // Its key is gone, or too far ahead: the line is a copy, or was moved here.
            continue;
        }
        while host.lines < number {
            scheme::evolve(&mut host);
        }
        match scheme::open(&host.key, &line[NUMBER_CHARACTERS + 1..]) {
            Some(opened) => {
                reading.mac = scheme::add(&host.key, counted, &reading.mac, &opened);
                reading.text.extend_from_slice(format!("{number:020x}: ").as_bytes());
                reading.text.extend_from_slice(&opened.text);
                reading.text.push(b'\n');
            }
            None => complain("is not what was encrypted".into()),
        }
        counted += 1;
        scheme::evolve(&mut host);
    }
    reading
}
