//! The requests to a bucket that is read.
//!
//! In: a place in the list; an object and an offset. Out: a page of the list, the content of the object. Holds: a connection for the
//! list and one for objects. Limits: a page has at most [`LIST_OBJECTS_MAX`] objects; `timeout()` for an answer, and for each piece of
//! an object.

use super::{
    fault::{FaultKind, ReadFault, Subject},
    list::{ListedObject, ObjectList},
};
use crate::{
    http::{AnswerForm, Body, Compression, Lane, Reply, Request, RequestSettings},
    s3::{options::S3Login, signature::sign_headers},
    url::{encode_into, encoded},
};
use hyper::{Uri, body::Bytes};
use jiff::Timestamp;
use std::{sync::Arc, time::Duration};
use transport::tls::SenderTls;

/// Objects of a page: the most that S3 gives.
const LIST_OBJECTS_MAX: usize = 1000;
/// SHA-256 of nothing, which is what the requests have for a body.
const EMPTY_SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// A bucket, and how it is reached.
#[derive(Clone, Debug)]
pub struct S3Bucket {
    /// The URL of the bucket, by [`crate::bucket_address`].
    pub address: String,
    /// `region()`
    pub region: String,
    /// The credentials.
    pub login: S3Login,
    /// `timeout()`: longest wait for an answer, and for each piece of an object.
    pub timeout: Duration,
    /// `tls()`, for a URL that begins with `https://`.
    pub tls: SenderTls,
}

/// The place in a list at which a page begins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum ListFrom {
    /// Its beginning.
    #[default]
    Start,
    /// Behind a name, whether there is such an object or not.
    Behind(String),
    /// The end of the page before: its token.
    Token(String),
}

/// Reads a bucket over connections of its own.
pub struct BucketReader {
    bucket: Arc<S3Bucket>,
    settings: RequestSettings,
    lists: Lane,
    objects: Lane,
}

/// The content of an object that is being read.
#[derive(Debug)]
pub struct ObjectBody(Body);

impl ObjectBody {
    /// Returns the next bytes; `None` at the end of the object.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, ReadFault> {
        self.0.piece().await.map_err(|error| ReadFault::away(format!("the object was cut off: {error}")))
    }
}

impl BucketReader {
    /// Makes one that is not connected.
    pub fn new(bucket: Arc<S3Bucket>) -> BucketReader {
        let settings = RequestSettings {
            method: "GET".to_owned(),
            headers: Vec::new(),
            compression: Compression::None,
            timeout: bucket.timeout,
            follows_redirects: false,
            proxy: None,
            tls: bucket.tls.clone(),
        };
        BucketReader { bucket, settings, lists: Lane::default(), objects: Lane::default() }
    }

    /// Returns the objects whose names begin with a prefix, from a place on.
    pub async fn list(&mut self, prefix: &str, from: &ListFrom) -> Result<ObjectList, ReadFault> {
        let url = self.list_url(prefix, from);
        let mut request = self.request(&url, Vec::new());
        // The limit of an answer grows with the number of its results.
        request.messages = LIST_OBJECTS_MAX;
        match self.lists.exchange_twice(&url, &request, &self.settings).await {
            Reply::Status { status: 200..=299, body, .. } => ObjectList::read(&body)
                .map_err(|error| ReadFault { kind: FaultKind::Refused, words: error.to_string() }),
            reply => Err(ReadFault::of(reply, Subject::List)),
        }
    }

    /// Begins to read an object at an offset. An object whose content has changed since it was listed is a fault.
    pub async fn open(&mut self, object: &ListedObject, offset: u64) -> Result<ObjectBody, ReadFault> {
        let url = format!("{}/{}", self.bucket.address, encoded(&object.key));
        let mut headers = Vec::new();
        if !object.etag.is_empty() {
            headers.push(("if-match", object.etag.clone()));
        }
        if offset > 0 {
            headers.push(("range", format!("bytes={offset}-")));
        }
        let request = self.request(&url, headers);
        let mut opened = self.objects.open(&url, &request, &self.settings).await;
        if matches!(opened, Err(Reply::Broken(_))) {
            // A server may close a connection that rests.
            opened = self.objects.open(&url, &request, &self.settings).await;
        }
        let (headers, body) = opened.map_err(|reply| ReadFault::of(reply, Subject::Object))?;
        // Servers of which some ignore conditions: the object that comes must be the one that was listed.
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let is_other = header("etag").is_some_and(|etag| !is_same(etag, &object.etag));
        if is_other && !object.etag.is_empty() {
            let words = "the object was replaced since it was listed".to_owned();
            return Err(ReadFault { kind: FaultKind::Changed, words });
        }
        let begins = format!("bytes {offset}-");
        if offset > 0 && !header("content-range").is_some_and(|range| range.starts_with(&begins)) {
            let words = "the server does not give parts of objects".to_owned();
            return Err(ReadFault { kind: FaultKind::Object, words });
        }
        Ok(ObjectBody(body))
    }

    /// Returns the URL of a page, with the parameters in the order of their names, as they are signed.
    fn list_url(&self, prefix: &str, from: &ListFrom) -> String {
        let (mut token, mut behind) = (None, None);
        match from {
            ListFrom::Start => {}
            ListFrom::Behind(key) => behind = Some(key),
            ListFrom::Token(text) => token = Some(text),
        }
        let mut url = self.bucket.address.clone().into_bytes();
        let is_path = self.bucket.address.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
        url.extend_from_slice(if is_path { b"?" } else { b"/?" });
        if let Some(token) = token {
            url.extend_from_slice(b"continuation-token=");
            encode_into(token.as_bytes(), &mut url);
            url.push(b'&');
        }
        url.extend_from_slice(
            format!("encoding-type=url&list-type=2&max-keys={LIST_OBJECTS_MAX}&prefix=").as_bytes(),
        );
        encode_into(prefix.as_bytes(), &mut url);
        if let Some(behind) = behind {
            url.extend_from_slice(b"&start-after=");
            encode_into(behind.as_bytes(), &mut url);
        }
        // Nothing but letters, digits and signs of URLs was added to a URL.
        String::from_utf8_lossy(&url).into_owned()
    }

    fn request(&self, url: &str, mut headers: Vec<(&'static str, String)>) -> Request {
        let uri: Uri = url.parse().unwrap_or_default();
        let bucket = &self.bucket;
        let login = (&bucket.login, bucket.region.as_str());
        sign_headers(&mut headers, login, ("GET", &uri, EMPTY_SHA256), Timestamp::now());
        Request { messages: 1, headers, answer: AnswerForm::Words, ..Request::default() }
    }
}

/// Compares two marks of contents, of which one may have quotes and the other none.
fn is_same(one: &str, other: &str) -> bool {
    one.trim_matches('"') == other.trim_matches('"')
}
