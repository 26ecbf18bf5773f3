//! The login, and commands with their replies.
//!
//! In: rows, each the arguments of a command. Out: a verdict for each, by its own reply. Holds: a connection.
//! Limits: `timeout()` for the next reply; a connection on which more comes than was asked for is closed.
//! A row is delivered when the server has said that its command was executed: what that is worth after a crash of the server
//! is what its configuration says about its own files.

use super::{
    options::RedisLogin,
    resp::{self, Replies, Reply},
    verdict,
};
use crate::link::{
    Endpoint,
    dialogue::{Breach, Link, LinkError},
    failure::Failure,
    verdicts::Verdicts,
};
use delivery::{Cell, Connection, Exchange, HoldReason, Judgement, Row, Verdict, Wait};
use std::{iter, sync::Arc, time::Duration};

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

/// The reason why some commands have no reply.
enum ExchangeError {
    /// There is no connection to send them over.
    Closed(Failure),
    /// The connection broke: they were executed or not.
    Broken(LinkError),
}

impl RedisConnection {
    pub(super) fn new(shared: Arc<Shared>) -> RedisConnection {
        RedisConnection { shared, open: None }
    }

    async fn exchange(&mut self, rows: &[Row]) -> Vec<Judgement> {
        let was_open = self.open.is_some();
        let mut replies = Replies { awaited: rows.len(), found: Vec::new() };
        let mut done = self.talk(rows, &mut replies).await;
        // A server that starts again, or that closes connections which rest: a new one is tried at once.
        if was_open
            && replies.found.is_empty()
            && matches!(done, Err(ExchangeError::Broken(LinkError::Io(_))))
        {
            done = self.talk(rows, &mut replies).await;
        }
        let mut verdicts = Verdicts::default();
        for reply in &replies.found {
            match reply {
                Reply::Done => verdicts.push(Verdict::Delivered, ""),
                Reply::Refused(text) => {
                    let Failure { verdict, answer } = verdict::failure(text);
                    // A server that has no room for us closes the connection after it said so.
                    if verdict == Verdict::Later(Wait::Reopen) {
                        self.open = None;
                    }
                    verdicts.push(verdict, &answer);
                }
            }
        }
        let failure = match done {
            Ok(()) => None,
            Err(ExchangeError::Closed(failure)) => Some(failure),
            Err(ExchangeError::Broken(error)) => {
                Some(Failure { verdict: Verdict::Later(Wait::Busy), answer: error.to_string() })
            }
        };
        verdicts.finish(rows.len(), failure.as_ref())
    }

    /// Sends commands and reads their replies.
    async fn talk(&mut self, rows: &[Row], replies: &mut Replies) -> Result<(), ExchangeError> {
        let mut link = match self.open.take() {
            Some(link) => link,
            None => connect(&self.shared).await.map_err(ExchangeError::Closed)?,
        };
        let mut out = Vec::new();
        let command = self.shared.command.as_bytes();
        for row in rows {
            let arguments: Vec<&[u8]> = iter::once(command).chain(row.cells.iter().map(bytes)).collect();
            resp::encode(arguments.into_iter(), &mut out);
        }
        link.exchange(out, replies, self.shared.timeout).await.map_err(ExchangeError::Broken)?;
        if link.has_rest() {
            // The next replies would be taken for those of other commands.
            return Err(ExchangeError::Broken(LinkError::Breach(Breach("it answers what nobody asked"))));
        }
        self.open = Some(link);
        Ok(())
    }
}

fn bytes(cell: &Cell) -> &[u8] {
    match cell {
        Cell::Bytes(bytes) => bytes,
        _ => &[],
    }
}

/// Connects, logs in and chooses the database.
async fn connect(shared: &Shared) -> Result<Link, Failure> {
    let mut link = Link::new(shared.server.open().await?);
    let RedisLogin { user, password, database } = &shared.login;
    if let Some(password) = password {
        let arguments = iter::once("AUTH").chain(user.as_deref()).chain(iter::once(password.as_str()));
        ask(&mut link, arguments, HoldReason::Credentials, shared.timeout).await?;
    }
    if let Some(database) = database {
        let database = database.to_string();
        ask(&mut link, ["SELECT", &database].into_iter(), HoldReason::Schema, shared.timeout).await?;
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
    resp::encode(arguments.into_iter(), &mut out);
    let mut replies = Replies { awaited: 1, found: Vec::new() };
    link.exchange(out, &mut replies, timeout).await?;
    match replies.found.first() {
        Some(Reply::Refused(text)) => {
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
        Box::pin(self.exchange(rows))
    }

    fn close(&mut self) {
        self.open = None;
    }
}
