//! `smtp()` as a target: each message is a mail, which counts as written when the mail server has accepted it.
//!
//! In: envelopes with their mails, as `wire::mail` writes them. Out: SMTP on a connection that is kept.
//! Holds: the connection, how often the current mail was tried.
//! A mail that the server refuses permanently (5XX) is dropped, counted and logged; one that it may accept later
//! (4XX) is retried after `time-reopen()`, `retries()` times. A server that cannot be used (it is down, offers no
//! STARTTLS, or rejects our password) is retried forever. If the connection is lost between the end of a mail and
//! its answer, the mail arrives twice: SMTP has no numbers.
//! Limits: an answer is waited for `timeout()` seconds.

use super::talk::Talk;
use crate::{
    line::Target,
    options::{DestinationDriver, MailTarget, SocketKind},
    output::Output,
};
use std::{
    io,
    time::{Duration, Instant},
};
use transport::{HostPolicy, InternalLog, Link, LogPause, ReadMode, own_name};
use wire::{
    mail,
    mail_dialogue::{Attempt, Dialogue, Encryption, Next, Verdict},
    smtp_answer,
};

/// Least time between two log lines about refused mails.
const REFUSALS_SAID_EVERY: Duration = Duration::from_secs(10);

/// A mail server.
pub(crate) struct Smtp {
    target: MailTarget,
    log: InternalLog,
    session: Option<Session>,
    /// How often the first waiting mail was put off.
    put_off: u32,
    refused: usize,
    pause: LogPause,
}

struct Session {
    /// `None` while it is being encrypted.
    talk: Option<Talk>,
    dialogue: Dialogue,
    input: Vec<u8>,
    out: Vec<u8>,
    /// When the last command was sent.
    asked: Instant,
    /// The server has taken a mail.
    is_proven: bool,
}

impl Smtp {
    pub(crate) fn new(target: MailTarget, log: InternalLog) -> Smtp {
        let pause = LogPause::new(REFUSALS_SAID_EVERY);
        Smtp { target, log, session: None, put_off: 0, refused: 0, pause }
    }

    /// Removes the first waiting mail from the output, or returns an error when it must be retried.
    fn settle(&mut self, verdict: Verdict, output: &mut Output) -> io::Result<()> {
        let size = output.next_message().map_or(0, <[u8]>::len);
        match verdict {
            Verdict::Delivered { refused } => {
                if let Some(reason) = refused {
                    self.say(&format!("Mail server refused a recipient of a mail; answer='{reason}'"));
                }
            }
            Verdict::Later(reason) if self.put_off < self.target.retries => {
                self.put_off += 1;
                return Err(io::Error::other(format!("the mail server put a mail off: {reason}")));
            }
            Verdict::Later(reason) | Verdict::Refused(reason) => {
                self.refused += 1;
                self.say(&format!("Mail server refused a mail, dropping it; answer='{reason}'"));
            }
        }
        self.put_off = 0;
        output.advance(size);
        Ok(())
    }

    fn say(&mut self, text: &str) {
        if self.pause.count(1, Instant::now()).is_some() {
            self.log.error(text);
        }
    }
}

/// Sends a mail, with its envelope as [`mail::Mail::append`] writes both, over a connection of its own. An error means that the
/// server cannot be used now; it has the mail only if the connection broke before its last answer. `go_on` is asked about
/// five times a second while an answer is outstanding.
pub fn send_mail(target: &MailTarget, bytes: &[u8], go_on: &dyn Fn() -> bool) -> io::Result<Verdict> {
    let mut session = Session::open(target)?;
    loop {
        if let Some(verdict) = session.work(target, bytes, Attempt::Last)? {
            return Ok(verdict);
        }
        if !go_on() {
            return Err(io::ErrorKind::Interrupted.into());
        }
    }
}

impl Session {
    fn open(target: &MailTarget) -> io::Result<Session> {
        let name = own_name(&HostPolicy { fqdn: true, ..HostPolicy::default() });
        let encryption = match target.starttls {
            Some(_) => Encryption::StartTls,
            None => Encryption::AsConnected,
        };
        Ok(Session {
            talk: Some(Talk::open(&target.socket)?),
            dialogue: Dialogue::new(&name, encryption, target.login.clone()),
            input: Vec::new(),
            out: Vec::new(),
            asked: Instant::now(),
            is_proven: false,
        })
    }

