//! Encrypted logs and attacks on them; tests/system/test_slog.py tests that syslog-ng's own tools agree.

use super::{Sealer, files::read_mac, lines, scheme::*};
use std::collections::HashSet;

const LINES: [&str; 4] = ["<13>first", "<14>second with \u{e9}", "", "<15>fourth"];

fn first_key() -> HostKey {
    HostKey { key: host_key(&[7; KEY_BYTES], "00:11:22:33:44:55", "A1"), lines: 0 }
}

fn encrypted() -> (Vec<String>, Mac, HostKey) {
    let (mut host, mut mac) = (first_key(), [0; MAC_BYTES]);
    let lines = LINES.map(|line| seal(&mut host, &mut mac, line.as_bytes()).unwrap());
    (lines.to_vec(), mac, host)
}

/// Checks the log in clear, the errors, and the MAC.
#[track_caller]
fn check(lines: &[String], want: &str, troubles: &[&str], is_whole: bool) {
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let read = lines::open(first_key(), [0; MAC_BYTES], text.as_bytes());
    assert_eq!(String::from_utf8_lossy(&read.text), want);
    assert_eq!(read.troubles, troubles);
    let whole = whole_mac(lines);
    assert_eq!(whole.is_some_and(|mac| mac == read.mac), is_whole);
}

/// Returns the MAC of the lines of the log that these came from, in the order they were made.
fn whole_mac(lines: &[String]) -> Option<Mac> {
    let mut sorted: Vec<&String> = lines.iter().collect();
    sorted.sort_by_key(|line| number(line.as_bytes()));
    let numbers: Vec<_> = sorted.iter().filter_map(|line| number(line.as_bytes())).collect();
    if numbers != [0, 1, 2, 3] {
        return None;
    }
    let (mut host, mut mac) = (first_key(), [0; MAC_BYTES]);
    for line in sorted {
        let opened = open(&host.key, &line.as_bytes()[NUMBER_CHARACTERS + 1..])?;
        mac = add(&host.key, host.lines, &mac, &opened);
        evolve(&mut host);
    }
    Some(mac)
}

const CLEAR: [&str; 4] = [
    "00000000000000000000: <13>first\n",
    "00000000000000000001: <14>second with \u{e9}\n",
    "00000000000000000002: \n",
    "00000000000000000003: <15>fourth\n",
];

#[test]
fn a_whole_log_is_read_back() {
    let (lines, mac, host) = encrypted();
    check(&lines, &CLEAR.concat(), &[], true);
    assert_eq!((whole_mac(&lines), host.lines), (Some(mac), 4));
}

#[test]
fn what_is_done_to_a_log_is_found() {
    let (lines, ..) = encrypted();
    let without = |place: usize| [&lines[..place], &lines[place + 1..]].concat();
    let missing = "line 2: has the number 2 instead of 1";
    check(&without(1), &[CLEAR[0], CLEAR[2], CLEAR[3]].concat(), &[missing], false);
    check(&without(3), &CLEAR[..3].concat(), &[], false);
    let twice = [&lines[..2], &lines[1..]].concat();
    check(&twice, &CLEAR.concat(), &["line 3: has the number 1 instead of 2"], false);
    let mut changed = lines.clone();
    let place = changed[1].len() - 6;
    let other = if changed[1].as_bytes()[place] == b'A' { "B" } else { "A" };
    changed[1].replace_range(place..=place, other);
    let want = [CLEAR[0], CLEAR[2], CLEAR[3]].concat();
    check(&changed, &want, &["line 2: is not what was encrypted"], false);
    check(&["x".to_owned()], "", &["line 1: is no encrypted line"], false);
}

#[test]
fn every_key_is_another() {
    let mut host = first_key();
    let keys: HashSet<Key> = (0..50)
        .map(|_| {
            evolve(&mut host);
            host.key
        })
        .collect();
    assert_eq!((keys.len(), host.lines), (50, 50));
}

