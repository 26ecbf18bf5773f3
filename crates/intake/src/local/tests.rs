//! Pipes, programs, our own messages, the generator, and the journal's export format.

use super::journal::{entry, push};
use crate::{
    Generator, JournalSource, PipeSource, ProgramSource, SourceDriver, SourceOptions, SourceSpec, Sources,
};
use message::{Field, FieldName, Severity, ValueKind};
use std::{fs, io::Write, path::Path, sync::Arc, time::Duration};
use transport::{
    FilePermissions, HostPolicy, InternalLog, Registry,
    shell::Environment,
    testing::{Collected, batch},
};

struct Setup {
    sources: Sources,
    log: InternalLog,
    collected: Arc<Collected>,
}

fn start(driver: SourceDriver) -> Setup {
    start_at(driver, None)
}

fn start_at(driver: SourceDriver, positions: Option<&Path>) -> Setup {
    let mut options = SourceOptions::new("s");
    options.hosts = HostPolicy { keep: true, ..HostPolicy::default() };
    start_with(driver, options, positions)
}

fn start_with(driver: SourceDriver, options: SourceOptions, positions: Option<&Path>) -> Setup {
    let (log, collected) = (InternalLog::new("duramen", None), Collected::new());
    let mut sources = Sources::start(Registry::default(), log.clone(), 1, positions).unwrap();
    let spec = SourceSpec {
        id: "s#0".to_owned(),
        component: "x".to_owned(),
        driver,
        options: Arc::new(options),
        intake: collected.clone(),
    };
    let staged = sources.stage(vec![spec]).unwrap();
    sources.commit(staged);
    Setup { sources, log, collected }
}

/// Host names are this machine's: shown without.
#[track_caller]
fn check(setup: &Setup, want: &[&str]) {
    let lines = setup.collected.wait(want.len());
    let shown: Vec<&str> = lines.iter().map(|line| line.split_once('|').unwrap().1).collect();
    assert_eq!(shown, want);
}

#[test]
fn makes_and_reads_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    let setup = start(SourceDriver::Pipe(PipeSource {
        path: path.clone(),
        permissions: FilePermissions::default(),
        folders: None,
    }));
    transport::testing::eventually("the pipe is there", || path.exists());
    for text in ["<13>su: one\n", "<13>su: two\n"] {
        // Each writer closes its end, which is not the end of the pipe.
        fs::OpenOptions::new().write(true).open(&path).unwrap().write_all(text.as_bytes()).unwrap();
    }
    check(&setup, &["su|one", "su|two"]);
}

#[test]
fn reads_a_program_and_starts_it_again() {
    // Cargo sets the path of the package in the environment of every test.
    for (environment, want) in
        [(Environment::Inherited, "su|hello intake"), (Environment::Empty, "su|hello none")]
    {
        let options = ProgramSource {
            command: "echo \"<13>su: hello ${CARGO_PKG_NAME:-none}\"".to_owned(),
            restart_after: Duration::from_millis(1),
            environment,
        };
        let mut setup = start(SourceDriver::Program(options));
        let lines = setup.collected.wait(2);
        assert!(lines.iter().all(|line| line.ends_with(want)), "{lines:?}");
        setup.sources.stop(transport::testing::PATIENCE);
    }
}

#[test]
fn reads_our_own_messages() {
    let setup = start(SourceDriver::Internal);
    setup.log.write(Severity(4), "Something happened; key='value'");
    check(&setup, &["duramen|Something happened; key='value'"]);
    setup.collected.batches(|batches| {
        let message = &batches[0].messages[0];
        assert_eq!((message.pri.0, message.format.name()), (5 * 8 + 4, "internal"));
    });
}

#[test]
fn generates_messages() {
    let setup = start(SourceDriver::Generator(Generator {
        count: 3,
        every: Duration::from_millis(1),
        template: None,
        values: vec![(FieldName::parse("number"), ValueKind::Integer, b"5".to_vec())],
    }));
    check(&setup, &["|-- Generated message. --"; 3]);
    setup.collected.batches(|batches| {
        let value = batches[0].field(0, &FieldName::parse("number")).unwrap().into_owned();
        assert_eq!(value, b"5");
    });
}

#[test]
fn what_a_source_says_of_every_message_holds_for_our_own() {
    let source_options = || {
        let mut options = SourceOptions::new("s");
        options.own_pid = true;
        options.program_override = Some("prog".to_owned());
        options.hosts.host_override = Some("gate".to_owned());
        options
    };
    let pid = std::process::id().to_string();
    let names = |setup: &Setup| {
        setup.collected.batches(|batches| {
            let field = |field| String::from_utf8_lossy(batches[0].fixed(0, field)).into_owned();
            [field(Field::Host), field(Field::Program), field(Field::Pid)]
        })
    };
    let generator =
        Generator { count: 1, every: Duration::from_millis(1), template: None, values: Vec::new() };
    let setup = start_with(SourceDriver::Generator(generator), source_options(), None);
    check(&setup, &["prog|-- Generated message. --"]);
    assert_eq!(names(&setup), ["gate", "prog", &pid]);
    let setup = start_with(SourceDriver::Internal, source_options(), None);
    setup.log.write(Severity(6), "text");
    check(&setup, &["prog|text"]);
    assert_eq!(names(&setup), ["gate", "prog", &pid]);
}

