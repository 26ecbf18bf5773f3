//! An open connection: greeting, encryption, login.
//!
//! In: where the server is, and who we are. Out: a session. Holds: the connection, what the greeting says.
//! Limits: who calls says how long an answer may take. A server that is to be encrypted gets nothing of us before.

use super::{
    options::NatsLogin,
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
use serde_json::{Value, json};
use std::time::Duration;

/// Longest text of a server that does not say how long one may be: NATS's own default.
const TEXT_BYTES: usize = 1 << 20;

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
    found: Option<Value>,
}

impl Dialogue for Greeting {
    fn take(&mut self, received: &[u8], _out: &mut Vec<u8>) -> Result<usize, Breach> {
        if self.found.is_some() {
            return Ok(0);
        }
        let Some((line, size)) = protocol::decode(received, "")? else { return Ok(0) };
        let Line::Greeting(json) = line else { return Err(Breach("it does not greet")) };
        self.found = Some(serde_json::from_slice(json).map_err(|_| Breach("its greeting is no JSON"))?);
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
        let greeting = greeting.found.unwrap_or_default();
        let says = |name: &str| greeting.get(name).and_then(Value::as_bool) == Some(true);
        match &server.tls {
            Some(tls) if says("tls_required") || says("tls_available") => {
                let stream = link.into_stream().map_err(|Breach(what)| Failure::unreachable(what))?;
                link = Link::new(encrypt(server, stream, tls).await?);
            }
            Some(_) => return Err(refused("the server does not speak TLS, and there is tls()")),
            None if says("tls_required") => return Err(refused("the server wants TLS: set tls()")),
            None => {}
        }
        if !says("headers") {
            return Err(refused("the server is older than NATS 2.2"));
        }
        let inbox = format!("_INBOX.{name}.");
        let mut out = connect(login);
        out.extend_from_slice(format!("SUB {inbox}* 1\r\nPING\r\n").as_bytes());
        let mut answer = Login::default();
        link.exchange(out, &mut answer, patience).await?;
        if let Some(words) = answer.refused {
            return Err(verdict::of_error(&words));
        }
        let size = greeting.get("max_payload").and_then(Value::as_u64);
        let text_bytes_max = size.and_then(|size| usize::try_from(size).ok()).unwrap_or(TEXT_BYTES);
        Ok(Session { link, inbox, text_bytes_max })
    }
}

fn refused(answer: &str) -> Failure {
    Failure { verdict: Verdict::Hold(HoldReason::Credentials), answer: answer.to_owned() }
}

/// Makes the line of a login.
fn connect(login: &NatsLogin) -> Vec<u8> {
    let mut options = json!({
        "verbose": false, "pedantic": false, "lang": "rust", "name": "duramen", "version": env!("CARGO_PKG_VERSION"),
        "protocol": 1, "headers": true, "no_responders": true, "echo": false,
    });
    let named = [("user", &login.user), ("pass", &login.password), ("auth_token", &login.token)];
    for (name, value) in named {
        if let Some(value) = value {
            options[name] = json!(value);
        }
    }
    format!("CONNECT {options}\r\n").into_bytes()
}

#[cfg(test)]
mod tests;
