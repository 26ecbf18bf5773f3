//! The requests about uploads, and what their answers mean.
//!
//! In: an object, its parts. Out: what the server has. Holds: nothing. Limits: [`LISTED`] uploads of a list; `timeout()` for a request.
//!
//! The forms are those of CreateMultipartUpload, UploadPart, CompleteMultipartUpload, AbortMultipartUpload, ListMultipartUploads and
//! HeadObject in the reference of Amazon S3.

use super::{record::UploadedPart, upload::PartBody};
use crate::{
    http::{AnswerForm, Lane, Reply, Request, RequestSettings},
    s3::{
        options::S3Checksum,
        shared::Shared,
        signature::sign_headers,
        verdict::{self, ServerError},
    },
    url::{encode_into, encoded},
};
use aws_lc_rs::digest::{SHA256, digest};
use delivery::{Verdict, Wait, failure::Failure};
use hyper::{Uri, body::Bytes};
use jiff::Timestamp;
use quick_xml::escape::unescape;
use std::sync::atomic::Ordering;

/// The status of a server that does not know a header.
const NOT_IMPLEMENTED: u16 = 501;
/// Codes of servers that will never complete an upload, because of its parts.
const BROKEN: [&str; 4] = ["InvalidPart", "InvalidPartOrder", "EntityTooSmall", "MalformedXML"];
/// The limit of an answer grows by this number of results: a list has up to a thousand uploads.
const LISTED: usize = 1000;

/// The answer to a request for an upload that may not exist any more.
#[derive(Debug)]
pub(super) enum CallError {
    /// The server has no such upload.
    Gone,
    /// Anything else.
    Failed(Failure),
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> CallError {
        CallError::Failed(failure)
    }
}

/// The state of an object at the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stored {
    /// The server has it, with all its bytes.
    Yes,
    /// The server has none of this name.
    No,
    /// The server has another one.
    Other,
}

/// Requests over a connection.
pub(super) struct Calls<'a> {
    pub(super) shared: &'a Shared,
    pub(super) lane: &'a mut Lane,
}

