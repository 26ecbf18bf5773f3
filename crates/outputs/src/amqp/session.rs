//! An open connection: login, virtual host, channel, exchange.
//!
//! In: where the broker is, and who we are. Out: a session. Holds: the connection, publications that are not confirmed.
//! Limits: `timeout()` for each answer; frames of the size that both sides agreed on.

use super::{
    confirms::{Confirms, Resting},
    options::Shared,
    verdict,
};
use crate::link::{
    dialogue::{Breach, Dialogue, Link, LinkError, Pulse},
    failure::Failure,
    open,
};
use delivery::{HoldReason, Verdict};
use std::time::{Duration, Instant};
use transport::amqp::{
    Durability, FrameKind, HEARTBEAT, UnfitTune, frame,
    method::{self, Method},
};

/// Longest wait until a sign of life is sent.
const HEARTBEAT_SENT_WITHIN: Duration = Duration::from_millis(900);

/// An open connection.
pub(super) struct Session {
    pub(super) link: Link,
    pub(super) confirms: Confirms,
    pub(super) frame_bytes: usize,
    /// Zero is none.
    heartbeat: Duration,
    spoken: Instant,
    heard: (Instant, u64),
}

/// Waits for one method.
struct Answer {
    frame_bytes: usize,
    found: Option<Method>,
}

impl Dialogue for Answer {
    fn take(&mut self, received: &[u8], _out: &mut Vec<u8>) -> Result<usize, Breach> {
        let mut used = 0;
        while self.found.is_none()
            && let Some((frame, size)) = frame::decode(&received[used..], self.frame_bytes)?
        {
            used += size;
            match frame.kind {
                FrameKind::Heartbeat => {}
                FrameKind::Method => self.found = Some(method::decode(frame.payload)?),
                _ => return Err(Breach("it sends what nobody asked for")),
            }
        }
        Ok(used)
    }

    fn awaited(&self) -> usize {
        usize::from(self.found.is_none())
    }
}

/// A connection in the making.
struct Opening<'a> {
    link: Link,
    shared: &'a Shared,
    frame_bytes: usize,
}

impl Opening<'_> {
    /// Sends bytes and waits for the method that answers them.
    async fn ask(&mut self, ask: impl FnOnce(&mut Vec<u8>)) -> Result<Method, Failure> {
        let mut out = Vec::new();
        ask(&mut out);
        let mut answer = Answer { frame_bytes: self.frame_bytes, found: None };
        self.link.exchange(out, &mut answer, self.shared.timeout).await?;
        match answer.found {
            Some(Method::ConnectionClosed(refusal)) => Err(verdict::of_login(&refusal)),
            Some(method) => Ok(method),
            None => Err(breach("it does not answer")),
        }
    }

    /// Logs in, agrees on limits, and opens the virtual host. Returns the heartbeat.
    async fn log_in(&mut self) -> Result<u16, Failure> {
        let shared = self.shared;
        let start = self.ask(|out| out.extend_from_slice(method::PROTOCOL_HEADER)).await?;
        let Method::Start(mechanisms) = start else { return Err(breach("it does not greet")) };
        let mechanism = method::mechanism(&shared.login);
        if !mechanisms.split_ascii_whitespace().any(|offered| offered.eq_ignore_ascii_case(mechanism)) {
            let answer = format!("the broker does not offer the login {mechanism}, but: {mechanisms}");
            return Err(Failure { verdict: Verdict::Hold(HoldReason::Credentials), answer });
        }
        let tune = match self.ask(|out| method::start_ok(&shared.login, out)).await? {
            Method::Tune(offer) => offer
                .agree(shared.frame_bytes, shared.heartbeat)
                .map_err(|UnfitTune| breach("its frames are smaller than the protocol allows"))?,
            _ => return Err(breach("it does not answer the login")),
        };
        self.frame_bytes = tune.frame_bytes as usize;
        match self.ask(|out| method::tune_ok_and_open(tune, &shared.vhost, out)).await? {
            Method::ConnectionOpened => Ok(tune.heartbeat),
            _ => Err(breach("it does not open the virtual host")),
        }
    }

    /// Sends a method of the channel and waits for the answer that it is to have.
    async fn channel(
        &mut self,
        want: &Method,
        ask: impl FnOnce(&mut Vec<u8>),
    ) -> Result<Result<(), method::Refusal>, Failure> {
        match self.ask(ask).await? {
            Method::ChannelClosed(refusal) => Ok(Err(refusal)),
            method if method == *want => Ok(Ok(())),
            _ => Err(breach("it answers what was not asked")),
        }
    }

    /// Declares the exchange. One that exists as it was declared by others, durable or not, is good.
    async fn declare(&mut self, kind: &str) -> Result<(), Failure> {
        let name = &self.shared.exchange.name;
        let (first, second) = match self.shared.durability {
            Durability::Persistent => (Durability::Persistent, Durability::Transient),
            Durability::Transient => (Durability::Transient, Durability::Persistent),
        };
        let declared = self.channel(&Method::Declared, |out| method::declare(name, kind, first, out)).await?;
        let Err(refusal) = declared else { return Ok(()) };
        if refusal.code != 406 || !refusal.words.contains("'durable'") {
            return Err(verdict::of_close(&refusal));
        }
        self.open_channel(method::close_channel_ok).await?;
        let declared =
            self.channel(&Method::Declared, |out| method::declare(name, kind, second, out)).await?;
        declared.map_err(|refusal| verdict::of_close(&refusal))
    }

    async fn open_channel(&mut self, before: impl FnOnce(&mut Vec<u8>)) -> Result<(), Failure> {
        let opened = self.channel(&Method::ChannelOpened, |out| {
            before(out);
            method::open_channel(out);
        });
        opened.await?.map_err(|refusal| verdict::of_close(&refusal))
    }
}

