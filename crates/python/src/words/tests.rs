//! Lines in our log.

use super::*;
use std::sync::{Arc, Mutex};

/// Shows what is logged of an output.
fn logged(output: &[u8]) -> Vec<String> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    let echo = Box::new(move |severity: Severity, text: &str| {
        kept.lock().unwrap().push(format!("{} {text}", severity.0))
    });
    copy(output, "c", &InternalLog::new("p", Some(echo)));
    let lines = lines.lock().unwrap();
    lines.clone()
}

#[track_caller]
fn check(output: &[u8], want: &[&str]) {
    assert_eq!(logged(output), want);
}

#[test]
fn lines_have_their_severities() {
    check(
        b"printed\n\x1e3error\n\x1e7\nlast",
        &[
            "5 Python: printed; class='c'",
            "3 Python: error; class='c'",
            "7 Python: ; class='c'",
            "5 Python: last; class='c'",
        ],
    );
    check(b"\x1e9odd\n", &["5 Python: \u{1e}9odd; class='c'"]);
    check(b"\xff\n", &["5 Python: \u{fffd}; class='c'"]);
    check(b"", &[]);
}

#[test]
fn too_much_is_left_out() {
    let long = vec![b'x'; LINE_BYTES_MAX * 3];
    assert_eq!(logged(&long)[0].len(), LINE_BYTES_MAX + "5 Python: ; class='c'".len());
    assert_eq!(logged(&b"a\n".repeat(LINES_MAX * 3)).len(), LINES_MAX);
}
