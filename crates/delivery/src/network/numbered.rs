//! `sltp()` as a target: messages have numbers, many frames are on their way, and a message counts as written when the
//! receiver has acknowledged its number.
//!
//! In: deliveries, with the numbers of a queue on disk if there is one. Out: frames on a connection. Holds: the frames without an
//! acknowledgement, with the tokens of their messages. A lost connection is opened again, and continues where the
//! receiver says: what it has is not sent again. A receiver without SLTP may be spoken to in RELP, see `fallback`.
//! Limits: the window of both sides; no answer for `response-timeout()` ends the connection.

mod fallback;

use self::fallback::{Fallback, LastSltp, OpenError};
use super::talk::{SocketDial, is_end};
use crate::{
    driver::{Driver, SettledRows},
    options::{DestinationDriver, Rendering, SltpTarget},
    stopping,
};
use message::{Delivery, Stamp};
use sltp::{Sender, SenderError};
use std::{
    hash::{BuildHasher, RandomState},
    io,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use transport::{Dial, InternalLog, Link, ReadMode, stats::Counters};
use wire::sltp::SEVERITIES;

/// How often answers are looked for while the thread has nothing to send.
const LOOKED_EVERY: Duration = Duration::from_millis(5);
/// A connection that rests this long asks for a sign of life.
const PING_EVERY: Duration = Duration::from_secs(15);
/// A connection that rests ends when several signs of life were not answered.
const GONE_AFTER: Duration = Duration::from_secs(45);
/// The protocol of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Protocol {
    Sltp,
    Relp,
}

/// A target that is spoken to in SLTP.
pub(crate) struct Numbered {
    target: SltpTarget,
    rendering: Rendering,
    dial: Box<dyn Dial>,
    sender: Sender,
    link: Option<Box<dyn Link>>,
    input: Vec<u8>,
    /// When the receiver last said something, or when nothing was due.
    heard: Instant,
    /// When something was last sent or asked.
    spoke: Instant,
    /// When answers were last looked for.
    looked: Instant,
    /// When the receiver last said something in SLTP.
    heard_sltp: Option<Instant>,
    /// The receiver has acknowledged something since the last error.
    is_proven: bool,
    fallback: Option<Fallback>,
    id: String,
    log: InternalLog,
    counters: Arc<Counters>,
    /// Dropped messages of which the receiver knows, by severity.
    shed: [u64; SEVERITIES],
}

impl Numbered {
    pub(crate) fn new(
        target: SltpTarget,
        rendering: Rendering,
        reports: (String, InternalLog, Arc<Counters>),
        fresh: u64,
    ) -> Numbered {
        let dial = Box::new(SocketDial(target.socket.clone()));
        let fallback = Fallback::of(&target);
        Numbered::over((dial, fallback), target, rendering, (reports, fresh))
    }

    /// A target that is reached in this way.
    fn over(
        (dial, fallback): (Box<dyn Dial>, Option<Fallback>),
        target: SltpTarget,
        rendering: Rendering,
        ((id, log, counters), fresh): ((String, InternalLog, Arc<Counters>), u64),
    ) -> Numbered {
        // Random enough: two runs must not have the same.
        let run = RandomState::new().hash_one(fresh) | 1;
        let mut sender = Sender::new(target.options.clone(), run);
        sender.set_queue_fresh(fresh);
        let now = dial.now();
        let mut numbered = Numbered {
            target,
            rendering,
            dial,
            sender,
            link: None,
            input: Vec::new(),
            heard: now,
            spoke: now,
            looked: now,
            heard_sltp: None,
            is_proven: false,
            fallback,
            id,
            log,
            counters,
            shed: [0; SEVERITIES],
        };
        numbered.shed = numbered.dropped();
        numbered
    }

    /// Returns the messages that were dropped because the queue was full, by severity.
    fn dropped(&self) -> [u64; SEVERITIES] {
        std::array::from_fn(|severity| self.counters.shed_by_severity[severity].load(Ordering::Relaxed))
    }

    /// Tells the receiver of messages that were dropped since the last call.
    fn tell_shed(&mut self) {
        let dropped = self.dropped();
        // The counters may have been reset.
        let since = std::array::from_fn(|severity| dropped[severity].saturating_sub(self.shed[severity]));
        let count = since.iter().sum();
        if count > 0 && self.sender.is_open() {
            self.sender.report_shed(since, count);
        }
        if count == 0 || self.sender.is_open() {
            self.shed = dropped;
        }
    }

