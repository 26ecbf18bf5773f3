//! Requests to the API server of a cluster, and the events of a watch.
//!
//! In: a node. Out: its pods, page by page, and what changes. Holds: two connections, one for lists and one for a watch.
//! Limits: [`PAGE_PODS`] in a page of [`PAGE_BYTES_MAX`], [`PAGES_MAX`] pages, [`EVENT_BYTES_MAX`] of an event. A watch that says nothing for
//! [`WATCH_SECONDS`] and a while is over: the server ends it by then.
//!
//! Source: Kubernetes API Concepts, "Efficient detection of changes" and "Retrieving large results sets in chunks"; the objects PodList,
//! WatchEvent and Status of its reference.

use super::pod::Pod;
use crate::fault::Fault;
use serde_json::Value;
use services::{DocumentBody, FetchAnswer, FetchError, Fetcher, RequestSettings, encode_into};
use std::{fs, io::Read, path::PathBuf, sync::Arc, time::Duration};
use tokio::time::timeout;
use transport::tls::SenderTls;

/// Pods of a page.
const PAGE_PODS: usize = 10;
/// Most bytes of a page: an object has 1.5 MiB at most, as etcd stores no larger one.
const PAGE_BYTES_MAX: usize = 16 << 20;
/// Most pages of a list: more pods than a node can have.
const PAGES_MAX: usize = 500;
/// Most bytes of an event, which has one object.
const EVENT_BYTES_MAX: usize = 4 << 20;
/// Seconds after which the server ends a watch.
const WATCH_SECONDS: u64 = 120;
/// Silence after which a watch is over, when the server does not end it.
const WATCH_SILENCE: Duration = Duration::from_secs(WATCH_SECONDS + 15);
/// Longest token.
const TOKEN_BYTES_MAX: u64 = 64 << 10;
/// A version that the server does not have any more.
const GONE: u64 = 410;

/// The API server of a cluster, and the node whose pods are wanted.
#[derive(Clone, Debug)]
pub struct ApiServer {
    /// `api-server()`: `https://host:port`, without a path.
    pub url: String,
    /// `node-name()`
    pub node: String,
    /// `token-file()`: read for each request, because tokens are replaced.
    pub token_file: PathBuf,
    /// `ca-file()`
    pub tls: SenderTls,
    /// Longest time until an answer begins.
    pub timeout: Duration,
}

/// The reason why there is no list or no watch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ApiError {
    /// The version is too old: everything has to be listed again.
    Expired,
    /// An event cannot be read: it would come again behind the same version.
    Unreadable(Fault),
    Fault(Fault),
}

impl From<FetchError> for ApiError {
    fn from(error: FetchError) -> ApiError {
        ApiError::Fault(match error {
            FetchError::Silent => Fault::timeout(),
            FetchError::Broken(_) => Fault::server(error.to_string()),
        })
    }
}

fn fault(words: impl Into<String>) -> ApiError {
    ApiError::Fault(Fault::server(words))
}

fn unreadable(words: impl Into<String>) -> ApiError {
    ApiError::Unreadable(Fault::server(words))
}

/// A page of a list.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) pods: Vec<Pod>,
    pub(super) version: String,
    /// The token of the next page.
    next: Option<String>,
}

/// A change.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// A pod came, or changed.
    Present(Pod),
    Deleted(Pod),
    /// A bookmark, or an object that no file of a pod has: nothing else changed up to its version.
    Nothing,
}

/// Connections to the API server.
pub(super) struct ApiClient {
    server: ApiServer,
    lists: Fetcher,
    watches: Fetcher,
}

impl ApiClient {
    /// Makes one that is not connected.
    pub(super) fn new(server: ApiServer) -> ApiClient {
        let settings = |timeout| {
            Arc::new(RequestSettings {
                method: "GET".to_owned(),
                headers: vec![("Accept".to_owned(), "application/json".to_owned())],
                compression: services::Compression::None,
                timeout,
                follows_redirects: false,
                proxy: None,
                tls: server.tls.clone(),
            })
        };
        let (lists, watches) = (settings(server.timeout), settings(WATCH_SILENCE));
        ApiClient { lists: Fetcher::new(lists), watches: Fetcher::new(watches), server }
    }

    /// Lists the pods of the node, and gives each page to a function. Returns the version of the list.
    pub(super) async fn list(&mut self, mut take: impl FnMut(Vec<Pod>)) -> Result<String, ApiError> {
        let mut next: Option<String> = None;
        for _ in 0..PAGES_MAX {
            let mut url = format!("{}&limit={PAGE_PODS}", self.pods_url());
            if let Some(token) = &next {
                url = format!("{url}&continue={}", encoded(token));
            }
            let headers = self.headers()?;
            let mut body = opened(self.lists.open(&url, headers).await?)?;
            let page = read_page(&whole(&mut body).await?)?;
            take(page.pods);
            next = page.next;
            if next.is_none() {
                return Ok(page.version);
            }
        }
        Err(fault(format!("the list of pods has more than {PAGES_MAX} pages")))
    }

