//! The calls of WebHDFS.
//!
//! In: operations on files. Out: what a server answered. Holds: a connection to the NameNode and one to a DataNode; the
//! number of the NameNode that answered last. Limits: `timeout()` for a request; each NameNode is asked once a call.
//!
//! Bytes go to a DataNode: the NameNode answers 307 with its address. The DataNode closes the file before it answers.

use super::verdict::{self, RemoteError};
use crate::{
    http::{AnswerForm, Compression, Lane, Reply, Request, RequestSettings},
    url::{encoded, server_url},
};
use delivery::failure::Failure;
use hyper::{body::Bytes, header::LOCATION};
use serde_json::Value;
use std::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use transport::tls::SenderTls;

/// The port of WebHDFS on a NameNode, since Hadoop 3.
const WEB_PORT: u16 = 9870;

/// The reason why a text is no address of a NameNode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameNodeError;

impl fmt::Display for NameNodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the address of a NameNode is http://HOST:9870, https://HOST:9871 or hdfs://HOST:8020")
    }
}

impl std::error::Error for NameNodeError {}

/// Returns the URL of WebHDFS on a NameNode. `hdfs://` and `webhdfs://` are other words; the port of the first is not that
/// of WebHDFS, so the usual one is taken.
pub fn name_node_address(uri: &str) -> Result<String, NameNodeError> {
    let url = match uri.split_once("://") {
        Some(("hdfs", rest)) => {
            let host = rest.trim_end_matches('/');
            let host = host
                .rsplit_once(':')
                .filter(|(_, port)| port.parse::<u16>().is_ok())
                .map_or(host, |(host, _)| host);
            format!("http://{host}:{WEB_PORT}")
        }
        Some(("webhdfs", rest)) => format!("http://{rest}"),
        Some(("swebhdfs", rest)) => format!("https://{rest}"),
        _ => uri.to_owned(),
    };
    let bare = server_url(&url).ok_or(NameNodeError)?;
    let is_root = bare.split("://").nth(1).is_some_and(|rest| !rest.contains('/'));
    if is_root { Ok(format!("{bare}/webhdfs/v1")) } else { Err(NameNodeError) }
}

/// The NameNodes, and how they are asked.
#[derive(Debug)]
pub(super) struct NameNodes {
    urls: Vec<String>,
    /// The user in each address.
    user: String,
    active: AtomicUsize,
    get: RequestSettings,
    put: RequestSettings,
    post: RequestSettings,
}

/// The methods of HTTP that WebHDFS uses.
#[derive(Clone, Copy)]
enum Method {
    Get,
    Put,
    Post,
}

impl NameNodes {
    pub(super) fn new(urls: &[String], username: &str, timeout: Duration, tls: SenderTls) -> NameNodes {
        let settings = |method: &str| RequestSettings {
            method: method.to_owned(),
            headers: Vec::new(),
            compression: Compression::None,
            timeout,
            follows_redirects: false,
            proxy: None,
            tls: tls.clone(),
        };
        NameNodes {
            urls: urls.to_owned(),
            user: format!("user.name={}", encoded(username)),
            active: AtomicUsize::new(0),
            get: settings("GET"),
            put: settings("PUT"),
            post: settings("POST"),
        }
    }

    fn settings(&self, method: Method) -> &RequestSettings {
        match method {
            Method::Get => &self.get,
            Method::Put => &self.put,
            Method::Post => &self.post,
        }
    }
}

/// Connections to a NameNode and to a DataNode.
#[derive(Default)]
pub(super) struct Lanes {
    name_node: Lane,
    data_node: Lane,
}

/// The reason why an operation did not succeed.
#[derive(Debug)]
pub(super) enum OperationError {
    /// The server refused it: nothing was written.
    Refused(RemoteError),
    /// Nothing was sent.
    NotSent(Failure),
    /// Bytes were sent, and the server has all of them, some or none.
    InDoubt(Failure),
}

impl Lanes {
    /// Closes the connections.
    pub(super) fn close(&mut self) {
        self.name_node.close();
        self.data_node.close();
    }

    /// Makes an empty file. One that is there is an error.
    pub(super) async fn create(&mut self, nodes: &NameNodes, path: &str) -> Result<(), OperationError> {
        self.write(nodes, Method::Put, path, "op=CREATE&overwrite=false", Bytes::new()).await
    }

    /// Appends bytes to a file, or nothing: then the file is closed afterwards, and its length is exact.
    pub(super) async fn append(
        &mut self,
        nodes: &NameNodes,
        path: &str,
        bytes: Bytes,
    ) -> Result<(), OperationError> {
        self.write(nodes, Method::Post, path, "op=APPEND", bytes).await
    }

