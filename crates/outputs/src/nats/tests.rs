//! Lines, subjects, verdicts, and exchanges with a server of a few lines.

use super::{
    connection::{NatsConnection, Shared},
    options::NatsStorage,
    protocol::{self, Line},
    subject, verdict,
};
use crate::{
    link::Endpoint,
    testing::{runtime, shown},
};
use delivery::{Connection, Row};
use message::RecordId;
use proptest::{collection::vec, prelude::any, proptest};
use std::{cell::Cell, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpListener,
    runtime::Builder,
};
use transport::nats::NatsLogin;

#[test]
fn publications_are_lines_with_lengths() {
    let mut out = Vec::new();
    let id = RecordId { incarnation: 1, sequence: 2 };
    protocol::publish_to_stream((b"a.b", b"x\r\ny"), id, "_INBOX.i.", 7, &mut out);
    let head = "NATS/1.0\r\nNats-Msg-Id: 00000000000000010000000000000002\r\n\r\n";
    let want = format!("HPUB a.b _INBOX.i.7 {} {}\r\n{head}x\r\ny\r\n", head.len(), head.len() + 4);
    assert_eq!(String::from_utf8_lossy(&out), want);
    assert!(head.len() <= 64);
    out.clear();
    protocol::publish(b"a.b", b"", &mut out);
    assert_eq!(out, b"PUB a.b 0\r\n\r\n");
}