#[test]
fn key_files_are_checked() {
    let bytes = HostKey { key: [3; KEY_BYTES], lines: 258 }.print();
    assert_eq!(HostKey::parse(&bytes).map(|host| host.lines), Some(258));
    for place in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[place] ^= 1;
        assert!(HostKey::parse(&bytes).is_none(), "{place}");
    }
    assert!(HostKey::parse(&bytes[..50]).is_none());
}

/// A log that is sealed as it is written, with the files that a crash leaves.
struct Site {
    dir: tempfile::TempDir,
    sent: usize,
}

impl Site {
    fn new() -> Site {
        let site = Site { dir: tempfile::tempdir().unwrap(), sent: 0 };
        first_key().write(&site.path("key")).unwrap();
        site
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    /// Runs a server that writes some lines at once.
    fn live(&mut self, count: usize) {
        let sealer = Sealer::default();
        sealer.load(&self.path("key"), &self.path("mac")).unwrap();
        let mut out = Vec::new();
        for number in self.sent..self.sent + count {
            sealer.seal(&self.path("log"), format!("line {number}").as_bytes(), &mut out).unwrap();
        }
        let mut log = std::fs::OpenOptions::new().append(true).create(true).open(self.path("log")).unwrap();
        std::io::Write::write_all(&mut log, &out).unwrap();
        sealer.written().unwrap();
        self.sent += count;
    }

    #[track_caller]
    fn check(&self, what: &str) {
        let text = std::fs::read(self.path("log")).unwrap();
        let read = lines::open(first_key(), [0; MAC_BYTES], &text);
        assert_eq!((read.troubles, read.lines), (Vec::<String>::new(), self.sent as u64), "{what}");
        assert_eq!(read.mac, read_mac(&self.path("mac")).unwrap(), "{what}");
        assert_eq!(HostKey::read(&self.path("key")).unwrap().lines, self.sent as u64, "{what}");
        assert!(!self.path("key.new").exists() && !self.path("mac.new").exists(), "{what}");
    }
}

#[test]
fn a_log_goes_on_after_a_crash_at_any_step() {
    let copy = |site: &Site, from: &str, to: &str| {
        std::fs::copy(site.path(from), site.path(to)).unwrap();
    };
    type Cut<'a> = (&'a str, &'a dyn Fn(&Site));
    // The files before the last lines are `old.`; those after it are there.
    let cuts: [Cut<'_>; 6] = [
        ("nothing", &|_| {}),
        ("lines without their key", &|site| {
            copy(site, "old.key", "key");
            copy(site, "old.mac", "mac");
        }),
        ("half a MAC beside", &|site| {
            copy(site, "old.key", "key");
            copy(site, "old.mac", "mac");
            std::fs::write(site.path("mac.new"), [1; 9]).unwrap();
        }),
        ("both beside", &|site| {
            copy(site, "key", "key.new");
            copy(site, "mac", "mac.new");
            copy(site, "old.key", "key");
            copy(site, "old.mac", "mac");
        }),
        ("the MAC has its name", &|site| {
            copy(site, "key", "key.new");
            copy(site, "old.key", "key");
        }),
        ("half a line", &|site| {
            copy(site, "old.key", "key");
            copy(site, "old.mac", "mac");
            let mut log = std::fs::OpenOptions::new().append(true).open(site.path("log")).unwrap();
            std::io::Write::write_all(&mut log, b"AAAAAAAAAAA=:half").unwrap();
        }),
    ];
    for (what, cut) in cuts {
        let mut site = Site::new();
        site.live(3);
        copy(&site, "key", "old.key");
        copy(&site, "mac", "old.mac");
        site.live(4);
        site.check(what);
        cut(&site);
        site.live(2);
        site.check(what);
    }
}

#[test]
fn a_key_is_not_shared_by_two_logs() {
    let site = Site::new();
    let sealer = Sealer::default();
    assert!(sealer.seal(&site.path("log"), b"x", &mut Vec::new()).is_err(), "nothing was read yet");
    sealer.load(&site.path("key"), &site.path("mac")).unwrap();
    sealer.load(&site.path("key"), &site.path("mac")).unwrap();
    assert!(sealer.load(&site.path("key"), &site.path("other.mac")).is_err());
    assert!(Sealer::default().load(&site.path("none"), &site.path("mac")).is_err());
}