#[test]
fn without_a_reader_the_newest_of_our_messages_are_kept() {
    let log = InternalLog::new("duramen", None);
    (0..10_005).for_each(|number| log.write(Severity(6), &number.to_string()));
    let (entries, lost) = log.take(1);
    assert_eq!((entries[0].text.as_str(), lost), ("5", 5));
}

#[track_caller]
fn check_entry(export: &[u8], want: &str) {
    let shown = match entry(export) {
        None => "incomplete".to_owned(),
        Some((fields, size)) => {
            let mut batch = batch(&[]);
            let cursor = push(&mut batch, &fields, &JournalSource::default(), None).unwrap_or_default();
            let field = |field| String::from_utf8_lossy(batch.fixed(0, field)).into_owned();
            let unit = batch.field(0, &FieldName::parse(".journald._SYSTEMD_UNIT")).unwrap_or_default();
            format!(
                "{size} pri={} {} {}[{}] {:?} at={} unit={} cursor={cursor}",
                batch.messages[0].pri.0,
                field(Field::Host),
                field(Field::Program),
                field(Field::Pid),
                field(Field::Message),
                batch.messages[0].event.unix_us,
                String::from_utf8_lossy(&unit)
            )
        }
    };
    assert_eq!(shown, want);
}

#[test]
fn reads_entries_of_the_journal() {
    let plain: &[u8] = b"__CURSOR=c1\n__REALTIME_TIMESTAMP=7\nPRIORITY=3\nSYSLOG_FACILITY=4\n_HOSTNAME=web\n\
        SYSLOG_IDENTIFIER=sshd\n_PID=12\nMESSAGE=hello\n_SYSTEMD_UNIT=ssh.service\n\n";
    check_entry(plain, "150 pri=35 web sshd[12] \"hello\" at=7 unit=ssh.service cursor=c1");
    check_entry(&plain[..plain.len() - 1], "incomplete");
    let binary =
        [b"_COMM=x\nMESSAGE\n\x03\0\0\0\0\0\0\0a\nb\n_TRANSPORT=kernel\n\n".as_slice(), plain].concat();
    check_entry(&binary, "47 pri=6  x[] \"a\\nb\" at=1795000000000000 unit= cursor=");
    check_entry(b"MESSAGE\n\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFabc", "incomplete");
    check_entry(b"MESSAGE\n\x03\0\0", "incomplete");
    check_entry(
        b"PRIORITY=99\nSYSLOG_FACILITY=x\nMESSAGE=m\n\n",
        "41 pri=14  [] \"m\" at=1795000000000000 unit= cursor=",
    );
}

/// Journal files for the test, written by the program that receives the journals of other machines.
fn make_journal(folder: &Path, first: usize, texts: &[&str]) -> bool {
    use std::process::{Command, Stdio};
    let output = folder.join(format!("{first}.journal"));
    let started = Command::new("/usr/lib/systemd/systemd-journal-remote")
        .arg(format!("--output={}", output.display()))
        .arg("-")
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut remote) = started else { return false };
    let mut input = remote.stdin.take().unwrap();
    for (number, text) in texts.iter().enumerate() {
        let number = first + number;
        let time = 1_795_000_000_000_000_u64 + number as u64;
        let entry = format!(
            "__REALTIME_TIMESTAMP={time}\n__MONOTONIC_TIMESTAMP={number}\n_BOOT_ID=0123456789abcdef0123456789abcdef\n\
             _HOSTNAME=web\nPRIORITY=3\nSYSLOG_IDENTIFIER=su\nUNIT=u{number}\nMESSAGE={text}\n\n"
        );
        input.write_all(entry.as_bytes()).unwrap();
    }
    drop(input);
    remote.wait().unwrap().success() && output.exists()
}

#[test]
fn reads_a_journal_behind_its_cursor() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, positions) = (folder.path().join("journal"), folder.path().join("positions"));
    fs::create_dir(&journal).unwrap();
    if !make_journal(&journal, 0, &["one", "two", "three"]) {
        return;
    }
    let options = JournalSource {
        folder: Some(journal),
        from_start: true,
        matches: vec!["PRIORITY=3".to_owned()],
        prefix: "j.".to_owned(),
        field_bytes_max: 4,
        ..JournalSource::default()
    };
    let mut setup = start_at(SourceDriver::Journal(options.clone()), Some(&positions));
    check(&setup, &["su|one", "su|two", "su|thre"]);
    setup.collected.batches(|batches| {
        let last = batches.last().unwrap();
        let unit = last.field(last.len() - 1, &FieldName::parse("j.UNIT")).unwrap().into_owned();
        assert_eq!(unit, b"u2");
    });
    setup.sources.stop(transport::testing::PATIENCE);
    setup.sources.save_positions();
    assert!(make_journal(&folder.path().join("journal"), 10, &["four"]));
    let mut setup = start_at(SourceDriver::Journal(options), Some(&positions));
    check(&setup, &["su|four"]);
    setup.sources.stop(transport::testing::PATIENCE);
}
