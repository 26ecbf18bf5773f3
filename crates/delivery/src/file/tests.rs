//! Rows for names, and files as they are written, rotated, refused.

use super::*;
use crate::{
    DestinationDriver, DestinationSpec, Destinations, FileTarget, Queueing,
    testing::{file_target, lines},
};
use message::{Ack, WriteBudget};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use transport::{
    FilePermissions, Registry, State,
    testing::{delivery, eventually, token},
};

#[track_caller]
fn check_name(trusted: &str, name: &[u8], want: &str) {
    assert_eq!(name::safe(trusted, name).as_os_str().as_bytes(), want.as_bytes());
}

#[test]
fn no_name_leaves_its_folder() {
    check_name("/var/log/", b"/var/log/web/messages", "/var/log/web/messages");
    check_name("/var/log/", b"/var/log/../../etc/passwd", "/var/log/__/__/etc/passwd");
    check_name("/var/log/", b"/var/log/..", "/var/log/__");
    check_name("/var/log/", b"/var/log/", "/var/log/_");
    check_name("/var/log/", b"/var/log///a//b", "/var/log/a/b");
    check_name("/var/log/.", b"/var/log/..", "/var/log/__");
    check_name("/var/log/fw-", b"/var/log/fw-/../x", "/var/log/fw-/__/x");
    check_name("/var/log/", b"/var/log/a\0b\nc", "/var/log/a_b_c");
    check_name("log-", b"log-x", "./log-x");
    check_name("/", &[b"/".as_slice(), &[b'a'; 300]].concat(), &format!("/{}", "a".repeat(255)));
    check_name(
        "/",
        &[b"/".as_slice(), "é".repeat(200).as_bytes()].concat(),
        &format!("/{}", "é".repeat(127)),
    );
    check_name("/", &b"/a".repeat(20), &"/a".repeat(12));
}

fn target(name: &str) -> FileTarget {
    let macros = name.find('$').unwrap_or(name.len());
    FileTarget {
        trusted_prefix: name[..macros].to_owned(),
        create_folders: true,
        permissions: FilePermissions { mode: Some(0o640), ..FilePermissions::default() },
        folder_permissions: FilePermissions { mode: Some(0o750), ..FilePermissions::default() },
        fsync: true,
        open_files_max: 2,
        ..file_target(name)
    }
}

fn parts() -> Parts {
    let registry = Registry::default();
    let whole = registry.register("dst.file", "d#0", "");
    Parts::new(registry, whole)
}

/// A destination that writes to a template below a fresh folder.
struct Setup {
    folder: tempfile::TempDir,
    destinations: Destinations,
    outlet: std::sync::Arc<dyn message::Outlet>,
    registry: Registry,
}

impl Setup {
    fn new(name: &str) -> Setup {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::default();
        let mut destinations = Destinations::new(registry.clone(), InternalLog::new("test", None));
        let name = format!("{}/{name}", folder.path().display());
        let staged = destinations.stage(vec![spec(&name)]).unwrap();
        let outlet = staged.outlets()["d#0"].clone();
        destinations.commit(staged);
        Setup { folder, destinations, outlet, registry }
    }

    /// Delivers and waits for the token.
    fn write(&self, messages: &[&str]) {
        let (ack, seen) = token();
        self.outlet.deliver(delivery(messages, ack, false), &WriteBudget::none());
        eventually("the batch is written", || seen.lock().unwrap().is_some());
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_else(|error| error.kind().to_string())
    }
}

fn spec(name: &str) -> DestinationSpec {
    DestinationSpec {
        id: "d#0".to_owned(),
        component: "file".to_owned(),
        driver: DestinationDriver::File(target(name)),
        queueing: Queueing { reopen_after: Duration::from_millis(20), ..Queueing::default() },
        rendering: lines(),
    }
}

#[test]
fn writes_lines_and_makes_folders() {
    let setup = Setup::new("a/b/all.log");
    setup.write(&["h|one", "h|two"]);
    setup.write(&["h|three"]);
    assert_eq!(setup.read("a/b/all.log"), "one\ntwo\nthree\n");
    let mode =
        |name: &str| fs::metadata(setup.folder.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("a"), mode("a/b"), mode("a/b/all.log")), (0o750, 0o750, 0o640));
}

