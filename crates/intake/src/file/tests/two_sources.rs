//! Two sources over one file: each has every line, whatever happens in between.

use super::*;
use crate::SourceSpec;

/// Two statements, `a` and `b`, with one driver each.
struct Two {
    setup: Setup,
    other: Arc<Collected>,
}

impl Two {
    fn new() -> Two {
        Two { setup: Setup::new(), other: Collected::new() }
    }

    fn spec(&self, statement: &str, driver: SourceDriver) -> SourceSpec {
        let options = SourceOptions { source: statement.to_owned(), ..self.setup.options.clone() };
        let intake = if statement == "a" { self.setup.collected.clone() } else { self.other.clone() };
        let component = "file".to_owned();
        SourceSpec { id: format!("{statement}#0"), component, driver, options: Arc::new(options), intake }
    }

    fn commit(&self, sources: &mut Sources, statements: &[&str], driver: &SourceDriver) {
        let specs = statements.iter().map(|statement| self.spec(statement, driver.clone())).collect();
        let staged = sources.stage(specs).unwrap();
        sources.commit(staged);
    }

    fn start(&self, statements: &[&str], driver: &SourceDriver) -> Sources {
        let positions = self.setup.path("positions");
        let log = InternalLog::new("test", None);
        let mut sources = Sources::start(Registry::default(), log, 1, Some(&positions)).unwrap();
        self.commit(&mut sources, statements, driver);
        sources
    }

    fn other_texts(&self, count: usize) -> String {
        let lines = self.other.wait(count);
        lines.iter().map(|line| line.rsplit('|').next().unwrap()).collect::<Vec<_>>().join(",")
    }

    #[track_caller]
    fn both(&self, want: &str) {
        let count = want.split(',').count();
        assert_eq!((&*self.setup.texts(count), &*self.other_texts(count)), (want, want));
    }

    fn drivers(&self) -> [SourceDriver; 2] {
        let file = FileSource {
            path: self.setup.path("log"),
            poll_every: POLL,
            from_start: true,
            persist_name: None,
        };
        let wildcard = WildcardSource {
            folder: self.setup.folder.path().to_owned(),
            pattern: "log".to_owned(),
            excluded: None,
            recursive: false,
            files_max: 3,
            from_start: true,
            poll_every: POLL,
            persist_name: None,
        };
        [SourceDriver::File(file), SourceDriver::Wildcard(wildcard)]
    }
}

/// Runs a test with both drivers that follow files.
fn with_both(test: impl Fn(Two, &SourceDriver)) {
    for index in 0..2 {
        let two = Two::new();
        let driver = two.drivers()[index].clone();
        test(two, &driver);
    }
}

#[test]
fn both_get_every_line_over_a_restart_and_a_rotation() {
    with_both(|two, driver| {
        two.setup.append("log", "one\ntwo\n");
        let sources = two.start(&["a", "b"], driver);
        two.both("one,two");
        Setup::stop(sources);
        two.setup.append("log", "three\n");
        let sources = two.start(&["a", "b"], driver);
        two.both("one,two,three");
        fs::rename(two.setup.path("log"), two.setup.path("old")).unwrap();
        two.setup.append("old", "four\n");
        two.setup.append("log", "five\n");
        two.both("one,two,three,four,five");
        Setup::stop(sources);
        let sources = two.start(&["b", "a"], driver);
        two.setup.append("log", "six\n");
        two.both("one,two,three,four,five,six");
        Setup::stop(sources);
    });
}

#[test]
fn the_slower_one_reads_again_what_it_has_not_acknowledged() {
    with_both(|two, driver| {
        two.setup.append("log", "one\n");
        let sources = two.start(&["a", "b"], driver);
        two.both("one");
        two.other.hold();
        two.setup.append("log", "two\n");
        two.both("one,two");
        Setup::stop(sources);
        let sources = two.start(&["a", "b"], driver);
        two.setup.append("log", "three\n");
        assert_eq!(two.setup.texts(3), "one,two,three");
        assert_eq!(two.other_texts(4), "one,two,two,three");
        Setup::stop(sources);
    });
}

#[test]
fn one_that_a_reload_adds_begins_as_its_options_say() {
    with_both(|two, driver| {
        two.setup.append("log", "one\n");
        let mut sources = two.start(&["a"], driver);
        two.setup.texts(1);
        // The new one comes first in the configuration and must not continue in the place of the other.
        two.commit(&mut sources, &["b", "a"], driver);
        two.setup.append("log", "two\n");
        two.both("one,two");
        Setup::stop(sources);
    });
}

#[test]
fn an_upgrade_reads_nothing_again_and_skips_nothing() {
    with_both(|two, driver| {
        two.setup.append("log", "one\n");
        let sources = two.start(&["a"], driver);
        two.setup.texts(1);
        Setup::stop(sources);
        // The same position as earlier versions named it.
        let text = fs::read_to_string(two.setup.path("positions")).unwrap();
        let (before, after) = (text.find('[').unwrap(), text.find("] ").unwrap());
        fs::write(two.setup.path("positions"), format!("{}{}", &text[..before], &text[after + 1..])).unwrap();
        two.setup.append("log", "two\n");
        let sources = two.start(&["a", "b"], driver);
        two.both("one,two");
        Setup::stop(sources);
    });
}

#[test]
fn a_source_that_is_renamed_continues() {
    with_both(|two, driver| {
        two.setup.append("log", "one\n");
        let mut sources = two.start(&["a"], driver);
        two.setup.texts(1);
        eventually("the position is stored", || {
            sources.save_positions();
            fs::read_to_string(two.setup.path("positions")).is_ok_and(|text| text.contains(" 4\n"))
        });
        two.commit(&mut sources, &["b"], driver);
        two.setup.append("log", "two\n");
        assert_eq!(two.other_texts(1), "two");
        Setup::stop(sources);
    });
}
