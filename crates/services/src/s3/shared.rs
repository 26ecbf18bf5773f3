//! The part of a target that its connections share.
//!
//! In: the options of a target; an object. Out: a signed request. Holds: whether the server knows conditions. Limits: none.

use super::{
    body::Content,
    options::{S3Checksum, S3Compression, S3Login},
    signature::sign_headers,
};
use crate::http::{Request, RequestSettings};
use hyper::Uri;
use jiff::Timestamp;
use std::sync::atomic::{AtomicBool, Ordering};

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    /// The URL of the bucket.
    pub(super) address: String,
    pub(super) login: S3Login,
    pub(super) region: String,
    /// The end of names, with that of the compression.
    pub(super) suffix: String,
    pub(super) compression: S3Compression,
    pub(super) compression_level: u32,
    pub(super) checksum: S3Checksum,
    /// Headers of all objects.
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) settings: RequestSettings,
    /// The server has not refused `If-None-Match` yet.
    pub(super) is_conditional: AtomicBool,
}

/// An object to be stored.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) url: String,
    pub(super) content: Content,
}

impl Shared {
    /// Returns the signed request for an object at a time.
    pub(super) fn request(&self, object: &Object, now: Timestamp) -> Request {
        let mut headers = self.headers.clone();
        if self.checksum == S3Checksum::Sent {
            headers.push(("x-amz-checksum-sha256", object.content.sha256_base64.clone()));
        }
        if self.is_conditional.load(Ordering::Relaxed) {
            headers.push(("if-none-match", "*".to_owned()));
        }
        let uri: Uri = object.url.parse().unwrap_or_default();
        let request = (self.settings.method.as_str(), &uri, object.content.sha256_hex.as_str());
        sign_headers(&mut headers, (&self.login, &self.region), request, now);
        Request { body: object.content.bytes.clone(), messages: 1, headers, ..Request::default() }
    }
}