    fn disconnect(&mut self) {
        self.link = None;
        self.input.clear();
        self.sender.disconnect();
        if let Some(fallback) = &mut self.fallback {
            fallback.close();
        }
    }

    /// Returns the protocol of the connection, which is made if there is none.
    fn connected(&mut self) -> io::Result<Protocol> {
        if self.fallback.as_ref().is_some_and(|fallback| fallback.is_connected() && !fallback.is_over()) {
            return Ok(Protocol::Relp);
        }
        if self.link.is_some() && !self.sender.must_reconnect() {
            return Ok(Protocol::Sltp);
        }
        if let Err(error) = self.open() {
            self.fall_back(error)?;
            return Ok(Protocol::Relp);
        }
        if self.fallback.as_mut().is_some_and(Fallback::report_end) {
            self.log.notice(&format!(
                "Receiver speaks SLTP again, messages go over it; id='{}', server='{}'",
                self.id,
                self.target.socket.servers()[0]
            ));
        }
        Ok(Protocol::Sltp)
    }

    /// Speaks RELP to a receiver that does not speak SLTP, if that is configured.
    fn fall_back(&mut self, error: OpenError) -> io::Result<()> {
        self.disconnect();
        let (now, within) = (self.dial.now(), self.target.response_within);
        let last = match self.heard_sltp {
            Some(at) if now.saturating_duration_since(at) < within => LastSltp::Lately,
            _ => LastSltp::LongAgo,
        };
        let Some(fallback) = self.fallback.as_mut().filter(|fallback| fallback.suits(&error, last)) else {
            return Err(error.into_inner());
        };
        let text = error.to_string();
        if let Err(of_relp) = fallback.connect() {
            return Err(io::Error::new(error.into_inner().kind(), format!("{text}; over RELP: {of_relp}")));
        }
        if fallback.report() {
            self.log.warning(&format!(
                "Receiver does not speak SLTP, messages go over RELP; id='{}', server='{}', error='{text}'",
                self.id,
                self.target.socket.servers()[0]
            ));
        }
        Ok(())
    }

    /// Connects, and waits for the receiver to accept.
    fn open(&mut self) -> Result<(), OpenError> {
        self.disconnect();
        self.link = Some(self.dial.dial().map_err(OpenError::Connect)?);
        self.sender.connect();
        self.greet().map_err(OpenError::Greeting)
    }

    fn greet(&mut self) -> io::Result<()> {
        self.heard = self.dial.now();
        while !self.sender.is_open() {
            self.send()?;
            self.receive(ReadMode::Blocking)?;
            if stopping::limit(self.heard + self.target.response_within) <= self.dial.now() {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the receiver does not answer"));
            }
        }
        self.heard = self.dial.now();
        Ok(())
    }

    /// Sends what may go. Returns false when the link takes no more.
    fn send(&mut self) -> io::Result<bool> {
        let Some(link) = &mut self.link else { return Err(io::ErrorKind::NotConnected.into()) };
        while !self.sender.output().is_empty() {
            let size = match link.send(self.sender.output()) {
                Err(error) if is_full(&error) => 0,
                sent => sent?,
            };
            self.sender.sent(size);
            if size == 0 {
                return Ok(false);
            }
            self.spoke = self.dial.now();
        }
        Ok(true)
    }

    /// Reads answers. Returns true when any came.
    fn receive(&mut self, mode: ReadMode) -> io::Result<bool> {
        let Some(link) = &mut self.link else { return Err(io::ErrorKind::NotConnected.into()) };
        let mut any = false;
        self.looked = self.dial.now();
        while link.receive(&mut self.input, if any { ReadMode::NonBlocking } else { mode })? {
            any = true;
            self.sender.receive(&mut self.input).map_err(failure)?;
        }
        if any {
            self.heard = self.dial.now();
            self.heard_sltp = if self.sender.is_open() { Some(self.heard) } else { self.heard_sltp };
        }
        Ok(any)
    }

    /// Sends frames and reads acknowledgements, until everything is on its way; before a stop, until everything is
    /// acknowledged.
    fn work(&mut self) -> io::Result<()> {
        if self.sender.unsettled() == 0 {
            return Ok(());
        }
        while self.connected()? == Protocol::Relp {
            self.work_over_relp()?;
            if self.sender.unsettled() == 0 {
                return Ok(());
            }
        }
        self.tell_shed();
        loop {
            let takes_more = self.send()?;
            let is_awaited = self.sender.is_blocked() || stopping::has_begun() || !takes_more;
            if !is_awaited {
                self.receive(ReadMode::NonBlocking)?;
            } else if !self.receive(ReadMode::Blocking)? {
                self.check_silence()?;
                return Err(io::ErrorKind::WouldBlock.into());
            }
            self.check_silence()?;
            self.is_proven |= self.sender.has_settled();
            if self.sender.unsettled() == 0 || !stopping::has_begun() && self.sender.unsent_bytes() == 0 {
                return Ok(());
            }
        }
    }

