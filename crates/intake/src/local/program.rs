//! `program()`: messages that a program prints.
//!
//! In: a command line. Out: batches of its output. Holds: the running program.
//! Limits: it is restarted when it ends, after a pause. When the source stops, it and its children get SIGTERM.

use super::{Local, origin_of};
use crate::{
    options::ProgramSource,
    session::{self, End, Stream},
};
use std::{
    io,
    os::{fd::OwnedFd, unix::process::CommandExt},
    process::{Child, Command, Stdio},
};
use tokio::net::unix::pipe;
use transport::{shell, sys};

/// A program that is ended when this is dropped.
pub(super) struct Running(Option<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            sys::signal_group(child.id());
            // Nobody waits for its status here; a child that ignores SIGTERM is left to the system.
            std::thread::spawn(move || child.wait());
        }
    }
}

/// Starts a program whose output is read.
pub(super) fn start(command: &mut Command) -> io::Result<(Running, Stream)> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0).spawn()?;
    let stdout = child.stdout.take().expect("its standard output is piped");
    let receiver = pipe::Receiver::from_owned_fd(OwnedFd::from(stdout))?;
    Ok((Running(Some(child)), Stream::Pipe(receiver)))
}

/// Runs a program, again and again, until it is stopped.
pub(crate) async fn read_program(mut here: Local, options: ProgramSource) {
    let origin = origin_of(options.command.clone());
    loop {
        let mut stop = here.stop.clone();
        let end = match start(&mut shell::command(&options.command, options.environment)) {
            Ok((running, mut stream)) => {
                let end = session::run(&mut stream, &mut here.batch_reader(), &origin, &mut stop, None).await;
                drop(running);
                end
            }
            Err(error) => End::Failed(error),
        };
        match end {
            End::Stopped => return,
            End::Failed(error) => here.log.error(&format!(
                "Error reading from a program, restarting; cmdline='{}', error='{error}'",
                options.command
            )),
            End::Closed | End::Cut | End::Idle => {
                here.log.notice(&format!("Child program exited, restarting; cmdline='{}'", options.command));
            }
        }
        if !here.pause(options.restart_after).await {
            return;
        }
    }
}
