//! `relp()` as a target: a message counts as written when the receiver has acknowledged it.
//!
//! In: rendered messages. Out: RELP frames on a connection. Holds: the session and the messages in flight without
//! an answer.
//! A lost session is reopened and begins with the first unanswered message: nothing is lost, and messages that were
//! received without our seeing the answer arrive twice.
//! Limits: at most [`RELP_WINDOW`] messages are in flight; no answer for `response-timeout()` ends the session.

use super::talk::{SocketDial, is_end};
use crate::{
    line::Target,
    options::{DestinationDriver, RelpTarget, StreamFraming},
    output::Output,
    stopping,
};
use std::{
    collections::VecDeque,
    io,
    time::{Duration, Instant},
};
use transport::{Dial, Link, ReadMode};
use wire::{
    RELP_VERSION, RELP_WINDOW, RelpCommand, RelpFrame, RelpReader, append_relp, check_offers, next_txnr,
    relp_offers, relp_response,
};

/// Longest response that is read whole.
const RESPONSE_BYTES_MAX: usize = 64 << 10;

/// A RELP target.
pub(crate) struct Relp {
    target: RelpTarget,
    dial: Box<dyn Dial>,
    session: Option<Session>,
}

/// A message on its way.
struct Flight {
    txnr: u32,
    bytes: usize,
    answered: bool,
}

struct Session {
    link: Box<dyn Link>,
    reader: RelpReader,
    input: Vec<u8>,
    /// Frames that the socket has not accepted yet.
    out: Vec<u8>,
    txnr: u32,
    flights: VecDeque<Flight>,
    /// Bytes of the output that are in flight.
    sent: usize,
    /// When the receiver last answered, or when no answer was outstanding.
    heard: Instant,
    /// The receiver has answered a message.
    proven: bool,
    /// The receiver is about to close.
    leaving: bool,
}

impl Relp {
    pub(crate) fn new(target: RelpTarget) -> Relp {
        let dial = Box::new(SocketDial(target.socket.clone()));
        Relp::over(dial, target)
    }

    /// A target that is reached in this way.
    pub(super) fn over(dial: Box<dyn Dial>, target: RelpTarget) -> Relp {
        Relp { target, dial, session: None }
    }

    /// Opens a session, unless there is one.
    pub(super) fn connect(&mut self) -> io::Result<()> {
        if self.session.is_none() {
            self.session = Some(self.open()?);
        }
        Ok(())
    }

    /// Returns whether there is a session.
    pub(super) fn is_connected(&self) -> bool {
        self.session.is_some()
    }

    /// Connects and opens a session.
    fn open(&self) -> io::Result<Session> {
        let mut session = Session {
            link: self.dial.dial()?,
            reader: RelpReader::new(RESPONSE_BYTES_MAX),
            input: Vec::new(),
            out: Vec::new(),
            txnr: 1,
            flights: VecDeque::new(),
            sent: 0,
            heard: self.dial.now(),
            proven: false,
            leaving: false,
        };
        let offers = relp_offers(RELP_VERSION, env!("CARGO_PKG_VERSION"));
        append_relp(session.txnr, RelpCommand::Open, offers.as_bytes(), &mut session.out);
        session.send()?;
        let within = self.target.response_within;
        while !session.read(ReadMode::Blocking, |_, frame, data| {
            if frame.command != RelpCommand::Response {
                return Ok(());
            }
            let (code, text) = relp_response(data);
            if code != 200 {
                return Err(refusal(code, text));
            }
            match check_offers(text) {
                Ok(_) => Ok(()),
                Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string())),
            }
        })? {
            if stopping::limit(session.heard + within) <= self.dial.now() {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        session.heard = self.dial.now();
        Ok(session)
    }
}

fn refusal(code: u16, text: &[u8]) -> io::Error {
    /// Most bytes of a peer's text that are shown.
    const SHOWN: usize = 80;
    let text = String::from_utf8_lossy(&text[..text.len().min(SHOWN)]).into_owned();
    io::Error::other(format!("the receiver refused: {code} {text}"))
}

impl Session {
    /// Sends messages, as many as the window allows.
    fn fill(&mut self, output: &Output, now: Instant) {
        while self.flights.len() < RELP_WINDOW && !self.leaving {
            let Some(message) = output.message_at(self.sent) else { return };
            if self.flights.is_empty() {
                self.heard = now;
            }
            self.txnr = next_txnr(self.txnr);
            append_relp(self.txnr, RelpCommand::Syslog, message, &mut self.out);
            self.flights.push_back(Flight { txnr: self.txnr, bytes: message.len(), answered: false });
            self.sent += message.len();
        }
    }

