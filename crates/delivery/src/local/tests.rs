//! Pipes and programs as targets, with real peers on this machine.

use super::{Pipe, Pseudofile, Stdout, pipe::write_some};
use crate::{
    DestinationDriver, PipeTarget, ProgramTarget, PseudofileTarget,
    line::Target,
    testing::{Setup, spec},
};
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::{
            fs::{FileTypeExt, MetadataExt, PermissionsExt},
            net::UnixStream,
        },
    },
    path::Path,
};
use transport::{
    FilePermissions,
    shell::Environment,
    sys,
    testing::{PATIENCE, check_read, eventually, output},
};

#[test]
fn makes_a_pipe_and_writes_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    let target = PipeTarget { path: path.clone(), permissions: FilePermissions::default(), folders: None };
    let setup = Setup::new(spec(DestinationDriver::Pipe(target), "$MSG\n"));
    setup.send(&["h|a"]);
    eventually("the pipe is there", || path.exists());
    let mut reader = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    check_read(&mut reader, "a\n");
}

/// Returns whether a process is gone, or waits for its parent only: its files are closed.
pub(super) fn has_ended(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
}

#[test]
fn a_program_is_started_again_and_gets_what_it_missed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let pid = folder.path().join("pid");
    let command = format!("echo $$ > {}; exec head -n 1 >> {}", pid.display(), out.display());
    let target = ProgramTarget { command, keep_over_reload: true, environment: Environment::Inherited };
    let mut setup = Setup::new(spec(DestinationDriver::Program(target), "$MSG\n"));
    let lines = || fs::read_to_string(&out).unwrap_or_default();
    for (text, want) in [("h|a", "a\n"), ("h|b", "a\nb\n")] {
        setup.send(&[text]);
        eventually("written by the program", || lines() == want);
        // Until its end is seen the pipe still takes bytes, as with any program that dies.
        let pid = fs::read_to_string(&pid).unwrap();
        eventually("the program has ended", || has_ended(pid.trim()));
    }
    setup.destinations.stop(PATIENCE);
}

#[test]
fn standard_output_takes_text() {
    let mut output = output(&[b"\n"]);
    Stdout.write(&mut output).unwrap();
    assert_eq!(output.size(), 0);
}

#[test]
fn each_message_is_a_write_of_its_own_to_a_pseudofile() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("pipe"), folder.path().join("other"));
    let target = |path: &Path| PseudofileTarget { path: path.to_owned() };
    let mut pseudofile = Pseudofile::new(target(&path));
    let mut text = output(&[b"a\n", b"b\n"]);
    assert_eq!(pseudofile.write(&mut text).unwrap_err().kind(), io::ErrorKind::NotFound);
    sys::make_pipe(&path, 0o600).unwrap();
    // Without a reader it does not wait for one.
    assert_eq!(pseudofile.write(&mut text).unwrap_err().raw_os_error(), Some(libc::ENXIO));
    assert_eq!(text.size(), 4);
    let mut reader = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    pseudofile.write(&mut text).unwrap();
    assert_eq!(text.size(), 2);
    check_read(&mut reader, "a\n");
    // More than the pipe takes at once is an error of this message, which comes again.
    let long = vec![b'z'; 100_000];
    let mut longer = output(&[&long]);
    let error = pseudofile.write(&mut longer).unwrap_err();
    assert_eq!((error.kind(), longer.size()), (io::ErrorKind::WriteZero, long.len()));
    assert!(error.to_string().contains("took 65536 of 100000 bytes"), "{error}");
    fs::write(&other, "xyz").unwrap();
    pseudofile.configure(DestinationDriver::Pseudofile(target(&other)));
    pseudofile.write(&mut text).unwrap();
    pseudofile.write(&mut text).unwrap();
    assert_eq!((text.size(), fs::read(&other).unwrap()), (0, b"b\nz".to_vec()));
}

/// A descriptor that answers writes with prepared results.
struct Prepared(UnixStream, Option<io::Result<usize>>);