    /// Talks to the server until a mail is settled. `None` while an answer is outstanding.
    fn work(&mut self, target: &MailTarget, bytes: &[u8], attempt: Attempt) -> io::Result<Option<Verdict>> {
        let envelope = mail::envelope(bytes).ok_or(io::ErrorKind::InvalidData)?;
        loop {
            if self.dialogue.is_ready() {
                match self.dialogue.begin(&envelope, attempt) {
                    Next::Settled(verdict) => return Ok(Some(verdict)),
                    next => self.obey(next, &[], target)?,
                };
            }
            let talk = self.talk.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            while !self.out.is_empty() {
                let size = talk.send(&self.out)?;
                self.out.drain(..size);
            }
            let answer = loop {
                match smtp_answer(&self.input)
                    .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?
                {
                    Some(answer) => break answer,
                    None if talk.receive(&mut self.input, ReadMode::Blocking)? => {}
                    None if self.asked.elapsed() < target.answer_within => return Ok(None),
                    None => {
                        let reason = "the mail server does not answer";
                        return Err(io::Error::new(io::ErrorKind::TimedOut, reason));
                    }
                }
            };
            self.input.drain(..answer.1);
            match self.dialogue.heard(&answer.0) {
                Next::Settled(verdict) => return Ok(Some(verdict)),
                next => self.obey(next, &bytes[envelope.data.clone()], target)?,
            }
        }
    }

    fn obey(&mut self, next: Next, text: &[u8], target: &MailTarget) -> io::Result<()> {
        self.asked = Instant::now();
        match next {
            Next::Say(line) => self.out = line,
            Next::SayMail => self.out = text.to_vec(),
            Next::Encrypt => {
                // Text received before the encryption could come from anyone.
                if !self.input.is_empty() {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "the server spoke before STARTTLS",
                    ));
                }
                let talk = self.talk.take().ok_or(io::ErrorKind::NotConnected)?;
                let tls = target.starttls.as_ref().ok_or(io::ErrorKind::InvalidInput)?;
                let SocketKind::Tcp(host, _) = &target.socket.kind else {
                    return Err(io::ErrorKind::InvalidInput.into());
                };
                self.talk = Some(talk.encrypt(tls, host)?);
                let next = self.dialogue.encrypted();
                return self.obey(next, text, target);
            }
            Next::Failed(reason) => return Err(io::Error::other(reason)),
            Next::Ready | Next::Settled(_) => {}
        }
        Ok(())
    }
}

impl Target for Smtp {
    fn write(&mut self, output: &mut Output) -> io::Result<()> {
        let mut session = match self.session.take() {
            Some(session) => session,
            None => Session::open(&self.target)?,
        };
        let Some(bytes) = output.next_message() else {
            self.session = Some(session);
            return Err(io::ErrorKind::WouldBlock.into());
        };
        let is_last = self.put_off >= self.target.retries;
        let attempt = if is_last { Attempt::Last } else { Attempt::Repeatable };
        match session.work(&self.target, bytes, attempt) {
            Ok(Some(verdict)) => {
                session.is_proven |= matches!(verdict, Verdict::Delivered { .. });
                self.session = Some(session);
                self.settle(verdict, output)
            }
            Ok(None) => {
                self.session = Some(session);
                Err(io::ErrorKind::WouldBlock.into())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.session = Some(session);
                Err(error)
            }
            // An idle connection that the server closed is reopened at once.
            Err(_) if session.is_proven && session.dialogue.is_at_begin() => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn take_refused(&mut self) -> usize {
        std::mem::take(&mut self.refused)
    }

    fn configure(&mut self, driver: DestinationDriver) {
        let DestinationDriver::Mail(target) = driver else { return };
        if *target != self.target || !target.socket.keep_over_reload {
            self.session = None;
        }
        self.target = *target;
    }

    fn close(&mut self) {
        self.session = None;
    }
}

#[cfg(test)]
mod tests;
