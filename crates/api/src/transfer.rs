//! Pieces of a file on their way from a thread to a client.
//!
//! In: pieces. Out: the same, in order, as the client takes them. Holds: [`PIECES`] of them.
//! Limits: a sender waits for the client for [`STALLED`], then the transfer is cut: a client that does not read must not
//! keep its place among the exports.

use crate::answer::STALLED;
use axum::body::{Body, Bytes};
use std::{
    fmt::Display,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};
use tokio::{runtime::Handle, sync::mpsc};

/// Pieces that wait for the client.
const PIECES: usize = 4;

/// A client, as a thread outside of the runtime sees it.
pub(crate) struct Client<E> {
    sender: mpsc::Sender<Result<Bytes, E>>,
    is_stalled: Arc<AtomicBool>,
    runtime: Handle,
}

/// What a client is sent.
pub(crate) struct Transfer<E> {
    pieces: mpsc::Receiver<Result<Bytes, E>>,
    is_stalled: Arc<AtomicBool>,
}

/// The client went away, or takes nothing.
#[derive(Debug)]
pub(crate) struct Gone;

/// Both ends of a transfer; inside of the runtime.
pub(crate) fn transfer<E>() -> (Client<E>, Transfer<E>) {
    let (sender, pieces) = mpsc::channel(PIECES);
    let is_stalled = Arc::new(AtomicBool::new(false));
    let client = Client { sender, is_stalled: Arc::clone(&is_stalled), runtime: Handle::current() };
    (client, Transfer { pieces, is_stalled })
}

impl<E> Client<E> {
    /// Hands a piece on; blocks until there is room for it.
    pub(crate) fn send(&self, piece: Result<Bytes, E>) -> Result<(), Gone> {
        let sent = self.runtime.block_on(self.sender.send_timeout(piece, STALLED));
        sent.map_err(|error| {
            let is_stalled = matches!(error, mpsc::error::SendTimeoutError::Timeout(_));
            self.is_stalled.fetch_or(is_stalled, Relaxed);
            Gone
        })
    }
}

impl<E: Display + Send + 'static> Transfer<E> {
    /// The first piece; `None`: there is none.
    pub(crate) async fn first(&mut self) -> Option<Result<Bytes, E>> {
        self.pieces.recv().await
    }

    /// The body of a response: `first`, if it was taken already, then what comes. `guard` lives as long as the body.
    pub(crate) fn into_body<G: Send + 'static>(self, first: Option<Bytes>, guard: G) -> Body {
        let state = (first, self, guard);
        Body::from_stream(futures_util::stream::unfold(state, |(first, mut rest, guard)| async move {
            let piece = match first {
                Some(first) => Ok(first),
                None => match rest.pieces.recv().await {
                    Some(piece) => piece.map_err(|error| io::Error::other(error.to_string())),
                    // Nobody may take what is there for the whole file.
                    None if rest.is_stalled.load(Relaxed) => {
                        Err(io::Error::other("the client took nothing for too long"))
                    }
                    None => return None,
                },
            };
            Some((piece, (None, rest, guard)))
        }))
    }
}
