//! A bucket in memory that speaks as much of S3 as objects of several parts need, and fails on demand.

use crate::testing::requests::read_request;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

/// The fate of one request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    None,
    /// It is carried out, and the connection ends.
    LostAnswer,
    /// The connection ends.
    LostRequest,
    /// The server is busy.
    Busy,
    /// We crash before it is carried out, or after.
    CrashBefore,
    CrashAfter,
    /// Completing fails after the status was sent.
    ErrorInBody,
    /// Somebody has removed the upload.
    Gone,
    /// The server finds another part than it has.
    BrokenParts,
}

/// The bucket.
#[derive(Default)]
pub(super) struct Bucket {
    pub(super) objects: BTreeMap<String, Vec<u8>>,
    uploads: BTreeMap<String, (String, BTreeMap<u32, Vec<u8>>)>,
    /// The requests.
    pub(super) log: Vec<String>,
    fault: Option<(Fault, usize)>,
    was_reached: bool,
    next: usize,
    pub(super) crash: Arc<Notify>,
}

struct Asked {
    method: String,
    key: String,
    query: BTreeMap<String, String>,
    body: Vec<u8>,
    is_conditional: bool,
}

impl Asked {
    fn of((head, body): (String, Vec<u8>)) -> Asked {
        let mut words = head.split(' ');
        let (method, target) = (words.next().unwrap().to_owned(), words.next().unwrap());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap();
            (name.to_owned(), value.replace("%2F", "/"))
        };
        Asked {
            method,
            key: path.trim_start_matches("/logs").trim_start_matches('/').to_owned(),
            query: query.split('&').filter(|pair| !pair.is_empty()).map(pair).collect(),
            body,
            is_conditional: head.contains("\r\nif-none-match: *"),
        }
    }

    fn name(&self) -> String {
        let what = match (self.query.contains_key("uploads"), self.query.contains_key("uploadId")) {
            (true, _) if self.method == "GET" => "list",
            (true, _) => "create",
            (_, true) if self.method == "POST" => "complete",
            (_, true) if self.method == "PUT" => "part",
            (_, true) => "abort",
            _ => "object",
        };
        format!("{} {what} {}", self.method, self.key)
    }
}

fn error(status: u16, code: &str) -> (u16, String, String) {
    (status, String::new(), format!("<Error><Code>{code}</Code><Message>no</Message></Error>"))
}

fn success(body: impl Into<String>) -> (u16, String, String) {
    (200, String::new(), body.into())
}

impl Bucket {
    pub(super) fn new() -> Bucket {
        let mut bucket = Bucket::default();
        bucket.uploads.insert("foreign".to_owned(), ("k-foreign".to_owned(), BTreeMap::new()));
        bucket
    }

    pub(super) fn plan(&mut self, fault: Fault, at: usize) {
        self.fault = Some((fault, at));
    }

    pub(super) fn was_reached(&self) -> bool {
        self.was_reached
    }

    /// Returns the ids of the uploads that are not complete.
    pub(super) fn uploads_left(&self) -> Vec<&str> {
        self.uploads.keys().map(String::as_str).collect()
    }

    /// Returns the numbers of the messages in all objects.
    pub(super) fn lines(&self) -> Vec<u64> {
        let texts = self.objects.values().map(|object| String::from_utf8(object.clone()).unwrap());
        let number = |line: &str| line.trim_start_matches('m').parse().unwrap();
        texts.flat_map(|text| text.lines().map(number).collect::<Vec<u64>>()).collect()
    }

