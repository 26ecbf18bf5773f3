//! One request, from its head to its answer.
//!
//! In: a request. Out: its answer, in the form of the protocol that was spoken. Holds: its body.
//! Limits: room in the window first, then the body, then the tokens, each for at most `timeout()`.

use super::{
    answer::{self, Answer},
    body::{self, BodyRefusal, Whole},
    collector,
    credentials::{self, Standing},
    desk::{Desk, Fate, Sent},
    elastic,
    grpc::{self, GrpcStatus},
    route::{Endpoint, Unrouted, endpoint},
    upload,
};
use hyper::{
    HeaderMap, Request, StatusCode,
    body::{Bytes, Incoming},
    header::CONTENT_TYPE,
    http::request::Parts,
};
use message::Batch;
use std::sync::Arc;
use wire::{BodyError, HecMeta, ShippedReader};

/// Why a request fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// No credentials, or wrong ones.
    Credentials(Standing),
    /// Its body was not taken.
    Body(BodyRefusal),
    /// Its body cannot be read.
    Unreadable(BodyError),
    /// Nothing more can be taken now.
    Busy,
    /// A destination gave up, or has not answered in time.
    Unsafe,
}

/// Answers a request.
pub(super) async fn answer(request: Request<Incoming>, desk: &Desk) -> Answer {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    let endpoint = match endpoint(&parts.method, path) {
        Ok(endpoint) => endpoint,
        Err(unrouted) => {
            desk.count_error();
            let (status, text) = match unrouted {
                Unrouted::Path => (StatusCode::NOT_FOUND, "nothing is taken under this path\n"),
                Unrouted::Method => (StatusCode::METHOD_NOT_ALLOWED, "not with this method\n"),
            };
            return answer::text(status, text);
        }
    };
    match endpoint {
        Endpoint::Health => return answer::text(StatusCode::OK, "ok\n"),
        Endpoint::HecHealth => return collector::code(StatusCode::OK, "HEC is healthy", 17),
        _ => {}
    }
    let standing = credentials::check(&parts.headers, &desk.options);
    if standing != Standing::Allowed {
        desk.count_error();
        return refused(&endpoint, &parts.headers, Refusal::Credentials(standing));
    }
    if endpoint == Endpoint::Elastic {
        return elastic::question(&parts.method, path);
    }
    let answered = serve(&endpoint, &parts, body, desk).await;
    answered.unwrap_or_else(|refusal| {
        if !matches!(refusal, Refusal::Unreadable(_)) {
            desk.count_error();
        }
        refused(&endpoint, &parts.headers, refusal)
    })
}

/// A body on its way into a batch.
type Bodied = (Arc<Vec<u8>>, body::Share);

async fn serve(endpoint: &Endpoint, parts: &Parts, body: Incoming, desk: &Desk) -> Result<Answer, Refusal> {
    desk.opened().await.map_err(|_| Refusal::Busy)?;
    let headers = &parts.headers;
    if *endpoint == Endpoint::Journal && body::encoding(headers).map_err(Refusal::Body)?.is_none() {
        return upload::stream(body, desk).await;
    }
    let whole = body::receive(body, headers, &desk.options).await.map_err(Refusal::Body)?;
    let whole = match endpoint {
        Endpoint::OtlpGrpc => grpc::message(whole, headers, &desk.options).map_err(Refusal::Body)?,
        Endpoint::Loki if is(headers, "protobuf") && body::encoding(headers) == Ok(None) => {
            body::unpack(whole, body::Encoding::Snappy, &desk.options).map_err(Refusal::Body)?
        }
        _ => whole,
    };
    let Whole { bytes, share } = whole;
    let bodied = (Arc::new(bytes), share);
    match endpoint {
        Endpoint::Bulk { index } => bulk(bodied, index.as_deref(), desk).await,
        Endpoint::Document { index } => document(bodied, index, desk).await,
        Endpoint::Loki if is(headers, "protobuf") => {
            simple("http+loki", bodied, desk, ShippedReader::loki_protobuf).await?;
            Ok(answer::nothing(StatusCode::NO_CONTENT))
        }
        Endpoint::Loki => {
            simple("http+loki", bodied, desk, ShippedReader::loki_json).await?;
            Ok(answer::nothing(StatusCode::NO_CONTENT))
        }
        Endpoint::Otlp if is(headers, "json") => {
            simple("http+otlp", bodied, desk, ShippedReader::otlp_json).await?;
            Ok(answer::json(StatusCode::OK, "{}"))
        }
        Endpoint::Otlp => {
            simple("http+otlp", bodied, desk, ShippedReader::otlp_protobuf).await?;
            Ok(answer::of(StatusCode::OK, PROTOBUF, Bytes::new()))
        }
        Endpoint::OtlpGrpc => {
            simple("grpc+otlp", bodied, desk, ShippedReader::otlp_protobuf).await?;
            Ok(grpc::answer(GrpcStatus::Ok, ""))
        }
        Endpoint::HecEvents | Endpoint::HecRaw => collect(endpoint, bodied, parts, desk).await,
        Endpoint::HecAck => {
            let channel = channel(parts).unwrap_or_default();
            match collector::asked(&bodied.0) {
                Some(numbers) => Ok(desk.options.book.answer(&channel, &numbers)),
                None => Ok(collector::code(StatusCode::BAD_REQUEST, "Invalid data format", 6)),
            }
        }
        Endpoint::Gelf => {
            simple("http+gelf", bodied, desk, ShippedReader::gelf).await?;
            Ok(answer::nothing(StatusCode::ACCEPTED))
        }
        Endpoint::Journal => upload::whole(bodied, desk).await,
        Endpoint::Lines | Endpoint::Elastic | Endpoint::Health | Endpoint::HecHealth => {
            lines(bodied, headers, desk).await
        }
    }
}

