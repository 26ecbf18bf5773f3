//! The request for a batch, and its repeats.
//!
//! In: rows. Out: one verdict over all of them, and the row that the server names as the cause of a refusal. Holds: a connection. Limits: `timeout()` for a request; one that breaks is
//! sent a second time at once, over a new connection.
//!
//! The rows are delivered when the server has answered that the INSERT is done. A token made of their ids goes with it: a
//! table that keeps tokens stores a batch once that is sent twice because its answer was lost.

use super::verdict;
use crate::{
    http::{AnswerForm, BodyForm, Judge, Lane, Reply, Request, RequestSettings},
    identity::batch_identity,
};
use delivery::{Connection, Exchange, Judgement, Row, failure::Failure};
use std::sync::Arc;

/// Settings that an old server does not know. An INSERT that the server gathers with others is answered when it is
/// stored.
const LATER_SETTINGS: &str = "&wait_for_async_insert=1&insert_deduplication_token=";

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    /// The URL, with the statement.
    pub(super) url: String,
    pub(super) form: BodyForm,
    pub(super) judge: Judge,
    pub(super) settings: RequestSettings,
}

/// A connection, or room for one.
pub(super) struct ClickhouseConnection {
    shared: Arc<Shared>,
    lane: Lane,
    /// The server has not refused the settings of later versions yet.
    takes_tokens: bool,
}

impl ClickhouseConnection {
    pub(super) fn new(shared: Arc<Shared>) -> ClickhouseConnection {
        ClickhouseConnection { shared, lane: Lane::default(), takes_tokens: true }
    }

    async fn exchange(&mut self, rows: &[Row]) -> Result<(), Failure> {
        let request = Request {
            body: self.shared.form.body(rows).into(),
            messages: rows.len(),
            headers: Vec::new(),
            // An exception may come after the status of a success.
            answer: AnswerForm::Words,
            ..Request::default()
        };
        let token = batch_identity(rows);
        let mut reply = self.insert(&request, &token).await;
        if self.takes_tokens && verdict::is_unknown_setting(&reply) {
            self.takes_tokens = false;
            reply = self.insert(&request, &token).await;
        }
        if matches!(reply, Reply::Unreachable(_) | Reply::Broken(_)) {
            // The next server at this address may be a later version.
            self.takes_tokens = true;
        }
        verdict::of_reply(&self.shared.judge, reply)
    }

    async fn insert(&mut self, request: &Request, token: &str) -> Reply {
        let mut url = self.shared.url.clone();
        if self.takes_tokens {
            url.push_str(LATER_SETTINGS);
            url.push_str(token);
        }
        self.lane.exchange_twice(&url, request, &self.shared.settings).await
    }
}

impl Connection for ClickhouseConnection {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(async move {
            match self.exchange(rows).await {
                Ok(()) => Judgement::delivered(rows.len()),
                Err(failure) => verdict::over_rows(rows.len(), &failure),
            }
        })
    }

    fn close(&mut self) {
        self.lane.close();
    }
}
