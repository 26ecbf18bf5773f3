//! Calls to a server with prepared answers.

use super::*;
use crate::{
    http::{Compression, ResponseAction},
    testing::{accept, client, pki, runtime},
};
use delivery::{Connection, Row, failure::Failure, receiver_testing::shown};
use http_body_util::BodyExt;
use hyper::{
    HeaderMap, Response,
    body::{Body, Bytes, Frame},
    server::conn::http2,
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::{
    convert::Infallible,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};
use transport::Endpoint;

/// An answer: trailers as `name: value` lines, and the message before them. Without trailers the connection is closed.
#[derive(Clone)]
pub(crate) struct Say(pub(crate) &'static str, pub(crate) Vec<u8>);

/// `path`, headers in a line each, and the message of a request.
pub(crate) type Heard = (String, String, Vec<u8>);

struct Frames(std::vec::IntoIter<Frame<Bytes>>);

impl Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.next().map(Ok))
    }
}

fn trailers(text: &str) -> HeaderMap {
    let mut map = HeaderMap::new();
    for line in text.lines() {
        let (name, value) = line.split_once(": ").unwrap();
        map.insert(hyper::header::HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
    }
    map
}

async fn serve(
    peer: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    says: Arc<Mutex<Vec<Say>>>,
    heard: Arc<Mutex<Vec<Heard>>>,
) {
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let (says, heard) = (says.clone(), heard.clone());
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await.unwrap().to_bytes().to_vec();
            let mut lines: Vec<String> = head
                .headers
                .iter()
                .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
                .collect();
            lines.sort();
            heard.lock().unwrap().push((head.uri.path().to_owned(), lines.join("\n"), body));
            let Say(text, message) = says.lock().unwrap().remove(0);
            if text.is_empty() {
                return Err(std::io::Error::other("closed"));
            }
            if let Some(status) = text.strip_prefix("HTTP ") {
                let mut answer = Response::new(Frames(Vec::new().into_iter()));
                *answer.status_mut() = status.parse::<u16>().unwrap().try_into().unwrap();
                return Ok(answer);
            }
            let size = u32::try_from(message.len()).unwrap().to_be_bytes();
            let framed = [&[0][..], &size, &message].concat();
            let frames = vec![Frame::data(framed.into()), Frame::trailers(trailers(text))];
            Ok(Response::new(Frames(frames.into_iter())))
        }
    });
    let _ = http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(peer), service).await;
}

pub(crate) fn settings(port: u16) -> GrpcSettings {
    GrpcSettings {
        endpoint: Endpoint { host: "127.0.0.1".to_owned(), port, tls: None },
        headers: vec![("x-token".to_owned(), "secret".to_owned())],
        compression: Compression::None,
        timeout: Duration::from_secs(5),
        keep_alive: None,
        actions: vec![(GrpcStatus(6), ResponseAction::Success), (GrpcStatus(5), ResponseAction::Drop)],
        bounds_errors: false,
    }
}

/// Sends rows, so many times, to a server with these answers. Returns the verdicts and the requests.
pub(crate) fn exchanged(
    connection: impl FnOnce(u16) -> Box<dyn Connection>,
    (group, rows): (&str, &[Row]),
    (says, sends): (&[Say], usize),
) -> (Vec<String>, Vec<Heard>) {
    runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut connection = connection(listener.local_addr().unwrap().port());
        let (says, heard) = (Arc::new(Mutex::new(says.to_vec())), Arc::<Mutex<Vec<Heard>>>::default());
        let kept = heard.clone();
        let server = tokio::spawn(async move {
            while let Ok((peer, _)) = listener.accept().await {
                tokio::spawn(serve(peer, says.clone(), kept.clone()));
            }
        });
        let mut verdicts = Vec::new();
        for _ in 0..sends {
            verdicts.push(shown(&connection.send(group, rows).await));
        }
        connection.close();
        server.abort();
        let heard = heard.lock().unwrap().clone();
        (verdicts, heard)
    })
}

/// Makes a call to a server with this answer.
fn called(
    settings: impl Fn(GrpcSettings) -> GrpcSettings,
    says: &[Say],
) -> (Result<Vec<u8>, Failure>, Vec<Heard>) {
    runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (says, heard) = (Arc::new(Mutex::new(says.to_vec())), Arc::<Mutex<Vec<Heard>>>::default());
        let kept = heard.clone();
        let server = tokio::spawn(async move {
            while let Ok((peer, _)) = listener.accept().await {
                tokio::spawn(serve(peer, says.clone(), kept.clone()));
            }
        });
        let mut channel = Channel::new(Arc::new(settings(self::settings(port))));
        let call = Call { path: "/a.B/C", headers: vec![("x-tenant", "t")], message: b"hello".to_vec() };
        let done = channel.call(call).await;
        server.abort();
        let heard = heard.lock().unwrap().clone();
        (done, heard)
    })
}