const PROTOBUF: &str = "application/x-protobuf";

/// Whether the content type has a word in it.
fn is(headers: &HeaderMap, word: &str) -> bool {
    headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).is_some_and(|kind| kind.contains(word))
}

/// Takes a body whose answer says nothing of its messages.
async fn simple<T>(
    format: &'static str,
    bodied: Bodied,
    desk: &Desk,
    decode: impl FnOnce(&mut ShippedReader, &mut Batch, u16) -> Result<T, BodyError>,
) -> Result<T, Refusal> {
    let taken = desk.take(format, bodied, None, |reader, batch| decode(reader, batch, 0));
    let (read, sent) = taken.map_err(Refusal::Unreadable)?;
    settled(sent, desk).await?;
    Ok(read)
}

pub(super) async fn settled(sent: Sent, desk: &Desk) -> Result<(), Refusal> {
    match desk.settled(sent).await {
        Fate::Safe => Ok(()),
        Fate::Failed | Fate::Late => Err(Refusal::Unsafe),
    }
}

async fn bulk(bodied: Bodied, index: Option<&str>, desk: &Desk) -> Result<Answer, Refusal> {
    let bytes = bodied.0.clone();
    let (items, id) = simple("http+elasticsearch", bodied, desk, |reader, batch, origin| {
        Ok((reader.bulk(batch, origin)?, batch.received.unix_us as u64))
    })
    .await?;
    Ok(elastic::bulk(&items, &bytes, index, id))
}

async fn document(bodied: Bodied, index: &str, desk: &Desk) -> Result<Answer, Refusal> {
    let id = simple("http+elasticsearch", bodied, desk, |reader, batch, origin| {
        reader.documents(batch, origin)?;
        Ok(batch.received.unix_us as u64)
    })
    .await?;
    Ok(elastic::document(index, id))
}

async fn lines(bodied: Bodied, headers: &HeaderMap, desk: &Desk) -> Result<Answer, Refusal> {
    let is_json = is(headers, "application/json");
    simple("http+lines", bodied, desk, |reader, batch, origin| {
        // One document may stand on many lines.
        if !(is_json && reader.documents(batch, origin).is_ok()) {
            reader.lines(batch, origin);
        }
        Ok(())
    })
    .await?;
    Ok(answer::text(StatusCode::OK, "ok\n"))
}

/// A request of the event collector. One with a channel asks later what became of its messages.
async fn collect(endpoint: &Endpoint, bodied: Bodied, parts: &Parts, desk: &Desk) -> Result<Answer, Refusal> {
    if bodied.0.iter().all(u8::is_ascii_whitespace) {
        return Ok(collector::code(StatusCode::BAD_REQUEST, "No data", 5));
    }
    let channel = channel(parts);
    let book = &desk.options.book;
    let (number, also) = match channel.as_deref().map(|channel| book.open(channel)) {
        Some(None) => return Err(Refusal::Busy),
        Some(Some((number, strike))) => (Some(number), Some(strike)),
        None => (None, None),
    };
    let meta = meta(parts.uri.query().unwrap_or_default());
    let taken = desk.take("http+hec", bodied, also, |reader, batch| match endpoint {
        Endpoint::HecRaw => {
            reader.hec_raw(batch, 0, &meta);
            Ok(())
        }
        _ => reader.hec_events(batch, 0),
    });
    match (taken, number, channel) {
        (Ok((_, _)), Some(number), _) => Ok(collector::success(Some(number))),
        (Ok((_, sent)), None, _) => {
            settled(sent, desk).await?;
            Ok(collector::success(None))
        }
        (Err(error), number, channel) => {
            if let (Some(number), Some(channel)) = (number, channel) {
                book.close(&channel, number);
            }
            Err(Refusal::Unreadable(error))
        }
    }
}

/// The channel of a client that wants to ask for acknowledgements.
fn channel(parts: &Parts) -> Option<String> {
    let header = parts.headers.get("x-splunk-request-channel").and_then(|value| value.to_str().ok());
    let query = parts.uri.query().unwrap_or_default();
    let written = || pairs(query).find(|(name, _)| *name == "channel").map(|(_, value)| value);
    header.map(str::to_owned).or_else(written).filter(|channel| !channel.is_empty() && channel.len() <= 128)
}