#[test]
fn each_host_has_its_file_however_few_are_open() {
    let setup = Setup::new("$HOST.log");
    setup.write(&["web|1", "db|2", "web|3", "mail|4", "dns|5"]);
    setup.write(&["mail|6", "web|7", "../evil|8", "..|9"]);
    assert_eq!(setup.read("web.log"), "1\n3\n7\n");
    assert_eq!(setup.read("mail.log"), "4\n6\n");
    assert_eq!(setup.read(".._evil.log"), "8\n");
    assert_eq!(setup.read("...log"), "9\n");
}

#[test]
fn each_file_of_a_name_with_macros_is_counted_by_itself() {
    let setup = Setup::new("$HOST.log");
    setup.write(&["web|1", "db|22", "web|3", "mail|4"]);
    let counted = |name: &str| {
        let path = setup.folder.path().join(name).display().to_string();
        let entries = setup.registry.list();
        let entry = entries.iter().find(|entry| entry.instance == path && entry.is_part())?;
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        assert!(read(&entry.stamp_s) > 0 && entry.component == "dst.file" && entry.id == "d#0");
        assert_eq!(read(&entry.processed), read(&entry.written));
        Some((read(&entry.written), read(&entry.bytes), entry.state()))
    };
    let whole = setup.registry.list().into_iter().find(|entry| !entry.is_part()).unwrap();
    eventually("counted", || whole.written.load(Ordering::Relaxed) == 4);
    assert_eq!(whole.written_in_parts.load(Ordering::Relaxed), 4);
    assert_eq!(whole.bytes_in_parts.load(Ordering::Relaxed), whole.bytes.load(Ordering::Relaxed));
    // At most two files stay open: the third one's counters are orphaned until it gets its next message.
    assert_eq!(counted("mail.log"), Some((1, 2, State::Active)));
    setup.write(&["web|5"]);
    assert_eq!(counted("web.log"), Some((3, 6, State::Active)));
    setup.write(&["db|6"]);
    assert_eq!(counted("db.log"), Some((2, 5, State::Active)));
    assert_eq!(setup.registry.list().iter().filter(|entry| entry.state() == State::Active).count(), 3);
    let constant = Setup::new("all.log");
    constant.write(&["web|1"]);
    assert_eq!(constant.registry.list().len(), 1, "a name without macros has the destination's row alone");
}

#[test]
fn one_delivery_fills_several_files_that_are_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("x").display().to_string();
    let rotation = Some(crate::Rotation { bytes: 20, kept: 9 });
    let mut files = Files::new(
        FileTarget { rotation, ..target(&name) },
        lines(),
        InternalLog::new("test", None),
        parts(),
    );
    let texts: Vec<String> = (100..107).map(|number| format!("h|line {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let delivery = delivery(&texts, message::Ack::none(), false);
    files.begin(Stamp::default());
    files.add(&delivery, &mut 0);
    files.flush().unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("x.2"), "line 100\nline 101\nline 102\n");
    assert_eq!(read("x.1"), "line 103\nline 104\nline 105\n");
    assert_eq!(read("x"), "line 106\n");
}

#[test]
fn names_that_end_alike_are_told_apart() {
    let setup = Setup::new("$HOST/the-same-long-end-of-each-name.log");
    setup.write(&["web|1", "db|2", "web|3"]);
    setup.write(&["db|4", "web|5"]);
    assert_eq!(setup.read("web/the-same-long-end-of-each-name.log"), "1\n3\n5\n");
    assert_eq!(setup.read("db/the-same-long-end-of-each-name.log"), "2\n4\n");
}

