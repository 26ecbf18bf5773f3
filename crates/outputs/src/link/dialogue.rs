//! Requests and their answers over a connection, both ways at once.
//!
//! In: bytes to send; a [`Dialogue`] that reads what comes. Out: nothing but what the dialogue keeps. Holds: a connection,
//! bytes that are no whole answer yet, and those that the server was too slow to take.
//! Limits: [`ANSWER_BYTES_MAX`] for one answer, or what the protocol says; [`REPLIES_BYTES_MAX`] for what the dialogue itself adds to the bytes to
//! send; the time for which nothing moves forward. Reading goes on while we write, or two sides that write could wait for
//! each other.

use super::{Wire, failure::Failure};
use std::{
    fmt, io, mem,
    pin::Pin,
    task::{Context, Waker},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWrite, ReadHalf, WriteHalf},
    time::{sleep_until, timeout},
};
use transport::endpoint::push;

pub(crate) use transport::endpoint::Breach;

/// Longest answer that is read, unless a protocol has longer ones.
pub(crate) const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Most bytes that a server makes us say beside what we want to say.
const REPLIES_BYTES_MAX: usize = 1 << 20;
/// Bytes that are read at a time.
const READ_BYTES: usize = 16 << 10;
/// Wait for bytes that may have arrived, and how often they are read: a server that never stops is left.
const ARRIVED_WITHIN: Duration = Duration::from_millis(1);
const ARRIVED_READS_MAX: usize = 64;

/// Reads what a server says.
pub(crate) trait Dialogue: Send {
    /// Takes whole answers from the beginning of what was received, and returns how many bytes they had. May add to what is
    /// sent.
    fn take(&mut self, received: &[u8], out: &mut Vec<u8>) -> Result<usize, Breach>;

    /// Returns how many answers are still to come; at zero the dialogue is over. Each that comes gives the next one its time.
    fn awaited(&self) -> usize;
}

/// The reason why a dialogue did not come to its end.
#[derive(Debug)]
pub(crate) enum LinkError {
    /// The connection broke.
    Io(io::Error),
    /// Nothing moved for so long.
    Silent(Duration),
    /// The server speaks something else.
    Breach(Breach),
}

impl From<io::Error> for LinkError {
    fn from(error: io::Error) -> LinkError {
        LinkError::Io(error)
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                f.write_str("the server closed the connection")
            }
            LinkError::Io(error) => error.fmt(f),
            LinkError::Silent(wait) => {
                write!(f, "the server did not answer within {} seconds", wait.as_secs_f32())
            }
            LinkError::Breach(Breach(what)) => write!(f, "the server breaks its protocol: {what}"),
        }
    }
}

impl From<LinkError> for Failure {
    fn from(error: LinkError) -> Failure {
        Failure::unreachable(error.to_string())
    }
}

/// An open connection.
pub(crate) struct Link {
    reading: ReadHalf<Box<dyn Wire>>,
    writing: WriteHalf<Box<dyn Wire>>,
    received: Vec<u8>,
    unsent: Vec<u8>,
    pulse: Option<Pulse>,
    answer_bytes_max: usize,
}

/// Bytes that are sent when nothing was sent for so long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pulse {
    pub(crate) every: Duration,
    pub(crate) bytes: &'static [u8],
}

impl Link {
    pub(crate) fn new(stream: Box<dyn Wire>) -> Link {
        let (reading, writing) = tokio::io::split(stream);
        Link {
            reading,
            writing,
            received: Vec::new(),
            unsent: Vec::new(),
            pulse: None,
            answer_bytes_max: ANSWER_BYTES_MAX,
        }
    }

    /// Reads answers of so many bytes from now on.
    pub(crate) fn set_answer_bytes_max(&mut self, bytes: usize) {
        self.answer_bytes_max = bytes;
    }

    /// Sends signs of life from now on, while a dialogue waits.
    pub(crate) fn set_pulse(&mut self, pulse: Option<Pulse>) {
        self.pulse = pulse;
    }

    /// Returns the bytes that the server was too slow to take; the next dialogue sends them first.
    pub(crate) fn unsent(&self) -> usize {
        self.unsent.len()
    }

