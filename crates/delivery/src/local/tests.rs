//! Pipes and programs as targets, with real peers on this machine.

use crate::{
    DestinationDriver, PipeTarget, ProgramTarget,
    testing::{Setup, check_read, spec},
};
use std::{
    fs::{self, OpenOptions},
    time::Duration,
};
use transport::{
    FilePermissions,
    testing::{PATIENCE, eventually},
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

#[test]
fn a_program_is_started_again_and_gets_what_it_missed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let command = format!("head -n 1 >> {}", out.display());
    let target = ProgramTarget { command, keep_over_reload: true, inherits_environment: true };
    let mut setup = Setup::new(spec(DestinationDriver::Program(target), "$MSG\n"));
    let lines = || fs::read_to_string(&out).unwrap_or_default();
    for (text, want) in [("h|a", "a\n"), ("h|b", "a\nb\n")] {
        setup.send(&[text]);
        eventually("written by the program", || lines() == want);
        // Until its end is seen the pipe still takes bytes, as with any program that dies.
        std::thread::sleep(Duration::from_millis(20));
    }
    setup.destinations.stop(PATIENCE);
}