#[track_caller]
fn check_line(bytes: &[u8], want: Result<Option<(Line<'_>, usize)>, &str>) {
    assert_eq!(
        protocol::decode(bytes, "i.").map_err(|breach| breach.0),
        want,
        "{}",
        String::from_utf8_lossy(bytes)
    );
}

#[test]
fn lines_are_read_whatever_they_are() {
    check_line(b"", Ok(None));
    check_line(b"PING\r", Ok(None));
    check_line(b"PING\r\nx", Ok(Some((Line::Ping, 6))));
    check_line(b"PONG\r\n", Ok(Some((Line::Pong, 6))));
    check_line(b"+OK\r\n", Ok(Some((Line::Done, 5))));
    check_line(b"INFO {}\r\n", Ok(Some((Line::Greeting(b"{}"), 9))));
    check_line(b"-ERR 'No'\r\n", Ok(Some((Line::Refused("No".to_owned()), 11))));
    check_line(b"MSG i.3 1 2\r\n{}\r\n", Ok(Some((Line::Answer(3, b"{}"), 17))));
    check_line(b"MSG i.3 1 2\r\n{}\r", Ok(None));
    check_line(b"HMSG i.3 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", Ok(Some((Line::Status(3, 503), 36))));
    check_line(b"HMSG i.3 1 12 14\r\nNATS/1.0\r\n\r\n{}\r\n", Ok(Some((Line::Answer(3, b"{}"), 34))));
    check_line(b"MSG j.3 1 2\r\n{}\r\n", Err("it answers what was not published"));
    check_line(b"MSG i.x 1 2\r\n{}\r\n", Err("it answers what was not published"));
    check_line(b"MSG i.3 1 x\r\n{}\r\n", Err("a text has no length"));
    check_line(b"MSG i.3 1 2\r\n{}abc", Err("a text is longer than it says"));
    check_line(b"MSG i.3 1 99999999\r\n", Err("its answer is too long"));
    check_line(b"MSG i.3 1 18446744073709551615\r\n", Err("its answer is too long"));
    check_line(b"HMSG i.3 1 9 2\r\n{}\r\n", Err("a head has no length"));
    check_line(b"PING\n", Err("a line has another end"));
    check_line(b"HTTP/1.1 200 OK\r\n", Err("this is no server of NATS"));
    check_line(&vec![b'x'; 1 << 19], Err("a line has no end"));
}

proptest! {
    #[test]
    fn no_line_makes_decoding_fail(bytes in vec(any::<u8>(), 0..64), verb in 0_usize..4) {
        let mut line = [&b"MSG "[..], b"HMSG i.1 ", b"-ERR ", b""][verb].to_vec();
        line.extend_from_slice(&bytes);
        line.extend_from_slice(b"\r\n\r\n");
        if let Ok(Some((_, size))) = protocol::decode(&line, "i.") {
            assert!(size <= line.len());
        }
    }
}

#[test]
fn no_subject_is_a_command() {
    let found = |text: &[u8]| subject::check(text).map(str::to_owned).map_err(|error| error.to_string());
    assert_eq!(found("log.wéb.$x".as_bytes()), Ok("log.wéb.$x".to_owned()));
    for (text, words) in [
        (&b""[..], "is empty"),
        (b"a..b", "is empty"),
        (b"a.", "is empty"),
        (b"a b", "has a blank"),
        (b"a\r\nPUB x 0\r\n", "has a blank"),
        ("a\u{a0}b".as_bytes(), "has a blank"),
        (b"a\0", "control character"),
        (b"a.*", "has a * or a >"),
        (b">", "has a * or a >"),
        (b"$JS.API.STREAM.DELETE.logs", "begins with a $"),
        (b"a\xff", "is not UTF-8"),
        (&[b'a'; 2049], "more than 2,048 bytes"),
    ] {
        assert!(found(text).is_err_and(|error| error.contains(words)), "{text:?}");
    }
}

#[track_caller]
fn check_answer(json: &str, want: &str) {
    let found = match verdict::of_answer(json.as_bytes()) {
        Ok(()) => "stored".to_owned(),
        Err(failure) => format!("{:?} {}", failure.verdict, failure.answer),
    };
    assert_eq!(found, want, "{json}");
}

#[test]
fn an_answer_says_whether_messages_wait_or_die() {
    check_answer(r#"{"stream":"logs","seq":1}"#, "stored");
    check_answer(r#"{"stream":"logs","seq":1,"duplicate":true}"#, "stored");
    let error = |code: u32, number: u32| {
        format!(r#"{{"error":{{"code":{code},"err_code":{number},"description":"no"}}}}"#)
    };
    check_answer(&error(400, 10054), "Dead(TooLarge) 10054 no");
    check_answer(&error(400, 10071), "Dead(Constraint) 10071 no");
    check_answer(&error(400, 1), "Dead(Rejected) 1 no");
    check_answer(&error(503, 10077), "Hold(Quota) 10077 no");
    check_answer(&error(503, 10076), "Hold(Schema) 10076 no");
    check_answer(&error(404, 10059), "Hold(Schema) 10059 no");
    check_answer(&error(503, 10008), "Later(BackOff) 10008 no");
    check_answer(&error(401, 1), "Hold(Access) 1 no");
    check_answer(&error(403, 2), "Hold(Access) 2 no");
    let other = "Hold(Schema) the answer is not that of a stream: who listens to this subject?";
    check_answer("{}", other);
    check_answer("thanks", other);
    check_answer(r#"{"stream":1,"seq":"x"}"#, other);
}

/// Greets, waits for the login, then answers each publication with what the function says of its number.
async fn serve(listener: TcpListener, greeting: &str, login: &str, says: fn(usize) -> &'static str) {
    let Ok((peer, _)) = listener.accept().await else { return };
    let mut peer = BufReader::new(peer);
    let _ = peer.write_all(greeting.as_bytes()).await;
    let mut number = 0;
    let mut line = String::new();
    while peer.read_line(&mut line).await.is_ok_and(|size| size > 0) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            ["PING"] if number == 0 => {
                let _ = peer.write_all(login.as_bytes()).await;
            }
            ["PING"] => {
                let _ = peer.write_all(says(number).as_bytes()).await;
            }
            ["HPUB", _, inbox, _, size] => {
                let mut text = vec![0; size.parse::<usize>().unwrap_or(0) + 2];
                let _ = peer.read_exact(&mut text).await;
                let said = says(number).replace("INBOX", inbox);
                number += 1;
                if said == "close" {
                    return;
                }
                let _ = peer.write_all(said.as_bytes()).await;
            }
            ["PUB", ..] => number += 1,
            _ => {}
        }
        line.clear();
    }
}

const GREETING: &str = "INFO {\"headers\":true,\"max_payload\":100}\r\n";

/// Compares the verdicts over three rows, the last of them a long one, that are published once.
#[track_caller]
fn check(storage: NatsStorage, greeting: &str, login: &str, says: fn(usize) -> &'static str, want: &str) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let found = runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let server = Endpoint { host: "127.0.0.1".to_owned(), port, tls: None };
        let who = NatsLogin { token: Some("secret".to_owned()), ..NatsLogin::default() };
        let shared = Shared { server, login: who, storage, timeout: Duration::from_millis(200) };
        let mut connection = NatsConnection::new(Arc::new(shared));
        let row = |sequence, text: &str| Row {
            id: RecordId { incarnation: 1, sequence },
            cells: ["s", text].map(|text| delivery::Cell::Bytes(text.as_bytes().to_vec())).to_vec(),
        };
        let rows = vec![row(1, "x"), row(2, "y"), row(3, &"z".repeat(60))];
        let task = tokio::spawn({
            let (greeting, login) = (greeting.to_owned(), login.to_owned());
            async move { serve(listener, &greeting, &login, says).await }
        });
        let judged = connection.send("s", &rows).await;
        task.abort();
        let shown = judged.iter().map(|one| format!("{} {:?} {}", one.rows, one.verdict, one.answer));
        shown.collect::<Vec<_>>().join("; ")
    });
    assert_eq!(found, want);
}

#[test]
fn each_publication_has_its_own_answer() {
    let stream = NatsStorage::Stream;
    let long = "1 Dead(TooLarge) the server takes 100 bytes at most";
    check(
        stream,
        GREETING,
        "PONG\r\n",
        |_| "MSG INBOX 1 24\r\n{\"stream\":\"l\",\"seq\":123}\r\n",
        &format!("2 Delivered ; {long}"),
    );
    check(
        stream,
        GREETING,
        "PONG\r\n",
        |number| {
            [
                "PING\r\nMSG INBOX 1 24\r\n{\"stream\":\"l\",\"seq\":123}\r\n",
                "HMSG INBOX 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n",
            ][number]
        },
        &format!("1 Delivered ; 1 Hold(Schema) 503: no stream takes this subject; {long}"),
    );
    check(
        stream,
        GREETING,
        "PONG\r\n",
        |number| ["MSG INBOX 1 24\r\n{\"stream\":\"l\",\"seq\":123}\r\n", "close"][number],
        &format!("1 Delivered ; 1 Later(BackOff) the server closed the connection; {long}"),
    );
    check(
        stream,
        GREETING,
        "PONG\r\n",
        |_| "+OK\r\nPONG\r\n-ERR 'Permissions Violation for Publish to \"s\"'\r\n",
        &format!("2 Hold(Access) Permissions Violation for Publish to; {long}"),
    );
    check(NatsStorage::Nobody, GREETING, "PONG\r\n", |_| "PONG\r\n", &format!("2 Delivered ; {long}"));
    // Judged by the ping behind the publications, unless an error came before its answer.
    check(
        NatsStorage::Nobody,
        GREETING,
        "PONG\r\n",
        |_| "-ERR 'Permissions Violation for Publish to \"s\"'\r\nPONG\r\n",
        &format!("2 Hold(Access) Permissions Violation for Publish to; {long}"),
    );
    check(
        stream,
        GREETING,
        "PONG\r\n",
        |_| "HMSG INBOX 1 16 16\r\nNATS/1.0 408\r\n\r\n\r\n",
        &format!("2 Later(BackOff) the status is 408; {long}"),
    );
}

const STORED: &str = "MSG INBOX 1 24\r\n{\"stream\":\"l\",\"seq\":123}\r\n";

/// Stores publications; the first connection ends at its fourth one, of which it says the last words, and its third one has
/// no answer.
async fn restart(listener: TcpListener, last: &str, connections: &Cell<usize>) {
    loop {
        let (peer, _) = listener.accept().await.unwrap();
        connections.set(connections.get() + 1);
        let is_first = connections.get() == 1;
        let mut peer = BufReader::new(peer);
        peer.write_all(GREETING.as_bytes()).await.unwrap();
        let (mut published, mut line) = (0, String::new());
        while peer.read_line(&mut line).await.is_ok_and(|size| size > 0) {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            if let ["HPUB", _, inbox, _, size] = words.as_slice() {
                let mut text = vec![0; size.parse::<usize>().unwrap() + 2];
                peer.read_exact(&mut text).await.unwrap();
                published += 1;
                let said = match (is_first, published) {
                    (true, 3) => "",
                    (true, 4) => last,
                    _ => STORED,
                };
                peer.write_all(said.replace("INBOX", inbox).as_bytes()).await.unwrap();
                if is_first && published == 4 {
                    break;
                }
            } else if words == ["PING"] {
                peer.write_all(b"PONG\r\n").await.unwrap();
            }
            line.clear();
        }
    }
}

fn connection_to(listener: &TcpListener) -> NatsConnection {
    let port = listener.local_addr().unwrap().port();
    NatsConnection::new(Arc::new(Shared {
        server: Endpoint { host: "127.0.0.1".to_owned(), port, tls: None },
        login: NatsLogin::default(),
        storage: NatsStorage::Stream,
        timeout: Duration::from_secs(5),
    }))
}

/// Compares the verdicts over the second of three requests, and the number of connections.
#[track_caller]
fn check_restart(last: &str, want: &str, connections: usize) {
    let found = runtime().block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let mut connection = connection_to(&listener);
        let bytes = |text: &[u8]| delivery::Cell::Bytes(text.to_vec());
        let row = |sequence| Row {
            id: RecordId { incarnation: 1, sequence },
            cells: vec![bytes(b"s"), bytes(b"x")],
        };
        let rows = vec![row(1), row(2)];
        let count = Cell::new(0);
        let ask = async {
            assert_eq!(shown(&connection.send("s", &rows).await), "2 Delivered ");
            let second = shown(&connection.send("s", &rows).await);
            connection.close();
            assert_eq!(shown(&connection.send("s", &rows).await), "2 Delivered ");
            (second, count.get())
        };
        tokio::select! {
            found = ask => found,
            () = restart(listener, last, &count) => (String::new(), 0),
        }
    });
    assert_eq!(found, (want.to_owned(), connections));
}

