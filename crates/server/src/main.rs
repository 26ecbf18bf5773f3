//! Duramen: the one binary. It assembles a configuration into running parts, and queries a running server.
//!
//! In: a command line. Out: a server, or one answer. Called by an old name (`loggen`, `pdbtool`,
//! `syslog-ng`, `syslog-ng-ctl`) it takes that program's options.
//!
//! Modules in reading order:
//! - `command`: the words of the command line, and the verb for each;
//! - `daemon`: the running server, with its loop; `assemble` makes the parts that it runs from a configuration, and
//!   `control` is its socket, which receives `taps` and other commands;
//! - the other verbs: `ask` queries a running server, `configuration` reads a configuration and runs nothing,
//!   `data_folder` is about the files of a server, `loggen`, `patterndb` and `slog` are tools of their own;
//! - `lanes`, `authorities` and `terminal`: helpers of several of them.

#![deny(clippy::print_stdout, clippy::print_stderr)]

// First: the others print with its macros.
#[macro_use]
mod terminal;

mod ask;
mod assemble;
mod authorities;
mod command;
mod configuration;
mod control;
mod daemon;
mod data_folder;
mod lanes;
mod loggen;
mod patterndb;
mod slog;
mod taps;

use std::{env, ffi::OsString, process::ExitCode};

/// The static binary's allocator: musl's makes threads wait for each other.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    transport::bound_free_memory();
    let words: Vec<OsString> = env::args_os().collect();
    command::run(&words)
}
