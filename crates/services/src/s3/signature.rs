//! AWS Signature Version 4 in the header `Authorization`.
//!
//! In: a request, and the time. Out: its headers with the signature. Holds: nothing. Limits: none.
//!
//! The form is that of "Authenticating Requests (AWS Signature Version 4)" in the reference of Amazon S3. Path and query are
//! signed as they are sent.

use super::options::S3Login;
use crate::identity::hex;
use aws_lc_rs::{
    digest::{SHA256, digest},
    hmac::{HMAC_SHA256, Key, Tag, sign},
};
use hyper::Uri;
use jiff::Timestamp;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// Digits of the day at the beginning of a time.
const DAY_DIGITS: usize = 8;

/// The key that signs requests, and the service that they are for.
#[derive(Debug)]
pub(super) struct Signer<'a> {
    pub(super) login: &'a S3Login,
    pub(super) region: &'a str,
    pub(super) service: &'a str,
}

/// A request to be signed.
#[derive(Debug)]
pub(super) struct Unsigned<'a> {
    pub(super) method: &'a str,
    /// The path, encoded as it is sent.
    pub(super) path: &'a str,
    /// The query as it is sent: its parameters in the order of their names, encoded.
    pub(super) query: &'a str,
    /// The headers to be signed, in any order; names in small letters.
    pub(super) headers: Vec<(&'a str, &'a str)>,
    /// SHA-256 of the body, in hexadecimal digits.
    pub(super) body_sha256: &'a str,
}

impl Unsigned<'_> {
    /// Returns the canonical request, and the names of its headers.
    fn canonical(&self) -> (String, String) {
        let mut headers = self.headers.clone();
        headers.sort_unstable();
        let names = headers.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        let line = |(name, value): &(&str, &str)| {
            format!(
                "{name}:{}\n",
                value.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
            )
        };
        let lines: String = headers.iter().map(line).collect();
        let text =
            format!("{}\n{}\n{}\n{lines}\n{names}\n{}", self.method, self.path, self.query, self.body_sha256);
        (text, names)
    }
}

impl Signer<'_> {
    /// Returns the value of `Authorization` for a time as `x-amz-date` has it, `20150830T123600Z`.
    pub(super) fn authorization(&self, request: &Unsigned<'_>, time: &str) -> String {
        let day = time.get(..DAY_DIGITS).unwrap_or_default();
        let scope = format!("{day}/{}/{}/aws4_request", self.region, self.service);
        let (canonical, names) = request.canonical();
        let canonical = hex(digest(&SHA256, canonical.as_bytes()).as_ref());
        let text = format!("{ALGORITHM}\n{time}\n{scope}\n{canonical}");
        let signature = hex(tag(self.key(day).as_ref(), &text).as_ref());
        let access_key = &self.login.access_key;
        format!("{ALGORITHM} Credential={access_key}/{scope}, SignedHeaders={names}, Signature={signature}")
    }

    /// Returns the key of a day.
    fn key(&self, day: &str) -> Tag {
        let secret = format!("AWS4{}", self.login.secret_key);
        let of_day = tag(secret.as_bytes(), day);
        let of_region = tag(of_day.as_ref(), self.region);
        let of_service = tag(of_region.as_ref(), self.service);
        tag(of_service.as_ref(), "aws4_request")
    }
}

/// Adds to the headers of a request those of its signature: the digest of its body, the time, and `Authorization`.
pub(super) fn sign_headers(
    headers: &mut Vec<(&'static str, String)>,
    (login, region): (&S3Login, &str),
    (method, uri, body_sha256): (&str, &Uri, &str),
    now: Timestamp,
) {
    let time = now.strftime("%Y%m%dT%H%M%SZ").to_string();
    headers.push(("x-amz-content-sha256", body_sha256.to_owned()));
    headers.push(("x-amz-date", time.clone()));
    headers.extend(login.session_token.clone().map(|token| ("x-amz-security-token", token)));
    let host = uri.authority().map_or("", |authority| authority.as_str());
    let mut signed: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    signed.push(("host", host));
    let query = uri.query().unwrap_or_default();
    let unsigned = Unsigned { method, path: uri.path(), query, headers: signed, body_sha256 };
    let authorization = Signer { login, region, service: "s3" }.authorization(&unsigned, &time);
    headers.push(("authorization", authorization));
}

fn tag(key: &[u8], text: &str) -> Tag {
    sign(&Key::new(HMAC_SHA256, key), text.as_bytes())
}
