//! `pseudofile()` as a target: files of the kernel, where each write is one message.
//!
//! In: rendered messages. Out: each in a write of its own, to the file opened for it. Holds: nothing that is open.
//! Limits: the file must exist; writes that the kernel refuses are retried after `time-reopen()`.

use crate::{
    line::Target,
    options::{DestinationDriver, PseudofileTarget},
    output::Output,
};
use std::{
    fs::OpenOptions,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
};

/// A file of the kernel.
pub(crate) struct Pseudofile {
    target: PseudofileTarget,
}

impl Pseudofile {
    pub(crate) fn new(target: PseudofileTarget) -> Pseudofile {
        Pseudofile { target }
    }
}

impl Target for Pseudofile {
    fn write(&mut self, output: &mut Output) -> io::Result<()> {
        let Some(message) = output.next_message() else { return Ok(()) };
        let size = message.len();
        let flags = libc::O_NOCTTY | libc::O_NONBLOCK;
        let mut file = OpenOptions::new().write(true).custom_flags(flags).open(&self.target.path)?;
        let written = file.write(message)?;
        if written < size {
            let reason = format!("{} took {written} of {size} bytes", self.target.path.display());
            return Err(io::Error::new(io::ErrorKind::WriteZero, reason));
        }
        output.advance(size);
        Ok(())
    }

    fn configure(&mut self, driver: DestinationDriver) {
        if let DestinationDriver::Pseudofile(target) = driver {
            self.target = target;
        }
    }

    fn close(&mut self) {}
}