#[test]
fn a_text_that_is_too_long_costs_no_connection() {
    let found = runtime().block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let mut connection = connection_to(&listener);
        let row = |sequence, size| Row {
            id: RecordId { incarnation: 1, sequence },
            cells: [1, size].map(|size| delivery::Cell::Bytes(vec![b'x'; size])).to_vec(),
        };
        // The longest that fits behind its head, and one byte more.
        let rows = vec![row(1, 36), row(2, 37)];
        let count = Cell::new(0);
        let ask = async {
            let first = shown(&connection.send("s", &rows[1..]).await);
            let second = shown(&connection.send("s", &rows).await);
            (first, second, count.get())
        };
        tokio::select! {
            found = ask => found,
            () = restart(listener, "", &count) => (String::new(), String::new(), 0),
        }
    });
    let long = "1 Dead(TooLarge) the server takes 100 bytes at most";
    assert_eq!(found, (long.to_owned(), format!("1 Delivered ; {long}"), 1));
}

#[test]
fn a_connection_that_was_closed_while_it_rested_is_opened_again() {
    check_restart("", "2 Delivered ", 3);
    check_restart(STORED, "1 Later(BackOff) the server closed the connection; 1 Delivered ", 2);
    check_restart("-ERR 'Stale Connection'\r\n", "2 Later(BackOff) Stale Connection", 2);
}

#[test]
fn a_login_that_fails_holds_everything() {
    let nothing: fn(usize) -> &'static str = |_| "";
    let check =
        |greeting: &str, login: &str, want: &str| check(NatsStorage::Stream, greeting, login, nothing, want);
    check(GREETING, "-ERR 'Authorization Violation'\r\n", "3 Hold(Credentials) Authorization Violation");
    check(
        "INFO {\"headers\":true,\"tls_required\":true}\r\n",
        "",
        "3 Hold(Credentials) the server wants TLS: set tls()",
    );
    check("INFO {}\r\n", "", "3 Hold(Credentials) the server is older than NATS 2.2");
    check("INFO x\r\n", "", "3 Later(Reopen) the server breaks its protocol: its greeting is no JSON");
    check("220 mail\r\n", "", "3 Later(Reopen) the server breaks its protocol: this is no server of NATS");
    check("PING\r\n", "", "3 Later(Reopen) the server breaks its protocol: it does not greet");
    check("", "", "3 Later(Reopen) the server did not answer within 0.2 seconds");
}