    fn send(&mut self) -> io::Result<()> {
        while !self.out.is_empty() {
            let size = self.link.send(&self.out)?;
            self.out.drain(..size);
        }
        Ok(())
    }

    /// Reads available frames, waiting a moment for them. Returns true when any frame came.
    fn read(
        &mut self,
        mode: ReadMode,
        mut each: impl FnMut(&mut Session, &RelpFrame, &[u8]) -> io::Result<()>,
    ) -> io::Result<bool> {
        if !self.link.receive(&mut self.input, mode)? {
            return Ok(false);
        }
        let bytes = std::mem::take(&mut self.input);
        let (mut at, mut any) = (0, false);
        loop {
            let next = self.reader.next(&bytes, at);
            let (frame, next) = next.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            at = next;
            let Some(frame) = frame else { break };
            any = true;
            if frame.command == RelpCommand::ServerClose {
                self.leaving = true;
            }
            each(self, &frame, &bytes[frame.data.clone()])?;
        }
        self.input = bytes[at..].to_vec();
        Ok(any)
    }

    /// Handles the answer to a message.
    fn answered(&mut self, frame: &RelpFrame, data: &[u8], now: Instant) -> io::Result<()> {
        if frame.command != RelpCommand::Response {
            return Ok(());
        }
        let (code, text) = relp_response(data);
        if code != 200 {
            return Err(refusal(code, text));
        }
        self.heard = now;
        // Answers usually arrive in order: it is the first one.
        if let Some(flight) = self.flights.iter_mut().find(|flight| flight.txnr == frame.txnr) {
            flight.answered = true;
            self.proven = true;
        }
        Ok(())
    }

    /// Removes answered messages from the output.
    fn take_off(&mut self, output: &mut Output) {
        while self.flights.front().is_some_and(|flight| flight.answered) {
            let Some(flight) = self.flights.pop_front() else { return };
            self.sent -= flight.bytes;
            output.advance(flight.bytes);
        }
    }

    /// Runs one round of sending and of reading answers.
    fn work(&mut self, output: &mut Output, within: Duration, dial: &dyn Dial) -> io::Result<()> {
        self.fill(output, dial.now());
        self.send()?;
        let waits = self.flights.len() == RELP_WINDOW || output.message_at(self.sent).is_none();
        let mode = match waits && !self.flights.is_empty() {
            true => ReadMode::Blocking,
            false => ReadMode::NonBlocking,
        };
        let any = self.read(mode, |session, frame, data| session.answered(frame, data, dial.now()))?;
        self.take_off(output);
        if any || self.flights.is_empty() {
            return Ok(());
        }
        if dial.now().saturating_duration_since(self.heard) >= within {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the receiver does not answer"));
        }
        if waits { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.out.is_empty() && !self.leaving {
            append_relp(next_txnr(self.txnr), RelpCommand::Close, b"", &mut self.out);
            // As a courtesy: closing the connection means the same.
            let _ = self.send();
        }
    }
}

impl Target for Relp {
    fn write(&mut self, output: &mut Output) -> io::Result<()> {
        let within = self.target.response_within;
        let mut session = match self.session.take().filter(|session| session.sent <= output.size()) {
            Some(session) => session,
            None => self.open()?,
        };
        match session.work(output, within, &*self.dial) {
            Ok(()) if session.leaving && session.flights.is_empty() => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.session = Some(session);
                Err(error)
            }
            Ok(()) => {
                self.session = Some(session);
                Ok(())
            }
            // A receiver that worked before is retried at once: it may only have been restarted.
            Err(error) if session.proven && is_end(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn framing(&self) -> StreamFraming {
        StreamFraming::Plain
    }

    fn configure(&mut self, driver: DestinationDriver) {
        let DestinationDriver::Relp(target) = driver else { return };
        if target != self.target || !target.socket.keep_over_reload {
            self.session = None;
        }
        self.dial = Box::new(SocketDial(target.socket.clone()));
        self.target = target;
    }

    fn close(&mut self) {
        self.session = None;
    }
}

#[cfg(test)]
mod tests;
