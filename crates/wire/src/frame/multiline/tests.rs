//! Rows for messages of several lines, through the framer, in pieces of every size.

use super::*;
use crate::{Framer, Framing, Oversize};
use regex::bytes::Regex;

fn pattern(text: &str) -> Option<LinePattern> {
    let regex = Regex::new(text).unwrap();
    Some(LinePattern::new(text, Arc::new(move |line: &[u8]| regex.find(line).map(|found| found.range()))))
}

/// The messages, with `/` for their line feeds.
fn run(mode: &MultiLine, limit: usize, oversize: Oversize, text: &str, piece: usize) -> Vec<String> {
    let mut framer = Framer::new(Framing::Newline, limit, oversize).joining(Arc::new(mode.clone()));
    let (mut rest, mut frames, mut shown) = (Vec::new(), Vec::new(), Vec::new());
    let show = |bytes: &[u8], frames: &mut Vec<crate::Frame>, shown: &mut Vec<String>| {
        for frame in frames.drain(..) {
            let text = String::from_utf8_lossy(&bytes[frame.start..frame.end]).replace('\n', "/");
            shown.push(if frame.marks.is_empty() { text } else { text + "!" });
        }
    };
    for part in text.as_bytes().chunks(piece) {
        rest.extend_from_slice(part);
        let used = framer.split(&rest, &mut frames);
        show(&rest, &mut frames, &mut shown);
        rest.drain(..used);
        assert!(rest.len() <= limit + 1, "carries {} bytes", rest.len());
    }
    framer.finish(&rest, &mut frames);
    show(&rest, &mut frames, &mut shown);
    shown
}

#[track_caller]
fn check(mode: &MultiLine, text: &str, want: &[&str]) {
    for piece in [1, 2, 3, 7, 1000] {
        assert_eq!(run(mode, 1000, Oversize::Cut, text, piece), want, "in pieces of {piece}");
    }
}

#[test]
fn indented_lines() {
    let mode = MultiLine::Indented;
    check(&mode, "a\n b\n\tc\nd\ne\n f", &["a/ b/\tc", "d", "e/ f"]);
    check(&mode, " a\n b\n\n\nc\r\n d\r\n", &[" a/ b", "c\r/ d"]);
    check(&mode, "", &[]);
}

#[test]
fn prefix_and_garbage() {
    let only = MultiLine::PrefixGarbage { prefix: pattern("^<"), garbage: None };
    check(&only, "x\ny\n<a\nb\n<c\n<d\ne", &["x/y", "<a/b", "<c", "<d/e"]);
    let garbage = MultiLine::PrefixGarbage { prefix: None, garbage: pattern(" Line") };
    check(&garbage, "a Line\nb\nc Line d\ne", &["a", "b/c", "e"]);
    let both = MultiLine::PrefixGarbage { prefix: pattern("^<"), garbage: pattern("##") };
    check(&both, "<a\nb## c\nlost\nlost\n<d\n<e##\nlost\n<f##x\n", &["<a/b", "<d", "<e", "<f"]);
}

#[test]
fn a_match_outside_its_line_does_not_count() {
    let found = |start: usize, end: usize| {
        let range = std::ops::Range { start, end };
        Some(LinePattern::new("x", Arc::new(move |_: &[u8]| Some(range.clone()))))
    };
    let garbage = |start, end| MultiLine::PrefixGarbage { prefix: None, garbage: found(start, end) };
    check(&garbage(1, 1), "ab\ncd", &["a", "c"]);
    check(&garbage(1, 2), "ab\ncd", &["a", "c"]);
    check(&garbage(1, 3), "ab\ncd", &["ab/cd"]);
    check(&garbage(2, 1), "ab\ncd", &["ab/cd"]);
    let suffix = MultiLine::PrefixSuffix { prefix: None, suffix: found(0, 2) };
    check(&suffix, "ab\nc\nde", &["ab", "c/de"]);
    assert_eq!(format!("{:?}", LinePattern::new("^a", Arc::new(|_: &[u8]| None))), "\"^a\"");
}

#[test]
fn prefix_and_suffix() {
    let mode = MultiLine::PrefixSuffix { prefix: pattern("^<"), suffix: pattern("end") };
    check(&mode, "<a\nb end lost\nlost\n<c end\n<d\n<e", &["<a/b end", "<c end", "<d", "<e"]);
}

