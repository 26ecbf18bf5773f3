//! One request and its answer over a persistent connection.
//!
//! In: a request. Out: the status of its answer, and its body if it is needed. Holds: one connection.
//! Limits: ten seconds to connect, `timeout()`, [`REDIRECTS_MAX`], [`ANSWER_BYTES_MAX`] of an answer: then the connection
//! is closed instead of reading on. For an answer with a result per message, [`RESULT_BYTES_MAX`] more are read for
//! each. A body that is read piece by piece has no limit: each piece has `timeout()`.

use super::{
    form::AnswerForm,
    options::{Compression, RequestSettings},
    proxy,
};
use delivery::{Verdict, Wait, failure::Failure, patience};
use http_body_util::{BodyExt, Full};
use hyper::{
    HeaderMap, Method, Response, Uri,
    body::{Bytes, Incoming},
    client::conn::http1::{SendRequest, handshake},
    header::{
        CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderName, HeaderValue, LOCATION, RETRY_AFTER, USER_AGENT,
    },
};
use hyper_util::rt::TokioIo;
use std::{io, net::SocketAddr, time::Duration};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{TlsConnector, rustls::pki_types::ServerName};
use transport::endpoint::in_time;

/// Least pause requested by a server: with less there would be no pause between requests.
const ASKED_WAIT_MIN: Duration = Duration::from_secs(1);
/// Longest wait that a server can ask for.
const ASKED_WAIT_MAX: Duration = Duration::from_secs(3600);
/// Redirections of one request.
const REDIRECTS_MAX: usize = 3;
/// Bytes of an answer that are read so that the connection can be used again.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Most bytes of the answer that are stored when it is an error.
const WORDS_BYTES_MAX: usize = 16 << 10;
/// Most bytes of the result of one message, including its error.
const RESULT_BYTES_MAX: usize = 4 << 10;

/// The part of a request that is the same for all addresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) body: Bytes,
    pub(crate) messages: usize,
    /// Headers of a request for one message, which describe its origin.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Headers that a class has made for this request; they replace others with their names.
    pub(crate) made: Vec<(String, String)>,
    /// The content of its answer.
    pub(crate) answer: AnswerForm,
    /// The address to connect to; none: that of the host in the URL.
    pub(crate) peer: Option<SocketAddr>,
}

/// Outcome of a request.
#[derive(Debug)]
pub(crate) enum Reply {
    /// The server answered.
    Status {
        /// Status of its answer.
        status: u16,
        /// The pause that the server requested, if any.
        wait: Option<Duration>,
        /// Its headers.
        headers: HeaderMap,
        /// Body of a success that has a result for each message, and the beginning of that of an error.
        body: Vec<u8>,
    },
    /// It cannot be reached: nothing was sent.
    Unreachable(String),
    /// The connection ended before its answer did: it may have everything.
    Broken(String),
    /// It did not answer in time.
    Silent,
}

/// An answer of a server.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Its status.
    pub(crate) status: u16,
    /// The pause that the server requested, if any.
    pub(crate) wait: Option<Duration>,
    /// Its headers.
    pub(crate) headers: HeaderMap,
    /// As in [`Reply::Status`].
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Returns the answer; without one, what becomes of the messages of the request.
    pub(crate) fn answer(self) -> Result<Answer, Failure> {
        let busy = |answer| Err(Failure { verdict: Verdict::Later(Wait::Busy), answer });
        match self {
            Reply::Status { status, wait, headers, body } => Ok(Answer { status, wait, headers, body }),
            Reply::Unreachable(answer) => Err(Failure::unreachable(answer)),
            Reply::Broken(answer) => busy(answer),
            Reply::Silent => busy("the server did not answer in time".to_owned()),
        }
    }
}

/// The body of an answer that is read piece by piece.
#[derive(Debug)]
pub(crate) struct Body {
    incoming: Incoming,
    /// Longest wait for a piece.
    timeout: Duration,
}

