//! HTTP as log shippers speak it: one listener for Elasticsearch's bulk, Loki's push, OTLP over HTTP and gRPC,
//! Splunk's event collector, GELF, journal uploads, lines of JSON or text; and another kind of listener, for webhooks.
//!
//! In: requests of one connection. Out: batches, and answers: with `acknowledge(delivered)` a request is answered with
//! success when the tokens of its messages are released, that is when every destination with flow control has them.
//! Holds: the decoder of the connection. Each request holds its body, bounded by [`HttpOptions`].
//! Limits: size of bodies before and after unpacking, bytes in flight of all connections, time for head and body;
//! above them the sender is asked to retry later.

mod address;
mod answer;
mod body;
mod collector;
mod credentials;
mod desk;
mod elastic;
mod grpc;
mod io;
mod refusal;
mod request;
mod upload;
mod webhook;

use crate::{
    batch_reader::BatchReader,
    options::HttpOptions,
    session::{End, Stream},
    source::Settings,
};
use desk::Desk;
use hyper::{
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use io::HttpStream;
use message::Origin;
use std::{convert::Infallible, future::Future, io::Error, pin::pin, sync::Arc, time::Duration};
use tokio::{sync::watch, time::timeout};

/// Time for pending requests to be answered at the stop.
const SETTLE_WITHIN: Duration = Duration::from_millis(500);
/// Requests that one connection of HTTP/2 may have at a time.
const STREAMS_MAX: u32 = 64;
/// Bytes of a request's head.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// The start of HTTP/2. Four bytes distinguish it from every method.
const PREFACE: &[u8] = b"PRI ";

/// Serves a connection to its end. `origin` makes the origin from the present settings.
pub(super) async fn run(
    stream: Stream,
    batch_reader: BatchReader,
    options: Arc<HttpOptions>,
    origin: impl Fn(&Settings) -> Origin + Send + 'static,
    stop: &mut watch::Receiver<bool>,
) -> End {
    let mut io = HttpStream::new(stream);
    let begun = tokio::select! {
        biased;
        _ = stop.wait_for(|stop| *stop) => return End::Stopped,
        begun = timeout(options.idle_timeout, io.begin(PREFACE.len())) => begun,
    };
    match begun {
        Err(_) => return End::Idle,
        Ok(Err(error)) => return End::Failed(error),
        Ok(Ok(0)) => return End::Closed,
        Ok(Ok(_)) => {}
    }
    let is_http2 = io.starts_with(PREFACE);
    let idle = options.idle_timeout;
    let desk = Desk::new(batch_reader, options, Box::new(origin));
    let service = service_fn(move |request| {
        let desk = desk.clone();
        async move { Ok::<_, Infallible>(request::answer(request, &desk).await) }
    });
    let io = hyper_util::rt::TokioIo::new(io);
    if is_http2 {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS_MAX)
            .keep_alive_interval(idle)
            .keep_alive_timeout(idle);
        let mut connection = pin!(builder.serve_connection(io, service));
        until(connection.as_mut(), |connection| connection.graceful_shutdown(), stop).await
    } else {
        let mut builder = http1::Builder::new();
        // Some clients close without waiting for an answer: what they sent still counts.
        builder.half_close(true);
        builder.timer(TokioTimer::new()).header_read_timeout(idle).max_buf_size(HEAD_BYTES_MAX);
        let mut connection = pin!(builder.serve_connection(io, service));
        until(connection.as_mut(), |connection| connection.graceful_shutdown(), stop).await
    }
}

/// Runs a connection until it ends, or until `stop` is set; then it may finish within `SETTLE_WITHIN`.
async fn until<C: Future<Output = hyper::Result<()>>>(
    mut connection: std::pin::Pin<&mut C>,
    leave: impl FnOnce(std::pin::Pin<&mut C>),
    stop: &mut watch::Receiver<bool>,
) -> End {
    let ended = tokio::select! {
        biased;
        _ = stop.wait_for(|stop| *stop) => None,
        ended = connection.as_mut() => Some(ended),
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            leave(connection.as_mut());
            match timeout(SETTLE_WITHIN, connection).await {
                Ok(ended) => ended,
                Err(_) => return End::Stopped,
            }
        }
    };
    match ended {
        Ok(()) => End::Closed,
        Err(error) if error.is_timeout() => End::Idle,
        // Clients leave without a word, between requests and within one.
        Err(error) if error.is_closed() || error.is_incomplete_message() => End::Closed,
        Err(error) => End::Failed(Error::other(error)),
    }
}

#[cfg(test)]
mod tests;
