//! Types, codings and paths of embedded files.

use super::*;
use axum::http::{HeaderValue, header};

#[test]
fn types_are_known_by_the_ending_of_a_name() {
    let rows = [
        ("index.html", "text/html; charset=utf-8"),
        ("assets/a.b.js", "text/javascript; charset=utf-8"),
        ("a.css", "text/css; charset=utf-8"),
        ("a.svg", "image/svg+xml"),
        ("a.png", "image/png"),
        ("favicon.ico", "image/x-icon"),
        ("a.json", "application/json"),
        ("a.webmanifest", "application/json"),
        ("a.woff2", "font/woff2"),
        ("robots.txt", "text/plain; charset=utf-8"),
        ("a.exe", "application/octet-stream"),
        ("noending", "application/octet-stream"),
    ];
    for (name, want) in rows {
        assert_eq!(content_type(name), want, "{name}");
    }
}

#[test]
fn the_page_has_its_addresses_and_no_others() {
    let rows = [
        ("/", "index.html"),
        ("/alerts", "index.html"),
        ("/alerts/rules", "nested.html"),
        ("/alerts/new", "nested.html"),
        ("/profile", "index.html"),
        ("/dashboards", "index.html"),
        ("/dashboards/gateways-1", "nested.html"),
        ("/dashboards/", "dashboards/"),
        ("/dashboards/a/b", "dashboards/a/b"),
        ("/alerts/", "alerts/"),
        ("/alerts/none", "alerts/none"),
        ("/assets/a.js", "assets/a.js"),
    ];
    for (path, want) in rows {
        assert_eq!(name_of(path), want, "{path}");
    }
}

#[test]
fn codings_are_accepted_when_they_are_named() {
    let accepted = |line: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_str(line).unwrap());
        (accepts(&headers, "br"), accepts(&headers, "gzip"))
    };
    assert_eq!(accepted("gzip, deflate, br"), (true, true));
    assert_eq!(accepted("gzip;q=0.5,brotli"), (false, true));
    assert_eq!(accepted(" br ; q=1"), (true, false));
    assert_eq!(accepted("identity"), (false, false));
    assert!(!accepts(&HeaderMap::new(), "gzip"));
}

#[test]
fn the_manual_has_its_folder_alone() {
    let rows = [
        ("/manual", Some("")),
        ("/manual/", Some("/")),
        ("/manual/a.html", Some("/a.html")),
        ("/manuals", None),
        ("/", None),
        ("/x/manual", None),
    ];
    for (path, want) in rows {
        assert_eq!(manual::page_of(path), want, "{path}");
    }
}

#[tokio::test]
async fn answers_carry_their_type_their_coding_and_their_rule() {
    let response = answer(StatusCode::CREATED, "image/png", Some("br"), KEEP, &b"bytes"[..]);
    assert_eq!(response.status(), StatusCode::CREATED);
    let header = |name| response.headers().get(name).map(|value| value.to_str().unwrap());
    assert_eq!(header(header::CONTENT_TYPE), Some("image/png"));
    assert_eq!(header(header::CONTENT_ENCODING), Some("br"));
    assert_eq!(header(header::CACHE_CONTROL), Some("public, max-age=31536000, immutable"));
    assert_eq!(header(header::VARY), Some("accept-encoding"));
    let plain = answer(StatusCode::OK, "image/png", None, KEEP, &b"bytes"[..]);
    assert!(!plain.headers().contains_key(header::CONTENT_ENCODING));
    assert_eq!(axum::body::to_bytes(plain.into_body(), 9).await.unwrap(), "bytes");
}