impl Body {
    /// Returns the next piece; `None` at the end.
    pub(crate) async fn piece(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            let frame = timeout(self.timeout, self.incoming.frame()).await;
            let late = |_| io::Error::new(io::ErrorKind::TimedOut, "the answer stopped coming");
            let Some(frame) = frame.map_err(late)? else { return Ok(None) };
            // A frame without data has trailers, which nobody needs.
            if let Ok(data) = frame.map_err(io::Error::other)?.into_data()
                && !data.is_empty()
            {
                return Ok(Some(data));
            }
        }
    }
}

/// The reason why there is no answer.
enum ExchangeError {
    Unreachable(io::Error),
    Broken(io::Error),
}

impl From<io::Error> for ExchangeError {
    fn from(error: io::Error) -> ExchangeError {
        ExchangeError::Unreachable(error)
    }
}

fn broken(error: hyper::Error) -> ExchangeError {
    ExchangeError::Broken(io::Error::other(error))
}

/// One connection, or an empty slot for one.
#[derive(Default)]
pub(crate) struct Lane {
    open: Option<(String, SendRequest<Full<Bytes>>)>,
}

impl Lane {
    /// Sends a request to an address.
    pub(crate) async fn exchange(
        &mut self,
        url: &str,
        request: &Request,
        settings: &RequestSettings,
    ) -> Reply {
        let reply = match timeout(settings.timeout, self.follow(url, request, settings)).await {
            Ok(Ok(reply)) => return reply,
            Ok(Err(ExchangeError::Unreachable(error))) => Reply::Unreachable(error.to_string()),
            Ok(Err(ExchangeError::Broken(error))) => Reply::Broken(error.to_string()),
            Err(_) => Reply::Silent,
        };
        self.open = None;
        reply
    }

    /// Sends a request to an address; once more over a new connection if it breaks: a server that starts again, or that closes
    /// connections which rest, is asked at once.
    pub(crate) async fn exchange_twice(
        &mut self,
        url: &str,
        request: &Request,
        settings: &RequestSettings,
    ) -> Reply {
        match self.exchange(url, request, settings).await {
            Reply::Broken(_) => self.exchange(url, request, settings).await,
            reply => reply,
        }
    }

    /// Sends a request to an address, and returns the headers and the body of a success, which the caller reads. Redirections are
    /// not followed.
    pub(crate) async fn open(
        &mut self,
        url: &str,
        request: &Request,
        settings: &RequestSettings,
    ) -> Result<(HeaderMap, Body), Reply> {
        let opening = async {
            let uri: Uri = url.parse().map_err(|_| failed("this is no URL"))?;
            let answer = self.send(&uri, request, settings).await?;
            let status = answer.status().as_u16();
            if (200..300).contains(&status) {
                let (parts, incoming) = answer.into_parts();
                return Ok(Ok((parts.headers, Body { incoming, timeout: settings.timeout })));
            }
            let headers = answer.headers().clone();
            let wait = headers.get(RETRY_AFTER).and_then(|text| asked_wait(text.to_str().ok()?));
            Ok(Err(Reply::Status { status, wait, headers, body: self.finish(answer).await }))
        };
        let reply = match timeout(settings.timeout, opening).await {
            Ok(Ok(outcome)) => return outcome,
            Ok(Err(ExchangeError::Unreachable(error))) => Reply::Unreachable(error.to_string()),
            Ok(Err(ExchangeError::Broken(error))) => Reply::Broken(error.to_string()),
            Err(_) => Reply::Silent,
        };
        self.open = None;
        Err(reply)
    }

