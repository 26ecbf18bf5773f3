//! Sends pieces of a file from a thread to a client.
//!
//! In: pieces. Out: the same, in order, as the client reads them. Holds: [`PIECES`] of them.
//! Limits: a sender waits for the client for [`STALLED`], then the transfer is cut: a client that does not read must not
//! keep its export slot. It is also cut when its user loses the right to it.

pub(crate) mod access;

use crate::search::answer::STALLED;
use access::{Access, WatchedAccess};
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

/// The stream of pieces for a client, polled inside the runtime.
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
    /// Sends a piece; blocks until there is space for it.
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

    /// The body of a response: `first`, if it was received already, then further pieces, as long as the user has
    /// access.
    /// `guard` lives as long as the body.
    pub(crate) fn into_body<G: Send + 'static>(self, first: Option<Bytes>, access: Access, guard: G) -> Body {
        let state = (first, self, access.watched(), guard);
        Body::from_stream(futures_util::stream::unfold(
            state,
            |(first, mut rest, mut access, guard)| async move {
                let piece = match first {
                    Some(first) => Ok(first),
                    None => rest.next(&mut access).await?,
                };
                Some((piece, (None, rest, access, guard)))
            },
        ))
    }

    /// The next piece, or why there is none; nothing at the end.
    async fn next(&mut self, access: &mut WatchedAccess) -> Option<io::Result<Bytes>> {
        let piece = tokio::select! {
            // Checked first: a fast client must not prevent the check.
            biased;
            () = access.lost() => return Some(Err(io::Error::other("the user may not have this any more"))),
            piece = self.pieces.recv() => piece,
        };
        match piece {
            Some(piece) => Some(piece.map_err(|error| io::Error::other(error.to_string()))),
            // The client must not mistake the part for the whole file.
            None if self.is_stalled.load(Relaxed) => {
                Some(Err(io::Error::other("the client took nothing for too long")))
            }
            None => None,
        }
    }
}

#[cfg(test)]
impl<E> Transfer<E> {
    /// Marks the client as one that took nothing for too long.
    pub(crate) fn stall(&self) {
        self.is_stalled.store(true, Relaxed);
    }
}
