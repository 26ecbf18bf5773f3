//! Exchanges with a server of prepared answers: how long an answer may be, where redirections lead, when a connection is used
//! again.

use super::*;
use crate::testing::{accept, client, closed_port, pki, runtime};
use std::cell::RefCell;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
};
use transport::{
    testing::Pki,
    tls::{SenderTls, TlsOptions},
};

fn settings() -> RequestSettings {
    RequestSettings {
        method: "POST".to_owned(),
        headers: Vec::new(),
        compression: Compression::None,
        timeout: Duration::from_secs(5),
        follows_redirects: false,
        proxy: None,
        tls: SenderTls::new(TlsOptions::default()),
    }
}

fn request(answer: AnswerForm) -> Request {
    Request { body: Bytes::from_static(b"x"), messages: 2, answer, ..Request::default() }
}

/// Reads the head and the body of one byte of a request; returns its first line.
async fn read_request(peer: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") {
        text.push(peer.read_u8().await.ok()?);
    }
    peer.read_u8().await.ok()?;
    let text = String::from_utf8(text).unwrap();
    Some(text.lines().next().unwrap().to_owned())
}

/// Answers the requests of a connection, and waits for its end.
async fn answer(
    mut peer: impl AsyncRead + AsyncWrite + Unpin,
    answers: &[Vec<u8>],
    heard: &RefCell<Vec<String>>,
) {
    for answer in answers {
        let Some(line) = read_request(&mut peer).await else { break };
        heard.borrow_mut().push(line);
        if peer.write_all(answer).await.is_err() {
            return;
        }
    }
    if peer.read_u8().await.is_err() {
        heard.borrow_mut().push("end".to_owned());
    }
}

fn shown(reply: &Reply) -> String {
    match reply {
        Reply::Status { status, wait, body, .. } => format!("{status} {wait:?} {}", body.len()),
        Reply::Unreachable(why) => format!("unreachable: {why}"),
        Reply::Broken(why) => format!("broken: {why}"),
        Reply::Silent => "silent".to_owned(),
    }
}

/// The paths of requests that are made one after the other, and the answers of each connection.
struct Script {
    scheme: &'static str,
    paths: &'static [&'static str],
    answers: Vec<Vec<Vec<u8>>>,
}

/// Makes the requests, and then closes the connection. Returns how they ended and what the server heard.
fn play(
    pki: &Pki,
    settings: &RequestSettings,
    kind: AnswerForm,
    script: &Script,
) -> (Vec<String>, Vec<String>) {
    let heard = RefCell::new(Vec::new());
    let found = runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let serve = async {
            for answers in &script.answers {
                let (stream, _) = listener.accept().await.unwrap();
                heard.borrow_mut().push("connect".to_owned());
                match script.scheme {
                    "https" => answer(accept(pki, stream).await.unwrap(), answers, &heard).await,
                    _ => answer(stream, answers, &heard).await,
                }
            }
        };
        let ask = async {
            let (mut lane, mut found) = (Lane::default(), Vec::new());
            for path in script.paths {
                let url = format!("{}://127.0.0.1:{port}{path}", script.scheme);
                found.push(shown(&lane.exchange(&url, &request(kind), settings).await));
            }
            lane.close();
            // The task that runs the connection sees that nobody needs it.
            tokio::task::yield_now().await;
            found
        };
        tokio::join!(timeout(Duration::from_secs(5), serve), ask).1
    });
    (found, heard.into_inner())
}

#[track_caller]
fn check(settings: &RequestSettings, kind: AnswerForm, script: &Script, want: &[&str], heard: &[&str]) {
    let (found, said) = play(&pki(), settings, kind, script);
    assert_eq!(found, want);
    assert_eq!(said, heard);
}

fn ok(size: usize) -> Vec<u8> {
    [format!("HTTP/1.1 200 x\r\nContent-Length: {size}\r\n\r\n").into_bytes(), vec![b'y'; size]].concat()
}