fn breach(what: &'static str) -> Failure {
    LinkError::Breach(Breach(what)).into()
}

impl Session {
    /// Connects, logs in, and makes a channel ready whose publications are confirmed.
    pub(super) async fn open(shared: &Shared) -> Result<Session, Failure> {
        let link = Link::new(open(&shared.server).await?);
        let mut opening = Opening { link, shared, frame_bytes: shared.frame_bytes };
        let heartbeat = Duration::from_secs(opening.log_in().await?.into());
        opening.open_channel(|_| {}).await?;
        if let Some(kind) = &shared.exchange.declared_as {
            opening.declare(kind).await?;
        }
        let selected = opening.channel(&Method::Selected, method::select_confirms).await?;
        selected.map_err(|refusal| verdict::of_close(&refusal))?;
        let Opening { mut link, frame_bytes, .. } = opening;
        link.set_pulse((!heartbeat.is_zero()).then_some(Pulse { every: heartbeat / 2, bytes: HEARTBEAT }));
        let confirms = Confirms::new(&shared.exchange.name, shared.unroutable, frame_bytes);
        let now = Instant::now();
        Ok(Session { link, confirms, frame_bytes, heartbeat, spoken: now, heard: (now, 0) })
    }

    /// Notes that both sides have spoken.
    pub(super) fn used(&mut self) {
        self.spoken = Instant::now();
        self.note_heard();
    }

    fn note_heard(&mut self) {
        let (_, frames) = self.confirms.heard();
        if frames > self.heard.1 {
            self.heard = (Instant::now(), frames);
        }
    }

    /// Ends the connection on purpose.
    pub(super) fn close(mut self) {
        let mut out = Vec::new();
        method::close_connection(&mut out);
        self.link.say_last(&out);
    }

    /// Returns when the next sign of life is due.
    pub(super) fn next_heartbeat(&self) -> Option<Instant> {
        (!self.heartbeat.is_zero()).then(|| self.spoken + self.heartbeat / 2)
    }

    /// Reads what has arrived, and sends a sign of life. Returns the session unless it has ended.
    pub(super) async fn beat(mut self) -> Option<Session> {
        self.link.read_arrived(&mut Resting(&mut self.confirms)).await.ok()?;
        self.note_heard();
        if self.confirms.refused().is_some() || self.heard.0.elapsed() > self.heartbeat * 2 {
            return None;
        }
        // A broker that is blocked reads nothing, and expects nothing: the rest of a publication would have to go first.
        if self.link.unsent() == 0 {
            let mut resting = Resting(&mut self.confirms);
            self.link.exchange(HEARTBEAT.to_vec(), &mut resting, HEARTBEAT_SENT_WITHIN).await.ok()?;
        }
        self.spoken = Instant::now();
        Some(self)
    }
}

#[cfg(test)]
mod tests;
