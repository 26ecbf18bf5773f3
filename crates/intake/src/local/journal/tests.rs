//! The program that reads a journal, and its output: entries above the limit, cursors.

use super::*;
use crate::{
    source::{Settings, SettingsCell, SourceDriver},
    testing::source_options,
};
use std::sync::atomic::Ordering;
use tokio::{io::AsyncWriteExt, net::UnixStream, sync::watch};
use transport::{InternalLog, Registry, testing::Collected};

/// Checks the name under which a cursor is stored, and the arguments of the program after those that are
/// always there.
#[track_caller]
fn check_command(change: impl Fn(&mut JournalSource), cursor: Option<&str>, name: &str, want: &str) {
    let mut options = JournalSource::default();
    change(&mut options);
    let journal = Journal::new(options);
    let command = journal.command(cursor);
    let shown: Vec<&str> = command.get_args().map(|word| word.to_str().unwrap()).collect();
    assert_eq!(shown[..4], ["--output=export", "--follow", "--all", "--no-pager"]);
    assert_eq!((journal.name.as_str(), shown[4..].join(" ").as_str()), (name, want));
}

#[test]
fn the_arguments_of_the_program_follow_the_options() {
    let plain = "journal cursor";
    check_command(|_| {}, None, plain, "--lines=0");
    check_command(|options| options.from_start = true, None, plain, "--lines=all");
    for from_start in [true, false] {
        let want = "--after-cursor=c1 --lines=all";
        check_command(|options| options.from_start = from_start, Some("c1"), plain, want);
    }
    check_command(|options| options.this_boot = true, None, plain, "--lines=0 --boot");
    check_command(
        |options| options.namespace = Some("app".to_owned()),
        None,
        "journal cursor app",
        "--lines=0 --namespace=app",
    );
    check_command(
        |options| options.folder = Some("/var/j".into()),
        None,
        "journal cursor /var/j",
        "--lines=0 --directory /var/j",
    );
    check_command(
        |options| options.matches = vec!["A=1".to_owned(), "B=2".to_owned()],
        None,
        "journal cursor A=1 B=2",
        "--lines=0 A=1 B=2",
    );
}

/// Takes the pieces of an entry that is skipped; shows the bytes left when the next one begins.
#[track_caller]
fn check_skip(pieces: &[&str], want: Option<&str>) {
    let (mut bytes, mut is_found) = (Vec::new(), false);
    for piece in pieces {
        assert!(!is_found, "found too early");
        bytes.extend_from_slice(piece.as_bytes());
        is_found = skip(&mut bytes);
        // Only bytes that may be the start of the next entry stay.
        assert!(is_found || bytes.len() <= "\n\n__CURSOR=".len());
    }
    assert_eq!(is_found.then(|| String::from_utf8(bytes).unwrap()).as_deref(), want);
}

#[test]
fn reading_resumes_where_the_next_entry_begins() {
    check_skip(&["rest\n\n__CURSOR=c2\nMESSAGE=x"], Some("__CURSOR=c2\nMESSAGE=x"));
    check_skip(&["\n\n__CURSOR="], Some("__CURSOR="));
    check_skip(&["a long rest", " of a value"], None);
    check_skip(&["rest of a value\n\n", "MESSAGE\n\n"], None);
    check_skip(&["rest\n\n__CU", "RSOR=c2\n"], Some("__CURSOR=c2\n"));
    check_skip(&["rest\n", "\n__CURSOR", "=c2"], Some("__CURSOR=c2"));
}

/// Results of reading the output of the program: texts, the stored cursor, malformed frames.
fn read_all(output: &[u8]) -> (Vec<String>, Option<String>, u64) {
    let (log, collected) = (InternalLog::new("test", None), Collected::new());
    let positions = Positions::open(None, &log).unwrap();
    let counters = Registry::default().register("src.journal", "s#0", "");
    let cell = SettingsCell::new(Settings {
        id: "s#0".to_owned(),
        component: "systemd-journal".to_owned(),
        driver: SourceDriver::Journal(JournalSource::default()),
        options: Arc::new(source_options()),
        intake: collected.clone(),
        counters: counters.clone(),
    });
    let (_stop, stopped) = watch::channel(false);
    let mut here = Local { cell, log, positions, stop: stopped };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (near, mut far) = UnixStream::pair().unwrap();
        let (mut stream, journal) = (Stream::Unix(near), Journal::new(JournalSource::default()));
        let send = async move { far.write_all(output).await };
        let (sent, is_stopped) = tokio::join!(send, read(&mut here, &mut stream, &journal));
        sent.unwrap();
        assert!(!is_stopped, "its end is that of the program");
    });
    let lines = collected.wait(0);
    let texts = lines.iter().map(|line| line.rsplit('|').next().unwrap().to_owned()).collect();
    (texts, here.positions.position(CURSOR), counters.frame_errors.load(Ordering::Relaxed))
}

#[test]
fn an_entry_above_the_limit_is_skipped() {
    let entry = |cursor: &str, text: &str| format!("__CURSOR={cursor}\nMESSAGE={text}\n\n");
    let (texts, cursor, odd) = read_all((entry("c1", "one") + &entry("c2", "two")).as_bytes());
    assert_eq!((texts, cursor.as_deref(), odd), (vec!["one".to_owned(), "two".to_owned()], Some("c2"), 0));
    // One that ends in the read that crosses the limit is still taken.
    let long = "x".repeat(ENTRY_BYTES_MAX + (1 << 20));
    let output = entry("c1", "one") + &entry("c2", &long) + &entry("c3", "three");
    let (texts, cursor, odd) = read_all(output.as_bytes());
    let sizes: Vec<usize> = texts.iter().map(String::len).collect();
    assert_eq!((sizes, cursor.as_deref()), (vec![3, 5], Some("c3")));
    assert!(odd >= 1, "it is counted");
    // An entry without an end is not an entry.
    let (texts, cursor, _) = read_all(b"__CURSOR=c1\nMESSAGE=one\n");
    assert_eq!((texts.len(), cursor), (0, None));
}

#[test]
fn a_cursor_is_stored_when_its_batch_is_safe() {
    let positions = Positions::open(None, &InternalLog::new("test", None)).unwrap();
    let update =
        PositionUpdate { name: "n".to_owned(), cursor: "c".to_owned(), positions: positions.clone() };
    update.complete(Outcome::Failed);
    assert_eq!(positions.position("n"), None);
    update.complete(Outcome::Done);
    assert_eq!(positions.position("n").as_deref(), Some("c"));
}