fn plain(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

#[test]
fn a_connection_is_used_until_it_is_closed() {
    let script = Script { scheme: "http", paths: &["/a", "/b"], answers: vec![vec![ok(1), ok(2)]] };
    let heard = ["connect", "POST /a HTTP/1.1", "POST /b HTTP/1.1", "end"];
    check(&settings(), AnswerForm::Status, &script, &["200 None 1", "200 None 2"], &heard);
    // Closed by the server while it rested.
    let script = Script {
        scheme: "http",
        paths: &["/a", ""],
        answers: vec![vec![plain("HTTP/1.1 204 x\r\nConnection: close\r\n\r\n")], vec![ok(0)]],
    };
    let heard = ["connect", "POST /a HTTP/1.1", "end", "connect", "POST / HTTP/1.1", "end"];
    check(&settings(), AnswerForm::Status, &script, &["204 None 0", "200 None 0"], &heard);
}

#[test]
fn a_status_is_enough_of_a_long_answer() {
    // The beginning is kept, and the connection while reading to the end is worth it.
    let words = format!("200 None {WORDS_BYTES_MAX}");
    let long =
        Script { scheme: "http", paths: &["/a", "/b"], answers: vec![vec![ok(ANSWER_BYTES_MAX), ok(1)]] };
    let heard = ["connect", "POST /a HTTP/1.1", "POST /b HTTP/1.1", "end"];
    check(&settings(), AnswerForm::Status, &long, &[&words, "200 None 1"], &heard);
    let answers = vec![vec![ok(ANSWER_BYTES_MAX + 1)], vec![ok(1)]];
    let longer = Script { scheme: "http", paths: &["/a", "/b"], answers };
    let (found, said) = play(&pki(), &settings(), AnswerForm::Status, &longer);
    assert_eq!(found, [words.as_str(), "200 None 1"]);
    assert_eq!(said.iter().filter(|line| *line == "connect").count(), 2, "{said:?}");
    let cut = Script {
        scheme: "http",
        paths: &["/a", "/b"],
        answers: vec![
            vec![plain("HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n")],
            vec![ok(1)],
        ],
    };
    let heard = ["connect", "POST /a HTTP/1.1", "end", "connect", "POST /b HTTP/1.1", "end"];
    check(&settings(), AnswerForm::Status, &cut, &["200 None 3", "200 None 1"], &heard);
}

#[test]
fn results_are_read_whole_or_not_at_all() {
    let most = ANSWER_BYTES_MAX + 2 * RESULT_BYTES_MAX;
    let once = |answer| Script { scheme: "http", paths: &["/a"], answers: vec![vec![answer]] };
    let heard = ["connect", "POST /a HTTP/1.1", "end"];
    let results = AnswerForm::Bulk;
    check(&settings(), results, &once(ok(most)), &[&format!("200 None {most}")], &heard);
    let (found, _) = play(&pki(), &settings(), results, &once(ok(most + 1)));
    assert_eq!(found, ["broken: the answer is too long"]);
    // Only a success has results.
    for (status, want) in [(299, WORDS_BYTES_MAX + 1), (300, WORDS_BYTES_MAX), (400, WORDS_BYTES_MAX)] {
        let text = String::from_utf8(ok(WORDS_BYTES_MAX + 1)).unwrap().replace("200", &status.to_string());
        check(&settings(), results, &once(plain(&text)), &[&format!("{status} None {want}")], &heard);
    }
    let cut = once(plain("HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n"));
    let (found, _) = play(&pki(), &settings(), results, &cut);
    assert!(found[0].starts_with("broken: the answer was cut off: "), "{found:?}");
}

#[test]
fn redirections_have_an_end() {
    let to =
        |place: &str| plain(&format!("HTTP/1.1 307 x\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n"));
    let follows = RequestSettings { follows_redirects: true, ..settings() };
    let answers = |last: Vec<u8>| vec![vec![to("/b"), to("/c"), to("/d"), last]];
    let heard =
        ["connect", "POST /a HTTP/1.1", "POST /b HTTP/1.1", "POST /c HTTP/1.1", "POST /d HTTP/1.1", "end"];
    let script = Script { scheme: "http", paths: &["/a"], answers: answers(ok(0)) };
    check(&follows, AnswerForm::Status, &script, &["200 None 0"], &heard);
    let script = Script { scheme: "http", paths: &["/a"], answers: answers(to("/e")) };
    check(&follows, AnswerForm::Status, &script, &["unreachable: too many redirections"], &heard);
    let script = Script { scheme: "http", paths: &["/a"], answers: answers(ok(0)) };
    check(&settings(), AnswerForm::Status, &script, &["307 None 0"], &["connect", "POST /a HTTP/1.1", "end"]);
    // A place that is named without being a redirection leads nowhere.
    let created = plain("HTTP/1.1 201 x\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n");
    let script = Script { scheme: "http", paths: &["/a"], answers: vec![vec![created]] };
    check(&follows, AnswerForm::Status, &script, &["201 None 0"], &["connect", "POST /a HTTP/1.1", "end"]);
    let script = Script { scheme: "http", paths: &["/a"], answers: vec![vec![to("http://[")]] };
    let why = "unreachable: the server redirects to what is no URL";
    check(&follows, AnswerForm::Status, &script, &[why], &["connect", "POST /a HTTP/1.1", "end"]);
}

#[test]
fn an_encrypted_server_is_checked() {
    let pki = pki();
    let trusting = RequestSettings { tls: client(&pki), ..settings() };
    let script = || Script { scheme: "https", paths: &["/a", "/b"], answers: vec![vec![ok(1), ok(2)]] };
    let (found, heard) = play(&pki, &trusting, AnswerForm::Status, &script());
    assert_eq!(found, ["200 None 1", "200 None 2"]);
    assert_eq!(heard, ["connect", "POST /a HTTP/1.1", "POST /b HTTP/1.1", "end"]);
}

#[test]
fn without_an_answer_there_is_a_reason() {
    let url = format!("http://127.0.0.1:{}/", closed_port());
    let found = |url: &str, settings: &RequestSettings| {
        shown(&runtime().block_on(Lane::default().exchange(url, &request(AnswerForm::Status), settings)))
    };
    assert!(found(&url, &settings()).starts_with("unreachable: Connection refused"));
    assert_eq!(found("http://[", &settings()), "unreachable: this is no URL");
    assert_eq!(found("/path", &settings()), "unreachable: this URL has no host");
    let odd = RequestSettings { method: "A B".to_owned(), ..settings() };
    let script = || Script { scheme: "http", paths: &["/a"], answers: vec![vec![]] };
    check(
        &odd,
        AnswerForm::Status,
        &script(),
        &["unreachable: this is no method of HTTP"],
        &["connect", "end"],
    );
    let quick = RequestSettings { timeout: Duration::from_millis(50), ..settings() };
    let silent = Script { scheme: "http", paths: &["/a"], answers: vec![vec![vec![]]] };
    check(&quick, AnswerForm::Status, &silent, &["silent"], &["connect", "POST /a HTTP/1.1", "end"]);
}

#[test]
fn a_server_may_ask_for_a_pause() {
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    for (text, want) in [
        ("120", seconds(120)),
        (" 7 ", seconds(7)),
        ("0", Some(ASKED_WAIT_MIN)),
        ("86400", Some(ASKED_WAIT_MAX)),
        ("Wed, 21 Oct 2015 07:28:00 GMT", Some(ASKED_WAIT_MIN)),
        ("Wed, 21 Oct 2099 07:28:00 GMT", Some(ASKED_WAIT_MAX)),
        ("soon", None),
    ] {
        assert_eq!(asked_wait(text), want, "{text}");
    }
    let soon = jiff::Timestamp::now() + Duration::from_secs(600);
    let text = jiff::fmt::rfc2822::to_string(&soon.to_zoned(jiff::tz::TimeZone::UTC)).unwrap();
    let wait = asked_wait(&text).unwrap();
    assert!(wait > Duration::from_secs(590) && wait <= Duration::from_secs(600), "{wait:?}");
    let busy = plain("HTTP/1.1 503 x\r\nRetry-After: 9\r\nContent-Length: 0\r\n\r\n");
    let script = Script { scheme: "http", paths: &["/a"], answers: vec![vec![busy]] };
    check(
        &settings(),
        AnswerForm::Status,
        &script,
        &["503 Some(9s) 0"],
        &["connect", "POST /a HTTP/1.1", "end"],
    );
}

#[test]
fn addresses_have_ports_of_their_schemes() {
    for (url, want) in [
        ("http://a/x", "http://a:80"),
        ("https://a/x", "https://a:443"),
        ("https://a:80/x", "https://a:80"),
        ("http://[::1]:9200/", "http://[::1]:9200"),
    ] {
        assert_eq!(base(&url.parse().unwrap()), want);
    }
    let from: Uri = "https://a/x".parse().unwrap();
    assert_eq!(resolved(&from, "/y?z").unwrap(), "https://a:443/y?z");
    assert_eq!(resolved(&from, "http://b/").unwrap(), "http://b/");
    assert!(resolved(&from, "http://[").is_err());
}

/// Compares the head of a request.
#[track_caller]
fn check_head(url: &str, change: impl FnOnce(&mut RequestSettings, &mut Request), want: &[&str]) {
    let (mut settings, mut request) = (settings(), request(AnswerForm::Status));
    change(&mut settings, &mut request);
    let built = built(&url.parse().unwrap(), &request, &settings).unwrap();
    let mut found = vec![format!("{} {}", built.method(), built.uri())];
    found.extend(built.headers().iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())));
    assert_eq!(found, want);
}

