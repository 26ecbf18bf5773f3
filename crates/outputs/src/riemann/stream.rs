//! Events over TCP and TLS: a message of many, with one answer.
//!
//! In: rows, each an event. Out: one verdict for all, by the answer. Holds: a connection.
//! Limits: `timeout()` for the answer. The server does not say which event it refuses: a batch is halved until that one is alone.

use crate::link::{
    Endpoint,
    attempt::{self, Attempt, Kept, is_broken},
    dialogue::{ANSWER_BYTES_MAX, Breach, Dialogue, LinkError},
    failure::{ANSWER_CHARACTERS_MAX, Failure},
    kept_link::KeptLink,
};
use delivery::{Cell, Connection, Exchange, Row, Verdict, Wait};
use std::time::Duration;
use transport::{
    DeadReason,
    riemann::{Answer, append_event, decode, framed},
};

/// A way to the server.
pub(super) struct StreamConnection {
    link: KeptLink,
}

impl StreamConnection {
    pub(super) fn new(server: Endpoint, timeout: Duration) -> StreamConnection {
        StreamConnection { link: KeptLink::new(server, timeout) }
    }
}

/// Waits for an answer.
#[derive(Default)]
struct Waiting {
    found: Option<Answer>,
}

impl Dialogue for Waiting {
    fn take(&mut self, received: &[u8], _out: &mut Vec<u8>) -> Result<usize, Breach> {
        if self.found.is_some() {
            return Ok(0);
        }
        let Some((answer, size)) = decode(received, ANSWER_BYTES_MAX)? else { return Ok(0) };
        self.found = Some(answer);
        Ok(size)
    }

    fn awaited(&self) -> usize {
        usize::from(self.found.is_none())
    }
}

fn refused(words: &str) -> Failure {
    let words: String = words
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(ANSWER_CHARACTERS_MAX)
        .collect();
    Failure { verdict: Verdict::Split(DeadReason::Rejected), answer: words }
}

impl Kept for StreamConnection {
    fn is_open(&self) -> bool {
        self.link.is_open()
    }

    async fn attempt(&mut self, rows: &[Row]) -> Attempt {
        let mut message = Vec::new();
        for row in rows {
            if let [Cell::Bytes(event)] = row.cells.as_slice() {
                append_event(event, &mut message);
            }
        }
        let mut waiting = Waiting::default();
        let done = match self.link.exchange(framed(&message), &mut waiting).await {
            Ok(done) => done,
            Err(failure) => return Attempt::not_connected(rows.len(), failure),
        };
        let is_unheard = waiting.found.is_none() && is_broken(&done);
        let failure = done.as_ref().err().map(LinkError::to_string).unwrap_or_default();
        let failure = Failure { verdict: Verdict::Later(Wait::Busy), answer: failure };
        let answer = waiting.found.map(|answer| match answer {
            Answer::Taken => Ok(()),
            Answer::Refused(words) => Err(refused(&words)),
        });
        Attempt { answers: vec![answer; rows.len()], is_unheard, failure }
    }
}

impl Connection for StreamConnection {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(attempt::exchange(self, rows))
    }

    fn close(&mut self) {
        self.link.close();
    }
}
