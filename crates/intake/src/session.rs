//! One stream of bytes from its first to its last: a connection, a pipe, the output of a program.
//!
//! In: bytes. Out: batches. Holds: the part of a frame that has no end yet.
//! Limits: the window stops reading; `idle-timeout()` ends a silent connection; a partial frame is bounded by the
//! framer's limit.

use crate::{
    batch_reader::{BatchReader, buffer},
    secure::SecureStream,
    source::Settings,
};
use message::Origin;
use std::{
    fs::File,
    io,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::unix::AsyncFd,
    net::{TcpStream, UnixStream, unix::pipe},
    sync::watch,
    time::timeout,
};

/// Source of the bytes of a session.
pub(super) enum Stream {
    Tcp(TcpStream),
    Tls(Box<SecureStream>),
    Unix(UnixStream),
    Pipe(pipe::Receiver),
    /// A stream of which some bytes were read already: they come first.
    After(Vec<u8>, Box<Stream>),
    /// A device that can be waited for (`/proc/kmsg`): each read is one record.
    Device(AsyncFd<File>),
}

/// The reason why a session is over.
#[derive(Debug)]
pub(super) enum End {
    /// The other side closed.
    Closed,
    /// It closed without the close notification that encryption requires.
    Cut,
    /// The source was stopped.
    Stopped,
    /// Nothing was received for `idle-timeout()`.
    Idle,
    /// The system gave an error.
    Failed(io::Error),
}

impl Stream {
    /// Returns whether its bytes are decrypted as they are read.
    fn is_encrypted(&self) -> bool {
        match self {
            Stream::Tls(_) => true,
            Stream::After(_, rest) => rest.is_encrypted(),
            _ => false,
        }
    }

    pub(super) async fn readable(&self) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => stream.readable().await,
            Stream::Tls(stream) => stream.readable().await,
            Stream::After(first, rest) if first.is_empty() => Box::pin(rest.readable()).await,
            Stream::After(..) => Ok(()),
            Stream::Unix(stream) => stream.readable().await,
            Stream::Pipe(stream) => stream.readable().await,
            Stream::Device(device) => device.readable().await.map(|_| ()),
        }
    }

    /// Waits until the other side takes bytes. A stream that cannot be written to is never ready.
    pub(super) async fn writable(&self) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => stream.writable().await,
            Stream::Tls(stream) => stream.writable().await,
            Stream::After(_, rest) => Box::pin(rest.writable()).await,
            Stream::Unix(stream) => stream.writable().await,
            Stream::Pipe(_) | Stream::Device(_) => std::future::pending().await,
        }
    }

    /// Like `readable`, for callers that poll.
    pub(super) fn poll_readable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Stream::Tcp(stream) => stream.poll_read_ready(context),
            Stream::Tls(stream) => stream.poll_readable(context),
            Stream::After(first, rest) if first.is_empty() => rest.poll_readable(context),
            Stream::After(..) => Poll::Ready(Ok(())),
            Stream::Unix(stream) => stream.poll_read_ready(context),
            Stream::Pipe(_) | Stream::Device(_) => Poll::Ready(Err(io::ErrorKind::Unsupported.into())),
        }
    }

    /// Like `writable`, for callers that poll.
    pub(super) fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Stream::Tcp(stream) => stream.poll_write_ready(context),
            Stream::Tls(stream) => stream.socket().poll_write_ready(context),
            Stream::After(_, rest) => rest.poll_writable(context),
            Stream::Unix(stream) => stream.poll_write_ready(context),
            Stream::Pipe(_) | Stream::Device(_) => Poll::Ready(Err(io::ErrorKind::Unsupported.into())),
        }
    }

    /// Writes what the other side accepts now. After `WouldBlock` the same bytes must be passed again, perhaps with
    /// more.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.try_write(bytes),
            Stream::Tls(stream) => stream.write(bytes),
            Stream::After(_, rest) => rest.write(bytes),
            Stream::Unix(stream) => stream.try_write(bytes),
            Stream::Pipe(_) | Stream::Device(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Reads available bytes into the free space of a buffer.
    pub(super) fn read(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.try_read_buf(buffer),
            Stream::Tls(stream) => stream.read(buffer),
            Stream::After(first, rest) if first.is_empty() => rest.read(buffer),
            Stream::After(first, _) => {
                buffer.extend_from_slice(first);
                Ok(std::mem::take(first).len())
            }
            Stream::Unix(stream) => stream.try_read_buf(buffer),
            Stream::Pipe(stream) => stream.try_read_buf(buffer),
            Stream::Device(device) => device.try_io(tokio::io::Interest::READABLE, |mut file| {
                let start = buffer.len();
                buffer.resize(start + DEVICE_RECORD_BYTES, 0);
                let read = io::Read::read(&mut file, &mut buffer[start..]);
                buffer.truncate(start + *read.as_ref().unwrap_or(&0));
                read
            }),
        }
    }
}

