//! The options of `s3()`.
//!
//! In: values that were checked when the configuration was read. Out: the same values, for the driver. Holds:
//! options only. Limits: none.

use super::limits::MultipartLimits;
use delivery::Batches;
use message::Render;
use std::{fmt, time::Duration};
use transport::tls::SenderTls;

/// `compression()`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum S3Compression {
    /// `no`
    #[default]
    None,
    /// `yes`, `gzip`
    Gzip,
    /// `zstd`
    Zstd,
}

/// `use-checksum()`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum S3Checksum {
    /// `when-supported`: each request has a SHA-256 that the server stores with the object.
    #[default]
    Sent,
    /// `when-required`: none besides that of the signature.
    NotSent,
}

/// `access-key()` and `secret-key()`
#[derive(Clone, PartialEq, Eq, Default)]
pub struct S3Login {
    /// `access-key()`
    pub access_key: String,
    /// `secret-key()`
    pub secret_key: String,
    /// `session-token()`, for keys that expire.
    pub session_token: Option<String>,
}

impl fmt::Debug for S3Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S3Login({})", self.access_key)
    }
}

/// `s3()`.
pub struct S3Target {
    /// The URL of the bucket, by [`super::bucket_address`].
    pub address: String,
    /// `bucket()`, for users.
    pub bucket: String,
    /// `region()`
    pub region: String,
    /// The credentials.
    pub login: S3Login,
    /// `object-key()`
    pub key: Box<dyn Render>,
    /// `object-key-timestamp()`
    pub key_timestamp: Option<Box<dyn Render>>,
    /// `object-key-suffix()`
    pub key_suffix: String,
    /// `template()`
    pub text: Box<dyn Render>,
    /// `compression()`
    pub compression: S3Compression,
    /// `compresslevel()`
    pub compression_level: u32,
    /// Headers of all objects: content type, storage class, access list, encryption.
    pub headers: Vec<(&'static str, String)>,
    /// `use-checksum()`
    pub checksum: S3Checksum,
    /// `timeout()`: longest time of a request.
    pub timeout: Duration,
    /// `tls()`, for a URL that begins with `https://`.
    pub tls: SenderTls,
    /// How messages are gathered: a batch becomes an object, or a piece of one.
    pub batches: Batches,
    /// Objects of several parts; `None`: a batch becomes an object.
    pub multipart: Option<MultipartLimits>,
}