impl Calls<'_> {
    /// Begins an upload. It is sent once only: each would begin another.
    pub(super) async fn create(&mut self, object: &str) -> Result<String, Failure> {
        let url = self.url(object, "uploads=");
        let mut headers = self.shared.headers.clone();
        if self.shared.checksum == S3Checksum::Sent {
            headers.push(("x-amz-checksum-algorithm", "SHA256".to_owned()));
        }
        let (request, settings) = self.request("POST", &url, headers, PartBody::empty());
        let reply = self.lane.exchange(&url, &request, &settings).await;
        let body = succeeded(reply)?;
        let id = text_of(&body, "UploadId").filter(|id| !id.is_empty());
        id.ok_or_else(|| no_s3("the server began an upload without an id"))
    }

    /// Uploads a part, again if it has one of this number. Returns its ETag.
    pub(super) async fn upload_part(
        &mut self,
        (object, upload, number): (&str, &str, u32),
        body: &PartBody,
    ) -> Result<String, CallError> {
        let url = self.url(object, &format!("partNumber={number}&uploadId={}", in_query(upload)));
        let mut headers = Vec::new();
        if self.shared.checksum == S3Checksum::Sent {
            headers.push(("x-amz-checksum-sha256", body.sha256_base64.clone()));
        }
        match self.exchange("PUT", &url, headers, body.clone()).await {
            Reply::Status { status: 200..=299, headers, .. } => {
                let etag = headers.get("etag").and_then(|etag| etag.to_str().ok());
                let etag = etag.filter(|etag| !etag.is_empty()).map(str::to_owned);
                etag.ok_or_else(|| no_s3("the server stored a part without an ETag").into())
            }
            reply => Err(gone_or_failed(reply)),
        }
    }

    /// Stores an object that has no parts. `Ok` also if the server had it before: nobody else makes its name.
    pub(super) async fn put(&mut self, object: &str, body: &PartBody) -> Result<(), Failure> {
        let url = self.url(object, "");
        let mut headers = self.shared.headers.clone();
        if self.shared.checksum == S3Checksum::Sent {
            headers.push(("x-amz-checksum-sha256", body.sha256_base64.clone()));
        }
        verdict::of_reply(self.exchange_new("PUT", &url, headers, body.clone()).await)
    }

    /// Completes an object. `Ok`: what the server has under its name, of so many bytes.
    pub(super) async fn complete(
        &mut self,
        (object, upload): (&str, &str),
        parts: &[UploadedPart],
    ) -> Result<Stored, Failure> {
        let url = self.url(object, &format!("uploadId={}", in_query(upload)));
        let size = parts.iter().map(|part| part.size).sum();
        let headers = vec![("content-type", "application/xml".to_owned())];
        let body = PartBody::new(completion(parts, self.shared.checksum).into());
        let reply = self.exchange_new("POST", &url, headers, body).await;
        match reply {
            Reply::Status { status: 200..=299, wait, headers, body } => {
                // The status was sent before the server began; what came of it is in the body.
                let error = ServerError::read(&body);
                if !error.code.is_empty() {
                    let status = if BROKEN.contains(&error.code.as_str()) { 400 } else { 500 };
                    let reply = Reply::Status { status, wait, headers, body };
                    return Err(failure_of(reply));
                }
                match text_of(&body, "CompleteMultipartUploadResult") {
                    Some(_) => Ok(Stored::Yes),
                    None => self.look(object, size).await,
                }
            }
            Reply::Status { status: 412, .. } => self.look(object, size).await,
            reply => match gone_or_failed(reply) {
                // Either an earlier answer was lost, or somebody has removed the upload.
                CallError::Gone => self.look(object, size).await,
                CallError::Failed(failure) => Err(failure),
            },
        }
    }

    /// Looks for an object of so many bytes.
    pub(super) async fn look(&mut self, object: &str, size: u64) -> Result<Stored, Failure> {
        let url = self.url(object, "");
        match self.exchange("HEAD", &url, Vec::new(), PartBody::empty()).await {
            Reply::Status { status: 200..=299, headers, .. } => {
                let length = headers.get("content-length").and_then(|length| length.to_str().ok());
                let is_same = length.and_then(|length| length.parse().ok()) == Some(size);
                Ok(if is_same { Stored::Yes } else { Stored::Other })
            }
            Reply::Status { status: 404, .. } => Ok(Stored::No),
            reply => Err(failure_of(reply)),
        }
    }

    /// Removes an upload with its parts. `Ok` also if the server has none.
    pub(super) async fn abort(&mut self, object: &str, upload: &str) -> Result<(), Failure> {
        let url = self.url(object, &format!("uploadId={}", in_query(upload)));
        match self.exchange("DELETE", &url, Vec::new(), PartBody::empty()).await {
            Reply::Status { status: 200..=299 | 404, .. } => Ok(()),
            reply => Err(failure_of(reply)),
        }
    }

    /// Removes all uploads for an object, whose answers were lost.
    pub(super) async fn abort_all(&mut self, object: &str) -> Result<(), Failure> {
        let url = self.bucket_url(&format!("prefix={}&uploads=", in_query(object)));
        let (mut request, settings) = self.request("GET", &url, Vec::new(), PartBody::empty());
        request.messages = LISTED;
        let body = succeeded(self.lane.exchange_twice(&url, &request, &settings).await)?;
        for upload in uploads_of(&body, object) {
            self.abort(object, &upload).await?;
        }
        Ok(())
    }

    /// Sends a request that makes an object only if there is none of its name; to a server that does not know this condition, once
    /// more without it.
    async fn exchange_new(
        &mut self,
        method: &'static str,
        url: &str,
        headers: Vec<(&'static str, String)>,
        body: PartBody,
    ) -> Reply {
        if self.shared.is_conditional.load(Ordering::Relaxed) {
            let mut conditional = headers.clone();
            conditional.push(("if-none-match", "*".to_owned()));
            let reply = self.exchange(method, url, conditional, body.clone()).await;
            if !matches!(reply, Reply::Status { status: NOT_IMPLEMENTED, .. }) {
                return reply;
            }
            self.shared.is_conditional.store(false, Ordering::Relaxed);
        }
        self.exchange(method, url, headers, body).await
    }

    async fn exchange(
        &mut self,
        method: &'static str,
        url: &str,
        headers: Vec<(&'static str, String)>,
        body: PartBody,
    ) -> Reply {
        let (request, settings) = self.request(method, url, headers, body);
        self.lane.exchange_twice(url, &request, &settings).await
    }

    fn request(
        &self,
        method: &'static str,
        url: &str,
        mut headers: Vec<(&'static str, String)>,
        body: PartBody,
    ) -> (Request, RequestSettings) {
        let shared = self.shared;
        let uri: Uri = url.parse().unwrap_or_default();
        let signed = (method, &uri, body.sha256_hex.as_str());
        sign_headers(&mut headers, (&shared.login, &shared.region), signed, Timestamp::now());
        let request = Request {
            body: body.bytes,
            messages: 1,
            headers,
            answer: AnswerForm::Words,
            ..Request::default()
        };
        (request, RequestSettings { method: method.to_owned(), ..shared.settings.clone() })
    }

    fn url(&self, object: &str, query: &str) -> String {
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}/{}{mark}{query}", self.shared.address, encoded(object))
    }

    fn bucket_url(&self, query: &str) -> String {
        let address = &self.shared.address;
        let is_path = address.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
        format!("{address}{}{query}", if is_path { "?" } else { "/?" })
    }
}

/// Returns the list of parts that completes an object.
fn completion(parts: &[UploadedPart], checksum: S3Checksum) -> String {
    let mut text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">".to_owned();
    for UploadedPart { number, etag, checksum: sha256, .. } in parts {
        let etag = quick_xml::escape::escape(etag.as_str());
        text.push_str(&format!("<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag>"));
        if checksum == S3Checksum::Sent && !sha256.is_empty() {
            text.push_str(&format!("<ChecksumSHA256>{sha256}</ChecksumSHA256>"));
        }
        text.push_str("</Part>");
    }
    text.push_str("</CompleteMultipartUpload>");
    text
}

/// Returns the body of a success.
fn succeeded(reply: Reply) -> Result<Vec<u8>, Failure> {
    match reply {
        Reply::Status { status: 200..=299, body, .. } => Ok(body),
        reply => Err(failure_of(reply)),
    }
}

/// Judges an answer that is no success.
fn failure_of(reply: Reply) -> Failure {
    let is_failure = verdict::of_reply(reply);
    is_failure.err().unwrap_or_else(|| no_s3("the server answered with what was not asked for"))
}

fn gone_or_failed(reply: Reply) -> CallError {
    if let Reply::Status { body, .. } = &reply
        && ServerError::read(body).code == "NoSuchUpload"
    {
        return CallError::Gone;
    }
    CallError::Failed(failure_of(reply))
}

fn no_s3(answer: &str) -> Failure {
    Failure { verdict: Verdict::Later(Wait::BackOff), answer: answer.to_owned() }
}

fn in_query(text: &str) -> String {
    let mut out = Vec::new();
    encode_into(text.as_bytes(), &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns the text of the first element of a name, which may have attributes.
fn text_of(body: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let (_, rest) = text.split_once(&format!("<{name}"))?;
    let (_, rest) = rest.split_once('>')?;
    let (inside, _) = rest.split_once(&format!("</{name}>"))?;
    unescape(inside).ok().map(|plain| plain.into_owned())
}

/// Returns the ids of the uploads of a list that are for an object, and for none whose name only begins like it.
fn uploads_of(body: &[u8], object: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(body);
    let entries = text.split("<Upload>").skip(1).map(str::as_bytes);
    let ours = entries.filter(|entry| text_of(entry, "Key").as_deref() == Some(object));
    ours.filter_map(|entry| text_of(entry, "UploadId")).collect()
}

impl PartBody {
    /// A body without bytes.
    pub(super) fn empty() -> PartBody {
        PartBody::new(Bytes::new())
    }

    /// A body with its digest.
    pub(super) fn new(bytes: Bytes) -> PartBody {
        PartBody::of_digest(bytes.clone(), digest(&SHA256, &bytes).as_ref())
    }
}