#[test]
fn a_call_is_a_message_each_way() {
    let (done, heard) = called(|settings| settings, &[Say("grpc-status: 0", b"thanks".to_vec())]);
    assert_eq!(done.unwrap(), b"thanks");
    let (path, headers, body) = &heard[0];
    assert_eq!((path.as_str(), body.as_slice()), ("/a.B/C", b"\0\0\0\0\x05hello".as_slice()));
    for line in [
        "content-type: application/grpc",
        "grpc-timeout: 5S",
        "te: trailers",
        "x-tenant: t",
        "x-token: secret",
    ] {
        assert!(headers.contains(line), "{headers}");
    }
    let (done, heard) = called(
        |settings| GrpcSettings { compression: Compression::Gzip, ..settings },
        &[Say("grpc-status: 0", Vec::new())],
    );
    assert_eq!(done.unwrap(), b"");
    assert!(heard[0].1.contains("grpc-encoding: gzip"));
    assert_eq!(heard[0].2[0], 1);
    assert!(!format!("{:?}", settings(1)).contains("secret"));
}

#[test]
fn a_status_says_what_becomes_of_messages() {
    #[track_caller]
    fn check(says: &'static str, want: &str) {
        let (done, _) = called(|settings| settings, &[Say(says, Vec::new())]);
        let found = match done {
            Ok(_) => "Delivered".to_owned(),
            Err(Failure { verdict, answer }) => format!("{verdict:?} {answer}"),
        };
        assert_eq!(found, want);
    }
    check("grpc-status: 14\ngrpc-message: not%20now", "Later(Busy) the server answered UNAVAILABLE: not now");
    check("grpc-status: 16", "Hold(Credentials) the server answered UNAUTHENTICATED");
    check("grpc-status: 7", "Hold(Access) the server answered PERMISSION_DENIED");
    check("grpc-status: 12", "Hold(Schema) the server answered UNIMPLEMENTED");
    check("grpc-status: 3\ngrpc-message: bad", "Split(Rejected) the server answered INVALID_ARGUMENT\nbad");
    check("grpc-status: 6", "Delivered");
    check("grpc-status: 5", "Drop the server answered NOT_FOUND");
    check(
        "grpc-status: 8\ngrpc-message: received message larger than max (5 vs 4)",
        "Split(TooLarge) the server answered RESOURCE_EXHAUSTED\nreceived message larger than max (5 vs 4)",
    );
    check("grpc-status: 8", "Later(Busy) the server answered RESOURCE_EXHAUSTED");
    check("grpc-status: 13", "Later(Busy) the server answered INTERNAL");
    check("grpc-status: 400\ngrpc-message: too old", "Split(Rejected) the server answered 400\ntoo old");
    check("grpc-status: 429", "Later(Busy) the server answered 429");
    check("HTTP 404", "Hold(Schema) the server answered 404: this is no answer of gRPC");
    check("HTTP 503", "Later(Busy) the server answered 503: this is no answer of gRPC");
    check("HTTP 400", "Hold(Schema) the server answered 400: this is no answer of gRPC");
    check("HTTP 200", "Later(Busy) the server's answer has no status");
    // Status { code: 8, details: [RetryInfo { retry_delay: { seconds: 7 } }] }
    check(
        "grpc-status: 8\ngrpc-status-details-bin: CAgaMAoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxIECgIIBw",
        "Later(For(7s)) the server answered RESOURCE_EXHAUSTED",
    );
}

#[test]
fn statuses_have_names() {
    for (name, number) in
        [("unavailable", Some(14)), ("RESOURCE_EXHAUSTED", Some(8)), ("data-loss", Some(15)), ("x", None)]
    {
        assert_eq!(GrpcStatus::from_name(name).map(|status| status.0), number);
    }
}

#[test]
fn who_is_not_there_is_tried_later() {
    let port = crate::testing::closed_port();
    let mut channel = Channel::new(Arc::new(settings(port)));
    let call = || Call { path: "/a.B/C", headers: Vec::new(), message: Vec::new() };
    let failure = runtime().block_on(channel.call(call())).unwrap_err();
    assert!(failure.is_of_connection(), "{failure:?}");
}

#[test]
fn a_connection_is_encrypted_when_asked() {
    let pki = pki();
    runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let endpoint = Endpoint { host: "127.0.0.1".to_owned(), port, tls: Some(client(&pki)) };
        let mut channel = Channel::new(Arc::new(GrpcSettings { endpoint, ..settings(port) }));
        let says = Arc::new(Mutex::new(vec![Say("grpc-status: 0", b"safe".to_vec())]));
        let answers = async {
            let (peer, _) = listener.accept().await.unwrap();
            let peer = accept(&pki, peer).await.unwrap();
            tokio::spawn(serve(peer, says, Arc::default()));
        };
        let call = channel.call(Call { path: "/a.B/C", headers: Vec::new(), message: Vec::new() });
        let ((), done) = tokio::join!(answers, call);
        assert_eq!(done.unwrap(), b"safe");
    });
}

#[test]
fn odd_answers_are_read() {
    let map = |text: &str| trailers(text);
    let read = |text: &str| GrpcAnswer::read(200, &map(text), None);
    assert_eq!(read("x: y"), None);
    assert_eq!(read("grpc-status: x"), None);
    let words = read("grpc-status: 2\ngrpc-message: a%0ab%zz%4").unwrap().words;
    assert_eq!(words, "a b%zz%4");
    let wait =
        |details: &str| read(&format!("grpc-status: 14\ngrpc-status-details-bin: {details}")).unwrap().wait;
    assert_eq!(wait("////"), None);
    assert_eq!(wait("GgA="), None);
}