    /// Returns the length of a file.
    pub(super) async fn length(&mut self, nodes: &NameNodes, path: &str) -> Result<u64, OperationError> {
        let (_, body) = self.ask(nodes, Method::Get, path, "op=GETFILESTATUS").await?;
        let status: Value = serde_json::from_slice(&body).unwrap_or_default();
        let length = status.get("FileStatus").and_then(|status| status.get("length")).and_then(Value::as_u64);
        let is_file =
            status.get("FileStatus").and_then(|status| status.get("type")?.as_str()) == Some("FILE");
        match length {
            Some(length) if is_file => Ok(length),
            Some(_) => Err(OperationError::Refused(RemoteError::no_file(path))),
            None => Err(OperationError::NotSent(verdict::not_webhdfs())),
        }
    }

    /// Moves a file into a folder, which is made if it is missing.
    pub(super) async fn move_into(
        &mut self,
        nodes: &NameNodes,
        path: &str,
        folder: &str,
    ) -> Result<(), OperationError> {
        self.ask(nodes, Method::Put, folder, "op=MKDIRS").await?;
        let name = path.rsplit('/').next().unwrap_or_default();
        let target = encoded(&format!("{}/{name}", folder.trim_end_matches('/')));
        self.ask(nodes, Method::Put, path, &format!("op=RENAME&destination={target}")).await?;
        Ok(())
    }

    /// Gives a file another name.
    pub(super) async fn rename(
        &mut self,
        nodes: &NameNodes,
        path: &str,
        target: &str,
    ) -> Result<(), OperationError> {
        let query = format!("op=RENAME&destination={}", encoded(target));
        self.ask(nodes, Method::Put, path, &query).await.map(drop)
    }

    /// Sends bytes to the DataNode that the NameNode names.
    async fn write(
        &mut self,
        nodes: &NameNodes,
        method: Method,
        path: &str,
        query: &str,
        bytes: Bytes,
    ) -> Result<(), OperationError> {
        let (location, _) = self.ask(nodes, method, path, query).await?;
        let location = location.ok_or_else(|| OperationError::NotSent(verdict::not_webhdfs()))?;
        let headers = vec![("content-type", "application/octet-stream".to_owned())];
        let request = Request { body: bytes, messages: 1, headers, ..Request::default() };
        let reply = self.data_node.exchange(&location, &request, nodes.settings(method)).await;
        match reply {
            Reply::Unreachable(answer) => Err(OperationError::NotSent(verdict::busy(answer))),
            Reply::Broken(answer) => Err(OperationError::InDoubt(verdict::busy(answer))),
            Reply::Silent => Err(OperationError::InDoubt(verdict::silent())),
            Reply::Status { status: 200..=299, .. } => Ok(()),
            Reply::Status { status, body, .. } => match RemoteError::read(status, &body) {
                // It was refused before the first byte was written.
                error if error.is_of_opening() => Err(OperationError::Refused(error)),
                error => Err(OperationError::InDoubt(error.failure())),
            },
        }
    }

    /// Asks the NameNode that answered last, then the others. Returns where it redirects to, and the body.
    async fn ask(
        &mut self,
        nodes: &NameNodes,
        method: Method,
        path: &str,
        query: &str,
    ) -> Result<(Option<String>, Vec<u8>), OperationError> {
        let answer = AnswerForm::Words;
        let headers = vec![("content-type", "application/octet-stream".to_owned())];
        let request = Request { messages: 1, headers, answer, ..Request::default() };
        let first = nodes.active.load(Ordering::Relaxed);
        let mut last = OperationError::NotSent(verdict::not_webhdfs());
        for place in (0..nodes.urls.len()).map(|offset| (first + offset) % nodes.urls.len()) {
            let url = format!("{}{}?{query}&{}", nodes.urls[place], encoded(path), nodes.user);
            let reply = self.name_node.exchange_twice(&url, &request, nodes.settings(method)).await;
            last = match reply {
                Reply::Status { status: 200..=299 | 307, headers, body, .. } => {
                    nodes.active.store(place, Ordering::Relaxed);
                    let location = headers.get(LOCATION).and_then(|place| place.to_str().ok());
                    return Ok((location.map(str::to_owned), body));
                }
                Reply::Status { status, body, .. } => {
                    let error = RemoteError::read(status, &body);
                    if !error.is_of_another_node() {
                        nodes.active.store(place, Ordering::Relaxed);
                        return Err(OperationError::Refused(error));
                    }
                    OperationError::Refused(error)
                }
                Reply::Unreachable(answer) => OperationError::NotSent(Failure::unreachable(answer)),
                Reply::Broken(answer) => OperationError::NotSent(verdict::busy(answer)),
                Reply::Silent => OperationError::NotSent(verdict::silent()),
            };
        }
        Err(last)
    }
}
