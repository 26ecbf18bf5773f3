//! Answers with embedded bytes.
//!
//! In: bytes, their type, their coding. Out: an answer that caches understand. Holds nothing.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
};
use flate2::read::GzDecoder;
use std::io::Read;

/// Returns true if a browser accepts a coding. One refused by `q=0` counts as accepted: no browser does that.
pub(super) fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let accepted =
        headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|word| word.split(';').next().is_some_and(|w| w.trim() == coding))
}

/// Returns an answer with its type and its rule for caches.
pub(super) fn answer(
    status: StatusCode,
    kind: &'static str,
    coding: Option<&'static str>,
    cache: &'static str,
    bytes: impl Into<Body>,
) -> Response<Body> {
    let mut response = Response::new(bytes.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(coding) = coding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    response
}

/// Returns an answer with bytes that are packed with gzip, for a browser that does not accept that.
pub(super) fn unpacked(kind: &'static str, cache: &'static str, packed: &[u8]) -> Response<Body> {
    let mut plain = Vec::new();
    // These bytes are ours: they were packed when this was built.
    match GzDecoder::new(packed).read_to_end(&mut plain) {
        Ok(_) => answer(StatusCode::OK, kind, None, cache, plain),
        Err(_) => answer(StatusCode::INTERNAL_SERVER_ERROR, kind, None, cache, Body::empty()),
    }
}

/// Returns the type of a file, by the ending of its name.
pub(super) fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" | "webmanifest" => "application/json",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
