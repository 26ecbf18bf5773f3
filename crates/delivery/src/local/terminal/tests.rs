//! Rows for who is logged in where, and for what terminals are shown.

use super::*;
use transport::sys;
use transport::testing::output;

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

fn terminals(folder: &Path, user: &str) -> Terminals {
    let paths =
        Paths { utmp: folder.join("utmp"), sessions: folder.join("sessions"), devices: folder.join("dev") };
    Terminals { target: TerminalTarget { user: user.to_owned() }, paths }
}

#[test]
fn the_records_count_before_the_sessions_and_name_terminals_only() {
    let folder = tempfile::tempdir().unwrap();
    let terminals = terminals(folder.path(), "anna");
    let lines = || Vec::from_iter(terminals.paths.lines_of("anna"));
    assert!(lines().is_empty());
    fs::create_dir(folder.path().join("sessions")).unwrap();
    fs::write(folder.path().join("sessions/1"), "USER=anna\nTTY=tty7\n").unwrap();
    assert_eq!(lines(), ["tty7"]);
    let records =
        [record(7, "pts/3", "anna"), record(7, "../x", "anna"), record(7, "pts/3", "anna")].concat();
    fs::write(folder.path().join("utmp"), records).unwrap();
    assert_eq!(lines(), ["pts/3"]);
    let real = Terminals::new(TerminalTarget { user: "anna".to_owned() }).paths;
    assert_eq!((real.utmp.to_str(), real.devices.to_str()), (Some("/run/utmp"), Some("/dev")));
}

#[test]
fn what_is_no_terminal_gets_no_text_and_holds_up_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("dev")).unwrap();
    let file = folder.path().join("dev/file");
    fs::write(&file, "before").unwrap();
    // Nobody reads from it: to open it would wait for ever.
    sys::make_pipe(&folder.path().join("dev/pipe"), 0o600).unwrap();
    let lines = ["file", "pipe", "gone"].map(|line| record(7, line, "anna"));
    fs::write(folder.path().join("utmp"), lines.concat()).unwrap();
    let mut terminals = terminals(folder.path(), "nobody");
    for user in ["nobody", "anna"] {
        terminals.configure(DestinationDriver::Terminals(TerminalTarget { user: user.to_owned() }));
        assert_eq!(terminals.target.user, user);
        let mut output = output(&[b"text\n"]);
        terminals.write(&mut output).unwrap();
        assert_eq!(output.size(), 0);
    }
    assert_eq!(fs::read(&file).unwrap(), b"before");
}
