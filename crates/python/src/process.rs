//! The process of an interpreter.
//!
//! In: the interpreter of a [`Program`]. Out: its pipes. Holds: the process; a thread reads what it prints.
//! Limits: its environment has the variables of [`VARIABLES`] only; it leaves within [`LEAVE_WITHIN`] or is killed, with all
//! processes that it started and that are still of its group. It is killed when the thread that started it ends.

use crate::{program::Program, words};
use std::{
    env, io,
    os::{fd::OwnedFd, unix::process::CommandExt},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};
use tokio::{io::BufReader, net::unix::pipe};
use transport::{InternalLog, sys};

/// The script that runs the class.
const RUNNER: &str = include_str!("runner/runner.py");
/// The variables of our environment that it gets.
const VARIABLES: [&str; 9] =
    ["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV"];
/// Time to leave after its input closed; the script ends itself after one second.
const LEAVE_WITHIN: Duration = Duration::from_millis(1500);
/// Time after which a process whose pipe broke shows how it ended.
const STATUS_WITHIN: Duration = Duration::from_millis(200);
/// Pause between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A running process.
pub(crate) struct Process {
    /// Nothing when it is to be killed.
    pub(crate) input: Option<pipe::Sender>,
    /// Nothing when somebody else reads it.
    pub(crate) output: Option<BufReader<pipe::Receiver>>,
    child: Child,
    is_gone: bool,
}

impl Process {
    /// Starts the interpreter. To be called in a runtime.
    pub(crate) fn start(program: &Program, log: &InternalLog) -> io::Result<Process> {
        let mut command = Command::new(&program.interpreter);
        command.arg("-c").arg(RUNNER).env_clear().process_group(0);
        command.envs(VARIABLES.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        sys::end_with_this_thread(&mut command);
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("no pipes"));
        };
        let (class, log) = (program.class.clone(), log.clone());
        thread::Builder::new()
            .name("python-words".into())
            .spawn(move || words::copy(stderr, &class, &log))?;
        Ok(Process {
            input: Some(pipe::Sender::from_owned_fd(OwnedFd::from(stdin))?),
            output: Some(BufReader::new(pipe::Receiver::from_owned_fd(OwnedFd::from(stdout))?)),
            child,
            is_gone: false,
        })
    }

    /// Kills the process, if it lives. Returns how it ended.
    pub(crate) fn kill(mut self) -> Option<ExitStatus> {
        self.input = None;
        let status = self.wait(STATUS_WITHIN);
        if status.is_none() {
            self.kill_group();
        }
        self.is_gone = true;
        status
    }

    fn wait(&mut self, most: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + most;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    sys::kill_group(self.child.id());
                    return Some(status);
                }
                Ok(None) if Instant::now() < deadline => thread::sleep(LOOK_AGAIN),
                _ => return None,
            }
        }
    }

    fn kill_group(&mut self) {
        sys::kill_group(self.child.id());
        let _ = self.child.kill();
        // Even a killed process may wait for a disk.
        self.wait(STATUS_WITHIN);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.is_gone {
            return;
        }
        self.input = None;
        if self.wait(LEAVE_WITHIN).is_none() {
            self.kill_group();
        }
    }
}
