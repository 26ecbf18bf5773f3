//! Publications with their acknowledgements.
//!
//! In: rows, each a subject and a text. Out: a verdict for each, by its own answer. Holds: a session.
//! Limits: `timeout()` for the next answer; a text that is longer than the server takes is not sent, for the server would end
//! the connection.
//! A row is delivered when a stream has stored it; it carries the id of its message, by which the stream knows one that it
//! has. Without JetStream it is delivered when the server has answered the ping behind the batch, and so has read it.

use super::{
    options::NatsStorage,
    protocol::{self, Line},
    session::Session,
    verdict,
};
use crate::link::{
    Endpoint,
    attempt::{self, Attempt, Kept, is_broken},
    dialogue::{Breach, Dialogue, LinkError},
    failure::Failure,
};
use delivery::{Cell, Connection, Exchange, Row, Verdict, Wait};
use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::Duration,
};
use transport::{DeadReason, nats::NatsLogin};

/// Bytes of the head of a publication.
const HEAD_BYTES: usize = 64;

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) server: Endpoint,
    pub(super) login: NatsLogin,
    pub(super) storage: NatsStorage,
    pub(super) timeout: Duration,
}

/// A connection, or room for one.
pub(super) struct NatsConnection {
    shared: Arc<Shared>,
    open: Option<Session>,
}

/// Waits for answers.
struct Answers {
    storage: NatsStorage,
    inbox: String,
    /// By the number of the publication.
    found: Vec<Option<Result<(), Failure>>>,
    awaited: usize,
    /// Answers that came.
    heard: usize,
    /// The words of the server about the connection.
    refused: Option<Failure>,
}

impl Answers {
    fn new(storage: NatsStorage, inbox: &str, count: usize) -> Answers {
        Answers {
            storage,
            inbox: inbox.to_owned(),
            found: vec![None; count],
            awaited: count,
            heard: 0,
            refused: None,
        }
    }

    fn settle(&mut self, number: usize, outcome: Result<(), Failure>) -> Result<(), Breach> {
        let place = self.found.get_mut(number).ok_or(Breach("it answers what was not published"))?;
        if place.is_none() {
            self.awaited -= 1;
            *place = Some(outcome);
        }
        Ok(())
    }

    fn take_line(&mut self, line: Line<'_>, out: &mut Vec<u8>) -> Result<(), Breach> {
        match line {
            Line::Ping => out.extend_from_slice(b"PONG\r\n"),
            Line::Pong if self.storage == NatsStorage::Nobody => {
                let outcome = self.refused.clone().map_or(Ok(()), Err);
                self.heard += 1;
                for number in 0..self.found.len() {
                    self.settle(number, outcome.clone())?;
                }
            }
            Line::Greeting(_) | Line::Done | Line::Pong => {}
            // It does not say of which publication: it judges those without an answer.
            Line::Refused(words) => self.refused = Some(verdict::of_error(&words)),
            Line::Answer(number, json) => {
                self.heard += 1;
                self.settle(number, verdict::of_answer(json))?;
            }
            Line::Status(number, status) => {
                self.heard += 1;
                self.settle(number, Err(verdict::of_status(status)))?;
            }
        }
        Ok(())
    }
}

impl Dialogue for Answers {
    fn take(&mut self, received: &[u8], out: &mut Vec<u8>) -> Result<usize, Breach> {
        let mut used = 0;
        let inbox = self.inbox.clone();
        while self.awaited > 0
            && let Some((line, size)) = protocol::decode(&received[used..], &inbox)?
        {
            used += size;
            self.take_line(line, out)?;
        }
        Ok(used)
    }

    fn awaited(&self) -> usize {
        self.awaited
    }
}

impl NatsConnection {
    pub(super) fn new(shared: Arc<Shared>) -> NatsConnection {
        NatsConnection { shared, open: None }
    }
}

impl Kept for NatsConnection {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    async fn attempt(&mut self, rows: &[Row]) -> Attempt {
        let opened = match self.open.take() {
            Some(session) => Ok(session),
            None => {
                // Nobody guesses where our answers go, and no two sessions share it.
                let name = RandomState::new();
                let name = format!("{:016x}{:016x}", name.hash_one(1), name.hash_one(2));
                Session::open(&self.shared.server, &self.shared.login, &name, self.shared.timeout).await
            }
        };
        let mut session = match opened {
            Ok(session) => session,
            Err(failure) => return Attempt::not_connected(rows.len(), failure),
        };
        let mut answers = Answers::new(self.shared.storage, &session.inbox, rows.len());
        let out = publications(rows, &session, &mut answers);
        let done = session.link.exchange(out, &mut answers, self.shared.timeout).await;
        let is_unheard = answers.heard == 0 && answers.refused.is_none() && is_broken(&done);
        let failure = answers.refused.unwrap_or_else(|| Failure {
            verdict: Verdict::Later(Wait::BackOff),
            answer: done.as_ref().err().map(LinkError::to_string).unwrap_or_default(),
        });
        if done.is_ok() {
            self.open = Some(session);
        }
        Attempt { answers: answers.found, is_unheard, failure }
    }
}

/// Makes the lines of publications. Those that are too long are settled at once.
fn publications(rows: &[Row], session: &Session, answers: &mut Answers) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let [Cell::Bytes(subject), Cell::Bytes(text)] = row.cells.as_slice() else { continue };
        if text.len() + HEAD_BYTES > session.text_bytes_max {
            let answer = format!("the server takes {} bytes at most", session.text_bytes_max);
            let failure = Failure { verdict: Verdict::Dead(DeadReason::TooLarge), answer };
            answers.found[number] = Some(Err(failure));
            answers.awaited -= 1;
            continue;
        }
        match answers.storage {
            NatsStorage::Nobody => protocol::publish(subject, text, &mut out),
            NatsStorage::Stream => {
                protocol::publish_to_stream((subject, text), row.id, &session.inbox, number, &mut out);
            }
        }
    }
    if answers.storage == NatsStorage::Nobody {
        out.extend_from_slice(b"PING\r\n");
    }
    out
}

impl Connection for NatsConnection {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(attempt::exchange(self, rows))
    }

    fn close(&mut self) {
        self.open = None;
    }
}
