//! A request over a connection of its own.
//!
//! In: rows. Out: one verdict over all of them. Holds: nothing between two requests. Limits: those of the server's [`Endpoint`];
//! `timeout()` for the answer.
//!
//! Values are delivered when the server has answered that it processed all of them: they are in its memory then, on the way to its
//! database.

use super::{
    protocol::{AnswerReader, request},
    refused::Refused,
    verdict,
};
use crate::link::{
    Endpoint,
    dialogue::{Link, LinkError},
    failure::Failure,
    open,
};
use delivery::{Cell, Connection, Exchange, Judgement, Row, Verdict, Wait};
use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

/// Room for a connection.
pub(super) struct ZabbixConnection {
    server: Endpoint,
    timeout: Duration,
    refused: Arc<Refused>,
}

impl ZabbixConnection {
    pub(super) fn new(server: Endpoint, timeout: Duration, refused: Arc<Refused>) -> ZabbixConnection {
        ZabbixConnection { server, timeout, refused }
    }

    async fn exchange(&self, rows: &[Row]) -> Result<(), Failure> {
        let mut link = Link::new(open(&self.server).await?);
        let mut reader = AnswerReader::default();
        let done = link.exchange(request(rows), &mut reader, self.timeout).await;
        let Some(answer) = reader.answer else {
            let answer = match done {
                // It does this to senders that it does not speak with.
                Err(LinkError::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    "the server closed the connection without an answer; its log says why".to_owned()
                }
                Err(error) => error.to_string(),
                Ok(()) => String::new(),
            };
            return Err(Failure { verdict: Verdict::Later(Wait::Busy), answer });
        };
        let judged = verdict::of_answer(&answer, rows.len());
        self.remember(rows, judged.as_ref().err());
        judged
    }

    /// Notes which items take values, as far as the answer says it.
    fn remember(&self, rows: &[Row], failure: Option<&Failure>) {
        let now = Instant::now();
        for row in rows {
            let [Cell::Text(host), Cell::Text(key), ..] = row.cells.as_slice() else { continue };
            match failure.map(|failure| failure.verdict) {
                None => self.refused.remove(host, key),
                Some(Verdict::Dead(_)) => self.refused.add(host, key, now),
                Some(Verdict::Split(_)) if rows.len() == 1 => self.refused.add(host, key, now),
                Some(_) => {}
            }
        }
    }
}

impl Connection for ZabbixConnection {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(async move {
            match self.exchange(rows).await {
                Ok(()) => Judgement::delivered(rows.len()),
                Err(Failure { verdict, answer }) => Judgement::of_all(rows.len(), verdict, answer),
            }
        })
    }

    fn close(&mut self) {}
}