impl Write for Prepared {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        self.1.take().unwrap()
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Prepared {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[test]
fn a_write_that_may_go_on_is_no_error() {
    let (near, _far) = UnixStream::pair().unwrap();
    let mut file = Prepared(near, None);
    let mut check = |result: io::Result<usize>, want: Result<(), io::ErrorKind>, left: usize| {
        file.1 = Some(result);
        let mut text = output(&[b"text"]);
        let found = write_some(&mut file, &mut text).map_err(|error| error.kind());
        assert_eq!((found, text.size()), (want, left));
    };
    use io::ErrorKind::{Interrupted, StorageFull, WouldBlock, WriteZero};
    check(Ok(3), Ok(()), 1);
    check(Ok(0), Err(WriteZero), 4);
    check(Err(Interrupted.into()), Ok(()), 4);
    check(Err(WouldBlock.into()), Ok(()), 4);
    check(Err(StorageFull.into()), Err(StorageFull), 4);
    file.0.set_nonblocking(true).unwrap();
    while file.0.write(&[0; 4_096]).is_ok() {}
    file.1 = Some(Err(WouldBlock.into()));
    let found = write_some(&mut file, &mut output(&[b"text"]));
    assert_eq!(found.unwrap_err().kind(), WouldBlock, "nobody reads");
}

fn pipe_at(path: &Path) -> PipeTarget {
    PipeTarget { path: path.to_owned(), permissions: FilePermissions::default(), folders: None }
}

#[test]
fn a_pipe_stays_open_until_it_is_closed_or_fails() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("pipe"), folder.path().join("other"));
    let mut pipe = Pipe::new(pipe_at(&path));
    let mut readers = Vec::new();
    let mut write = |pipe: &mut Pipe, path: &Path| {
        pipe.write(&mut output(&[b"a\n"])).unwrap();
        readers.push(OpenOptions::new().read(true).write(true).open(path).unwrap());
        check_read(readers.last_mut().unwrap(), "a\n");
    };
    write(&mut pipe, &path);
    fs::remove_file(&path).unwrap();
    pipe.write(&mut output(&[b"b\n"])).unwrap();
    assert!(!path.exists(), "it is the open one that is written to");
    pipe.close();
    write(&mut pipe, &path);
    pipe.configure(DestinationDriver::Pipe(pipe_at(&other)));
    write(&mut pipe, &other);
    // A message that was written in part begins again after an error, and where nothing fits it goes on.
    pipe.configure(DestinationDriver::Pipe(pipe_at(Path::new("/dev/full"))));
    let mut text = output(&[b"text"]);
    text.advance(2);
    assert_eq!(pipe.write(&mut text).unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(text.size(), 4);
    pipe.configure(DestinationDriver::Pipe(pipe_at(&path)));
    let long = vec![b'z'; 1 << 20];
    let mut text = output(&[&long]);
    let error = loop {
        if let Err(error) = pipe.write(&mut text) {
            break error;
        }
    };
    assert_eq!((error.kind(), text.size()), (io::ErrorKind::WouldBlock, long.len() - 65_536));
    fs::remove_file(&path).unwrap();
    assert_eq!(pipe.write(&mut text).unwrap_err().kind(), io::ErrorKind::WouldBlock, "it is still open");
}

#[test]
fn a_pipe_gets_its_mode_and_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let modes =
        |path: &Path| fs::metadata(path).map(|metadata| metadata.permissions().mode() & 0o777).unwrap();
    for (mode, want) in [(None, 0o600), (Some(0o644), 0o644)] {
        let path = folder.path().join(format!("{want:o}"));
        let permissions = FilePermissions { mode, ..FilePermissions::default() };
        Pipe::new(PipeTarget { permissions, ..pipe_at(&path) }).write(&mut output(&[b"a"])).unwrap();
        assert_eq!(modes(&path), want);
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
    }
    let path = folder.path().join("600");
    let of = |owner, group| {
        let permissions = FilePermissions { owner, group, mode: Some(0o606) };
        Pipe::new(PipeTarget { permissions, ..pipe_at(&path) }).write(&mut output(&[b"a"]))
    };
    for (owner, group) in [(Some(12_345), None), (None, Some(23_456))] {
        match of(owner, group) {
            Ok(()) => {
                let metadata = fs::metadata(&path).unwrap();
                assert!(owner.is_none_or(|owner| owner == metadata.uid()));
                assert!(group.is_none_or(|group| group == metadata.gid()));
                assert_eq!(modes(&path), 0o606);
            }
            // Only root may give a file away.
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::PermissionDenied),
        }
    }
}
