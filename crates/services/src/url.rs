//! URLs of servers, and texts in URLs.
//!
//! In: `url()` of a driver; any text. Out: a checked URL; percent signs. Holds: nothing. Limits: none.

use hyper::Uri;

/// The characters that stand for themselves in a path or a query, besides letters and digits.
const UNRESERVED: &[u8] = b"-._~/";

/// Returns the URL of a server without slashes at its end: http or https, a host, and a plain path if any. `None` for
/// others, and for those with a user, a query or a fragment.
pub fn server_url(url: &str) -> Option<&str> {
    let bare = url.trim_end_matches('/');
    let uri: Uri = bare.parse().ok()?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    let is_host = uri.host().is_some_and(|host| !host.is_empty());
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
    let is_bare =
        uri.query().is_none() && uri.path().bytes().all(is_plain) && !bare.contains(['@', '#', '?']);
    (is_http && is_host && is_bare).then_some(bare)
}

/// Appends bytes as one segment of a path, or one value of a query, has them: nothing of them separates anything.
pub fn encode_into(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            out.push(*byte);
        } else {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
}

/// Returns a text as a path or a query has it.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || UNRESERVED.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
