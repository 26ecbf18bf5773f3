//! The page, embedded in the binary.
//!
//! In: a path and what the browser accepts. Out: bytes with their type and caching rule.
//! Holds: the files of `ui/dist`; a `.br` or `.gz` beside a file is sent to browsers that take it.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header},
};

const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

const NOT_BUILT: &str = "The page was not built into this binary. Run `make ui` and build again.\n";

const NOT_FOUND: &str = "not found: the page is at /, the API below /api/v1\n";

/// Names with a hash never change: keep them for a year.
const KEEP: &str = "public, max-age=31536000, immutable";

/// Answers a request for a file of the page, which itself is at `/`; nothing else is there.
pub(crate) fn serve(method: &Method, path: &str, headers: &HeaderMap) -> Response<Body> {
    let refused = |status, text: &'static str| {
        answer(status, "text/plain; charset=utf-8", None, "no-store", text.as_bytes())
    };
    let name = if path == "/" { "index.html" } else { path.strip_prefix('/').unwrap_or(path) };
    let Some(plain) = find(name) else {
        return match FILES.is_empty() && path == "/" {
            true => refused(StatusCode::SERVICE_UNAVAILABLE, NOT_BUILT),
            false => refused(StatusCode::NOT_FOUND, NOT_FOUND),
        };
    };
    if method != Method::GET && method != Method::HEAD {
        return refused(StatusCode::METHOD_NOT_ALLOWED, "files of the page are only read\n");
    }
    let accepted =
        headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let accepts = |coding: &str| {
        accepted.split(',').any(|word| word.split(';').next().is_some_and(|w| w.trim() == coding))
    };
    let packed = [("br", ".br"), ("gzip", ".gz")].into_iter().find_map(|(coding, suffix)| {
        let bytes = accepts(coding).then(|| find(&format!("{name}{suffix}"))).flatten()?;
        Some((coding, bytes))
    });
    let keep = if name.starts_with("assets/") { KEEP } else { "no-cache" };
    let (coding, bytes) = packed.map_or((None, plain), |(coding, bytes)| (Some(coding), bytes));
    answer(StatusCode::OK, content_type(name), coding, keep, bytes)
}

fn find(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

fn answer(
    status: StatusCode,
    kind: &'static str,
    coding: Option<&'static str>,
    cache: &'static str,
    bytes: &'static [u8],
) -> Response<Body> {
    let mut response = Response::new(Body::from(bytes));
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

fn content_type(name: &str) -> &'static str {
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
