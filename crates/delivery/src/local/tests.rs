//! Pipes and programs as targets, with real peers on this machine.

use crate::{
    DestinationDriver, PipeTarget, ProgramTarget,
    testing::{Setup, check_read, spec},
};
use std::fs::{self, OpenOptions};
use transport::{
    FilePermissions,
    shell::Environment,
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

/// Returns whether a process is gone, or waits for its parent only: its files are closed.
fn has_ended(pid: &str) -> bool {
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