#[test]
fn empty_lines_between() {
    check(&MultiLine::EmptyLineSeparated, "\n\na\nb\n\n\r\nc\n \nd\n", &["a/b", "c/ /d"]);
}

#[test]
fn stack_traces() {
    let smart = MultiLine::Smart;
    check(&smart, "one\ntwo\n\nthree", &["one", "two", "three"]);
    check(
        &smart,
        "start\njava.lang.RuntimeException: no\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\nCaused by: x.YException: z\n\tat e\n\t... 2 more\nnext\n",
        &[
            "start",
            "java.lang.RuntimeException: no/\tat a.B.c(B.java:1)/\tat a.B.d(B.java:2)/Caused by: x.YException: z/\tat e/\t... 2 more",
            "next",
        ],
    );
    check(
        &smart,
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n    ^^^\n  File \"a.py\", line 2, in g\n    h()\nValueError: no\nnext",
        &[
            "Traceback (most recent call last):/  File \"a.py\", line 1, in f/    g()/    ^^^/  File \"a.py\", line 2, in g/    h()/ValueError: no",
            "next",
        ],
    );
    check(
        &smart,
        "PHP Fatal error:  Uncaught exception\nStack trace:\n#0 a.php(1): f()\n#1 {main}\n  thrown in a.php on line 1\nnext\n",
        &[
            "PHP Fatal error:  Uncaught exception/Stack trace:/#0 a.php(1): f()/#1 {main}/  thrown in a.php on line 1",
            "next",
        ],
    );
    check(
        &smart,
        "panic: oops\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t/a/b.go:1 +0x2\nmain.main()\n\t/a/b.go:3 +0x4\nnext\n",
        &[
            "panic: oops//goroutine 1 [running]:/main.f(0x1)/\t/a/b.go:1 +0x2/main.main()/\t/a/b.go:3 +0x4",
            "next",
        ],
    );
    check(
        &smart,
        "NoMethodError (undefined method):\n  app/a.rb:1:in `b'\n  app/a.rb:2:in `c'\nnext\n",
        &["NoMethodError (undefined method):/  app/a.rb:1:in `b'/  app/a.rb:2:in `c'", "next"],
    );
    check(
        &smart,
        "TypeError: x is not a function\n    at f (a.js:1:2)\n    at g (a.js:3:4)\nnext\n",
        &["TypeError: x is not a function/    at f (a.js:1:2)/    at g (a.js:3:4)", "next"],
    );
    check(
        &smart,
        "thread 'main' panicked at src/main.rs:2:5:\nboom\nstack backtrace:\n   0: a::b\n             at ./src/main.rs:2:5\nnote: some\nnext\n",
        &[
            "thread 'main' panicked at src/main.rs:2:5:/boom/stack backtrace:/   0: a::b/             at ./src/main.rs:2:5/note: some",
            "next",
        ],
    );
    // The blank after a program's tag may have taken the indentation along.
    check(
        &smart,
        "Traceback (most recent call last):\nFile \"a.py\", line 1, in f\n  g()\nValueError: no\nnext\n",
        &["Traceback (most recent call last):/File \"a.py\", line 1, in f/  g()/ValueError: no", "next"],
    );
    // A line that could have been the first line of a trace but was not.
    check(
        &smart,
        "Error: disk full\nnext\nTraceback (most recent call last):\nx y\n",
        &["Error: disk full", "next", "Traceback (most recent call last):", "x y"],
    );
}

#[test]
fn long_messages_are_cut_or_split() {
    let rows = [
        (Oversize::Cut, "a\n 23456789\n lost\n lost\nb\n c\n", vec!["a/ 2345678!", "b/ c"]),
        (Oversize::Cut, "0123456789abcdef\n lost\nb", vec!["0123456789!", "b"]),
        (Oversize::Split, "0123456789abcde\n f\nb", vec!["0123456789!", "abcde", " f", "b"]),
    ];
    for (oversize, text, want) in rows {
        assert_eq!(run(&MultiLine::Indented, 10, oversize, text, 1000), want);
    }
    for piece in 1..20 {
        let shown = run(&MultiLine::Indented, 10, Oversize::Cut, "0123456789abcdef\n lost\nb\n c\n", piece);
        assert_eq!(shown, ["0123456789!", "b/ c"], "in pieces of {piece}");
        for mode in [MultiLine::Smart, MultiLine::EmptyLineSeparated] {
            run(&mode, 5, Oversize::Split, "aaaaaaaaaaaaaaa\n\nError:\n at b\n", piece);
        }
    }
}
