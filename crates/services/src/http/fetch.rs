//! Documents of a server, one request after the other.
//!
//! In: addresses. Out: status and body of each answer. Holds: a connection.
//! Limits: those of `client`.

use super::{
    client::{Lane, Reply, Request},
    form::AnswerForm,
    options::RequestSettings,
};
use std::{fmt, sync::Arc};

/// The reason why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FetchError {
    /// The server cannot be reached, or the connection broke; why.
    Broken(String),
    /// It did not answer in time.
    Silent,
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FetchError::Broken(why) => f.write_str(why),
            FetchError::Silent => f.write_str("the server did not answer in time"),
        }
    }
}

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// Its status.
    pub status: u16,
    /// The body of a success, and the beginning of that of an error.
    pub body: Vec<u8>,
}

/// Gets documents over a connection that is kept.
pub struct Fetcher {
    lane: Lane,
    settings: Arc<RequestSettings>,
}

impl Fetcher {
    /// Makes one that is not connected.
    pub fn new(settings: Arc<RequestSettings>) -> Fetcher {
        Fetcher { lane: Lane::default(), settings }
    }

    /// Sends a request without a body.
    pub async fn fetch(&mut self, url: &str) -> Result<Document, FetchError> {
        let request = Request { answer: AnswerForm::Words, ..Request::default() };
        match self.lane.exchange_twice(url, &request, &self.settings).await {
            Reply::Status { status, body, .. } => Ok(Document { status, body }),
            Reply::Unreachable(why) | Reply::Broken(why) => Err(FetchError::Broken(why)),
            Reply::Silent => Err(FetchError::Silent),
        }
    }

    /// Closes the connection.
    pub fn close(&mut self) {
        self.lane.close();
    }
}
