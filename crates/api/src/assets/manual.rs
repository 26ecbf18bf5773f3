//! The manual, embedded in the binary, below `/manual/`.
//!
//! In: the name of a page and what the browser accepts and has. Out: its bytes, compressed or not, with an entity tag.
//! Holds: the files of `docs/book`, all texts packed together with zstd; each text that was asked for once, packed with gzip (about 1 MB
//! for all of them). Limits: read only; needs no log-in, because it says nothing about this server.

use super::answer::{accepts, answer, content_type, unpacked};
use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header},
};

use flate2::{Compression, write::GzEncoder};
use std::{
    collections::BTreeMap,
    io::{self, Write},
    ops::Range,
    sync::{Mutex, PoisonError},
};

/// The files of the manual.
struct Manual {
    /// Its texts, one after the other, packed with zstd.
    texts: &'static [u8],
    /// The entity tag of all its files: it is another one for another manual.
    tag: &'static str,
    pages: &'static [(&'static str, Content)],
}

/// The bytes of a file.
enum Content {
    /// A part of the texts.
    Text(Range<usize>),
    Bytes(&'static [u8]),
}

static MANUAL: Manual = include!(concat!(env!("OUT_DIR"), "/manual.rs"));

/// The texts that were asked for, packed with gzip as browsers take them: unpacking all of them for each request would cost 10 ms.
static TEXTS: Mutex<BTreeMap<&'static str, Bytes>> = Mutex::new(BTreeMap::new());

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
    if MANUAL.pages.is_empty() {
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
    let Some((name, content)) = MANUAL.pages.iter().find(|(known, _)| *known == name) else {
        return text(StatusCode::NOT_FOUND, NOT_FOUND);
    };
    let mut response = body(headers, &MANUAL, name, content);
    response.headers_mut().insert(header::ETAG, HeaderValue::from_static(MANUAL.tag));
    response
}

/// The bytes as the browser takes them; none when it has them already.
fn body(
    headers: &HeaderMap,
    manual: &'static Manual,
    name: &'static str,
    content: &'static Content,
) -> Response<Body> {
    const CACHE: &str = "no-cache";
    let kind = content_type(name);
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == manual.tag.as_bytes()) {
        return answer(StatusCode::NOT_MODIFIED, kind, None, CACHE, Body::empty());
    }
    let range = match content {
        Content::Bytes(bytes) => return answer(StatusCode::OK, kind, None, CACHE, *bytes),
        Content::Text(range) => range,
    };
    match packed(manual, name, range) {
        Ok(packed) if accepts(headers, "gzip") => answer(StatusCode::OK, kind, Some("gzip"), CACHE, packed),
        Ok(packed) => unpacked(kind, CACHE, &packed),
        Err(_) => answer(StatusCode::INTERNAL_SERVER_ERROR, kind, None, CACHE, Body::empty()),
    }
}

/// A text, packed with gzip.
fn packed(manual: &Manual, name: &'static str, range: &Range<usize>) -> io::Result<Bytes> {
    let mut known = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(packed) = known.get(name) {
        return Ok(packed.clone());
    }
    let texts = zstd::decode_all(manual.texts)?;
    let text = texts.get(range.clone()).ok_or(io::ErrorKind::InvalidData)?;
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text)?;
    let packed = Bytes::from(packer.finish()?);
    known.insert(name, packed.clone());
    Ok(packed)
}

#[cfg(test)]
mod tests {
    //! A page, as browsers of different kinds get it.

    use super::*;
    use axum::body::to_bytes;
    use std::io::Read;

    /// The status, the coding and the bytes of a page for a request with some headers.
    async fn got(
        name: &'static str,
        place: Range<usize>,
        headers: &[(header::HeaderName, &'static str)],
    ) -> (u16, bool, String) {
        let texts = zstd::encode_all(&b"the pagethe other"[..], 3).unwrap().leak();
        let manual = Box::leak(Box::new(Manual { texts, tag: "\"tag\"", pages: &[] }));
        let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        let content = Box::leak(Box::new(Content::Text(place)));
        let response = body(&headers.collect(), manual, name, content);
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-cache");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
        let is_packed = response.headers().contains_key(header::CONTENT_ENCODING);
        let (status, mut bytes) =
            (response.status().as_u16(), to_bytes(response.into_body(), 1000).await.unwrap().to_vec());
        if is_packed {
            let mut plain = Vec::new();
            flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
            bytes = plain;
        }
        (status, is_packed, String::from_utf8(bytes).unwrap())
    }

    #[tokio::test]
    async fn a_page_is_packed_for_those_who_accept_that() {
        let answer = |status, is_packed, text: &str| (status, is_packed, text.to_owned());
        let gzip = (header::ACCEPT_ENCODING, "gzip");
        let known = |tag| (header::IF_NONE_MATCH, tag);
        for _ in 0..2 {
            assert_eq!(got("a.html", 0..8, &[]).await, answer(200, false, "the page"));
            assert_eq!(got("a.html", 0..8, std::slice::from_ref(&gzip)).await, answer(200, true, "the page"));
            assert_eq!(
                got("b.html", 8..17, std::slice::from_ref(&gzip)).await,
                answer(200, true, "the other")
            );
        }
        assert_eq!(got("a.html", 0..8, &[known("\"tag\"")]).await, answer(304, false, ""));
        assert_eq!(got("a.html", 0..8, &[known("\"old\"")]).await, answer(200, false, "the page"));
        assert_eq!(got("damaged.html", 8..18, &[gzip]).await, answer(500, false, ""));
    }
}