    /// Reads what has arrived by now.
    pub(crate) async fn read_arrived(&mut self, dialogue: &mut dyn Dialogue) -> Result<(), LinkError> {
        for _ in 0..ARRIVED_READS_MAX {
            self.received.reserve(READ_BYTES);
            let Ok(read) = timeout(ARRIVED_WITHIN, self.reading.read_buf(&mut self.received)).await else {
                return Ok(());
            };
            if read? == 0 {
                return Err(LinkError::Io(io::ErrorKind::UnexpectedEof.into()));
            }
            let used = dialogue.take(&self.received, &mut self.unsent).map_err(LinkError::Breach)?;
            self.received.drain(..used);
            if self.received.len() > self.answer_bytes_max {
                return Err(LinkError::Breach(Breach("its answer is too long")));
            }
        }
        Ok(())
    }

    /// Says something at the end, as far as the connection takes it at once: nothing is waited for.
    pub(crate) fn say_last(&mut self, bytes: &[u8]) {
        if !self.unsent.is_empty() {
            return;
        }
        let mut context = Context::from_waker(Waker::noop());
        // Who is not heard now ends without it.
        let _ = Pin::new(&mut self.writing).poll_write(&mut context, bytes);
        let _ = Pin::new(&mut self.writing).poll_flush(&mut context);
    }

    /// Gives the connection back, for TLS.
    pub(crate) fn into_stream(self) -> Result<Box<dyn Wire>, Breach> {
        match self.received.is_empty() {
            true => Ok(self.reading.unsplit(self.writing)),
            false => Err(Breach("it speaks before the connection is encrypted")),
        }
    }

    /// Returns true when the server said more than it was asked.
    pub(crate) fn has_rest(&self) -> bool {
        !self.received.is_empty()
    }

    /// Sends bytes and reads answers until the dialogue is over. After an error the connection is of no use, unless the server
    /// was only silent.
    pub(crate) async fn exchange(
        &mut self,
        out: Vec<u8>,
        dialogue: &mut dyn Dialogue,
        patience: Duration,
    ) -> Result<(), LinkError> {
        let mut out = match self.unsent.is_empty() {
            true => out,
            false => [mem::take(&mut self.unsent), out].concat(),
        };
        let asked = out.len();
        let (mut sent, mut is_flushed, mut is_writable) = (0, out.is_empty(), true);
        let mut deadline = Instant::now() + patience;
        let mut pulse_at = self.pulse.map(|pulse| Instant::now() + pulse.every);
        loop {
            let awaited = dialogue.awaited();
            let before = out.len();
            let used = dialogue.take(&self.received, &mut out).map_err(LinkError::Breach)?;
            self.received.drain(..used);
            is_flushed &= out.len() == before;
            if dialogue.awaited() < awaited {
                deadline = Instant::now() + patience;
            }
            if is_flushed && dialogue.awaited() == 0 {
                return Ok(());
            }
            if self.received.len() > self.answer_bytes_max {
                return Err(LinkError::Breach(Breach("its answer is too long")));
            }
            if out.len() > asked + REPLIES_BYTES_MAX {
                return Err(LinkError::Breach(Breach("it asks too much of us")));
            }
            self.received.reserve(READ_BYTES);
            tokio::select! {
                pushed = push(&mut self.writing, &out[sent..]), if !is_flushed && is_writable => match pushed {
                    Ok(count) => {
                        is_flushed = sent == out.len();
                        if sent < asked {
                            deadline = Instant::now() + patience;
                        }
                        sent += count;
                        pulse_at = self.pulse.map(|pulse| Instant::now() + pulse.every);
                    }
                    // What the server said before it closed the connection is still to be read.
                    Err(_) => is_writable = false,
                },
                read = self.reading.read_buf(&mut self.received) => if read? == 0 {
                    return Err(LinkError::Io(io::ErrorKind::UnexpectedEof.into()));
                },
                () = sleep_until(pulse_at.unwrap_or(deadline).into()), if is_flushed && pulse_at.is_some() => {
                    out.extend_from_slice(self.pulse.map_or(&[], |pulse| pulse.bytes));
                    is_flushed = false;
                }
                () = sleep_until(deadline.into()) => {
                    self.unsent = out.split_off(sent);
                    return Err(LinkError::Silent(patience));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
