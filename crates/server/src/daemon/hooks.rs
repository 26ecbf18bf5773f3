//! Runs the commands of `hook-commands()`.
//!
//! In: the commands of a configuration, and those of the one before. Out: they were run, by `/bin/sh`. Holds:
//! nothing. A driver whose commands a reload does not change stays in use: nothing is run for it.
//! Limits: the server waits for a command as long as it takes.

use crate::assemble::Hook;
use message::Severity;
use std::process::Stdio;
use transport::{InternalLog, shell};

/// Runs the commands before a configuration is used. An error names the command that failed; the
/// configuration is then not used.
pub(super) fn set_up(new: &[Hook], old: &[Hook], is_start: bool) -> Result<(), String> {
    for hook in new.iter().filter(|hook| !old.contains(hook)) {
        let startup = hook.startup.as_ref().filter(|_| is_start);
        for command in startup.into_iter().chain(&hook.setup) {
            run(command)
                .map_err(|error| format!("hook-commands() of {}: `{command}`: {error}\n", hook.id))?;
        }
    }
    Ok(())
}

/// Runs the commands after a configuration was used, when another one replaced it or the server stops.
pub(super) fn tear_down(old: &[Hook], new: &[Hook], is_stop: bool, log: &InternalLog) {
    for hook in old.iter().filter(|hook| !new.contains(hook)) {
        let shutdown = hook.shutdown.as_ref().filter(|_| is_stop);
        for command in hook.teardown.iter().chain(shutdown) {
            if let Err(error) = run(command) {
                let id = &hook.id;
                let text = format!("A hook command failed; id='{id}', command='{command}', error='{error}'");
                log.write(Severity(3), &text);
            }
        }
    }
}

fn run(command: &str) -> Result<(), String> {
    let status = shell::command(command, shell::Environment::Inherited).stdin(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
        Err(error) => Err(error.to_string()),
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
        set_up(&first, &[], true).unwrap();
        set_up(&second, &first, false).unwrap();
        tear_down(&first, &second, false, &log);
        tear_down(&second, &[], true, &log);
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
        let error = set_up(&[hook], &[], true).unwrap_err();
        assert_eq!(error, "hook-commands() of s#0: `exit 3`: exit status: 3\n");
    }
}
