//! Configurations of rsyslog and their conversions, in one long file; `UPDATE=1` writes it again.
//!
//! A block of it is a configuration (`> `), the statements into which it is converted, one a line, and the
//! report (`! `).
#![expect(clippy::disallowed_methods, reason = "golden files")]

use super::*;

/// Options that every conversion has.
const DEFAULTS: &str = "options { create-dirs(yes); dir-perm(0700); keep-hostname(yes); perm(0644); };";

fn surroundings(text: &str) -> Memory {
    let included = Memory::default().file("/inc.conf", "*.* /inc");
    included.with_variable("HOME", "/home/x").file("r.conf", text)
}

/// Shows the statements into which a configuration is converted, without templates that only stand for a
/// property, and the notes of the report.
fn shown(text: &str) -> String {
    let conversion = convert(Path::new("r.conf"), &surroundings(text), judge).unwrap();
    let mut out = String::new();
    for block in conversion.text.split("\n\n").skip(1) {
        let lines = block.lines().filter(|line| !line.starts_with('#'));
        let words: Vec<&str> =
            lines.flat_map(|line| line.split(' ')).filter(|word| !word.is_empty()).collect();
        let statement = words.join(" ");
        let is_usual =
            statement.starts_with("template rsyslog_") || statement.starts_with("template RSYSLOG_");
        if !is_usual && !statement.is_empty() && statement != DEFAULTS {
            out.push_str(&statement);
            out.push('\n');
        }
    }
    for finding in &conversion.findings {
        let notes = finding.notes.join("; ");
        if finding.outcome != Outcome::Kept || !notes.is_empty() {
            out.push_str(&format!("! {} {}: {notes}\n", finding.place.line, finding.outcome.word()));
        }
    }
    out
}

#[test]
fn conversions_match_the_golden_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/rsyslog.txt");
    let want = std::fs::read_to_string(&path).unwrap();
    let mut got = String::new();
    for block in want.split_terminator("\n\n") {
        let lines: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("> ")).collect();
        lines.iter().for_each(|line| got.push_str(&format!("> {line}\n")));
        got.push_str(&shown(&lines.join("\n")));
        got.push('\n');
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &got).unwrap();
    }
    for (number, (want, got)) in want.lines().zip(got.lines()).enumerate() {
        assert_eq!(got, want, "line {} of the file", number + 1);
    }
    assert_eq!(got.len(), want.len());
}
