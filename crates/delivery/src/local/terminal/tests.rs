//! Rows for who is logged in where, and for what terminals are shown.

use super::*;

fn record(kind: i16, line: &str, user: &str) -> Vec<u8> {
    let mut record = vec![0; RECORD_BYTES];
    record[..2].copy_from_slice(&kind.to_ne_bytes());
    record[LINE.start..LINE.start + line.len()].copy_from_slice(line.as_bytes());
    record[USER.start..USER.start + user.len()].copy_from_slice(user.as_bytes());
    record
}

#[track_caller]
fn check(user: &str, want: &[&str]) {
    let records =
        [record(7, "pts/0", "anna"), record(7, "tty1", "root"), record(8, "pts/1", "anna")].concat();
    assert_eq!(utmp_lines(&records, user), want);
}

#[test]
fn finds_the_terminals_of_a_user() {
    check("anna", &["pts/0"]);
    check("root", &["tty1"]);
    check("*", &["pts/0", "tty1"]);
    check("bela", &[]);
}

#[test]
fn finds_the_sessions_of_a_user() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("1"), "UID=0\nUSER=root\nTTY=tty1\n").unwrap();
    fs::write(folder.path().join("2"), "USER=anna\n").unwrap();
    assert_eq!(session_lines(folder.path(), "root"), ["tty1"]);
    assert_eq!(session_lines(folder.path(), "*"), ["tty1"]);
    assert!(session_lines(folder.path(), "anna").is_empty());
}

#[test]
fn a_line_names_no_other_file() {
    for (line, want) in [
        ("pts/0", true),
        ("tty1", true),
        ("", false),
        ("../etc/passwd", false),
        ("a b", false),
        (":0", false),
        ("/etc/passwd", false),
    ] {
        assert_eq!(names_a_terminal(line), want, "{line:?}");
    }
}

#[test]
fn escape_sequences_do_not_reach_a_terminal() {
    assert_eq!(harmless(b"a\x1b[2Jb\x9b\x07\n"), b"a?[2Jb??\r\n");
}
