//! `fallback(relp)`: the way of messages to a receiver that does not speak SLTP.
//!
//! In: frames without an acknowledgement. Out: their messages over RELP. Holds: a session of RELP, and the messages of a
//! few frames in it.
//! Every connection begins with SLTP. Only a receiver that does not answer its greeting as SLTP demands, and does open a
//! session of RELP, is spoken to in RELP; so a receiver that refuses, or is away, is never taken for another.
//! Limits: [`LOAD_BYTES`] and one frame are read at a time.

use crate::{
    line::Target,
    network::{
        relp::Relp,
        servers::Probe,
        talk::{SocketDial, is_end},
    },
    options::{Failback, RelpTarget, Server, SltpTarget, SocketTarget, StreamFraming},
    output::Output,
};
use sltp::{Sender, SenderError};
use std::{fmt, io, time::Duration};
use transport::{
    Dial,
    stats::{self, Counters},
};

/// Messages that are read together. Between two such loads RELP has nothing on its way: large enough that waiting for the
/// last answers of each does not show.
const LOAD_BYTES: usize = 1 << 20;
/// How often a port of SLTP is looked for that is another than that of RELP.
const LOOKED_FOR_EVERY: Duration = Duration::from_secs(60);

/// Why there is no connection of SLTP.
#[derive(Debug)]
pub(super) enum OpenError {
    /// The server cannot be connected to.
    Connect(io::Error),
    /// It did not accept.
    Greeting(io::Error),
}

impl OpenError {
    /// Returns the error for the thread of the destination.
    pub(super) fn into_inner(self) -> io::Error {
        match self {
            OpenError::Connect(error) | OpenError::Greeting(error) => error,
        }
    }

    /// Returns whether the answer proves that it does not speak SLTP.
    fn is_proof(&self) -> bool {
        let OpenError::Greeting(error) = self else { return false };
        let error = error.get_ref().and_then(|error| error.downcast_ref::<SenderError>());
        error == Some(&SenderError::NotSltp)
    }

    /// Returns whether it may be that it does not speak SLTP.
    fn is_hint(&self) -> bool {
        match self {
            OpenError::Connect(error) => {
                matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::TimedOut)
            }
            OpenError::Greeting(error) => is_end(error) || error.kind() == io::ErrorKind::TimedOut,
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Connect(error) | OpenError::Greeting(error) => error.fmt(f),
        }
    }
}

/// When the receiver last spoke SLTP with this destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LastSltp {
    /// Within `response-timeout()`: it may only be restarted.
    Lately,
    /// Longer ago, or never.
    LongAgo,
}

/// The ports of the two protocols.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Ports {
    /// One server listens on it, which speaks one of them.
    Same,
    /// Another one for RELP. That of SLTP is watched meanwhile.
    Different { sltp: Box<SocketTarget> },
}

/// RELP instead of SLTP.
pub(super) struct Fallback {
    relp: Relp,
    ports: Ports,
    /// Messages that are being sent, the oldest of the sender.
    output: Output,
    /// How many of them have no answer.
    loaded: usize,
    /// Looks for the port of SLTP.
    probe: Option<Probe>,
    /// The log says that it is in use.
    is_reported: bool,
}

impl Fallback {
    /// The fallback of a target that has one.
    pub(super) fn of(target: &SltpTarget) -> Option<Fallback> {
        let relp = target.fallback.clone()?;
        Some(Fallback::over(Box::new(SocketDial(relp.socket.clone())), relp, &target.socket))
    }

    /// A fallback whose receiver is reached in this way.
    pub(super) fn over(dial: Box<dyn Dial>, relp: RelpTarget, sltp: &SocketTarget) -> Fallback {
        let ports = match relp.socket.kind == sltp.kind {
            true => Ports::Same,
            false => Ports::Different { sltp: Box::new(sltp.clone()) },
        };
        Fallback {
            relp: Relp::over(dial, relp),
            ports,
            output: Output::default(),
            loaded: 0,
            probe: None,
            is_reported: false,
        }
    }

    /// Returns whether RELP may be tried after an attempt with SLTP. On a port of its own RELP may answer although the
    /// receiver of SLTP is only being restarted, which then may have messages without having acknowledged them: so it is
    /// waited for.
    pub(super) fn suits(&self, error: &OpenError, last: LastSltp) -> bool {
        match self.ports {
            _ if error.is_proof() => true,
            Ports::Same => matches!(error, OpenError::Greeting(_)) && error.is_hint(),
            Ports::Different { .. } => last == LastSltp::LongAgo && error.is_hint(),
        }
    }

    /// Opens a session.
    pub(super) fn connect(&mut self) -> io::Result<()> {
        self.close();
        self.relp.connect()?;
        if let Ports::Different { sltp } = &self.ports {
            let server: Server = sltp.servers().into_iter().next().unwrap_or_default();
            let failback = Failback { interval: LOOKED_FOR_EVERY, successes: 1 };
            self.probe = Probe::start(SocketTarget::clone(sltp), server, failback);
        }
        Ok(())
    }

    pub(super) fn is_connected(&self) -> bool {
        self.relp.is_connected()
    }

    /// Returns whether SLTP should be tried now: its port is open, and nothing is on its way.
    pub(super) fn is_over(&self) -> bool {
        self.output.size() == 0 && self.probe.as_ref().is_some_and(Probe::has_found)
    }

    /// Ends the session. What has no answer is still with the sender.
    pub(super) fn close(&mut self) {
        self.relp.close();
        self.output.clear();
        self.loaded = 0;
        self.probe = None;
    }

    /// Notes that messages go over RELP. Returns whether that is news.
    pub(super) fn report(&mut self) -> bool {
        !std::mem::replace(&mut self.is_reported, true)
    }

    /// Notes that the receiver speaks SLTP. Returns whether that is news.
    pub(super) fn report_end(&mut self) -> bool {
        std::mem::take(&mut self.is_reported)
    }

    /// Returns the bytes of messages that have no answer.
    pub(super) fn size(&self) -> usize {
        self.output.size()
    }

    /// Sends some of the oldest messages, until all of these are answered. Those answered before an error are released, too.
    pub(super) fn deliver(&mut self, sender: &mut Sender, counters: &Counters) -> io::Result<()> {
        if self.loaded == 0 {
            self.load(sender)?;
        }
        self.settle(sender, counters, 0);
        while self.output.size() > 0 {
            let before = self.output.size();
            let written = self.relp.write(&mut self.output);
            self.settle(sender, counters, before - self.output.size());
            written?;
            if !self.relp.is_connected() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }

    fn load(&mut self, sender: &mut Sender) -> io::Result<()> {
        let (mut place, output) = (0, &mut self.output);
        while output.size() < LOAD_BYTES {
            let push = |text: &[u8]| output.push(StreamFraming::Plain, |out| out.extend_from_slice(text));
            let Some(count) = sender.read_frame(place, push).map_err(io::Error::other)? else { break };
            self.loaded += count;
            place += 1;
        }
        Ok(())
    }

    /// Releases the messages that were answered since the last call.
    fn settle(&mut self, sender: &mut Sender, counters: &Counters, bytes: usize) {
        let left = self.output.messages();
        let delivered = self.loaded - left;
        self.loaded = left;
        sender.settle_first(delivered, bytes);
        stats::add(&counters.written_by_fallback, delivered);
    }
}

#[cfg(test)]
mod tests;
