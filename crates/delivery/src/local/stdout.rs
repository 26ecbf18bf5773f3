//! `stdout()`.
//!
//! In: rendered messages. Out: bytes on standard output. Holds: nothing. Limits: a reader that stalls holds the queue.

use crate::{line::Target, options::DestinationDriver, output::Output};
use std::io::{self, Write};

/// Standard output.
pub(crate) struct Stdout;

impl Target for Stdout {
    fn write(&mut self, output: &mut Output) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        let size = stdout.write(output.rest())?;
        output.advance(size);
        stdout.flush()
    }

    fn configure(&mut self, _driver: DestinationDriver) {}

    fn close(&mut self) {}
}