/// Longest record of a device.
const DEVICE_RECORD_BYTES: usize = 16 << 10;

/// Reads a stream to its end. `origin` makes the origin from the present settings.
pub(super) async fn run(
    stream: &mut Stream,
    batch_reader: &mut BatchReader,
    origin: impl Fn(&Settings) -> Origin,
    stop: &mut watch::Receiver<bool>,
    idle: Option<Duration>,
) -> End {
    let mut from = Arc::new(origin(batch_reader.settings()));
    let mut rest: Vec<u8> = Vec::new();
    if stream.is_encrypted() {
        batch_reader.disable_inline_writes();
    }
    loop {
        // The open part of a message of several lines waits for more, but not forever.
        let patience = batch_reader.patience().filter(|_| !rest.is_empty());
        let ready = async {
            batch_reader.window.wait_for_room().await;
            match patience.or(idle) {
                Some(limit) => timeout(limit, stream.readable()).await.ok(),
                None => Some(stream.readable().await),
            }
        };
        let ready = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return End::Stopped,
            ready = ready => ready,
        };
        match ready {
            None if patience.is_some() => {
                finish(batch_reader, &rest, &from);
                rest.clear();
                continue;
            }
            None => return End::Idle,
            Some(Err(error)) => return End::Failed(error),
            Some(Ok(())) => {}
        }
        if batch_reader.refresh() {
            from = Arc::new(origin(batch_reader.settings()));
        }
        match read_once(stream, batch_reader, &mut rest, &from) {
            Ok(0) => {
                finish(batch_reader, &rest, &from);
                return End::Closed;
            }
            Ok(_) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(error) => {
                finish(batch_reader, &rest, &from);
                let was_cut = error.kind() == io::ErrorKind::UnexpectedEof;
                return if was_cut { End::Cut } else { End::Failed(error) };
            }
        }
        // A connection that always has bytes must let the others of its reactor read too.
        tokio::task::coop::consume_budget().await;
    }
}

/// One read, one batch. Returns the bytes read, 0 at the end.
fn read_once(
    stream: &mut Stream,
    batch_reader: &mut BatchReader,
    rest: &mut Vec<u8>,
    origin: &Arc<Origin>,
) -> io::Result<usize> {
    let mut bytes = buffer::take(batch_reader.read_bytes() + rest.len());
    bytes.extend_from_slice(rest);
    let size = match batch_reader.read(&mut bytes, |bytes| stream.read(bytes)) {
        Ok(size) if size > 0 => size,
        other => {
            buffer::recycle(bytes);
            return other;
        }
    };
    forward(bytes, batch_reader, rest, origin);
    Ok(size)
}

/// Forwards the complete frames of some bytes, and keeps the rest.
fn forward(bytes: Vec<u8>, batch_reader: &mut BatchReader, rest: &mut Vec<u8>, origin: &Arc<Origin>) {
    let done = batch_reader.split(&bytes);
    if done == bytes.len() {
        // An idle connection holds no buffer.
        *rest = Vec::new();
    } else {
        rest.clear();
        rest.extend_from_slice(&bytes[done..]);
    }
    if batch_reader.frames() == 0 {
        buffer::recycle(bytes);
    } else {
        batch_reader.forward(buffer::share(bytes, done), origin, None);
    }
}

/// Treats an incomplete message at the end as a message.
fn finish(batch_reader: &mut BatchReader, rest: &[u8], origin: &Arc<Origin>) {
    batch_reader.finish(rest);
    if batch_reader.frames() > 0 {
        batch_reader.forward(Arc::new(rest.to_vec()), origin, None);
    }
}

#[cfg(test)]
mod tests;
