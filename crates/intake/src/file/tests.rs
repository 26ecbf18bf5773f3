//! Files that grow, rotate and are truncated, with restarts in between.

use super::{Track, tail::Tail, wildcard::fits};
use crate::{FileSource, SourceDriver, SourceOptions, SourceSpec, Sources, WildcardSource};
use message::Outcome;
use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};
use transport::{
    HostPolicy, InternalLog, Registry,
    testing::{Collected, eventually},
};

mod two_sources;

const POLL: Duration = Duration::from_millis(2);

struct Setup {
    folder: tempfile::TempDir,
    options: SourceOptions,
    collected: Arc<Collected>,
}

impl Setup {
    fn new() -> Setup {
        let mut options = SourceOptions::new("s");
        options.hosts = HostPolicy { keep: true, ..HostPolicy::default() };
        options.decode.flags = wire::ParseFlags::NO_PARSE;
        Setup { folder: tempfile::tempdir().unwrap(), options, collected: Collected::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn append(&self, name: &str, text: &str) {
        let mut file = OpenOptions::new().create(true).append(true).open(self.path(name)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn start(&self, driver: SourceDriver) -> Sources {
        let positions = self.path("positions");
        let log = InternalLog::new("test", None);
        let mut sources = Sources::start(Registry::default(), log, 1, Some(&positions)).unwrap();
        let spec = SourceSpec {
            id: "s#0".to_owned(),
            component: "file".to_owned(),
            driver,
            options: Arc::new(self.options.clone()),
            intake: self.collected.clone(),
        };
        let staged = sources.stage(vec![spec]).unwrap();
        sources.commit(staged);
        sources
    }

    fn follow(&self) -> Sources {
        self.start(SourceDriver::File(FileSource {
            path: self.path("log"),
            poll_every: POLL,
            from_start: true,
            persist_name: None,
        }))
    }

    fn stop(mut sources: Sources) {
        sources.stop(transport::testing::PATIENCE);
        sources.save_positions();
    }

    /// The texts so far, at least `count`.
    #[track_caller]
    fn texts(&self, count: usize) -> String {
        let lines = self.collected.wait(count);
        lines.iter().map(|line| line.rsplit('|').next().unwrap()).collect::<Vec<_>>().join(",")
    }
}

#[test]
fn reads_appended_lines() {
    let setup = Setup::new();
    let sources = setup.follow();
    setup.append("log", "one\ntw");
    assert_eq!(setup.texts(1), "one");
    setup.append("log", "o\nthree\n");
    assert_eq!(setup.texts(3), "one,two,three");
    Setup::stop(sources);
}

#[test]
fn continues_where_it_stopped() {
    let setup = Setup::new();
    setup.append("log", "one\ntwo\nthr");
    Setup::stop({
        let sources = setup.follow();
        setup.texts(2);
        sources
    });
    setup.append("log", "ee\nfour\n");
    let sources = setup.follow();
    assert_eq!(setup.texts(4), "one,two,three,four");
    Setup::stop(sources);
}

#[test]
fn lines_that_belong_together_are_one_message() {
    let mut setup = Setup::new();
    setup.options.multi_line = Some(Arc::new(wire::MultiLine::Indented));
    let sources = setup.follow();
    setup.append("log", "one\n more\ntwo\n");
    assert_eq!(setup.texts(1), "one\n more");
    Setup::stop(sources);
    // The second message was incomplete: it is read again, with the bytes added meanwhile.
    setup.append("log", " more\n");
    setup.options.multi_line_timeout = Some(Duration::from_millis(20));
    let sources = setup.follow();
    assert_eq!(setup.texts(2), "one\n more,two\n more");
    setup.append("log", "three\n");
    assert_eq!(setup.texts(3), "one\n more,two\n more,three");
    Setup::stop(sources);
    let sources = setup.follow();
    setup.append("log", "four\n");
    assert_eq!(setup.texts(4), "one\n more,two\n more,three,four");
    Setup::stop(sources);
}

#[test]
fn other_character_sets_are_converted_and_positions_are_right() {
    let mut setup = Setup::new();
    setup.options.encoding = wire::CharacterSet::from_name("UTF-16LE");
    let append = |setup: &Setup, text: &str| {
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        fs::write(setup.path("new"), bytes).unwrap();
        let mut file = OpenOptions::new().create(true).append(true).open(setup.path("log")).unwrap();
        std::io::copy(&mut fs::File::open(setup.path("new")).unwrap(), &mut file).unwrap();
    };
    append(&setup, "\u{feff}ő\ntwo\nthr");
    let sources = setup.follow();
    assert_eq!(setup.texts(2), "ő,two");
    Setup::stop(sources);
    append(&setup, "ee\nfour\n");
    let sources = setup.follow();
    assert_eq!(setup.texts(4), "ő,two,three,four");
    Setup::stop(sources);
}

#[test]
fn what_was_not_acknowledged_is_read_again() {
    let setup = Setup::new();
    setup.append("log", "one\n");
    let sources = setup.follow();
    setup.texts(1);
    setup.collected.hold();
    setup.append("log", "two\n");
    setup.texts(2);
    Setup::stop(sources);
    let sources = setup.follow();
    assert_eq!(setup.texts(3), "one,two,two");
    Setup::stop(sources);
}

#[test]
fn reads_a_rotated_file_to_its_end_then_the_new_one() {
    let setup = Setup::new();
    setup.append("log", "one\n");
    let sources = setup.follow();
    setup.texts(1);
    fs::rename(setup.path("log"), setup.path("log.1")).unwrap();
    setup.append("log.1", "two\nthree, no end");
    setup.append("log", "four\n");
    assert_eq!(setup.texts(4), "one,two,three, no end,four");
    Setup::stop(sources);
}

#[test]
fn finds_a_file_that_was_rotated_while_it_was_stopped() {
    let setup = Setup::new();
    setup.append("log", "one\n");
    Setup::stop({
        let sources = setup.follow();
        setup.texts(1);
        sources
    });
    setup.append("log", "two\n");
    fs::rename(setup.path("log"), setup.path("log.1")).unwrap();
    setup.append("log", "three\n");
    let sources = setup.follow();
    assert_eq!(setup.texts(3), "one,two,three");
    Setup::stop(sources);
}

#[test]
fn starts_again_after_a_truncation() {
    let setup = Setup::new();
    setup.append("log", "a long first line\n");
    let sources = setup.follow();
    setup.texts(1);
    fs::write(setup.path("log"), "b\n").unwrap();
    assert_eq!(setup.texts(2), "a long first line,b");
    // Truncated and grown past the old position between two checks: the first bytes reveal it.
    fs::write(setup.path("log"), "something longer\nand more\n").unwrap();
    assert_eq!(setup.texts(4), "a long first line,b,something longer,and more");
    Setup::stop(sources);
}

#[test]
fn reads_nothing_of_a_successor_from_the_old_position() {
    let setup = Setup::new();
    setup.append("log", "b\n");
    let mut tail = super::tail::Tail::open(&setup.path("log")).unwrap();
    let read = |tail: &mut super::tail::Tail| {
        let mut bytes = Vec::with_capacity(100);
        tail.read(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    assert_eq!(read(&mut tail), "b\n");
    setup.append("log", "c\n");
    assert_eq!(read(&mut tail), "c\n");
    // Between a check of the file and the read, so the two were never compared.
    fs::write(setup.path("log"), "something longer\nand more\n").unwrap();
    assert_eq!(read(&mut tail), "");
    assert_eq!(tail.change(&setup.path("log")).unwrap(), super::tail::Change::Truncated);
    tail.rewind().unwrap();
    assert_eq!(read(&mut tail), "something longer\nand more\n");
}

#[test]
fn can_start_at_the_end() {
    let setup = Setup::new();
    setup.append("log", "old\n");
    let sources = setup.start(SourceDriver::File(FileSource {
        path: setup.path("log"),
        poll_every: POLL,
        from_start: false,
        persist_name: None,
    }));
    eventually("the position is stored", || {
        sources.save_positions();
        fs::read_to_string(setup.path("positions")).is_ok_and(|text| text.contains(" 4\n"))
    });
    setup.append("log", "new\n");
    assert_eq!(setup.texts(1), "new");
    Setup::stop(sources);
}

#[test]
fn lines_of_a_writer_that_does_not_know_of_the_new_name_are_read() {
    let setup = Setup::new();
    setup.append("a.log", "one\n");
    let sources = setup.start(SourceDriver::Wildcard(WildcardSource {
        folder: setup.folder.path().to_owned(),
        pattern: "*.log".to_owned(),
        excluded: None,
        recursive: false,
        files_max: 3,
        from_start: true,
        poll_every: Duration::from_millis(40),
        persist_name: None,
    }));
    setup.texts(1);
    fs::rename(setup.path("a.log"), setup.path("a.old")).unwrap();
    // Several checks find that the name is gone.
    for (number, text) in ["two\n", "three\n"].into_iter().enumerate() {
        std::thread::sleep(Duration::from_millis(120));
        setup.append("a.old", text);
        setup.texts(2 + number);
    }
    setup.append("a.log", "four\n");
    assert_eq!(setup.texts(4), "one,two,three,four");
    Setup::stop(sources);
}

#[test]
fn follows_all_files_that_fit() {
    let setup = Setup::new();
    fs::create_dir(setup.path("deep")).unwrap();
    setup.append("a.log", "a\n");
    setup.append("deep/b.log", "b\n");
    setup.append("c.txt", "c\n");
    setup.append("x.log", "x\n");
    let sources = setup.start(SourceDriver::Wildcard(WildcardSource {
        folder: setup.folder.path().to_owned(),
        pattern: "*.log".to_owned(),
        excluded: Some("x*".to_owned()),
        recursive: true,
        files_max: 3,
        from_start: true,
        poll_every: POLL,
        persist_name: None,
    }));
    setup.texts(2);
    setup.append("d.log", "d\n");
    setup.texts(3);
    setup.append("e.log", "above max-files\n");
    fs::remove_file(setup.path("a.log")).unwrap();
    let mut got: Vec<String> = setup.texts(4).split(',').map(str::to_owned).collect();
    got.sort();
    assert_eq!(got, ["a", "above max-files", "b", "d"]);
    Setup::stop(sources);
}

#[track_caller]
fn check_pattern(pattern: &str, name: &str, want: bool) {
    assert_eq!(fits(pattern.as_bytes(), name.as_bytes()), want, "{pattern} {name}");
}

#[test]
fn patterns() {
    check_pattern("*.log", "a.log", true);
    check_pattern("*.log", "a.log.1", false);
    check_pattern("*", "", true);
    check_pattern("a?c*", "abcd", true);
    check_pattern("a?c", "ac", false);
    check_pattern("*a*b*", "xxaxxbxx", true);
    check_pattern("*a*b", "aab", true);
    check_pattern(&"*a".repeat(50), &"a".repeat(49), false);
}

#[test]
fn positions_move_in_order_and_stop_at_a_failure() {
    let log = InternalLog::new("test", None);
    let positions = crate::positions::Positions::open(None, &log).unwrap();
    let track = Track::new("file x".to_owned(), positions.clone());
    let at = || positions.position("file x").unwrap();
    use crate::batch_reader::Completion;
    track.begin("1:2", 0);
    let updates: Vec<_> = [10, 20, 30, 40].map(|end| track.update(end)).into();
    updates[1].complete(Outcome::Done);
    assert_eq!(at(), "1:2 0");
    updates[0].complete(Outcome::Done);
    assert_eq!(at(), "1:2 20");
    updates[2].complete(Outcome::Failed);
    updates[3].complete(Outcome::Done);
    assert_eq!(at(), "1:2 20");
    let late = track.update(50);
    track.begin("1:3", 5);
    late.complete(Outcome::Done);
    assert_eq!(at(), "1:3 5");
    assert_eq!(track.stored(), Some(("1:3".to_owned(), 5)));
}

#[test]
fn a_file_is_known_by_its_first_bytes() {
    let setup = Setup::new();
    setup.append("log", "one");
    let mut tail = Tail::open(&setup.path("log")).unwrap();
    let identity = tail.identity();
    setup.append("log", " two");
    tail.change(&setup.path("log")).unwrap();
    assert!(tail.is(&identity) && tail.identity() != identity);
    fs::write(setup.path("log"), "other bytes").unwrap();
    assert!(!Tail::open(&setup.path("log")).unwrap().is(&identity));
    assert!(!tail.is("") && !tail.is("1:2:3:4") && !tail.is("x"));
}

#[test]
fn a_successor_waits_until_its_predecessor_is_safe() {
    let setup = Setup::new();
    setup.append("log", "one\n");
    let sources = setup.follow();
    setup.texts(1);
    setup.collected.hold();
    setup.append("log", "two\n");
    setup.texts(2);
    fs::rename(setup.path("log"), setup.path("log.1")).unwrap();
    setup.append("log", "three\n");
    // Stopped while `two` is being processed: it must not be forgotten.
    Setup::stop(sources);
    let sources = setup.follow();
    assert_eq!(setup.texts(3), "one,two,two");
    setup.collected.release();
    assert_eq!(setup.texts(4), "one,two,two,three");
    Setup::stop(sources);
}
