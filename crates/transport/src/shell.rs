//! Commands of the configuration, for the shell.
//!
//! In: a command line. Out: a command that is ready to be started. Holds nothing.

use std::process::Command;

/// `/bin/sh -c`, with our environment or an empty one (`inherit-environment()`).
pub fn command(line: &str, inherits_environment: bool) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(line);
    if !inherits_environment {
        command.env_clear();
    }
    command
}