#[test]
fn what_is_gathered_for_several_files_is_due_when_nothing_more_comes() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("{}/$HOST.log", folder.path().display());
    let mut files = Files::new(target(&name), lines(), InternalLog::new("test", None), parts());
    let delivery = delivery(&["web|1", "db|2"], message::Ack::none(), false);
    files.begin(Stamp::default());
    files.add(&delivery, &mut 0);
    let before = Instant::now();
    files.flushed = before;
    assert!(
        files.holds_until().is_none_or(|until| until <= before + QUIET),
        "it waits for no more than quiet"
    );
    files.added = before.checked_sub(QUIET).unwrap();
    assert_eq!(files.holds_until(), None);
}

#[test]
fn a_name_that_cannot_be_a_file_holds_up_nobody() {
    let setup = Setup::new("$HOST");
    fs::create_dir(setup.folder.path().join("folder")).unwrap();
    symlink("/dev/null", setup.folder.path().join("link")).unwrap();
    setup.write(&["folder|1", "link|2", "web|3"]);
    assert_eq!(setup.read("web"), "3\n");
    let counters = &setup.registry.list()[0];
    eventually("counted", || counters.dropped() == 2);
    assert_eq!(counters.written.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[test]
fn a_rotated_file_is_created_again_after_reopen() {
    let setup = Setup::new("x.log");
    setup.write(&["h|1"]);
    fs::rename(setup.folder.path().join("x.log"), setup.folder.path().join("x.1")).unwrap();
    setup.write(&["h|2"]);
    setup.destinations.reopen();
    setup.write(&["h|3"]);
    assert_eq!((setup.read("x.1"), setup.read("x.log")), ("1\n2\n".to_owned(), "3\n".to_owned()));
}

#[test]
fn an_error_keeps_the_messages_until_it_is_over() {
    let setup = Setup::new("sub/x.log");
    // A file where the folder should be: the name is the configuration's own, so it is tried again.
    fs::write(setup.folder.path().join("sub"), "").unwrap();
    let (ack, seen) = token();
    setup.outlet.deliver(delivery(&["h|kept"], ack, false), &WriteBudget::none());
    let counters = setup.registry.list()[0].clone();
    eventually("an error", || counters.errors.load(std::sync::atomic::Ordering::Relaxed) > 0);
    assert!(seen.lock().unwrap().is_none());
    fs::remove_file(setup.folder.path().join("sub")).unwrap();
    eventually("written", || seen.lock().unwrap().is_some());
    assert_eq!(setup.read("sub/x.log"), "kept\n");
}

#[test]
fn a_full_disk_stops_within_a_line_and_goes_on_there() {
    let setup = Setup::new("x.log");
    setup.write(&["h|1"]);
    let target = target("/dev/full");
    let mut file = OpenFile {
        name: Vec::new(),
        path: "/dev/full".into(),
        file: None,
        output: Output::default(),
        packed: Packed::default(),
        used: Instant::now(),
        is_local: false,
        unsynced: false,
        stays_until: None,
        part: OnceCell::new(),
    };
    file.output.push(StreamFraming::Plain, |bytes| bytes.extend_from_slice(b"line\n"));
    let error = file.write(&target, &InternalLog::new("test", None), Instant::now()).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ENOSPC));
    assert!(!open::is_final(&error));
    assert_eq!(file.output.rest(), b"line\n");
}

#[test]
fn a_reload_keeps_the_queue_and_changes_the_name() {
    let mut setup = Setup::new("x.log");
    setup.write(&["h|1"]);
    let staged =
        setup.destinations.stage(vec![spec(&format!("{}/y.log", setup.folder.path().display()))]).unwrap();
    setup.destinations.commit(staged);
    setup.write(&["h|2"]);
    assert_eq!((setup.read("x.log"), setup.read("y.log")), ("1\n".to_owned(), "2\n".to_owned()));
    let staged = setup.destinations.stage(Vec::new()).unwrap();
    let (ack, seen) = token();
    setup.outlet.deliver(delivery(&["h|3"], ack, false), &WriteBudget::none());
    setup.destinations.commit(staged);
    setup.destinations.stop(Duration::ZERO);
    assert_eq!(*seen.lock().unwrap(), Some(message::Outcome::Done));
    assert_eq!(setup.read("y.log"), "2\n3\n");
}

