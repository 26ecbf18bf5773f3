//! `program()`: a program that reads messages from its standard input.
//!
//! In: rendered messages. Out: bytes in its input. Holds: the running program.
//! It is started with the first message and restarted when it ends; ending at once is an error and waits for
//! `time-reopen()`. Limits: when it must end, it has [`LEAVE_WITHIN`] after its input closed, then gets SIGTERM.

use super::pipe::write_some;
use crate::{
    line::Target,
    options::{DestinationDriver, ProgramTarget},
    output::Output,
};
use std::{
    io,
    os::{fd::AsFd, unix::process::CommandExt},
    process::{Child, ChildStdin, Stdio},
    thread,
    time::{Duration, Instant},
};
use transport::{InternalLog, shell, sys};

/// A program that lived shorter failed to start.
const LIFE_MIN: Duration = Duration::from_secs(1);
/// Time to end after its input closed.
const LEAVE_WITHIN: Duration = Duration::from_millis(500);

/// A program target.
pub(crate) struct Program {
    target: ProgramTarget,
    log: InternalLog,
    running: Option<Running>,
}

struct Running {
    child: Child,
    stdin: ChildStdin,
    since: Instant,
}

impl Program {
    pub(crate) fn new(target: ProgramTarget, log: InternalLog) -> Program {
        Program { target, log, running: None }
    }

    fn start(&self) -> io::Result<Running> {
        let mut child = shell::command(&self.target.command, self.target.environment)
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let stdin = child.stdin.take().expect("its standard input is piped");
        sys::set_nonblocking(stdin.as_fd())?;
        Ok(Running { child, stdin, since: Instant::now() })
    }

    /// Logs the end of the program, which may be restarted at once. Fails when it ended within `LIFE_MIN`.
    fn ended(&self, mut ended: Running, output: &mut Output) -> io::Result<()> {
        output.rewind();
        let status = ended.child.wait()?;
        self.log.error(&format!(
            "Child program exited, restarting; cmdline='{}', status='{status}'",
            self.target.command
        ));
        if ended.since.elapsed() < LIFE_MIN {
            return Err(io::Error::other(format!("the program ended at once: {status}")));
        }
        Ok(())
    }
}

impl Target for Program {
    fn write(&mut self, output: &mut Output) -> io::Result<()> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        if running.child.try_wait()?.is_some() {
            return self.ended(running, output);
        }
        match write_some(&mut running.stdin, output) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                leave(running.child);
                output.rewind();
                Err(error)
            }
            result => {
                self.running = Some(running);
                result
            }
        }
    }

    fn configure(&mut self, driver: DestinationDriver) {
        let DestinationDriver::Program(target) = driver else { return };
        if target.command != self.target.command || !target.keep_over_reload {
            self.close();
        }
        self.target = target;
    }

    fn close(&mut self) {
        if let Some(running) = self.running.take() {
            drop(running.stdin);
            leave(running.child);
        }
    }
}

/// Waits a moment for a program whose input is closed, then ends it and what it started.
fn leave(mut child: Child) {
    let deadline = Instant::now() + LEAVE_WITHIN;
    while Instant::now() < deadline {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    sys::signal_group(child.id());
    // Nothing waits for its status any more; a child that ignores SIGTERM is left to the system.
    thread::spawn(move || child.wait());
}

impl Drop for Program {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests;
