//! Programs that read, do not read, end and do not end.

use super::*;
use crate::local::tests::has_ended;
use std::{fs, path::Path};
use transport::{
    shell::Environment,
    testing::{eventually, output},
};

fn target(command: &str) -> ProgramTarget {
    ProgramTarget { command: command.to_owned(), keep_over_reload: true, environment: Environment::Inherited }
}

fn program(command: &str) -> Program {
    Program::new(target(command), InternalLog::new("test", None))
}

fn pid(program: &Program) -> Option<u32> {
    program.running.as_ref().map(|running| running.child.id())
}

fn is_gone(pid: u32) -> bool {
    has_ended(&pid.to_string())
}

/// Command of a program that says with a file that it was let to end.
fn polite(file: &Path) -> String {
    format!("cat > {0}.text; sleep 0.05; echo end > {0}", file.display())
}

#[test]
fn a_program_has_a_moment_to_end_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("end");
    let mut program = program(&polite(&file));
    program.write(&mut output(&[b"a\n"])).unwrap();
    let running = pid(&program).unwrap();
    let start = Instant::now();
    program.close();
    assert!(start.elapsed() < LEAVE_WITHIN && is_gone(running));
    assert_eq!(fs::read(&file).unwrap(), b"end\n", "it ended by itself");
    assert_eq!(fs::read(folder.path().join("end.text")).unwrap(), b"a\n");
    let mut program = self::program("exec sleep 600");
    program.write(&mut output(&[b"a\n"])).unwrap();
    let running = pid(&program).unwrap();
    let start = Instant::now();
    drop(program);
    assert!(start.elapsed() >= LEAVE_WITHIN);
    eventually("the program is ended", || is_gone(running));
}

#[test]
fn new_settings_end_a_program_unless_it_is_to_stay() {
    let mut program = program("exec cat > /dev/null");
    program.write(&mut output(&[b"a\n"])).unwrap();
    let first = pid(&program);
    let configure = |program: &mut Program, target: ProgramTarget| {
        program.configure(DestinationDriver::Program(target));
        pid(program)
    };
    assert_eq!(configure(&mut program, target("exec cat > /dev/null")), first);
    let restarting = ProgramTarget { keep_over_reload: false, ..target("exec cat > /dev/null") };
    assert_eq!(configure(&mut program, restarting.clone()), None);
    program.write(&mut output(&[b"a\n"])).unwrap();
    assert_eq!(configure(&mut program, target("exec cat > /dev/zero")), None);
    assert_eq!(
        (program.target.command.as_str(), program.target.keep_over_reload),
        ("exec cat > /dev/zero", true)
    );
}

#[test]
fn a_program_that_does_not_read_stays_and_one_that_closes_its_input_goes() {
    let mut program = program("exec sleep 600");
    let long = vec![b'z'; 1 << 20];
    let mut text = output(&[&long]);
    let error = loop {
        if let Err(error) = program.write(&mut text) {
            break error;
        }
    };
    let running = pid(&program).unwrap();
    assert_eq!((error.kind(), is_gone(running)), (io::ErrorKind::WouldBlock, false));
    assert!(text.size() < long.len(), "what was written stays written");
    program.close();
    let mut program = self::program("exec sleep 600 <&-");
    let (mut running, mut text) = (0, output(&[&long]));
    // It takes a moment until it has closed it.
    let error = loop {
        match program.write(&mut text) {
            Ok(()) => running = pid(&program).unwrap(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => running = pid(&program).unwrap(),
            Err(error) => break error,
        }
    };
    assert_eq!((error.kind(), pid(&program), text.size()), (io::ErrorKind::BrokenPipe, None, long.len()));
    if running > 0 {
        eventually("the program is ended", || is_gone(running));
    }
}

#[test]
fn a_program_that_ends_at_once_is_an_error() {
    let ended = |age: Duration| {
        let mut program = program("exit 3");
        let mut running = program.start().unwrap();
        eventually("it has ended", || is_gone(running.child.id()));
        running.since = running.since.checked_sub(age).unwrap();
        program.running = Some(running);
        let mut text = output(&[b"text"]);
        text.advance(2);
        let result = program.write(&mut text);
        assert_eq!((pid(&program), text.size()), (None, 4));
        result.map_err(|error| error.to_string())
    };
    assert_eq!(ended(Duration::ZERO), Err("the program ended at once: exit status: 3".to_owned()));
    assert_eq!(ended(LIFE_MIN), Ok(()));
}