#[test]
fn a_request_says_what_is_configured() {
    let agent = concat!("user-agent: duramen/", env!("CARGO_PKG_VERSION"));
    let text = "content-type: text/plain; charset=utf-8";
    check_head("http://me:secret@a:8080/x?y", |_, _| {}, &["POST /x?y", "host: a:8080", text, agent]);
    let own = |settings: &mut RequestSettings, request: &mut Request| {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        settings.headers = vec![header("Content-Type", "a/b"), header("User-Agent", "me")];
        settings.compression = Compression::Deflate;
        request.headers = vec![("x-syslog-host", "w\neb\u{7f}".to_owned())];
    };
    let want = [
        "POST /",
        "host: a",
        "content-type: a/b",
        "user-agent: me",
        "x-syslog-host: web",
        "content-encoding: deflate",
    ];
    check_head("http://a", own, &want);
    let proxy = |settings: &mut RequestSettings, _: &mut Request| {
        settings.proxy = Some(delivery::Server { host: "p".to_owned(), port: 3128 });
        settings.compression = Compression::Gzip;
    };
    check_head(
        "http://a/x",
        proxy,
        &["POST http://a:80/x", "host: a", text, agent, "content-encoding: gzip"],
    );
    check_head("https://a/x", proxy, &["POST /x", "host: a", text, agent, "content-encoding: gzip"]);
}
