//! The page and the manual, embedded in the binary.
//!
//! In: a path and what the browser accepts. Out: bytes with their type and caching rule.
//! Holds: the files of `ui/dist`; browsers that accept it get the `.br` or `.gz` version of a file.

mod answer;
mod manual;

use answer::{accepts, answer, content_type};
use axum::{
    body::Body,
    http::{HeaderMap, Method, Response, StatusCode},
};

const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

const NOT_BUILT: &str = "The page was not built into this binary. Run `make ui` and build again.\n";

const NOT_FOUND: &str = "not found: the page is at /, the manual at /manual/, the API below /api/v1\n";

/// Names with a hash never change: keep them for a year.
const KEEP: &str = "public, max-age=31536000, immutable";

/// Answers a request for a file of the page, which itself is at `/`; nothing else is there.
pub(crate) fn serve(method: &Method, path: &str, headers: &HeaderMap) -> Response<Body> {
    let refused = |status, text: &'static str| {
        answer(status, "text/plain; charset=utf-8", None, "no-store", text.as_bytes())
    };
    if let Some(page) = manual::page_of(path) {
        return manual::serve(method, page, headers);
    }
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
    let packed = [("br", ".br"), ("gzip", ".gz")].into_iter().find_map(|(coding, suffix)| {
        let bytes = accepts(headers, coding).then(|| find(&format!("{name}{suffix}"))).flatten()?;
        Some((coding, bytes))
    });
    let keep = if name.starts_with("assets/") { KEEP } else { "no-cache" };
    let (coding, bytes) = packed.map_or((None, plain), |(coding, bytes)| (Some(coding), bytes));
    answer(StatusCode::OK, content_type(name), coding, keep, bytes)
}

fn find(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

#[cfg(test)]
mod tests;
