//! Commands of the configuration, for the shell.
//!
//! In: a command line. Out: a command that is ready to be started. Holds nothing.

use std::process::Command;

/// The environment of a program: `inherit-environment()`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Environment {
    /// Ours.
    Inherited,
    /// Without variables.
    Empty,
}

/// Returns `/bin/sh -c` with a command line.
pub fn command(line: &str, environment: Environment) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(line);
    if environment == Environment::Empty {
        command.env_clear();
    }
    command
}

#[cfg(test)]
mod tests;
