//! A connection, and calls over it.
//!
//! In: the path of a call, headers, a message. Out: the message of the answer, or what became of the request. Holds: one
//! connection of HTTP/2. Limits: `timeout()` for a call, ten seconds to connect, [`ANSWER_BYTES_MAX`]; a kept connection that
//! breaks before anything was heard is replaced once.

use super::{answer::GrpcAnswer, judge, options::GrpcSettings};
use crate::http::Compression;
use delivery::{Verdict, Wait, failure::Failure, patience};
use flate2::write::GzEncoder;
use http_body_util::{BodyExt, Full};
use hyper::{
    HeaderMap, Request, Response,
    body::{Bytes, Incoming},
    client::conn::http2::{Builder, SendRequest},
    header::{HeaderName, HeaderValue, USER_AGENT},
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::{io::Write, sync::Arc};
use tokio::time::timeout;
use transport::endpoint::OpenError;

/// Longest message of an answer: those of the services that are called have a few words.
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// Bytes before a message: a flag and its length.
const PREFIX_BYTES: usize = 5;

type Sender = SendRequest<Full<Bytes>>;

/// A request.
pub(crate) struct Call<'a> {
    /// `/package.Service/Method`
    pub(crate) path: &'static str,
    /// Headers besides those of the settings.
    pub(crate) headers: Vec<(&'a str, &'a str)>,
    /// The message.
    pub(crate) message: Vec<u8>,
}

/// The reason why there is no answer.
enum CallError {
    /// No connection.
    NotConnected(Failure),
    /// It ended before the answer did.
    Broken(hyper::Error),
    /// The answer is not one of gRPC.
    Foreign(&'static str),
}

impl From<OpenError> for CallError {
    fn from(error: OpenError) -> CallError {
        CallError::NotConnected(error.into())
    }
}

/// A connection, or room for one.
pub(crate) struct Channel {
    settings: Arc<GrpcSettings>,
    open: Option<Sender>,
}

impl Channel {
    pub(crate) fn new(settings: Arc<GrpcSettings>) -> Channel {
        Channel { settings, open: None }
    }

    /// Makes a call. Returns the message of a successful answer.
    pub(crate) async fn call(&mut self, call: Call<'_>) -> Result<Vec<u8>, Failure> {
        let body = framed(call.message, self.settings.compression);
        let settings = self.settings.clone();
        let done = timeout(settings.timeout, self.exchange_twice(call.path, &call.headers, &body)).await;
        let failure = match done {
            Ok(Ok((answer, message))) => {
                return judge::judge(&self.settings, &answer).map(|()| message);
            }
            Ok(Err(CallError::NotConnected(failure))) => failure,
            Ok(Err(CallError::Broken(error))) => {
                Failure { verdict: Verdict::Later(Wait::Busy), answer: error.to_string() }
            }
            Ok(Err(CallError::Foreign(answer))) => {
                Failure { verdict: Verdict::Later(Wait::Busy), answer: answer.to_owned() }
            }
            Err(_) => {
                let answer = "the server did not answer in time".to_owned();
                Failure { verdict: Verdict::Later(Wait::Busy), answer }
            }
        };
        self.open = None;
        Err(failure)
    }

    async fn exchange_twice(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
        body: &Bytes,
    ) -> Result<(GrpcAnswer, Vec<u8>), CallError> {
        let was_open = self.open.as_ref().is_some_and(|sender| !sender.is_closed());
        match self.exchange(path, headers, body).await {
            Err(CallError::Broken(_)) if was_open => {
                self.open = None;
                self.exchange(path, headers, body).await
            }
            done => done,
        }
    }

    async fn exchange(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
        body: &Bytes,
    ) -> Result<(GrpcAnswer, Vec<u8>), CallError> {
        let mut sender = match self.open.take().filter(|sender| !sender.is_closed()) {
            Some(sender) => sender,
            None => connect(&self.settings).await?,
        };
        sender.ready().await.map_err(CallError::Broken)?;
        let request = request(&self.settings, path, headers, body)?;
        let answer = sender.send_request(request).await.map_err(CallError::Broken)?;
        let read = read(answer).await?;
        self.open = Some(sender);
        Ok(read)
    }

