//! The bytes of one connection, encrypted or not.
//!
//! In: a socket. Out: bytes both ways. Holds: the socket, and since when written bytes have not been read.
//! Limits: a peer that reads nothing for the given time is disconnected.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};
use tokio_rustls::server::TlsStream;

/// One connection.
pub(super) struct Stream {
    bytes: Transport,
    stall_max: Duration,
    /// Runs while the peer takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

enum Transport {
    Plain(TcpStream),
    Secure(Box<TlsStream<TcpStream>>),
}

impl Stream {
    pub(super) fn plain(stream: TcpStream, stall_max: Duration) -> Stream {
        Stream { bytes: Transport::Plain(stream), stall_max, stalled: None }
    }

    pub(super) fn secure(stream: TlsStream<TcpStream>, stall_max: Duration) -> Stream {
        Stream { bytes: Transport::Secure(Box::new(stream)), stall_max, stalled: None }
    }

    /// Passes a result of writing on, unless the peer has taken nothing for too long.
    fn limited<T>(&mut self, context: &mut Context<'_>, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.stalled = None;
            return result;
        }
        let limit = self.stall_max;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        stalled.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.get_mut().bytes {
            Transport::Plain(stream) => Pin::new(stream).poll_read(context, bytes),
            Transport::Secure(stream) => Pin::new(stream).poll_read(context, bytes),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let stream = self.get_mut();
        let written = match &mut stream.bytes {
            Transport::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Transport::Secure(stream) => Pin::new(stream).poll_write(context, bytes),
        };
        stream.limited(context, written)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        let flushed = match &mut stream.bytes {
            Transport::Plain(stream) => Pin::new(stream).poll_flush(context),
            Transport::Secure(stream) => Pin::new(stream).poll_flush(context),
        };
        stream.limited(context, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        let shut = match &mut stream.bytes {
            Transport::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Transport::Secure(stream) => Pin::new(stream).poll_shutdown(context),
        };
        stream.limited(context, shut)
    }
}

#[cfg(test)]
mod tests {
    //! A peer that reads nothing.

    use super::*;
    use tokio::{io::AsyncWriteExt, net::TcpListener};

    #[tokio::test]
    async fn h6_who_reads_nothing_is_gone() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let _silent = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = Stream::plain(stream, Duration::from_millis(50));
        let error = stream.write_all(&vec![0; 64 << 20]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
