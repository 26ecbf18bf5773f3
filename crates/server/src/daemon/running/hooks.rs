//! Runs the commands of `hook-commands()`.
//!
//! In: the commands of a configuration, and those of the previous one. Out: the commands are run by `/bin/sh`. Holds:
//! nothing. A driver whose commands a reload does not change stays in use: nothing is run for it.
//! Limits: the server waits for a command without a time limit.

use crate::assemble::Hook;
use message::Severity;
use std::{
    fmt, io,
    process::{ExitStatus, Stdio},
};
use transport::{InternalLog, shell};

/// The occasions on which commands are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Occasion {
    /// The first configuration comes into use.
    Start,
    /// Another configuration replaces the one in use.
    Reload,
    /// The server ends.
    Stop,
}

/// A command that failed before its configuration was used.
#[derive(Debug)]
pub(crate) struct HookError {
    /// The driver that it belongs to.
    id: String,
    command: String,
    cause: CommandFailure,
}

/// The failure of a command.
#[derive(Debug)]
enum CommandFailure {
    /// It could not be started.
    Io(io::Error),
    /// It ended with this status.
    Status(ExitStatus),
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hook-commands() of {}: `{}`: {}", self.id, self.command, self.cause)
    }
}

impl fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandFailure::Io(error) => error.fmt(f),
            CommandFailure::Status(status) => status.fmt(f),
        }
    }
}

impl std::error::Error for HookError {}

/// Runs the commands before a configuration is used. After an error it is not used.
pub(super) fn set_up(new: &[Hook], old: &[Hook], occasion: Occasion) -> Result<(), HookError> {
    for hook in new.iter().filter(|hook| !old.contains(hook)) {
        let startup = hook.startup.as_ref().filter(|_| occasion == Occasion::Start);
        for command in startup.into_iter().chain(&hook.setup) {
            let failed = |cause| HookError { id: hook.id.clone(), command: command.clone(), cause };
            run(command).map_err(failed)?;
        }
    }
    Ok(())
}

/// Runs the commands after a configuration was used, when another one replaced it or the server stops.
pub(super) fn tear_down(old: &[Hook], new: &[Hook], occasion: Occasion, log: &InternalLog) {
    for hook in old.iter().filter(|hook| !new.contains(hook)) {
        let shutdown = hook.shutdown.as_ref().filter(|_| occasion == Occasion::Stop);
        for command in hook.teardown.iter().chain(shutdown) {
            if let Err(error) = run(command) {
                let id = &hook.id;
                let text = format!("A hook command failed; id='{id}', command='{command}', error='{error}'");
                log.write(Severity::ERROR, &text);
            }
        }
    }
}

fn run(command: &str) -> Result<(), CommandFailure> {
    let status = shell::command(command, shell::Environment::Inherited).stdin(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(CommandFailure::Status(status)),
        Err(error) => Err(CommandFailure::Io(error)),
    }
}

#[cfg(test)]
mod tests {
    //! Rows about the commands and when they are run.

    use super::*;

    #[test]
    fn commands_are_run_when_their_driver_comes_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let told = folder.path().join("told");
        let say = |word: &str| Some(format!("echo {word} >> {}", told.display()));
        let hook = |id: &str| Hook {
            id: id.to_owned(),
            startup: say(&format!("{id}-startup")),
            setup: say(&format!("{id}-setup")),
            teardown: say(&format!("{id}-teardown")),
            shutdown: say(&format!("{id}-shutdown")),
        };
        let log = InternalLog::new("test", None);
        let (first, second) = ([hook("a"), hook("b")], [hook("b"), hook("c")]);
        set_up(&first, &[], Occasion::Start).unwrap();
        set_up(&second, &first, Occasion::Reload).unwrap();
        tear_down(&first, &second, Occasion::Reload, &log);
        tear_down(&second, &[], Occasion::Stop, &log);
        let want = [
            "a-startup",
            "a-setup",
            "b-startup",
            "b-setup",
            "c-setup",
            "a-teardown",
            "b-teardown",
            "b-shutdown",
            "c-teardown",
            "c-shutdown",
        ];
        let text = std::fs::read_to_string(&told).unwrap();
        assert_eq!(text.lines().collect::<Vec<_>>(), want);
    }

    #[test]
    fn a_command_that_fails_keeps_its_configuration_out() {
        let hook = Hook {
            id: "s#0".to_owned(),
            startup: None,
            setup: Some("exit 3".to_owned()),
            teardown: None,
            shutdown: None,
        };
        let error = set_up(&[hook], &[], Occasion::Start).unwrap_err();
        assert_eq!(error.to_string(), "hook-commands() of s#0: `exit 3`: exit status: 3");
    }
}
