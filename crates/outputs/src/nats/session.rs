//! An open connection: greeting, encryption, login.
//!
//! In: where the server is, and who we are. Out: a session. Holds: the connection, what the greeting says.
//! Limits: who calls says how long an answer may take. A server that is to be encrypted gets nothing of us before.

use super::{
    protocol::{self, Line},
    verdict,
};
use crate::link::{
    Endpoint,
    dialogue::{Breach, Dialogue, Link},
    encrypt,
    failure::Failure,
    open_in_clear,
};
use delivery::{HoldReason, Verdict};
use std::time::Duration;
use transport::nats::{self, NatsLogin, connect};

/// An open connection.
pub(super) struct Session {
    pub(super) link: Link,
    /// The place where answers to our publications go.
    pub(super) inbox: String,
    /// Longest text that the server takes, with its head.
    pub(super) text_bytes_max: usize,
}

/// Waits for the greeting.
#[derive(Default)]
struct Greeting {
    found: Option<nats::Greeting>,
}

impl Dialogue for Greeting {
    fn take(&mut self, received: &[u8], _out: &mut Vec<u8>) -> Result<usize, Breach> {
        if self.found.is_some() {
            return Ok(0);
        }
        let Some((line, size)) = protocol::decode(received, "")? else { return Ok(0) };
        let Line::Greeting(json) = line else { return Err(Breach("it does not greet")) };
        self.found = Some(nats::Greeting::parse(json)?);
        Ok(size)
    }

    fn awaited(&self) -> usize {
        usize::from(self.found.is_none())
    }
}

/// Waits for the answer to a ping, or for an error.
#[derive(Default)]
struct Login {
    is_done: bool,
    refused: Option<String>,
}

impl Dialogue for Login {
    fn take(&mut self, received: &[u8], out: &mut Vec<u8>) -> Result<usize, Breach> {
        let mut used = 0;
        while self.awaited() > 0
            && let Some((line, size)) = protocol::decode(&received[used..], "")?
        {
            used += size;
            match line {
                Line::Ping => out.extend_from_slice(b"PONG\r\n"),
                Line::Pong => self.is_done = true,
                Line::Refused(words) => self.refused = Some(words),
                Line::Greeting(_) | Line::Done => {}
                _ => return Err(Breach("it answers what was not published")),
            }
        }
        Ok(used)
    }

    fn awaited(&self) -> usize {
        usize::from(!self.is_done && self.refused.is_none())
    }
}

impl Session {
    /// Connects and logs in. `name` makes the place of our answers one that nobody else guesses.
    pub(super) async fn open(
        server: &Endpoint,
        login: &NatsLogin,
        name: &str,
        patience: Duration,
    ) -> Result<Session, Failure> {
        let mut link = Link::new(open_in_clear(server).await?);
        let mut greeting = Greeting::default();
        link.exchange(Vec::new(), &mut greeting, patience).await?;
        let greeting = greeting.found.ok_or_else(|| Failure::unreachable("it does not greet"))?;
        if let Some(tls) = greeting.encryption(server.tls.as_ref()).map_err(refused)? {
            let stream = link.into_stream().map_err(|Breach(what)| Failure::unreachable(what))?;
            link = Link::new(encrypt(server, stream, tls).await?);
        }
        greeting.check_age().map_err(refused)?;
        let inbox = format!("_INBOX.{name}.");
        let mut out = connect(login);
        out.extend_from_slice(format!("SUB {inbox}* 1\r\nPING\r\n").as_bytes());
        let mut answer = Login::default();
        link.exchange(out, &mut answer, patience).await?;
        if let Some(words) = answer.refused {
            return Err(verdict::of_error(&words));
        }
        Ok(Session { link, inbox, text_bytes_max: greeting.text_bytes_max() })
    }
}

fn refused(why: nats::UnfitServer) -> Failure {
    Failure { verdict: Verdict::Hold(HoldReason::Credentials), answer: why.to_string() }
}

#[cfg(test)]
mod tests;