    fn answer(&mut self, asked: &Asked) -> (u16, String, String) {
        let upload = asked.query.get("uploadId").cloned().unwrap_or_default();
        let is_taken = asked.is_conditional && self.objects.contains_key(&asked.key);
        match asked.name().split(' ').nth(1).unwrap() {
            "create" => {
                self.next += 1;
                let id = format!("id/{}", self.next);
                self.uploads.insert(id.clone(), (asked.key.clone(), BTreeMap::new()));
                success(format!(
                    "<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
                ))
            }
            "part" => {
                let number: u32 = asked.query["partNumber"].parse().unwrap();
                let Some((_, parts)) = self.uploads.get_mut(&upload) else {
                    return error(404, "NoSuchUpload");
                };
                parts.insert(number, asked.body.clone());
                (200, format!("ETag: \"{}\"\r\n", asked.body.len()), String::new())
            }
            "complete" if !self.uploads.contains_key(&upload) => error(404, "NoSuchUpload"),
            "complete" | "object" if is_taken && asked.method != "HEAD" => error(412, "PreconditionFailed"),
            "complete" => {
                let (_, parts) = self.uploads.remove(&upload).unwrap();
                let text = String::from_utf8(asked.body.clone()).unwrap();
                let named = text.matches("<PartNumber>").count();
                let chosen: Vec<u8> = (1..=named as u32).flat_map(|number| parts[&number].clone()).collect();
                self.objects.insert(asked.key.clone(), chosen);
                success(
                    "<CompleteMultipartUploadResult xmlns=\"x\"><ETag>e</ETag></CompleteMultipartUploadResult>",
                )
            }
            "abort" => {
                self.uploads.remove(&upload);
                (204, String::new(), String::new())
            }
            "list" => {
                let entry = |(id, (key, _)): (&String, &(String, _))| {
                    format!("<Upload><Key>{key}</Key><UploadId>{id}</UploadId></Upload>")
                };
                let prefix = &asked.query["prefix"];
                let found = self.uploads.iter().filter(|(_, (key, _))| key.starts_with(prefix.as_str()));
                success(format!(
                    "<ListMultipartUploadsResult>{}</ListMultipartUploadsResult>",
                    found.map(entry).collect::<String>()
                ))
            }
            _ if asked.method == "HEAD" => match self.objects.get(&asked.key) {
                Some(object) => (200, format!("Content-Length: {}\r\n", object.len()), String::new()),
                None => (404, "Content-Length: 0\r\n".to_owned(), String::new()),
            },
            _ => {
                self.objects.insert(asked.key.clone(), asked.body.clone());
                success("")
            }
        }
    }

    /// Returns what a request gets, unless the connection ends.
    fn exchange(&mut self, asked: &Asked) -> Option<(u16, String, String)> {
        let at = self.log.len();
        let fault = self.fault.filter(|(_, planned)| *planned == at).map_or(Fault::None, |(fault, _)| fault);
        self.log.push(asked.name());
        self.was_reached |= fault != Fault::None;
        let is_of_upload = asked.query.contains_key("uploadId") && asked.method != "DELETE";
        match fault {
            Fault::None => Some(self.answer(asked)),
            Fault::LostAnswer => {
                self.answer(asked);
                None
            }
            Fault::LostRequest => None,
            Fault::Busy => Some(error(503, "SlowDown")),
            Fault::CrashBefore => {
                self.crash.notify_one();
                None
            }
            Fault::CrashAfter => {
                self.answer(asked);
                self.crash.notify_one();
                None
            }
            Fault::ErrorInBody if asked.name().contains("complete") => {
                Some((200, String::new(), error(0, "InternalError").2))
            }
            Fault::BrokenParts if asked.name().contains("complete") => Some(error(400, "InvalidPart")),
            Fault::Gone if is_of_upload => {
                self.uploads.remove(&asked.query["uploadId"]);
                Some(self.answer(asked))
            }
            Fault::ErrorInBody | Fault::BrokenParts | Fault::Gone => Some(self.answer(asked)),
        }
    }
}

/// Answers the requests of a connection.
async fn serve(mut peer: BufReader<TcpStream>, bucket: Arc<Mutex<Bucket>>) {
    while let Some(request) = read_request(&mut peer).await {
        let asked = Asked::of(request);
        let answer = bucket.lock().unwrap().exchange(&asked);
        let Some((status, headers, body)) = answer else { return };
        let length = match headers.contains("Content-Length") || status == 204 {
            true => String::new(),
            false => format!("Content-Length: {}\r\n", body.len()),
        };
        let text = format!("HTTP/1.1 {status} x\r\n{headers}{length}\r\n{body}");
        if peer.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Answers the requests of all connections.
pub(super) async fn listen(listener: TcpListener, bucket: Arc<Mutex<Bucket>>) {
    while let Ok((peer, _)) = listener.accept().await {
        tokio::spawn(serve(BufReader::new(peer), bucket.clone()));
    }
}