    async fn follow(
        &mut self,
        url: &str,
        request: &Request,
        settings: &RequestSettings,
    ) -> Result<Reply, ExchangeError> {
        let mut uri: Uri = url.parse().map_err(|_| failed("this is no URL"))?;
        for _ in 0..=REDIRECTS_MAX {
            let answer = self.send(&uri, request, settings).await?;
            let status = answer.status().as_u16();
            let headers = answer.headers().clone();
            let location = headers.get(LOCATION).and_then(|place| place.to_str().ok()).map(str::to_owned);
            let wait = headers.get(RETRY_AFTER).and_then(|text| asked_wait(text.to_str().ok()?));
            let is_wanted = (200..300).contains(&status) && request.answer.is_read();
            let body = match is_wanted {
                true => read(answer, ANSWER_BYTES_MAX + request.messages * RESULT_BYTES_MAX).await?,
                false => self.finish(answer).await,
            };
            let is_redirect = settings.follows_redirects && matches!(status, 301 | 302 | 307 | 308);
            match location.filter(|_| is_redirect) {
                Some(location) => uri = resolved(&uri, &location)?,
                None => return Ok(Reply::Status { status, wait, headers, body }),
            }
        }
        Err(failed("too many redirections").into())
    }

    /// Sends to one address, over the connection that is open if there is one.
    async fn send(
        &mut self,
        uri: &Uri,
        request: &Request,
        settings: &RequestSettings,
    ) -> Result<Response<Incoming>, ExchangeError> {
        let base = base(uri);
        let mut open = self.open.take().filter(|(open, _)| *open == base).map(|(_, sender)| sender);
        // The server may have closed it meanwhile.
        if let Some(sender) = &mut open
            && sender.ready().await.is_err()
        {
            open = None;
        }
        let mut sender = match open {
            Some(sender) => sender,
            None => connect(uri, request.peer, settings).await?,
        };
        let answer = sender.send_request(built(uri, request, settings)?).await.map_err(broken)?;
        self.open = Some((base, sender));
        Ok(answer)
    }

    /// Reads the answer to its end, so that the connection can be used again. Returns its beginning.
    async fn finish(&mut self, answer: Response<Incoming>) -> Vec<u8> {
        let mut body = answer.into_body();
        let (mut size, mut kept) = (0, Vec::new());
        while let Some(frame) = body.frame().await {
            let data = frame.as_ref().ok().and_then(|frame| frame.data_ref()).map_or(&[][..], |data| data);
            size += data.len();
            kept.extend_from_slice(&data[..data.len().min(WORDS_BYTES_MAX - kept.len())]);
            if frame.is_err() || size > ANSWER_BYTES_MAX {
                self.open = None;
                break;
            }
        }
        kept
    }

    /// Closes the connection.
    pub(crate) fn close(&mut self) {
        self.open = None;
    }
}

/// Reads the body of an answer. One that is cut off, or longer than `size_max`, is an error.
async fn read(answer: Response<Incoming>, size_max: usize) -> Result<Vec<u8>, ExchangeError> {
    let mut body = answer.into_body();
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let cut = |error| ExchangeError::Broken(io::Error::other(format!("the answer was cut off: {error}")));
        let frame = frame.map_err(cut)?;
        bytes.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
        if bytes.len() > size_max {
            return Err(ExchangeError::Broken(failed("the answer is too long")));
        }
    }
    Ok(bytes)
}

/// `Retry-After`: seconds, or a date.
fn asked_wait(text: &str) -> Option<Duration> {
    let wait = match text.trim().parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let until = jiff::fmt::rfc2822::parse(text.trim()).ok()?.timestamp();
            Duration::try_from(until.duration_since(jiff::Timestamp::now())).unwrap_or_default()
        }
    };
    Some(wait.clamp(ASKED_WAIT_MIN, ASKED_WAIT_MAX))
}

fn failed(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

/// Scheme, host and port.
pub(super) fn base(uri: &Uri) -> String {
    format!("{}://{}:{}", uri.scheme_str().unwrap_or("http"), uri.host().unwrap_or_default(), port(uri))
}

fn port(uri: &Uri) -> u16 {
    uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 })
}

