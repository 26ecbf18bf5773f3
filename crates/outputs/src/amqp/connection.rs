//! Publications with their confirmations.
//!
//! In: rows, each a routing key, headers and a text. Out: a verdict for each, by its own confirmation. Holds: a session.
//! Limits: `timeout()` for the next confirmation; headers that do not fit in a frame are not sent.
//! A row is delivered when the broker has confirmed it; it carries the id of its message, by which consumers know one that was
//! sent again. While the broker is blocked, what was sent stays sent: its confirmation is waited for by the next try.

use super::{
    options::{Shared, Unroutable},
    session::Session,
    verdict,
};
use crate::link::{
    attempt::{self, Attempt, Kept, is_broken},
    dialogue::LinkError,
    failure::Failure,
};
use delivery::{Cell, Connection, Exchange, Heartbeat, Row, Verdict, Wait};
use std::{sync::Arc, time::Instant};
use transport::{
    DeadReason,
    amqp::method::{self, HEADER_EXTRA_BYTES, Publication},
};

/// Most outcomes of publications that were sent again over another connection meanwhile.
const UNTAKEN_MAX: usize = 1 << 17;
/// The bit of a publication that is to come back when no queue gets it.
const MANDATORY: u8 = 1;

/// A connection, or room for one.
pub(super) struct AmqpConnection {
    shared: Arc<Shared>,
    open: Option<Session>,
}

impl AmqpConnection {
    pub(super) fn new(shared: Arc<Shared>) -> AmqpConnection {
        AmqpConnection { shared, open: None }
    }
}

impl Kept for AmqpConnection {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    async fn attempt(&mut self, rows: &[Row]) -> Attempt {
        let opened = match self.open.take() {
            Some(session) => Ok(session),
            None => Session::open(&self.shared).await,
        };
        let mut session = match opened {
            Ok(session) => session,
            Err(failure) => return Attempt::not_connected(rows.len(), failure),
        };
        let (heard, _) = session.confirms.heard();
        let done = publish(&mut session, rows, &self.shared).await;
        session.used();
        let confirms = &mut session.confirms;
        let answers: Vec<_> = rows.iter().map(|row| confirms.take_outcome(row.id)).collect();
        match (confirms.refused(), rows, answers.as_slice()) {
            (Some(refused), ..) => self.shared.limit.learn(&refused.answer),
            (None, [row], [Some(Ok(()))]) => self.shared.limit.taken(size(row)),
            _ => {}
        }
        let failure = match (confirms.refused(), confirms.blocked(), &done) {
            (Some(refused), ..) => refused.clone(),
            (None, Some(reason), Ok(()) | Err(LinkError::Silent(_))) => verdict::of_block(reason),
            (None, _, Err(error)) => {
                Failure { verdict: Verdict::Later(Wait::BackOff), answer: error.to_string() }
            }
            (None, None, Ok(())) => Failure { verdict: Verdict::Later(Wait::BackOff), answer: String::new() },
        };
        let is_unheard = confirms.heard().0 == heard && confirms.refused().is_none() && is_broken(&done);
        let is_blocked = confirms.blocked().is_some() && matches!(done, Err(LinkError::Silent(_)));
        if confirms.refused().is_none() && (done.is_ok() || is_blocked) {
            self.open = Some(session);
        }
        Attempt { answers, is_unheard, failure }
    }
}

/// Publishes rows, and waits for the confirmations of all that were published.
async fn publish(session: &mut Session, rows: &[Row], shared: &Shared) -> Result<(), LinkError> {
    if session.confirms.blocked().is_some() {
        session.link.read_arrived(&mut session.confirms).await?;
    }
    let out = publications(session, rows, shared);
    session.link.exchange(out, &mut session.confirms, shared.timeout).await
}

/// Counts the bytes of a row's text.
fn size(row: &Row) -> usize {
    match row.cells.as_slice() {
        [_, _, Cell::Bytes(body)] => body.len(),
        _ => 0,
    }
}

/// Makes the frames of publications. Rows that were published before are left out, as are all while the broker takes nothing.
fn publications(session: &mut Session, rows: &[Row], shared: &Shared) -> Vec<u8> {
    let confirms = &mut session.confirms;
    if confirms.untaken() > UNTAKEN_MAX {
        confirms.forget_outcomes();
    }
    let mut out = Vec::new();
    for row in rows.iter() {
        let [Cell::Bytes(routing_key), Cell::Bytes(headers), Cell::Bytes(body)] = row.cells.as_slice() else {
            continue;
        };
        if confirms.knows(row.id) {
            continue;
        }
        let properties = method::properties(row.id, shared.durability, headers);
        if properties.len() + HEADER_EXTRA_BYTES > session.frame_bytes {
            let answer = format!("the headers do not fit in a frame of {} bytes", session.frame_bytes);
            let failure = Failure { verdict: Verdict::Dead(DeadReason::TooLarge), answer };
            confirms.judge(row.id, Err(failure));
        } else if let Some(failure) = shared.limit.suspect(size(row)).filter(|_| rows.len() > 1) {
            confirms.judge(row.id, Err(failure));
        } else if confirms.blocked().is_none() {
            confirms.add(row.id);
            let publication = Publication {
                exchange: &shared.exchange.name,
                routing_key,
                bits: if shared.unroutable == Unroutable::Drop { 0 } else { MANDATORY },
                properties: &properties,
                body,
            };
            method::publish(&publication, session.frame_bytes, &mut out);
        }
    }
    out
}

impl Connection for AmqpConnection {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(attempt::exchange(self, rows))
    }

    fn close(&mut self) {
        if let Some(session) = self.open.take() {
            session.close();
        }
    }

    fn next_heartbeat(&self) -> Option<Instant> {
        self.open.as_ref().and_then(Session::next_heartbeat)
    }

    fn heartbeat(&mut self) -> Heartbeat<'_> {
        Box::pin(async move {
            if let Some(session) = self.open.take() {
                self.open = session.beat().await;
            }
        })
    }
}
