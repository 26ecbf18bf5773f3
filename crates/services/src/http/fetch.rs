//! Documents of a server, one request after the other.
//!
//! In: addresses. Out: status and body of each answer. Holds: a connection.
//! Limits: those of `client`.

mod post;

pub use post::{PostAnswer, PostError, Poster};

use super::{
    client::{Body, Lane, Reply, Request},
    form::AnswerForm,
    options::RequestSettings,
};
use hyper::body::Bytes;
use std::{fmt, io, sync::Arc};

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

/// An answer that begins.
#[derive(Debug)]
pub enum FetchAnswer {
    /// A success, whose body follows.
    Body(DocumentBody),
    /// Anything else, with the beginning of its body.
    Other(Document),
}

/// The body of a success, read piece by piece. When it is dropped before its end, the connection is closed.
#[derive(Debug)]
pub struct DocumentBody(Body);

impl DocumentBody {
    /// Returns the next piece; `None` at the end.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, FetchError> {
        match self.0.piece().await {
            Ok(piece) => Ok(piece),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(FetchError::Silent),
            Err(error) => Err(FetchError::Broken(error.to_string())),
        }
    }
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

    /// Sends a request with headers of its own, and returns the body of a success, which the caller reads, or another answer.
    /// `timeout()` holds for the beginning and for each piece.
    pub async fn open(
        &mut self,
        url: &str,
        headers: Vec<(&'static str, String)>,
    ) -> Result<FetchAnswer, FetchError> {
        let request = Request { headers, ..Request::default() };
        match self.lane.open(url, &request, &self.settings).await {
            Ok((_, body)) => Ok(FetchAnswer::Body(DocumentBody(body))),
            Err(Reply::Status { status, body, .. }) => Ok(FetchAnswer::Other(Document { status, body })),
            Err(Reply::Unreachable(why) | Reply::Broken(why)) => Err(FetchError::Broken(why)),
            Err(Reply::Silent) => Err(FetchError::Silent),
        }
    }

    /// Closes the connection.
    pub fn close(&mut self) {
        self.lane.close();
    }
}