/// Returns the address to which a redirection leads.
fn resolved(from: &Uri, location: &str) -> io::Result<Uri> {
    let whole = if location.starts_with('/') { base(from) + location } else { location.to_owned() };
    whole.parse().map_err(|_| failed("the server redirects to what is no URL"))
}

async fn connect(
    uri: &Uri,
    peer: Option<SocketAddr>,
    settings: &RequestSettings,
) -> io::Result<SendRequest<Full<Bytes>>> {
    let host = uri.host().ok_or_else(|| failed("this URL has no host"))?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let proxy = settings.proxy.as_ref();
    let (name, name_port) = proxy.map_or((host, port(uri)), |proxy| (proxy.host.as_str(), proxy.port));
    let mut stream = match peer {
        Some(address) => in_time(patience, TcpStream::connect(address)).await?,
        None => in_time(patience, TcpStream::connect((name, name_port))).await?,
    };
    stream.set_nodelay(true)?;
    if uri.scheme_str() != Some("https") {
        return speak(TokioIo::new(stream)).await;
    }
    if proxy.is_some() {
        let through = proxy::tunnel(&mut stream, uri.host().unwrap_or_default(), port(uri));
        in_time(patience, through).await?;
    }
    let settings = settings.tls.settings().map_err(io::Error::other)?;
    let name = ServerName::try_from(host.to_owned()).map_err(|_| failed("this is no name of a host"))?;
    let connector = TlsConnector::from(settings.config().clone());
    let stream = in_time(patience, connector.connect(name, stream)).await?;
    speak(TokioIo::new(stream)).await
}

/// Begins HTTP on a connection.
async fn speak<S>(stream: S) -> io::Result<SendRequest<Full<Bytes>>>
where
    S: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let (sender, connection) = handshake(stream).await.map_err(io::Error::other)?;
    // Its errors are reported by the sender as well.
    tokio::spawn(async move { drop(connection.await) });
    Ok(sender)
}

fn built(
    uri: &Uri,
    request: &Request,
    settings: &RequestSettings,
) -> io::Result<hyper::Request<Full<Bytes>>> {
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    // A proxy gets the whole address; through a tunnel requests go to the server itself.
    let is_told = settings.proxy.is_some() && uri.scheme_str() != Some("https");
    let asked = if is_told { base(uri) + path } else { path.to_owned() };
    let method: Method = settings.method.parse().map_err(|_| failed("this is no method of HTTP"))?;
    let body = Full::new(request.body.clone());
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let mut builder = hyper::Request::builder().method(method).uri(asked).header(HOST, authority);
    for (name, value) in &settings.headers {
        builder = builder.header(name.as_str(), value.as_str());
    }
    for (name, value) in &request.headers {
        let clean: String = value.chars().filter(|character| !character.is_control()).collect();
        if let Ok(value) = HeaderValue::from_bytes(clean.as_bytes()) {
            builder = builder.header(*name, value);
        }
    }
    let mut built = builder.body(body).map_err(io::Error::other)?;
    let headers = built.headers_mut();
    let made = request.made.iter().filter_map(|(name, value)| {
        Some((HeaderName::try_from(name).ok()?, HeaderValue::try_from(value.as_bytes()).ok()?))
    });
    let made: Vec<(HeaderName, HeaderValue)> = made.collect();
    made.iter().for_each(|(name, _)| drop(headers.remove(name)));
    headers.extend(made);
    if !headers.contains_key(CONTENT_TYPE) && !request.body.is_empty() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    }
    if !headers.contains_key(USER_AGENT) {
        headers.insert(USER_AGENT, HeaderValue::from_static(concat!("duramen/", env!("CARGO_PKG_VERSION"))));
    }
    match settings.compression {
        Compression::None => None,
        Compression::Gzip => headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip")),
        Compression::Deflate => headers.insert(CONTENT_ENCODING, HeaderValue::from_static("deflate")),
    };
    Ok(built)
}

#[cfg(test)]
mod tests;
