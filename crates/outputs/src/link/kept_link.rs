//! A connection that is opened when it is first used, and kept as long as it is of use.
//!
//! In: bytes for a server. Out: what a dialogue makes of its answers. Holds: the connection.
//! Limits: `timeout()` for the next answer; a connection on which more comes than was asked for is closed.

use super::{
    dialogue::{Breach, Dialogue, Link, LinkError},
    failure::Failure,
    open,
};
use std::time::Duration;
use transport::endpoint::Endpoint;

/// A connection, or room for one.
pub(crate) struct KeptLink {
    server: Endpoint,
    timeout: Duration,
    open: Option<Link>,
}

impl KeptLink {
    /// Makes one that is not open yet.
    pub(crate) fn new(server: Endpoint, timeout: Duration) -> KeptLink {
        KeptLink { server, timeout, open: None }
    }

    /// Returns true when it is open.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Sends bytes and reads the answers to them. Fails when no connection can be opened; what ended the dialogue is the inner result.
    pub(crate) async fn exchange(
        &mut self,
        out: Vec<u8>,
        dialogue: &mut dyn Dialogue,
    ) -> Result<Result<(), LinkError>, Failure> {
        let mut link = match self.open.take() {
            Some(link) => link,
            None => open(&self.server).await.map(Link::new)?,
        };
        let done = match link.exchange(out, dialogue, self.timeout).await {
            // The next answers would be taken for those to something else.
            Ok(()) if link.has_rest() => Err(LinkError::Breach(Breach("it answers what nobody asked"))),
            done => done,
        };
        if done.is_ok() {
            self.open = Some(link);
        }
        Ok(done)
    }

    /// Closes it; the next exchange opens it again.
    pub(crate) fn close(&mut self) {
        self.open = None;
    }
}