    /// Sends some messages over RELP, and waits for their answers.
    fn work_over_relp(&mut self) -> io::Result<()> {
        let Some(fallback) = &mut self.fallback else { return Err(io::ErrorKind::NotConnected.into()) };
        let before = self.sender.unsettled();
        let delivered = fallback.deliver(&mut self.sender, &self.counters);
        self.is_proven |= self.sender.unsettled() < before;
        delivered
    }

    /// Fails when an answer is due for too long.
    fn check_silence(&mut self) -> io::Result<()> {
        let now = self.dial.now();
        if !self.sender.awaits_answer() {
            self.heard = now;
        }
        if now.saturating_duration_since(self.heard) >= self.target.response_within {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the receiver does not answer"));
        }
        Ok(())
    }

    /// Keeps a connection that rests alive, and notices its end.
    fn rest(&mut self) -> io::Result<()> {
        self.receive(ReadMode::NonBlocking)?;
        let now = self.dial.now();
        if now.saturating_duration_since(self.heard) >= GONE_AFTER {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if now.saturating_duration_since(self.spoke) >= PING_EVERY {
            self.sender.ping();
        }
        self.send().map(drop)
    }
}

/// Returns whether an error only says that the link takes nothing now.
fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Returns an error for the thread of the destination. The end of a receiver that stops is that of the connection.
fn failure(error: SenderError) -> io::Error {
    let kind = if error.is_goodbye() { io::ErrorKind::UnexpectedEof } else { io::ErrorKind::Other };
    io::Error::new(kind, error)
}

impl Driver for Numbered {
    fn begin(&mut self, now: Stamp) {
        self.rendering.template.begin(now);
    }

    fn add(&mut self, delivery: &Delivery, sequence: &mut u64) {
        let template = &mut self.rendering.template;
        for (place, index) in delivery.selection.iter().enumerate() {
            *sequence += 1;
            let id = delivery.first.map(|first| first.after(place as u64));
            self.sender.add(id, &delivery.ack, |out| template.render(&delivery.batch, index, *sequence, out));
        }
    }

    fn size(&self) -> usize {
        self.sender.unsent_bytes() + self.fallback.as_ref().map_or(0, Fallback::size)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sender.close_batch();
        loop {
            let Err(error) = self.work() else { return Ok(()) };
            if error.kind() == io::ErrorKind::WouldBlock {
                return Err(error);
            }
            self.disconnect();
            // A receiver that worked before is retried at once: it may only have been restarted.
            if !(std::mem::take(&mut self.is_proven) && is_end(&error)) {
                return Err(error);
            }
        }
    }

    fn settles_rows(&self) -> bool {
        true
    }

    fn take_settled(&mut self) -> SettledRows {
        let settled = self.sender.take_settled();
        SettledRows { delivered: settled.messages, bytes: settled.bytes, ..SettledRows::default() }
    }

    fn unsettled(&self) -> usize {
        self.sender.unsettled()
    }

    fn next_tick(&self) -> Option<Instant> {
        self.link.as_ref()?;
        let is_waiting = self.sender.unsettled() > 0;
        Some(if is_waiting { self.looked + LOOKED_EVERY } else { self.spoke + PING_EVERY })
    }

    fn tick(&mut self, _now: Instant) {
        if self.link.is_some() && self.sender.unsettled() == 0 && self.rest().is_err() {
            // The next message opens another one.
            self.disconnect();
        }
    }

    fn abandon(&mut self) -> usize {
        self.disconnect();
        self.sender.abandon()
    }

    fn configure(&mut self, driver: DestinationDriver, rendering: Rendering) {
        let DestinationDriver::Sltp(target) = driver else { return };
        self.rendering = rendering;
        if *target != self.target || !target.socket.keep_over_reload {
            self.disconnect();
            self.fallback = Fallback::of(&target);
        }
        self.dial = Box::new(SocketDial(target.socket.clone()));
        self.sender.configure(target.options.clone());
        self.target = *target;
    }

    fn reopen(&mut self) {
        self.disconnect();
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        if self.link.is_some() && self.sender.unsettled() == 0 {
            self.sender.bye();
            // As a courtesy: closing the connection means the same.
            let _ = self.send();
        }
    }
}

#[cfg(test)]
mod tests;
