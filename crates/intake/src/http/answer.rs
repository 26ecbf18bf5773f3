//! Answers.
//!
//! In: a status and a body. Out: responses of hyper. Holds: nothing. Limits: bodies are made in memory.

use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::{
    Response, StatusCode,
    body::Bytes,
    header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
};
use std::convert::Infallible;

/// A response.
pub(super) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// Content type of OTLP's and Loki's binary form.
pub(super) const PROTOBUF: &str = "application/x-protobuf";
/// When to retry, in seconds.
const RETRY_AFTER_S: u32 = 5;

/// A response of a content type.
pub(super) fn of(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut response = Response::new(Full::new(body.into()).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(RETRY_AFTER_S));
    }
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"logs\""));
    }
    response
}

pub(super) fn json(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    of(status, "application/json", body)
}

pub(super) fn text(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    of(status, "text/plain; charset=utf-8", body)
}

/// An answer without a body.
pub(super) fn nothing(status: StatusCode) -> Answer {
    let mut answer = of(status, "text/plain", Bytes::new());
    answer.headers_mut().remove(CONTENT_TYPE);
    answer
}

pub(super) fn with(mut answer: Answer, name: &'static str, value: &'static str) -> Answer {
    answer.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    answer
}

/// A text as a JSON string, quotes included.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests;
