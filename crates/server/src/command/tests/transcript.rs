//! A transcript: command lines, what they print, and their status, compared with a file of `testdata`.
//!
//! In: command lines, words to put in place of what differs from run to run. Out: a text; `UPDATE=1` writes the file
//! again. Lines of standard error begin with `! `, a status other than 0 is shown as `= 1`.

use crate::{
    command,
    data_folder::author,
    terminal::testing::{Printed, Tape, golden},
};
use std::{ffi::OsString, fs, process::ExitCode};
use tempfile::TempDir;

pub(super) struct Transcript {
    pub(super) dir: TempDir,
    text: String,
    /// That of the last command.
    status: ExitCode,
    /// Words of the text, and what is shown instead.
    masks: Vec<(String, String)>,
}

impl Transcript {
    /// Begins in a folder of its own, which command lines call `DIR`.
    pub(super) fn new() -> Transcript {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().display().to_string();
        let status = ExitCode::SUCCESS;
        let user = author::user();
        let masks = [
            (path.as_str(), "DIR"),
            (env!("CARGO_PKG_VERSION"), "VERSION"),
            (&format!("Z\t{user}\t"), "Z\tAUTHOR\t"),
            (&format!("asked by {user} at"), "asked by AUTHOR at"),
            (&format!("\"asked_by\":\"{user}\""), "\"asked_by\":\"AUTHOR\""),
            (&format!("\"user\":\"{user}\""), "\"user\":\"AUTHOR\""),
        ];
        let masks = masks.map(|(word, mask)| (word.to_owned(), mask.to_owned())).to_vec();
        Transcript { dir, text: String::new(), status, masks }
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.dir.path().join(name), self.unmasked(text)).unwrap();
    }

    /// Shows `mask` wherever `text` is printed; command lines may say `mask`, too.
    pub(super) fn mask(&mut self, text: &str, mask: &str) {
        self.masks.push((text.to_owned(), mask.to_owned()));
    }

    fn unmasked(&self, text: &str) -> String {
        self.masks.iter().fold(text.to_owned(), |text, (real, mask)| text.replace(mask, real))
    }

    /// Runs a command line; words are divided at blanks, and `~` stands for a blank in a word.
    pub(super) fn run(&mut self, line: &str) -> String {
        self.run_on(&Tape::default(), line)
    }

    /// Runs a command line whose reader closes the pipe after some lines.
    pub(super) fn run_until(&mut self, lines: usize, line: &str) -> String {
        self.run_on(&Tape::closing_after(lines), line)
    }

    fn run_on(&mut self, tape: &Tape, line: &str) -> String {
        let printed = self.printed_on(tape, line);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let output = text(&printed.output);
        self.note(&format!("$ {}\n{output}", line.replace('~', " ")));
        if !output.is_empty() && !output.ends_with('\n') {
            self.note("\n");
        }
        text(&printed.errors).lines().for_each(|line| self.note(&format!("! {line}\n")));
        if let Some(number) = (1..4).find(|number| self.status == ExitCode::from(*number)) {
            self.note(&format!("= {number}\n"));
        }
        output
    }

    /// Runs a command line whose output is not a part of the text.
    pub(super) fn run_quietly(&mut self, line: &str) -> Printed {
        self.printed_on(&Tape::default(), line)
    }

    fn printed_on(&mut self, tape: &Tape, line: &str) -> Printed {
        let words: Vec<OsString> =
            line.split(' ').map(|word| OsString::from(self.unmasked(&word.replace('~', " ")))).collect();
        self.status = tape.record(|| command::run(&words));
        tape.printed()
    }

    /// Adds to the text.
    pub(super) fn note(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Compares the whole with its file.
    #[track_caller]
    pub(super) fn check(self, name: &str) {
        let shown = self.masks.iter().fold(self.text, |text, (word, mask)| text.replace(word, mask));
        let shown: String = shown.lines().map(|line| without_number(&steady(line)) + "\n").collect();
        golden::check(name, &shown);
    }
}

/// Lines whose last number depends on the time that something took, or on the sizes of files.
const UNSTEADY: [&str; 8] = [
    "Bytes on the disk: ",
    "_latency_seconds ",
    "duramen_logspace_journal_bytes{",
    "duramen_logspace_segment_bytes{",
    "duramen_logspace_sequence{",
    "duramen_logspace_unsealed_messages{",
    "duramen_logspace_commits_total{",
    "dst.logspace;d_audit#0;audit;a;bytes;",
];

/// Hides the number at the end of an unsteady line.
fn without_number(line: &str) -> String {
    if line.ends_with(" messages/s") {
        return "N messages/s".to_owned();
    }
    if let Some((count, after)) = line.split_once(" bytes")
        && let Some(before) = count.trim_end_matches(|char: char| char.is_ascii_digit()).get(..)
        && count.len() - before.len() > 3
    {
        return format!("{before}N bytes{after}");
    }
    match UNSTEADY.iter().any(|known| line.contains(known)) {
        true => line.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.').to_owned() + "N",
        false => line.to_owned(),
    }
}

/// Replaces times, digests and ids, which differ from run to run.
fn steady(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let is_word = |char: char| char.is_ascii_alphanumeric();
        let end = rest.find(|char| !is_word(char)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let is_digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_hex = word.len() >= 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let Some((length, mask)) = time_length(rest).map(|length| (length, "TIME")).or(uuid_length(rest)) {
            out.push_str(mask);
            rest = &rest[length..];
            continue;
        }
        match (is_digits && word.len() >= 10, is_hex) {
            (true, _) => out.push_str("NUMBER"),
            (_, true) => out.push_str("HEX"),
            _ => out.push_str(word),
        }
        let next = after.chars().next().map_or(0, char::len_utf8);
        out.push_str(&after[..next]);
        rest = &after[next..];
    }
    out
}

/// Returns the length of an id in the form of a UUID of version 4 at the start of a text.
fn uuid_length(text: &str) -> Option<(usize, &'static str)> {
    let parts: Vec<&str> = text.get(..36)?.split('-').collect();
    let is_hex = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let is_random = parts.get(2)?.starts_with('4') && parts.get(3)?.starts_with(['8', '9', 'a', 'b']);
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    (is_hex && is_random && lengths == [8, 4, 4, 4, 12]).then_some((36, "UUID"))
}

/// Returns the length of a date, or of a time of ISO 8601, at the start of a text.
fn time_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_like = |form: &str, from: usize| {
        let part = bytes.get(from..from + form.len());
        part.is_some_and(|part| {
            let fits =
                |(byte, form): (&u8, u8)| if form == b'0' { byte.is_ascii_digit() } else { *byte == form };
            part.iter().zip(form.bytes()).all(fits)
        })
    };
    // A day as the folders of segments have it.
    if is_like("0000/00-00", 0) {
        return Some(10);
    }
    if !is_like("0000-00-00", 0) {
        return None;
    }
    if !is_like("T00:00:00", 10) && !is_like(" 00:00:00", 10) {
        return Some(10);
    }
    let mut end = 19;
    if bytes.get(end) == Some(&b'.') {
        end += 1 + bytes[end + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    match bytes.get(end) {
        Some(b'Z') => Some(end + 1),
        Some(b'+' | b'-') if is_like("00:00", end + 1) => Some(end + 6),
        _ => Some(end),
    }
}