#[test]
fn what_cannot_be_written_by_the_stop_is_dropped_and_said() {
    let mut setup = Setup::new("sub/x.log");
    fs::write(setup.folder.path().join("sub"), "").unwrap();
    let (ack, seen) = token();
    setup.outlet.deliver(delivery(&["h|1", "h|2"], ack, false), &WriteBudget::none());
    setup.destinations.stop(Duration::from_millis(50));
    assert_eq!(*seen.lock().unwrap(), Some(message::Outcome::Failed));
    let counters = &setup.registry.list()[0];
    let stopped = counters.dropped_stopped.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!((stopped, counters.queued.load(std::sync::atomic::Ordering::Relaxed)), (2, 0));
}

#[test]
fn idle_files_are_closed() {
    let mut files = Files::new(
        FileTarget { reap_after: Some(Duration::from_secs(60)), ..target("/tmp/$HOST") },
        lines(),
        InternalLog::new("test", None),
        parts(),
    );
    files.name = b"/tmp/x".to_vec();
    files.file_of_name();
    assert!(files.next_tick().unwrap() > Instant::now() + Duration::from_secs(50));
    files.tick(Instant::now());
    assert_eq!(files.open.len(), 1);
    files.tick(Instant::now() + Duration::from_secs(61));
    assert!(files.open.is_empty() && files.next_tick().is_none());
}

/// Takes a number of bytes, then none for once.
struct Narrow {
    bytes: Vec<u8>,
    room: usize,
}

impl Write for Narrow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let size = bytes.len().min(std::mem::replace(&mut self.room, usize::MAX));
        self.bytes.extend_from_slice(&bytes[..size]);
        if size == 0 { Err(io::Error::from_raw_os_error(libc::ENOSPC)) } else { Ok(size) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn unpacked(bytes: &[u8]) -> String {
    let mut text = String::new();
    io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(bytes), &mut text).unwrap();
    text
}

#[test]
fn every_write_is_a_whole_member_of_gzip() {
    let (mut packed, mut file) = (Packed::default(), Narrow { bytes: Vec::new(), room: 0 });
    let full = packed.write(&mut file, b"one\ntwo\n").unwrap_err();
    assert_eq!(full.raw_os_error(), Some(libc::ENOSPC));
    // More came meanwhile: the member that was begun is completed first.
    assert_eq!(packed.write(&mut file, b"one\ntwo\nthree\n").unwrap(), 8);
    assert_eq!(packed.write(&mut file, b"three\n").unwrap(), 6);
    assert_eq!(unpacked(&file.bytes), "one\ntwo\nthree\n");
}

#[test]
fn a_packed_file_is_read_as_it_was_written() {
    let target = FileTarget { compress: true, ..target("x") };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gz");
    let mut file = OpenFile {
        name: Vec::new(),
        path: path.clone(),
        file: None,
        output: Output::default(),
        packed: Packed::default(),
        used: Instant::now(),
        is_local: false,
        unsynced: false,
        stays_until: None,
        part: OnceCell::new(),
    };
    for line in ["first\n", "second\n"] {
        file.output.push(StreamFraming::Plain, |bytes| bytes.extend_from_slice(line.as_bytes()));
        file.write(&target, &InternalLog::new("test", None), Instant::now()).unwrap();
    }
    assert_eq!(unpacked(&fs::read(path).unwrap()), "first\nsecond\n");
}

