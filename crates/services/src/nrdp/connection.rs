//! The request for a batch.
//!
//! In: rows. Out: one verdict over all of them. Holds: a connection. Limits: `timeout()` for a request; one that breaks is sent a second
//! time at once, over a new connection.
//!
//! The rows are delivered when NRDP has answered that it processed them: they are in files then, which Nagios reads and removes.

use super::verdict;
use crate::{
    http::{AnswerForm, Lane, Request, RequestSettings},
    url::encode_into,
};
use delivery::{Cell, Connection, Exchange, Judgement, Row, failure::Failure};
use std::sync::Arc;

/// The part of a target that its connections share.
pub(super) struct Shared {
    pub(super) url: String,
    pub(super) token: String,
    pub(super) settings: RequestSettings,
}

/// A connection, or room for one.
pub(super) struct NrdpConnection {
    shared: Arc<Shared>,
    lane: Lane,
}

impl NrdpConnection {
    pub(super) fn new(shared: Arc<Shared>) -> NrdpConnection {
        NrdpConnection { shared, lane: Lane::default() }
    }

    async fn exchange(&mut self, rows: &[Row]) -> Result<(), Failure> {
        let body = body(&self.shared.token, rows).into();
        let content = ("content-type", "application/x-www-form-urlencoded".to_owned());
        let request = Request {
            body,
            messages: 1,
            headers: vec![content],
            made: Vec::new(),
            answer: AnswerForm::Words,
            ..Request::default()
        };
        let reply = self.lane.exchange_twice(&self.shared.url, &request, &self.shared.settings).await;
        verdict::of_reply(reply, rows.len())
    }
}

/// Returns the form of a request: the token stays out of the URL, which servers log.
pub(super) fn body(token: &str, rows: &[Row]) -> Vec<u8> {
    let mut json = b"{\"checkresults\":[".to_vec();
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            json.push(b',');
        }
        if let Some(Cell::Text(item)) = row.cells.first() {
            json.extend_from_slice(item.as_bytes());
        }
    }
    json.extend_from_slice(b"]}");
    let mut body = b"token=".to_vec();
    encode_into(token.as_bytes(), &mut body);
    body.extend_from_slice(b"&cmd=submitcheck&JSONDATA=");
    encode_into(&json, &mut body);
    body
}

impl Connection for NrdpConnection {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(async move {
            match self.exchange(rows).await {
                Ok(()) => Judgement::delivered(rows.len()),
                Err(Failure { verdict, answer }) => Judgement::of_all(rows.len(), verdict, answer),
            }
        })
    }

    fn close(&mut self) {
        self.lane.close();
    }
}
