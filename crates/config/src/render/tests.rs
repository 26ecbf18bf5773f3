//! Rows for findings as people see them: the line, the caret, the chain of includes.

use std::path::Path;

use super::LINE_CHARS_MAX;
use crate::limits::DIAGNOSTICS_MAX;
use crate::text::{Origin, Span, Texts};
use crate::{Diagnostic, Memory, Report, parse};

/// Renders one error at the first occurrence of some words in a text.
#[track_caller]
fn renders(text: &str, words: &str, want: &str) {
    let mut texts = Texts::default();
    let id = texts.add("a.conf", text.to_owned(), Origin::Root).unwrap();
    let start = text.find(words).unwrap() as u32;
    let span = Span { text: id, start, end: start + words.len() as u32 };
    let mut report = Report::default();
    report.push(Diagnostic::error(span, "wrong").label("here"));
    assert_eq!(report.render_plain(&texts).trim_end(), want.trim_matches('\n'));
}

#[test]
fn the_caret_is_below_the_words() {
    renders(
        "one\ntwo three\n",
        "three",
        "error: wrong\n --> a.conf:2:5\n  |\n2 | two three\n  |     ^^^^^ here",
    );
    renders("äöü x", "x", "error: wrong\n --> a.conf:1:5\n  |\n1 | äöü x\n  |     ^ here");
    renders("a\r\nb\r\n", "b", "error: wrong\n --> a.conf:2:1\n  |\n2 | b\n  | ^ here");
    // A span of several lines is marked in its first line.
    renders("ab\ncd", "ab\ncd", "error: wrong\n --> a.conf:1:1\n  |\n1 | ab\n  | ^^ here");
}

#[test]
fn nothing_of_a_file_reaches_the_terminal_as_control() {
    renders(
        "a\u{1b}[31m\u{202e}b x",
        "x",
        "error: wrong\n --> a.conf:1:10\n  |\n1 | a\u{fffd}[31m\u{fffd}b x\n  |          ^ here",
    );
}

#[test]
fn a_long_line_is_shown_around_its_place() {
    let text = format!("{}x{}", "a".repeat(1000), "b".repeat(1000));
    let mut texts = Texts::default();
    let id = texts.add("a.conf", text, Origin::Root).unwrap();
    let mut report = Report::default();
    report.push(Diagnostic::error(Span { text: id, start: 1000, end: 1001 }, "wrong"));
    let shown = report.render_plain(&texts);
    let line = shown.lines().find(|line| line.starts_with("1 | ")).unwrap_or_default();
    assert!(line.chars().count() <= LINE_CHARS_MAX + 4 && line.contains("axb"), "{shown}");
    let caret = shown.lines().find(|line| line.contains('^')).unwrap_or_default();
    let column = |line: &str, wanted: char| line.chars().position(|one| one == wanted);
    assert_eq!(column(caret, '^'), column(line, 'x'));
}

#[test]
fn the_chain_of_includes_is_shown() {
    let files = Memory::default()
        .file("main.conf", "@version: 4.8\n@include \"more.conf\"\n")
        .file("more.conf", "block source b(p(1)) { network(prt(`p`)); };\nsource s { b(); };\n");
    let (tree, mut report) = parse(Path::new("main.conf"), &files);
    crate::check(&tree, &mut report);
    let shown = report.render_plain(&tree.texts);
    let notes: Vec<&str> = shown.lines().filter(|line| line.contains("note:")).map(str::trim).collect();
    assert_eq!(
        notes,
        ["= note: in block `b()`, used at more.conf:2:12", "= note: included at main.conf:2:10"],
        "{shown}"
    );
}

#[test]
fn findings_are_counted_once_and_bounded() {
    let mut texts = Texts::default();
    let id = texts.add("a.conf", "abc".to_owned(), Origin::Root).unwrap();
    let at = |start: u32| Span { text: id, start, end: start + 1 };
    let mut report = Report::default();
    for _ in 0..2 {
        report.push(Diagnostic::error(at(0), "twice"));
    }
    assert_eq!((report.error_count(), report.findings().len()), (1, 1));
    report.push(Diagnostic::warning(at(1), "old"));
    report.push(Diagnostic::error(at(2), "unknown").unresolved());
    assert_eq!((report.error_count(), report.warning_count(), report.is_usable()), (2, 1, false));
    report.forgive_unresolved();
    assert_eq!((report.error_count(), report.warning_count()), (1, 2));
    let mut other = Report::default();
    other.extend_forgiven(&report);
    assert_eq!((other.error_count(), other.warning_count(), other.is_usable()), (0, 3, true));
    for number in 0..DIAGNOSTICS_MAX + 7 {
        other.push(Diagnostic::error(at(0), format!("error {number}")));
    }
    assert_eq!((other.findings().len(), other.beyond()), (DIAGNOSTICS_MAX, 10));
    assert!(other.render_plain(&texts).ends_with("... and 10 more\n"));
    assert_eq!(other.error_count(), DIAGNOSTICS_MAX + 7);
}

#[test]
fn colours_are_for_terminals_only() {
    let mut texts = Texts::default();
    let id = texts.add("a.conf", "abc".to_owned(), Origin::Root).unwrap();
    let mut report = Report::default();
    assert_eq!(report.render_styled(&texts), "");
    report.push(Diagnostic::error(Span { text: id, start: 0, end: 1 }, "wrong"));
    assert!(report.render_styled(&texts).contains("\u{1b}["));
    assert!(!report.render_plain(&texts).contains("\u{1b}["));
}
