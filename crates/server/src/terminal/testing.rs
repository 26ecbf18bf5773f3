//! Captures the output of some work, for tests of the command line.
//!
//! In: work on this thread. Out: its standard output and its standard error, on a tape that other threads can read.
//! Limits: other threads, and work without a tape, print as the program does.

pub(crate) mod golden;

use std::{
    cell::RefCell,
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

/// The text of both streams so far.
#[derive(Clone, Default)]
pub(crate) struct Tape(Arc<Mutex<Printed>>);

/// The text of both streams.
#[derive(Clone, Default)]
pub(crate) struct Printed {
    pub(crate) output: Vec<u8>,
    pub(crate) errors: Vec<u8>,
    /// Lines after which the reader closes the pipe.
    closes_after: Option<usize>,
}

impl Printed {
    fn is_closed(&self) -> bool {
        let lines = || self.output.iter().filter(|byte| **byte == b'\n').count();
        self.closes_after.is_some_and(|most| lines() >= most)
    }
}

thread_local! {
    static TAPE: RefCell<Option<Tape>> = const { RefCell::new(None) };
}

/// One of the streams of a test.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Stream {
    Output,
    Errors,
}

/// Returns standard output.
pub(crate) fn output() -> Stream {
    Stream::Output
}

/// Returns standard error.
pub(crate) fn errors() -> Stream {
    Stream::Errors
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let tape = TAPE.with_borrow(Clone::clone);
        match (tape, *self) {
            (Some(tape), Stream::Output) => {
                let mut printed = tape.locked();
                if printed.is_closed() {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
                printed.output.write(bytes)
            }
            (Some(tape), Stream::Errors) => tape.locked().errors.write(bytes),
            (None, Stream::Output) => io::stdout().write(bytes),
            (None, Stream::Errors) => io::stderr().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Tape {
    /// Makes a tape whose reader has seen enough after some lines.
    pub(crate) fn closing_after(lines: usize) -> Tape {
        let tape = Tape::default();
        tape.locked().closes_after = Some(lines);
        tape
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Printed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does some work and records what it prints.
    pub(crate) fn record<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = TAPE.replace(Some(self.clone()));
        let result = work();
        TAPE.set(before);
        result
    }

    /// Returns the text so far.
    pub(crate) fn printed(&self) -> Printed {
        self.locked().clone()
    }
}