    /// Closes the connection.
    pub(crate) fn close(&mut self) {
        self.open = None;
    }
}

/// Returns a message with its prefix.
fn framed(message: Vec<u8>, compression: Compression) -> Bytes {
    let is_compressed = compression != Compression::None;
    let message = match is_compressed {
        true => {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
            let done = encoder.write_all(&message).and_then(|()| encoder.finish());
            done.expect("memory takes what is written to it")
        }
        false => message,
    };
    let mut body = Vec::with_capacity(PREFIX_BYTES + message.len());
    body.push(u8::from(is_compressed));
    // A destination's batches are far below four GiB.
    body.extend_from_slice(&u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes());
    body.extend_from_slice(&message);
    body.into()
}

async fn connect(settings: &GrpcSettings) -> Result<Sender, CallError> {
    let stream = settings.endpoint.open(patience).await?;
    let mut builder = Builder::new(TokioExecutor::new());
    builder.timer(TokioTimer::new());
    if let Some(keep_alive) = settings.keep_alive {
        builder
            .keep_alive_interval(keep_alive.every)
            .keep_alive_timeout(keep_alive.timeout)
            .keep_alive_while_idle(true);
    }
    let (sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(CallError::Broken)?;
    // Its errors are reported by the sender as well.
    tokio::spawn(async move { drop(connection.await) });
    Ok(sender)
}

fn request(
    settings: &GrpcSettings,
    path: &str,
    headers: &[(&str, &str)],
    body: &Bytes,
) -> Result<Request<Full<Bytes>>, CallError> {
    let scheme = if settings.endpoint.tls.is_some() { "https" } else { "http" };
    let mut builder = Request::builder()
        .method("POST")
        .uri(format!("{scheme}://{}{path}", settings.authority()))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("grpc-timeout", format!("{}S", settings.timeout.as_secs().clamp(1, 99_999_999)));
    if settings.compression != Compression::None {
        builder = builder.header("grpc-encoding", "gzip");
    }
    let mut request = builder
        .body(Full::new(body.clone()))
        .map_err(|_| CallError::Foreign("this address cannot be called"))?;
    let map = request.headers_mut();
    map.insert(USER_AGENT, HeaderValue::from_static(concat!("duramen/", env!("CARGO_PKG_VERSION"))));
    let own = settings.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in own.chain(headers.iter().copied()) {
        let name = HeaderName::from_bytes(name.to_ascii_lowercase().as_bytes()).ok();
        if let Some((name, value)) = name.zip(HeaderValue::from_bytes(value.as_bytes()).ok()) {
            map.append(name, value);
        }
    }
    Ok(request)
}

/// Reads an answer to its end.
async fn read(answer: Response<Incoming>) -> Result<(GrpcAnswer, Vec<u8>), CallError> {
    let (head, mut body) = answer.into_parts();
    let mut bytes = Vec::new();
    let mut trailers: Option<HeaderMap> = None;
    while let Some(frame) = body.frame().await {
        match frame.map_err(CallError::Broken)?.into_data() {
            Ok(data) => bytes.extend_from_slice(&data),
            Err(frame) => trailers = frame.into_trailers().ok(),
        }
        if bytes.len() > ANSWER_BYTES_MAX {
            return Err(CallError::Foreign("the server's answer is too long"));
        }
    }
    let found = GrpcAnswer::read(head.status.as_u16(), &head.headers, trailers.as_ref());
    let found = found.ok_or(CallError::Foreign("the server's answer has no status"))?;
    Ok((found, unframed(&bytes)?))
}

/// Returns the message behind a prefix; an answer that is no success has none.
fn unframed(bytes: &[u8]) -> Result<Vec<u8>, CallError> {
    let Some((prefix, message)) = bytes.split_first_chunk::<PREFIX_BYTES>() else { return Ok(Vec::new()) };
    match prefix[0] {
        0 => Ok(message.to_vec()),
        _ => Err(CallError::Foreign("the server's answer is compressed, which was not asked for")),
    }
}