#[test]
fn a_reader_writes_itself_and_leaves_errors_to_the_thread() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.log");
    let rotation = Some(crate::Rotation { bytes: 1 << 10, kept: 1 });
    let driver = FileTarget { fsync: false, rotation, ..target(path.to_str().unwrap()) };
    let registry = Registry::default();
    let mut destinations = Destinations::new(registry.clone(), InternalLog::new("test", None));
    let spec = DestinationSpec { driver: DestinationDriver::File(driver), ..spec("") };
    let staged = destinations.stage(vec![spec]).unwrap();
    let outlet = staged.outlets()["d#0"].clone();
    destinations.commit(staged);
    let deliver = |text: &str| {
        let (ack, seen) = token();
        let budget = WriteBudget::until(Instant::now() + Duration::from_secs(3600));
        outlet.deliver(delivery(&[text], ack, false), &budget);
        seen
    };
    // The thread opens the file; as soon as it rests, what is delivered is written when the call returns.
    let mut count = 0;
    eventually("a reader writes", || {
        count += 1;
        deliver("h|x").lock().unwrap().is_some()
    });
    assert_eq!(fs::read_to_string(&path).unwrap(), "x\n".repeat(count));
    // Someone puts a folder in the place of the file: the thread tries again until it can open a new one.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    deliver("h|y");
    let last = deliver("h|z");
    assert!(last.lock().unwrap().is_none());
    fs::remove_dir(&path).unwrap();
    eventually("the thread writes", || last.lock().unwrap().is_some());
    assert_eq!(fs::read_to_string(&path).unwrap(), "y\nz\n");
    let counters = &registry.list()[0];
    let read = |counter: &std::sync::atomic::AtomicU64| counter.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!((read(&counters.written), read(&counters.queued)), (count as u64 + 2, 0));
}

#[test]
fn output_is_gathered_for_several_files_and_for_compressed_ones() {
    let folder = tempfile::tempdir().unwrap();
    let files = |compress: bool, hosts: &[&str]| {
        let name = format!("{}/$HOST", folder.path().display());
        let target = FileTarget { compress, ..target(&name) };
        let mut files = Files::new(target, lines(), InternalLog::new("test", None), parts());
        for host in hosts {
            let text = format!("{host}|x");
            files.add(&delivery(&[&text], Ack::none(), true), &mut 0);
        }
        files
    };
    let (soon, later) = (Instant::now() + Duration::from_secs(10), Instant::now() + Duration::from_secs(20));
    let past = Instant::now().checked_sub(Duration::from_secs(10)).unwrap();
    let check = |compress, hosts: &[&str], (flushed, added), want| {
        let mut files = files(compress, hosts);
        (files.flushed, files.added) = (flushed, added);
        assert_eq!(files.holds_until(), want);
    };
    check(false, &["a", "b"], (soon, later), Some(soon + GATHERED_FOR));
    check(false, &["a", "b"], (later, soon), Some(soon + QUIET));
    check(false, &["a", "b"], (past, later), None);
    check(false, &["a"], (soon, later), None);
    check(true, &["a"], (soon, past), Some(soon + PACKED_FOR));
    check(true, &["a", "b"], (past, later), None);
}

#[test]
fn a_file_that_cannot_be_put_aside_is_written_on_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    // Something is in the way of the name that it would get.
    fs::create_dir_all(folder.path().join("file.1/x")).unwrap();
    let log = InternalLog::new("test", None);
    let rotation = Some(Rotation { bytes: 4, kept: 1 });
    let target = FileTarget { rotation, ..target(&path.display().to_string()) };
    let mut files = Files::new(target, lines(), log.clone(), parts());
    let write = |files: &mut Files, text: &str| {
        files.add(&delivery(&[text], Ack::none(), true), &mut 0);
        files.flush().unwrap();
        fs::read_to_string(&path).unwrap()
    };
    assert_eq!(write(&mut files, "h|abc"), "abc\n");
    let start = Instant::now();
    assert_eq!(write(&mut files, "h|def"), "abc\ndef\n");
    let until = files.open[0].stays_until.unwrap();
    assert!(until >= start + PUT_ASIDE_AGAIN_AFTER && until <= Instant::now() + PUT_ASIDE_AGAIN_AFTER);
    assert_eq!(log.take(9).0.len(), 1);
    fs::remove_dir_all(folder.path().join("file.1")).unwrap();
    assert_eq!(write(&mut files, "h|g"), "abc\ndef\ng\n", "it is too early to try again");
    assert_eq!(log.take(9).0.len(), 0);
    files.open[0].stays_until = Some(Instant::now());
    assert_eq!(write(&mut files, "h|i"), "i\n");
    assert_eq!((files.open[0].stays_until, folder.path().join("file.1").exists()), (None, true));
}
