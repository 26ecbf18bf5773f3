//! The login, and commands with their replies.
//!
//! In: rows, each the arguments of a command. Out: a verdict for each, by its own reply. Holds: a connection.
//! Limits: `timeout()` for the next reply; a connection on which more comes than was asked for is closed.
//! A row is delivered when the server has said that its command was executed: what that is worth after a crash of the server
//! is what its configuration says about its own files.

use super::{
    options::RedisLogin,
    replies::{Outcome, Replies},
    verdict,
};
use crate::link::{
    Endpoint,
    attempt::{self, Attempt, Kept, is_broken},
    dialogue::{Breach, Link, LinkError},
    failure::Failure,
    open,
};
use delivery::{Cell, Connection, Exchange, HoldReason, Row, Verdict, Wait};
use std::{iter, sync::Arc, time::Duration};
use transport::redis::encode;

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) server: Endpoint,
    pub(super) login: RedisLogin,
    pub(super) command: String,
    pub(super) timeout: Duration,
}

/// A connection, or room for one.
pub(super) struct RedisConnection {
    shared: Arc<Shared>,
    open: Option<Link>,
}

impl RedisConnection {
    pub(super) fn new(shared: Arc<Shared>) -> RedisConnection {
        RedisConnection { shared, open: None }
    }
}

impl Kept for RedisConnection {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    async fn attempt(&mut self, rows: &[Row]) -> Attempt {
        let opened = match self.open.take() {
            Some(link) => Ok(link),
            None => connect(&self.shared.server, &self.shared.login, self.shared.timeout).await,
        };
        let mut link = match opened {
            Ok(link) => link,
            Err(failure) => return Attempt::not_connected(rows.len(), failure),
        };
        let mut out = Vec::new();
        let command = self.shared.command.as_bytes();
        for row in rows {
            let arguments: Vec<&[u8]> = iter::once(command).chain(row.cells.iter().map(bytes)).collect();
            encode(arguments.into_iter(), &mut out);
        }
        let mut replies = Replies::new(rows.len(), Outcome::of);
        let done = match link.exchange(out, &mut replies, self.shared.timeout).await {
            // The next replies would be taken for those of other commands.
            Ok(()) if link.has_rest() => Err(LinkError::Breach(Breach("it answers what nobody asked"))),
            done => done,
        };
        let is_unheard = replies.found.is_empty() && is_broken(&done);
        let mut answers: Vec<_> = replies.found.iter().map(|outcome| Some(answer(outcome))).collect();
        answers.resize(rows.len(), None);
        // A server that has no room for us closes the connection after it said so.
        let is_closing =
            answers.iter().flatten().any(|answer| answer.as_ref().is_err_and(Failure::is_of_connection));
        let failure = done.as_ref().err().map(LinkError::to_string).unwrap_or_default();
        if done.is_ok() && !is_closing {
            self.open = Some(link);
        }
        Attempt {
            answers,
            is_unheard,
            failure: Failure { verdict: Verdict::Later(Wait::Busy), answer: failure },
        }
    }
}

fn answer(outcome: &Outcome) -> Result<(), Failure> {
    match outcome {
        Outcome::Done => Ok(()),
        Outcome::Refused(text) => Err(verdict::failure(text)),
    }
}

fn bytes(cell: &Cell) -> &[u8] {
    match cell {
        Cell::Bytes(bytes) => bytes,
        _ => &[],
    }
}

/// Connects, logs in and chooses the database.
pub(super) async fn connect(
    server: &Endpoint,
    login: &RedisLogin,
    timeout: Duration,
) -> Result<Link, Failure> {
    let mut link = Link::new(open(server).await?);
    let RedisLogin { user, password, database } = login;
    if let Some(password) = password {
        let arguments = iter::once("AUTH").chain(user.as_deref()).chain(iter::once(password.as_str()));
        ask(&mut link, arguments, HoldReason::Credentials, timeout).await?;
    }
    if let Some(database) = database {
        let database = database.to_string();
        ask(&mut link, ["SELECT", &database].into_iter(), HoldReason::Schema, timeout).await?;
    }
    Ok(link)
}

/// Sends a command without which nothing else can be done.
async fn ask<'a>(
    link: &mut Link,
    arguments: impl Iterator<Item = &'a str>,
    hold: HoldReason,
    timeout: Duration,
) -> Result<(), Failure> {
    let arguments: Vec<&[u8]> = arguments.map(str::as_bytes).collect();
    let mut out = Vec::new();
    encode(arguments.into_iter(), &mut out);
    let mut replies = Replies::new(1, Outcome::of);
    link.exchange(out, &mut replies, timeout).await?;
    match replies.found.first() {
        Some(Outcome::Refused(text)) => {
            let Failure { verdict, answer } = verdict::failure(text);
            let verdict = match verdict {
                Verdict::Later(_) => Verdict::Later(Wait::Reopen),
                Verdict::Hold(reason) if reason != HoldReason::Schema => verdict,
                _ => Verdict::Hold(hold),
            };
            // A dead letter's words would quote what we sent, which is the password.
            let answer = answer.lines().next().unwrap_or_default().to_owned();
            Err(Failure { verdict, answer })
        }
        _ => Ok(()),
    }
}

impl Connection for RedisConnection {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(attempt::exchange(self, rows))
    }

    fn close(&mut self) {
        self.open = None;
    }
}
