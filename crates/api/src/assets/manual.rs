//! The manual, embedded in the binary, below `/manual/`.
//!
//! In: the name of a page and what the browser accepts and has. Out: its bytes, compressed or not, with an entity tag.
//! Holds: the files of `docs/book`, text compressed. Limits: read only; needs no log-in, because it says nothing
//! about this server.

use super::answer::{accepts, answer, content_type, unpacked};
use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header},
};

/// Name, whether the bytes are packed with gzip, tag, bytes.
type Page = (&'static str, bool, &'static str, &'static [u8]);

const PAGES: &[Page] = include!(concat!(env!("OUT_DIR"), "/manual.rs"));

/// The path of the manual.
const ROOT: &str = "/manual";
const NOT_BUILT: &str = "The manual was not built into this binary. Run `make docs` and build again.\n";
const NOT_FOUND: &str = "not found: the manual begins at /manual/\n";
const NOT_READ: &str = "the manual is only read\n";

/// The page of the manual that a path names, if it is one. It is empty for the manual itself without its slash.
pub(super) fn page_of(path: &str) -> Option<&str> {
    path.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Answers a request for a page.
pub(super) fn serve(method: &Method, page: &str, headers: &HeaderMap) -> Response<Body> {
    let text = |status, text: &'static str| {
        answer(status, "text/plain; charset=utf-8", None, "no-store", text.as_bytes())
    };
    if method != Method::GET && method != Method::HEAD {
        return text(StatusCode::METHOD_NOT_ALLOWED, NOT_READ);
    }
    if PAGES.is_empty() {
        return text(StatusCode::NOT_FOUND, NOT_BUILT);
    }
    if page.is_empty() {
        let mut response = text(StatusCode::PERMANENT_REDIRECT, "");
        // Relative: a proxy may offer this server below another path.
        response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("manual/"));
        return response;
    }
    let name = match page.trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    let Some(page) = PAGES.iter().find(|(known, ..)| *known == name) else {
        return text(StatusCode::NOT_FOUND, NOT_FOUND);
    };
    let mut response = body(headers, page);
    response.headers_mut().insert(header::ETAG, HeaderValue::from_static(page.2));
    response
}

/// The bytes as the browser takes them; none when it has them already.
fn body(headers: &HeaderMap, page: &Page) -> Response<Body> {
    const CACHE: &str = "no-cache";
    let &(name, is_packed, tag, bytes) = page;
    let kind = content_type(name);
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return answer(StatusCode::NOT_MODIFIED, kind, None, CACHE, &[]);
    }
    match (is_packed, accepts(headers, "gzip")) {
        (false, _) => answer(StatusCode::OK, kind, None, CACHE, bytes),
        (true, true) => answer(StatusCode::OK, kind, Some("gzip"), CACHE, bytes),
        (true, false) => unpacked(kind, CACHE, bytes),
    }
}

#[cfg(test)]
mod tests {
    //! A page, as browsers of different kinds get it.

    use super::*;
    use axum::body::to_bytes;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    /// The status, the coding and the bytes of a page for a request with some headers.
    async fn got(page: &Page, headers: &[(header::HeaderName, &'static str)]) -> (u16, bool, Vec<u8>) {
        let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        let response = body(&headers.collect(), page);
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-cache");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
        let is_packed = response.headers().contains_key(header::CONTENT_ENCODING);
        (response.status().as_u16(), is_packed, to_bytes(response.into_body(), 1000).await.unwrap().to_vec())
    }

    #[tokio::test]
    async fn a_page_is_packed_for_those_who_accept_that() {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(b"the page").unwrap();
        let packed: &'static [u8] = packer.finish().unwrap().leak();
        let page: Page = ("a.html", true, "\"tag\"", packed);
        let gzip = (header::ACCEPT_ENCODING, "gzip");
        assert_eq!(got(&page, &[]).await, (200, false, b"the page".to_vec()));
        assert_eq!(got(&page, std::slice::from_ref(&gzip)).await, (200, true, packed.to_vec()));
        let known = |tag| (header::IF_NONE_MATCH, tag);
        assert_eq!(got(&page, &[known("\"tag\"")]).await, (304, false, Vec::new()));
        assert_eq!(got(&page, &[known("\"old\"")]).await, (200, false, b"the page".to_vec()));
        let plain: Page = ("a.html", false, "\"tag\"", b"plain");
        assert_eq!(got(&plain, &[gzip]).await, (200, false, b"plain".to_vec()));
        let damaged: Page = ("a.html", true, "\"tag\"", b"no gzip");
        assert_eq!(got(&damaged, &[]).await.0, 500);
    }
}
