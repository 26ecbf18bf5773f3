//! One body to an address that was checked before.
//!
//! In: a URL, the address to connect to, headers, a body. Out: the answer. Holds nothing: each request has a connection of its
//! own, so that the address that was checked is the one that is spoken to.
//! Limits: those of `client`; redirections are not followed.

use crate::http::{
    client::{Lane, Reply, Request},
    options::{Compression, RequestSettings},
};
use hyper::body::Bytes;
use std::{fmt, net::SocketAddr, time::Duration};
use transport::tls::SenderTls;

/// The reason why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PostError {
    /// The server cannot be reached: nothing was sent.
    Unreachable(String),
    /// The connection ended before the answer did: the server may have everything.
    Broken(String),
    /// It did not answer in time, and may have everything.
    Silent,
}

impl fmt::Display for PostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PostError::Unreachable(why) | PostError::Broken(why) => f.write_str(why),
            PostError::Silent => f.write_str("the server did not answer in time"),
        }
    }
}

impl std::error::Error for PostError {}

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PostAnswer {
    /// Its status.
    pub status: u16,
    /// The pause that the server asks for, at most an hour.
    pub wait: Option<Duration>,
    /// The beginning of the body of an error; nothing of a success.
    pub body: Vec<u8>,
}

/// Sends bodies.
#[derive(Clone, Debug)]
pub struct Poster {
    /// Method, such as `POST`.
    pub method: &'static str,
    /// Longest time for connection, request and answer together.
    pub timeout: Duration,
    /// Whom to trust, for URLs that begin with `https://`.
    pub tls: SenderTls,
}

impl Poster {
    /// Sends a body.
    pub async fn post(
        &self,
        url: &str,
        peer: SocketAddr,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    ) -> Result<PostAnswer, PostError> {
        let settings = RequestSettings {
            method: self.method.to_owned(),
            headers: Vec::new(),
            compression: Compression::None,
            timeout: self.timeout,
            follows_redirects: false,
            proxy: None,
            tls: self.tls.clone(),
        };
        let request = Request {
            body: Bytes::from(body),
            messages: 1,
            made: headers,
            peer: Some(peer),
            ..Request::default()
        };
        match Lane::default().exchange(url, &request, &settings).await {
            Reply::Status { status, wait, body, .. } => Ok(PostAnswer { status, wait, body }),
            Reply::Unreachable(why) => Err(PostError::Unreachable(why)),
            Reply::Broken(why) => Err(PostError::Broken(why)),
            Reply::Silent => Err(PostError::Silent),
        }
    }
}
