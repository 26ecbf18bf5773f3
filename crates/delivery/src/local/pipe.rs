//! `pipe()`: a named pipe, or whatever has that name.
//!
//! In: rendered messages. Out: bytes in the pipe. Holds: its open end.
//! Limits: without a reader the kernel's pipe buffer fills, then the queue.

use crate::{
    line::Target,
    options::{DestinationDriver, PipeTarget},
    output::Output,
};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::{
        fd::AsFd,
        unix::fs::{OpenOptionsExt, PermissionsExt, chown},
    },
    time::Duration,
};
use transport::{folders, sys};

/// Mode of created pipes, as syslog-ng's.
const PIPE_MODE: u32 = 0o600;
/// After this time without progress the thread checks whether it must stop.
const STALL: Duration = Duration::from_millis(200);

/// A pipe target.
pub(crate) struct Pipe {
    target: PipeTarget,
    file: Option<File>,
}

impl Pipe {
    pub(crate) fn new(target: PipeTarget) -> Pipe {
        Pipe { target, file: None }
    }

    fn open(&self) -> io::Result<File> {
        let path = &self.target.path;
        let permissions = &self.target.permissions;
        if !path.exists() {
            folders::create_above(path, self.target.folders.as_ref())?;
            sys::make_pipe(path, permissions.mode.unwrap_or(PIPE_MODE))?;
        }
        if permissions.owner.is_some() || permissions.group.is_some() {
            chown(path, permissions.owner, permissions.group)?;
        }
        if let Some(mode) = permissions.mode {
            fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        }
        // Open for reading too: writing works before a reader comes and after it goes.
        OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
    }
}

impl Target for Pipe {
    fn write(&mut self, output: &mut Output) -> io::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => self.open()?,
        };
        let written = write_some(&mut file, output);
        if written.is_ok() || written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock) {
            self.file = Some(file);
        } else {
            output.rewind();
        }
        written
    }

    fn configure(&mut self, driver: DestinationDriver) {
        let DestinationDriver::Pipe(target) = driver else { return };
        self.target = target;
        self.file = None;
    }

    fn close(&mut self) {
        self.file = None;
    }
}

/// Writes what a non-blocking descriptor accepts; waits a moment when it accepts nothing.
pub(super) fn write_some(file: &mut (impl Write + AsFd), output: &mut Output) -> io::Result<()> {
    match file.write(output.rest()) {
        Ok(0) => Err(io::ErrorKind::WriteZero.into()),
        Ok(size) => {
            output.advance(size);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            if sys::wait_writable(file.as_fd(), STALL)? { Ok(()) } else { Err(error) }
        }
        Err(error) => Err(error),
    }
}
