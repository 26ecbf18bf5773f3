//! A connection with the interface that hyper needs.
//!
//! In: a stream of this folder. Out: polled reads and writes. Holds: bytes that were read and not yet consumed.
//! Limits: one read.

use crate::{batch_reader::buffer::READ_BYTES, session::Stream};
use std::{
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Capacity that is kept for the next read.
const KEPT_BYTES: usize = 64 << 10;

/// A connection.
pub(super) struct HttpStream {
    stream: Stream,
    bytes: Vec<u8>,
    /// How many of them were consumed.
    taken: usize,
}

impl HttpStream {
    pub(super) fn new(stream: Stream) -> HttpStream {
        HttpStream { stream, bytes: Vec::new(), taken: 0 }
    }

    /// Waits for the first bytes, at least `count` unless the peer leaves before. 0: it said nothing.
    pub(super) async fn begin(&mut self, count: usize) -> io::Result<usize> {
        while self.bytes.len() < count {
            if poll_fn(|context| self.poll_more(context)).await? == 0 {
                break;
            }
        }
        Ok(self.bytes.len())
    }

    pub(super) fn starts_with(&self, bytes: &[u8]) -> bool {
        self.bytes.starts_with(bytes)
    }

    /// Reads the available bytes.
    fn poll_more(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        loop {
            if self.taken == self.bytes.len() {
                self.bytes.clear();
                self.bytes.shrink_to(KEPT_BYTES);
                self.taken = 0;
            }
            self.bytes.reserve(READ_BYTES.min(KEPT_BYTES));
            match self.stream.read(&mut self.bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(self.stream.poll_readable(context))?;
                }
                // A peer that closes without TLS's close notification has still closed: HTTP knows what is complete.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Poll::Ready(Ok(0)),
                result => return Poll::Ready(result),
            }
        }
    }
}

impl AsyncRead for HttpStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.taken == self.bytes.len() {
            ready!(self.poll_more(context))?;
        }
        let rest = &self.bytes[self.taken..];
        let size = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..size]);
        self.taken += size;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for HttpStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            match self.stream.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(self.stream.poll_writable(context))?;
                }
                result => return Poll::Ready(result),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // It closes when it is dropped.
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests;
