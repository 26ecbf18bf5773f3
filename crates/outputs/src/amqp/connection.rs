//! Publications with their confirmations.
//!
//! In: rows, each a routing key, headers and a text. Out: a verdict for each, by its own confirmation. Holds: a session.
//! Limits: `timeout()` for the next confirmation; headers that do not fit in a frame are not sent.
//! A row is delivered when the broker has confirmed it; it carries the id of its message, by which consumers know one that was
//! sent again. While the broker is blocked, what was sent stays sent: its confirmation is waited for by the next try.

use super::{
    method::{self, HEADER_EXTRA_BYTES, Publication},
    options::{Shared, Unroutable},
    session::Session,
    verdict,
};
use crate::link::{dialogue::LinkError, failure::Failure, verdicts::Verdicts};
use delivery::{Cell, Connection, Exchange, Heartbeat, Judgement, Row, Verdict, Wait};
use std::{sync::Arc, time::Instant};
use transport::DeadReason;

/// Most outcomes of publications that were sent again over another connection meanwhile.
const UNTAKEN_MAX: usize = 1 << 17;
/// The bit of a publication that is to come back when no queue gets it.
const MANDATORY: u8 = 1;

/// A connection, or room for one.
pub(super) struct AmqpConnection {
    shared: Arc<Shared>,
    open: Option<Session>,
}

/// The end of a try.
struct Tried {
    found: Vec<Option<Result<(), Failure>>>,
    /// The connection broke before anything was confirmed.
    is_unheard: bool,
    /// Judges what has no outcome.
    failure: Failure,
}

impl AmqpConnection {
    pub(super) fn new(shared: Arc<Shared>) -> AmqpConnection {
        AmqpConnection { shared, open: None }
    }

    async fn exchange(&mut self, rows: &[Row]) -> Vec<Judgement> {
        let was_open = self.open.is_some();
        let mut tried = self.talk(rows).await;
        // A broker that starts again, or that closes connections which rest: a new one is tried at once.
        if was_open && tried.is_unheard {
            tried = self.talk(rows).await;
        }
        let mut verdicts = Verdicts::default();
        for found in tried.found {
            match found.unwrap_or_else(|| Err(tried.failure.clone())) {
                Ok(()) => verdicts.push(Verdict::Delivered, ""),
                Err(Failure { verdict, answer }) => verdicts.push(verdict, &answer),
            }
        }
        verdicts.finish(rows.len(), Some(&tried.failure))
    }

    async fn talk(&mut self, rows: &[Row]) -> Tried {
        let opened = match self.open.take() {
            Some(session) => Ok(session),
            None => Session::open(&self.shared).await,
        };
        let mut session = match opened {
            Ok(session) => session,
            Err(failure) => return Tried { found: vec![None; rows.len()], is_unheard: false, failure },
        };
        let (answers, _) = session.confirms.heard();
        let done = publish(&mut session, rows, &self.shared).await;
        session.used();
        let confirms = &mut session.confirms;
        let found: Vec<_> = rows.iter().map(|row| confirms.take_outcome(row.id)).collect();
        let failure = match (confirms.refused(), confirms.blocked(), &done) {
            (Some(refused), ..) => refused.clone(),
            (None, Some(reason), Ok(()) | Err(LinkError::Silent(_))) => verdict::of_block(reason),
            (None, _, Err(error)) => {
                Failure { verdict: Verdict::Later(Wait::BackOff), answer: error.to_string() }
            }
            (None, None, Ok(())) => Failure { verdict: Verdict::Later(Wait::BackOff), answer: String::new() },
        };
        let is_unheard = confirms.heard().0 == answers
            && confirms.refused().is_none()
            && matches!(done, Err(LinkError::Io(_)));
        let is_blocked = confirms.blocked().is_some() && matches!(done, Err(LinkError::Silent(_)));
        if confirms.refused().is_none() && (done.is_ok() || is_blocked) {
            self.open = Some(session);
        }
        Tried { found, is_unheard, failure }
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
        Box::pin(self.exchange(rows))
    }

    fn close(&mut self) {
        self.open = None;
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