    /// Begins to watch changes behind a version.
    pub(super) async fn watch(&mut self, version: &str) -> Result<Events, ApiError> {
        let url = format!(
            "{}&watch=1&allowWatchBookmarks=true&timeoutSeconds={WATCH_SECONDS}&resourceVersion={}",
            self.pods_url(),
            encoded(version)
        );
        let headers = self.headers()?;
        match timeout(self.server.timeout, self.watches.open(&url, headers)).await {
            Ok(answer) => Ok(Events { body: opened(answer?)?, bytes: Vec::new(), searched: 0 }),
            Err(_) => {
                self.watches.close();
                Err(ApiError::Fault(Fault::timeout()))
            }
        }
    }

    fn pods_url(&self) -> String {
        let selector = encoded(&format!("spec.nodeName={}", self.server.node));
        format!("{}/api/v1/pods?fieldSelector={selector}", self.server.url)
    }

    fn headers(&self) -> Result<Vec<(&'static str, String)>, ApiError> {
        let path = &self.server.token_file;
        let mut token = String::new();
        let read =
            fs::File::open(path).and_then(|file| file.take(TOKEN_BYTES_MAX).read_to_string(&mut token));
        match read {
            Ok(_) => Ok(vec![("authorization", format!("Bearer {}", token.trim()))]),
            Err(error) => Err(fault(format!("cannot read the token: {}: {error}", path.display()))),
        }
    }
}

/// The events of a watch.
pub(super) struct Events {
    body: DocumentBody,
    bytes: Vec<u8>,
    /// Bytes of them that have no end of line.
    searched: usize,
}

impl Events {
    /// Returns the next event, with the version up to which everything is known then; `None` when the server ends the watch.
    pub(super) async fn next(&mut self) -> Result<Option<(Event, Option<String>)>, ApiError> {
        loop {
            if let Some(end) = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.bytes.drain(..=self.searched + end).collect();
                self.searched = 0;
                if line.trim_ascii().is_empty() {
                    continue;
                }
                return read_event(&line).map(Some);
            }
            self.searched = self.bytes.len();
            if self.bytes.len() > EVENT_BYTES_MAX {
                return Err(unreadable("an event is too long"));
            }
            match self.body.piece().await? {
                Some(piece) => self.bytes.extend_from_slice(&piece),
                None => return Ok(None),
            }
        }
    }
}

async fn whole(body: &mut DocumentBody) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    while let Some(piece) = body.piece().await? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > PAGE_BYTES_MAX {
            return Err(fault("a page of the list is too long"));
        }
    }
    Ok(bytes)
}

fn opened(answer: FetchAnswer) -> Result<DocumentBody, ApiError> {
    match answer {
        FetchAnswer::Body(body) => Ok(body),
        FetchAnswer::Other(document) if u64::from(document.status) == GONE => Err(ApiError::Expired),
        FetchAnswer::Other(document) => {
            let status = serde_json::from_slice::<Value>(&document.body).unwrap_or_default();
            let message = status.get("message").and_then(Value::as_str).unwrap_or_default();
            let colon = if message.is_empty() { "" } else { ": " };
            Err(fault(format!("the API server answered {}{colon}{message}", document.status)))
        }
    }
}

fn read_page(bytes: &[u8]) -> Result<Page, ApiError> {
    let list: Value = serde_json::from_slice(bytes).map_err(|_| fault("the list of pods is no JSON"))?;
    let items = list.get("items").and_then(Value::as_array);
    let version = version_of(&list).ok_or_else(|| fault("the list of pods has no version"))?;
    let next = list.pointer("/metadata/continue").and_then(Value::as_str).filter(|next| !next.is_empty());
    Ok(Page {
        pods: items.into_iter().flatten().filter_map(Pod::read).collect(),
        version,
        next: next.map(str::to_owned),
    })
}

fn read_event(line: &[u8]) -> Result<(Event, Option<String>), ApiError> {
    let event: Value = serde_json::from_slice(line).map_err(|_| unreadable("an event is no JSON"))?;
    let object = event.get("object").unwrap_or(&Value::Null);
    let pod = |event: fn(Pod) -> Event| Pod::read(object).map_or(Event::Nothing, event);
    let read = match event.get("type").and_then(Value::as_str).unwrap_or_default() {
        "ADDED" | "MODIFIED" => pod(Event::Present),
        "DELETED" => pod(Event::Deleted),
        "BOOKMARK" => Event::Nothing,
        "ERROR" if object.get("code").and_then(Value::as_u64) == Some(GONE) => return Err(ApiError::Expired),
        "ERROR" => {
            let message = object.get("message").and_then(Value::as_str).unwrap_or_default();
            return Err(unreadable(format!("the API server ends the watch: {message}")));
        }
        _ => return Err(unreadable("an event is of no known type")),
    };
    Ok((read, version_of(object)))
}

fn version_of(object: &Value) -> Option<String> {
    object.pointer("/metadata/resourceVersion").and_then(Value::as_str).map(str::to_owned)
}

fn encoded(text: &str) -> String {
    let mut bytes = Vec::new();
    encode_into(text.as_bytes(), &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
