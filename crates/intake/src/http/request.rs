//! One request, from its head to its answer.
//!
//! In: a request. Out: its answer, in the form of the request's protocol. Holds: its body.
//! Limits: waits for space in the window, then the body, then the tokens, each for at most `timeout()`.

use super::{
    address::{Endpoint, Unrouted, endpoint, pairs},
    answer::{self, Answer},
    body::{self, Whole},
    collector,
    credentials::{self, Standing},
    desk::Desk,
    elastic,
    grpc::{self, GrpcStatus},
    refusal::{Refusal, refused},
    upload, webhook,
};
use crate::options::HttpOffer;
use hyper::{
    HeaderMap, Request, StatusCode,
    body::{Bytes, Incoming},
    http::request::Parts,
};
use message::Batch;
use std::sync::Arc;
use wire::{BodyError, HecMeta, ShippedReader};

/// Answers a request.
pub(super) async fn answer(request: Request<Incoming>, desk: &Desk) -> Answer {
    let (parts, body) = request.into_parts();
    if let Some(options) = &desk.options.webhook {
        return webhook::answer(&parts, body, options, desk).await;
    }
    let path = parts.uri.path();
    let endpoint = match endpoint(&parts.method, path).and_then(|found| offered(found, desk.options.offer)) {
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

/// Refuses an endpoint that the driver does not have.
fn offered(endpoint: Endpoint, offer: HttpOffer) -> Result<Endpoint, Unrouted> {
    match (offer, &endpoint) {
        (HttpOffer::All, _) => Ok(endpoint),
        (HttpOffer::OpenTelemetry, Endpoint::Otlp | Endpoint::OtlpGrpc | Endpoint::Health) => Ok(endpoint),
        (HttpOffer::OpenTelemetry, _) => Err(Unrouted::Path),
    }
}

/// A body to be put into a batch.
type Bodied = (Arc<Vec<u8>>, body::BudgetShare);

async fn serve(endpoint: &Endpoint, parts: &Parts, body: Incoming, desk: &Desk) -> Result<Answer, Refusal> {
    desk.wait_for_room().await.map_err(|_| Refusal::Busy)?;
    let headers = &parts.headers;
    if *endpoint == Endpoint::Journal && body::encoding(headers).map_err(Refusal::Body)?.is_none() {
        return upload::stream(body, desk).await;
    }
    let whole = body::receive(body, headers, &desk.options).await.map_err(Refusal::Body)?;
    let whole = match endpoint {
        Endpoint::OtlpGrpc => grpc::message(whole, headers, &desk.options).map_err(Refusal::Body)?,
        Endpoint::Loki if body::is_of(headers, "protobuf") && body::encoding(headers) == Ok(None) => {
            body::unpack(whole, body::Encoding::Snappy, &desk.options).map_err(Refusal::Body)?
        }
        _ => whole,
    };
    let Whole { bytes, share } = whole;
    let bodied = (Arc::new(bytes), share);
    match endpoint {
        Endpoint::Bulk { index } => bulk(bodied, index.as_deref(), desk).await,
        Endpoint::Document { index } => document(bodied, index, desk).await,
        Endpoint::Loki if body::is_of(headers, "protobuf") => {
            simple("http+loki", bodied, desk, ShippedReader::loki_protobuf).await?;
            Ok(answer::nothing(StatusCode::NO_CONTENT))
        }
        Endpoint::Loki => {
            simple("http+loki", bodied, desk, ShippedReader::loki_json).await?;
            Ok(answer::nothing(StatusCode::NO_CONTENT))
        }
        Endpoint::Otlp if body::is_of(headers, "json") => {
            simple("http+otlp", bodied, desk, ShippedReader::otlp_json).await?;
            Ok(answer::json(StatusCode::OK, "{}"))
        }
        Endpoint::Otlp => {
            simple("http+otlp", bodied, desk, ShippedReader::otlp_protobuf).await?;
            Ok(answer::of(StatusCode::OK, answer::PROTOBUF, Bytes::new()))
        }
        Endpoint::OtlpGrpc => {
            simple("grpc+otlp", bodied, desk, ShippedReader::otlp_protobuf).await?;
            Ok(grpc::answer(GrpcStatus::Ok, ""))
        }
        Endpoint::HecEvents | Endpoint::HecRaw => collect(endpoint, bodied, parts, desk).await,
        Endpoint::HecAck => {
            let channel = channel(parts).unwrap_or_default();
            match collector::asked(&bodied.0) {
                Some(numbers) => Ok(collector::states(&desk.options.book, &channel, &numbers)),
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

/// Handles a body whose answer does not mention its messages.
async fn simple<T>(
    format: &'static str,
    bodied: Bodied,
    desk: &Desk,
    decode: impl FnOnce(&mut ShippedReader, &mut Batch, u16) -> Result<T, BodyError>,
) -> Result<T, Refusal> {
    let taken = desk.take(format, bodied, None, |reader, batch| decode(reader, batch, 0));
    let (read, sent) = taken.map_err(Refusal::Unreadable)?;
    desk.settled(sent).await?;
    Ok(read)
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
    let is_json = body::is_of(headers, "application/json");
    simple("http+lines", bodied, desk, |reader, batch, origin| {
        // One document may span many lines.
        if !(is_json && reader.documents(batch, origin).is_ok()) {
            reader.lines(batch, origin);
        }
        Ok(())
    })
    .await?;
    Ok(answer::text(StatusCode::OK, "ok\n"))
}

/// Handles a request of the event collector. A client with a channel requests the outcome later.
async fn collect(endpoint: &Endpoint, bodied: Bodied, parts: &Parts, desk: &Desk) -> Result<Answer, Refusal> {
    if bodied.0.iter().all(u8::is_ascii_whitespace) {
        return Ok(collector::code(StatusCode::BAD_REQUEST, "No data", 5));
    }
    let channel = channel(parts);
    let book = &desk.options.book;
    let (number, also) = match channel.as_deref().map(|channel| collector::open(book, channel)) {
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
            desk.settled(sent).await?;
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

#[cfg(test)]
mod tests;
