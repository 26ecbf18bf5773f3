//! The page and the manual, embedded in the binary.
//!
//! In: a path and what the browser accepts. Out: bytes with their type and caching rule.
//! Holds: the files of `ui/dist`, text as `.br` and `.gz` only: browsers get the first that they accept, others get it
//! unpacked.

mod answer;
mod manual;

use answer::{accepts, answer, content_type, unpacked};
use axum::{
    body::Body,
    http::{HeaderMap, Method, Response, StatusCode},
};

const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

const NOT_BUILT: &str = "The page was not built into this binary. Run `make ui` and build again.\n";

const NOT_FOUND: &str = "not found: the page is at /, the manual at /manual/, the API below /api/v1\n";

/// Names with a hash never change: keep them for a year.
const KEEP: &str = "public, max-age=31536000, immutable";

/// The addresses of the page, each with its document: in one that lies in a folder, files are a folder higher. The page
/// has the same list in `ui/src/view/route.ts`.
const DOCUMENTS: [(&str, &str); 10] = [
    ("/", "index.html"),
    ("/alerts", "index.html"),
    ("/alerts/rules", "nested.html"),
    ("/alerts/new", "nested.html"),
    ("/profile", "index.html"),
    ("/dashboards", "index.html"),
    ("/admin/users", "nested.html"),
    ("/admin/rights", "nested.html"),
    ("/admin/roles", "nested.html"),
    ("/invitation", "index.html"),
];

/// Answers a request for a file of the page, or for the page itself at one of its addresses; nothing else is there.
pub(crate) fn serve(method: &Method, path: &str, headers: &HeaderMap) -> Response<Body> {
    let refused = |status, text: &'static str| {
        answer(status, "text/plain; charset=utf-8", None, "no-store", text.as_bytes())
    };
    if let Some(page) = manual::page_of(path) {
        return manual::serve(method, page, headers);
    }
    let name = name_of(path);
    let stored = |suffix: &str| find(&format!("{name}{suffix}"));
    let (plain, gzip) = (stored(""), stored(".gz"));
    if plain.or(gzip).is_none() {
        return match FILES.is_empty() && name.ends_with(".html") {
            true => refused(StatusCode::SERVICE_UNAVAILABLE, NOT_BUILT),
            false => refused(StatusCode::NOT_FOUND, NOT_FOUND),
        };
    }
    if method != Method::GET && method != Method::HEAD {
        return refused(StatusCode::METHOD_NOT_ALLOWED, "files of the page are only read\n");
    }
    let (kind, keep) = (content_type(name), if name.starts_with("assets/") { KEEP } else { "no-cache" });
    let accepted = |coding, bytes: Option<&'static [u8]>| bytes.filter(|_| accepts(headers, coding));
    match (plain, accepted("br", stored(".br")), accepted("gzip", gzip)) {
        (_, Some(bytes), _) => answer(StatusCode::OK, kind, Some("br"), keep, bytes),
        (_, _, Some(bytes)) => answer(StatusCode::OK, kind, Some("gzip"), keep, bytes),
        (Some(bytes), ..) => answer(StatusCode::OK, kind, None, keep, bytes),
        (None, None, None) => unpacked(kind, keep, gzip.unwrap_or_default()),
    }
}

/// Returns the name of the file that answers a path.
fn name_of(path: &str) -> &str {
    // A dashboard lies below the list of them.
    if path.strip_prefix("/dashboards/").is_some_and(|id| id.parse::<objects::ObjectId>().is_ok()) {
        return "nested.html";
    }
    let document = DOCUMENTS.iter().find(|(address, _)| *address == path);
    document.map_or(path.strip_prefix('/').unwrap_or(path), |(_, name)| *name)
}

fn find(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

#[cfg(test)]
mod tests;
