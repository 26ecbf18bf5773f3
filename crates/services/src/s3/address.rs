//! The URL of a bucket.
//!
//! In: `url()`, `bucket()`, `region()`. Out: the URL that the names of objects follow. Holds: nothing. Limits:
//! [`BUCKET_BYTES_MAX`].
//!
//! With `url()` the bucket is the first part of the path, as in syslog-ng; without it, the bucket is a part of the name of
//! the host at Amazon, unless a dot in it would contradict the certificate of that host.

use crate::url::server_url;
use std::fmt;

/// Longest name of a bucket; today's have at most 63 bytes, old ones up to this.
const BUCKET_BYTES_MAX: usize = 255;

/// The reason why there is no such bucket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressError {
    /// `bucket()` cannot be the name of one.
    Bucket,
    /// `region()` cannot be the name of one.
    Region,
    /// `url()` is none with a scheme of HTTP and a host, or has a user, a query or a fragment.
    Url,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddressError::Bucket => "a bucket has a name of letters, digits, `.`, `-` and `_`",
            AddressError::Region => "a region has a name of letters, digits, `-` and `_`",
            AddressError::Url => {
                "the URL of a server is http://HOST:PORT or https://HOST:PORT, without user and query"
            }
        })
    }
}

/// Returns the URL of a bucket, without a slash at its end.
pub fn bucket_address(url: Option<&str>, bucket: &str, region: &str) -> Result<String, AddressError> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_bucket = !bucket.is_empty()
        && bucket.len() <= BUCKET_BYTES_MAX
        && bucket.bytes().all(|byte| is_letter(byte) || byte == b'.')
        && bucket.trim_matches('.') == bucket;
    if !is_bucket {
        return Err(AddressError::Bucket);
    }
    if region.is_empty() || !region.bytes().all(is_letter) {
        return Err(AddressError::Region);
    }
    let Some(url) = url else {
        let is_of_host =
            bucket.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        return Ok(match is_of_host {
            true => format!("https://{bucket}.s3.{region}.amazonaws.com"),
            false => format!("https://s3.{region}.amazonaws.com/{bucket}"),
        });
    };
    // The path is signed as it is written here.
    server_url(url).map(|bare| format!("{bare}/{bucket}")).ok_or(AddressError::Url)
}