fn meta(query: &str) -> HecMeta {
    let mut meta = HecMeta::default();
    for (name, value) in pairs(query) {
        match name {
            "host" => meta.host = Some(value),
            "time" => meta.time = Some(value),
            "source" => meta.values.push(("source", value)),
            "sourcetype" => meta.values.push(("sourcetype", value)),
            "index" => meta.values.push(("index", value)),
            _ => {}
        }
    }
    meta
}

/// The pairs of a query string, values decoded.
fn pairs(query: &str) -> impl Iterator<Item = (&str, String)> {
    query.split('&').filter_map(|pair| pair.split_once('=')).map(|(name, value)| (name, decoded(value)))
}

fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let code = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%');
        bytes.push(code.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A refusal, in the words of the protocol.
pub(super) fn refused(endpoint: &Endpoint, headers: &HeaderMap, refusal: Refusal) -> Answer {
    let (status, reason) = told(refusal);
    match endpoint {
        Endpoint::Bulk { .. } | Endpoint::Document { .. } | Endpoint::Elastic => {
            let kind = match status {
                StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                    "es_rejected_execution_exception"
                }
                StatusCode::UNAUTHORIZED => "security_exception",
                _ => "illegal_argument_exception",
            };
            // Its clients come again after 429; 503 makes some of them leave the node.
            let status = if status == StatusCode::SERVICE_UNAVAILABLE {
                StatusCode::TOO_MANY_REQUESTS
            } else {
                status
            };
            elastic::error(status, kind, &reason)
        }
        Endpoint::HecEvents | Endpoint::HecRaw | Endpoint::HecAck => match refusal {
            Refusal::Credentials(Standing::Unknown) => {
                collector::code(StatusCode::UNAUTHORIZED, "Token is required", 2)
            }
            Refusal::Credentials(_) => collector::code(StatusCode::FORBIDDEN, "Invalid token", 4),
            Refusal::Unreadable(error) => collector::unreadable(error.reason),
            Refusal::Busy | Refusal::Unsafe | Refusal::Body(BodyRefusal::Busy) => {
                collector::code(StatusCode::SERVICE_UNAVAILABLE, "Server is busy", 9)
            }
            Refusal::Body(_) => collector::code(status, "Invalid data format", 6),
        },
        Endpoint::OtlpGrpc => grpc_refused(refusal),
        Endpoint::Otlp if !is(headers, "json") => {
            let mut body = vec![2 << 3 | 2, reason.len().min(127) as u8];
            body.extend_from_slice(&reason.as_bytes()[..reason.len().min(127)]);
            answer::of(status, PROTOBUF, body)
        }
        Endpoint::Otlp => answer::json(status, format!("{{\"message\":{}}}", answer::quoted(&reason))),
        _ => answer::text(status, reason + "\n"),
    }
}

fn told(refusal: Refusal) -> (StatusCode, String) {
    let (status, reason) = match refusal {
        Refusal::Credentials(Standing::Unknown) => (StatusCode::UNAUTHORIZED, "credentials are needed"),
        Refusal::Credentials(_) => (StatusCode::UNAUTHORIZED, "wrong credentials"),
        Refusal::Body(BodyRefusal::TooLarge) => (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"),
        Refusal::Body(BodyRefusal::TooSlow) => (StatusCode::REQUEST_TIMEOUT, "the body did not come in time"),
        Refusal::Body(BodyRefusal::Encoding) => {
            (StatusCode::UNSUPPORTED_MEDIA_TYPE, "this content encoding is not known")
        }
        Refusal::Body(BodyRefusal::Damaged) => (StatusCode::BAD_REQUEST, "the body cannot be unpacked"),
        Refusal::Body(BodyRefusal::Broken) => (StatusCode::BAD_REQUEST, "the body broke off"),
        Refusal::Busy | Refusal::Body(BodyRefusal::Busy) => {
            (StatusCode::TOO_MANY_REQUESTS, "too much is in work, come again")
        }
        Refusal::Unsafe => {
            (StatusCode::SERVICE_UNAVAILABLE, "the messages are not safe yet, send them again")
        }
        Refusal::Unreadable(error) => return (StatusCode::BAD_REQUEST, error.to_string()),
    };
    (status, reason.to_owned())
}

fn grpc_refused(refusal: Refusal) -> Answer {
    let (status, reason) = match refusal {
        Refusal::Credentials(_) => (GrpcStatus::Unauthenticated, "credentials are needed"),
        Refusal::Body(BodyRefusal::TooLarge) => (GrpcStatus::ResourceExhausted, "the message is too large"),
        Refusal::Body(BodyRefusal::Busy | BodyRefusal::TooSlow | BodyRefusal::Broken)
        | Refusal::Busy
        | Refusal::Unsafe => (GrpcStatus::Unavailable, "come again"),
        Refusal::Body(_) | Refusal::Unreadable(_) => {
            (GrpcStatus::InvalidArgument, "the message cannot be read")
        }
    };
    grpc::answer(status, reason)
}
