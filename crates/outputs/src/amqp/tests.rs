//! Frames, methods, verdicts, and exchanges with a broker of a few lines.

use super::{
    confirms::tests::{ACK, closed, confirm, returned},
    connection::AmqpConnection,
    options::{AmqpExchange, Shared, Unroutable},
    verdict,
};
use crate::{
    link::Endpoint,
    link::size_limit::SizeLimit,
    testing::{runtime, shown},
};
use delivery::{Cell, Connection, Row};
use message::RecordId;
use proptest::{collection::vec, prelude::any, proptest};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use transport::amqp::{
    AmqpLogin, Durability, Frame, FrameKind, HEARTBEAT, Tune, frame,
    method::{self, Method, Publication, Refusal},
};

#[track_caller]
fn check_frame(bytes: &[u8], want: Result<Option<(Frame<'_>, usize)>, &str>) {
    assert_eq!(frame::decode(bytes, 4096).map_err(|breach| breach.0), want, "{bytes:?}");
}

#[test]
fn frames_are_read_whatever_they_are() {
    let whole = Frame { kind: FrameKind::Method, channel: 258, payload: b"abc" };
    check_frame(b"", Ok(None));
    check_frame(b"\x01\x01\x02\0\0\0", Ok(None));
    check_frame(b"\x01\x01\x02\0\0\0\x03ab", Ok(None));
    check_frame(b"\x01\x01\x02\0\0\0\x03abc", Ok(None));
    check_frame(b"\x01\x01\x02\0\0\0\x03abc\xce\x01", Ok(Some((whole, 11))));
    let beat = Frame { kind: FrameKind::Heartbeat, channel: 0, payload: b"" };
    check_frame(HEARTBEAT, Ok(Some((beat, 8))));
    check_frame(b"\x01\x01\x02\0\0\0\x03abcd", Err("a frame does not end where it says"));
    check_frame(b"\x03\0\x01\0\0\x0f\xf8", Ok(None));
    check_frame(b"\x03\0\x01\0\0\x0f\xf9", Err("a frame is longer than was agreed"));
    check_frame(b"\x03\0\x01\xff\xff\xff\xff", Err("a frame is longer than was agreed"));
    check_frame(b"AMQP\0\0\x09\x01", Err("it speaks another version of AMQP than 0-9-1"));
    check_frame(b"HTTP/1.1 400", Err("this is no broker of AMQP 0-9-1"));
}

proptest! {
    #[test]
    fn no_bytes_make_decoding_fail(bytes in vec(any::<u8>(), 0..64)) {
        if let Ok(Some((_, size))) = frame::decode(&bytes, 4096) {
            assert!(size <= bytes.len());
        }
        let _ = method::decode(&bytes);
        let _ = method::decode_header(&bytes);
    }

    #[test]
    fn a_body_comes_back_from_its_frames(body in vec(any::<u8>(), 0..20_000), limit in 4096_usize..9000) {
        let mut out = Vec::new();
        frame::content(1, 60, b"\0\0", &body, limit, &mut out);
        let (mut rest, mut found) = (out.as_slice(), Vec::new());
        while let Some((frame, size)) = frame::decode(rest, limit).expect("frames") {
            if frame.kind == FrameKind::Body {
                found.extend_from_slice(frame.payload);
            } else {
                assert_eq!(method::decode_header(frame.payload), Ok((body.len() as u64, None)));
            }
            rest = &rest[size..];
        }
        assert!(rest.is_empty() && found == body);
    }
}

#[test]
fn a_publication_is_that_of_the_specification() {
    let id = RecordId { incarnation: 1, sequence: 2 };
    let mut entries = Vec::new();
    frame::text_entry(b"H", b"v\0", &mut entries);
    let properties = method::properties(id, Durability::Persistent, &entries);
    let publication =
        Publication { exchange: "e", routing_key: b"k", bits: 1, properties: &properties, body: b"a\0b" };
    let mut out = Vec::new();
    method::publish(&publication, 4096, &mut out);
    let want = [
        &b"\x01\0\x01\0\0\0\x0b\0\x3c\0\x28\0\0\x01e\x01k\x01\xce"[..],
        b"\x02\0\x01\0\0\0\x48\0\x3c\0\0\0\0\0\0\0\0\0\x03\xb0\x80\x0atext/plain\0\0\0\x09\x01HS\0\0\0\x02v\0\x02",
        b"\x2000000000000000010000000000000002\xce",
        b"\x03\0\x01\0\0\0\x03a\0b\xce",
    ];
    assert_eq!(out, want.concat());
    let mut header = b"\0\x3c\0\0\0\0\0\0\0\0\0\x03".to_vec();
    header.extend_from_slice(&properties);
    assert_eq!(method::decode_header(&header), Ok((3, Some(id))));
    // Every property before the id is there, and a second word of flags.
    let all = b"\0\x3c\0\0\0\0\0\0\0\0\0\x03\xff\x81\0\0\x01a\x01b\0\0\0\x01c\x02\x01\x01d\x01e\x01f\x2000000000000000010000000000000002";
    assert_eq!(method::decode_header(all), Ok((3, Some(id))));
    assert_eq!(method::properties(id, Durability::Transient, b"")[17], 1);
}

#[test]
fn methods_are_read_whatever_they_are() {
    let check = |payload: &[u8], want: Result<Method, &str>| {
        assert_eq!(method::decode(payload).map_err(|breach| breach.0), want, "{payload:?}");
    };
    let refusal = Refusal { code: 404, words: "no".to_owned() };
    check(b"\0\x0a\0\x0a\0\x09\0\0\0\x01x\0\0\0\x0fPLAIN AMQP\0\0\0\0", Err("a frame is too short"));
    check(b"\0\x0a\0\x0a\0\x09\0\0\0\x01x\0\0\0\x05PLAIN\0\0\0\0", Ok(Method::Start("PLAIN".to_owned())));
    let tune = Tune { channels: 2047, frame_bytes: 131_072, heartbeat: 60 };
    check(b"\0\x0a\0\x1e\x07\xff\0\x02\0\0\0\x3c", Ok(Method::Tune(tune)));
    check(b"\0\x14\0\x28\x01\x94\x02no\0\x3c\0\x28", Ok(Method::ChannelClosed(refusal.clone())));
    check(b"\0\x0a\0\x32\x01\x94\x02no\0\0\0\0", Ok(Method::ConnectionClosed(refusal.clone())));
    check(b"\0\x3c\0\x32\x01\x94\x02no\x01e\x02k\n", Ok(Method::Returned(refusal, "k".to_owned())));
    check(b"\0\x3c\0\x32\x01\x94\x09no", Err("a frame is too short"));
    check(b"\0\x0a\0\x14", Ok(Method::Other(10, 20)));
    check(b"\0", Err("a frame is too short"));
}

#[test]
fn a_code_says_whether_messages_wait_or_die() {
    let found = |code: u16, words: &str| {
        let refusal = Refusal { code, words: words.to_owned() };
        let (close, login) = (verdict::of_close(&refusal), verdict::of_login(&refusal));
        format!("{:?} {:?}", close.verdict, login.verdict)
    };
    assert_eq!(found(311, "CONTENT_TOO_LARGE"), "Split(TooLarge) Later(Reopen)");
    let large = "PRECONDITION_FAILED - message size 9 is larger than configured max size 8";
    assert_eq!(found(406, large), "Split(TooLarge) Later(Reopen)");
    assert_eq!(found(406, "inequivalent arg"), "Hold(Schema) Hold(Schema)");
    assert_eq!(found(403, "ACCESS_REFUSED"), "Hold(Access) Hold(Credentials)");
    assert_eq!(found(404, "NOT_FOUND"), "Hold(Schema) Hold(Schema)");
    assert_eq!(found(530, "NOT_ALLOWED"), "Hold(Access) Hold(Access)");
    assert_eq!(found(320, "CONNECTION_FORCED"), "Later(Busy) Later(Reopen)");
    assert_eq!(found(541, "INTERNAL_ERROR"), "Later(BackOff) Later(Reopen)");
}

/// Methods of the broker by class, number and arguments.
pub(super) fn say(channel: u16, kind: (u16, u16), arguments: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    frame::method(channel, kind, &mut out, |out| out.extend_from_slice(arguments));
    out
}

pub(super) fn start() -> Vec<u8> {
    say(0, (10, 10), b"\0\x09\0\0\0\0\0\0\0\x0eAMQPLAIN PLAIN\0\0\0\x05en_US")
}

pub(super) fn tune(frame_bytes: u32, heartbeat: u16) -> Vec<u8> {
    let mut arguments = vec![0x07, 0xff];
    arguments.extend_from_slice(&frame_bytes.to_be_bytes());
    arguments.extend_from_slice(&heartbeat.to_be_bytes());
    say(0, (10, 30), &arguments)
}

/// Returns the answers of a broker before publications.
fn hello() -> Vec<Vec<u8>> {
    vec![
        start(),
        tune(4096, 0),
        say(0, (10, 41), b"\0"),
        say(1, (20, 11), b"\0\0\0\0"),
        say(1, (85, 11), b""),
    ]
}

pub(super) fn shared(port: u16) -> Shared {
    Shared {
        server: Endpoint { host: "127.0.0.1".to_owned(), port, tls: None },
        vhost: "/".to_owned(),
        login: AmqpLogin::Plain { user: "me".to_owned(), password: "secret".to_owned() },
        exchange: AmqpExchange { name: "logs".to_owned(), declared_as: None },
        durability: Durability::Persistent,
        unroutable: Unroutable::Dead,
        frame_bytes: 131_072,
        heartbeat: 0,
        timeout: Duration::from_millis(200),
        limit: SizeLimit::default(),
    }
}

fn id(sequence: u64) -> RecordId {
    RecordId { incarnation: 1, sequence }
}

fn rows(numbers: std::ops::Range<u64>, headers: usize) -> Vec<Row> {
    let row = |sequence| Row {
        id: id(sequence),
        cells: vec![Cell::Bytes(b"k".to_vec()), Cell::Bytes(vec![b'h'; headers]), Cell::Bytes(b"x".to_vec())],
    };
    numbers.map(row).collect()
}

/// Says each part after something was heard; an empty one ends the connection.
async fn serve(mut peer: TcpStream, says: Vec<Vec<u8>>) {
    for part in says {
        let mut heard = [0; 16_384];
        let _ = peer.read(&mut heard).await;
        if part.is_empty() {
            return;
        }
        let _ = peer.write_all(&part).await;
    }
    std::future::pending::<()>().await;
}

/// Compares the verdicts over two requests of three rows each, sent to a broker that says these things over its connections,
/// one after the other.
#[track_caller]
fn check(connections: &[Vec<Vec<u8>>], want: [&str; 2]) {
    let found = runtime().block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let mut connection = AmqpConnection::new(Arc::new(shared(port)));
        let says = connections.to_vec();
        let broker = async {
            for says in says {
                let (peer, _) = listener.accept().await.expect("a connection");
                tokio::spawn(serve(peer, [hello(), says].concat()));
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            found = async {
                let first = shown(&connection.send("logs", &rows(1..4, 0)).await);
                [first, shown(&connection.send("logs", &rows(4..7, 0)).await)]
            } => found,
            () = broker => [String::new(), String::new()],
        }
    });
    assert_eq!(found, want);
}

fn all(number: u64) -> Vec<u8> {
    confirm(ACK, number, 1)
}

#[test]
fn requests_share_a_connection() {
    check(&[vec![all(3), all(6)]], ["3 Delivered ", "3 Delivered "]);
    let dead = "1 Dead(Unroutable) 312 NO_ROUTE: no queue of exchange 'logs' gets it\nrouting key 'key'";
    check(
        &[vec![[returned(id(2), b"x"), all(3)].concat(), all(6)]],
        [&format!("1 Delivered ; {dead}; 1 Delivered "), "3 Delivered "],
    );
    let silent = "3 Later(BackOff) the server did not answer within 0.2 seconds";
    check(&[vec![all(3)], vec![]], ["3 Delivered ", silent]);
}

#[test]
fn a_connection_that_is_closed_says_so() {
    let heard = runtime().block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let mut connection = AmqpConnection::new(Arc::new(shared(port)));
        let broker = async {
            let (mut peer, _) = listener.accept().await.expect("a connection");
            let mut heard = vec![0; 16_384];
            for part in [hello(), vec![all(3)]].concat() {
                let _ = peer.read(&mut heard).await;
                let _ = peer.write_all(&part).await;
            }
            let mut last = Vec::new();
            let _ = peer.read_to_end(&mut last).await;
            last
        };
        let send = async {
            connection.send("logs", &rows(1..4, 0)).await;
            connection.close();
            connection.close();
        };
        tokio::join!(broker, send).0
    });
    assert_eq!(heard, say(0, (10, 50), b"\0\xc8\0\0\0\0\0"));
}

#[test]
fn a_connection_that_ends_before_an_answer_is_opened_again() {
    check(&[vec![all(3), vec![]], vec![all(3)]], ["3 Delivered ", "3 Delivered "]);
    let broken = [confirm(ACK, 1, 0), b"\x01\0\x01\0".to_vec()].concat();
    let lost = "1 Delivered ; 2 Later(BackOff) the server did not answer within 0.2 seconds";
    check(&[vec![broken], vec![all(3)]], [lost, "3 Delivered "]);
    let breach = "3 Later(BackOff) the server breaks its protocol: it confirms what was not published";
    check(&[vec![all(4)], vec![all(3)]], [breach, "3 Delivered "]);
    check(
        &[vec![all(3), closed(1, (20, 40), 404, "NO")], vec![all(3)]],
        ["3 Delivered ", "3 Hold(Schema) 404 NO"],
    );
}

#[test]
fn what_was_sent_before_a_block_is_not_sent_again() {
    let found = runtime().block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let mut connection = AmqpConnection::new(Arc::new(shared(port)));
        let (unblock, unblocked) = tokio::sync::oneshot::channel::<()>();
        let broker = async {
            let (mut peer, _) = listener.accept().await.expect("a connection");
            let mut heard = vec![0; 16_384];
            for part in hello() {
                let _ = peer.read(&mut heard).await;
                let _ = peer.write_all(&part).await;
            }
            let published = peer.read(&mut heard).await.unwrap_or_default();
            let block = [say(0, (10, 60), b"\x03low"), confirm(ACK, 1, 0)].concat();
            let _ = peer.write_all(&block).await;
            let _ = unblocked.await;
            let _ = peer.write_all(&[say(0, (10, 61), b""), all(3)].concat()).await;
            let more = peer.read(&mut heard).await.unwrap_or_default();
            let _ = peer.write_all(&all(6)).await;
            (published, more)
        };
        let send = async {
            let first = shown(&connection.send("logs", &rows(1..4, 0)).await);
            let others = shown(&connection.send("logs", &rows(4..7, 0)).await);
            let _ = unblock.send(());
            tokio::task::yield_now().await;
            let again = shown(&connection.send("logs", &rows(2..4, 0)).await);
            [first, others, again, shown(&connection.send("logs", &rows(4..7, 0)).await)]
        };
        tokio::join!(send, broker)
    });
    let held = "Hold(Quota) the broker takes no messages now: low";
    let want = [
        format!("1 Delivered ; 2 {held}"),
        format!("3 {held}"),
        "2 Delivered ".to_owned(),
        "3 Delivered ".to_owned(),
    ];
    assert_eq!(found.0, want);
    assert_eq!(found.1.0, found.1.1, "three publications each time");
}

#[test]
fn headers_that_do_not_fit_in_a_frame_cost_no_connection() {
    let found = runtime().block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let mut connection = AmqpConnection::new(Arc::new(shared(port)));
        let broker = async {
            let (peer, _) = listener.accept().await.expect("a connection");
            serve(peer, [hello(), vec![all(1)]].concat()).await;
        };
        // The frame has 20 bytes beside the properties, which are 51 bytes beside the headers.
        let rows = [rows(1..2, 4096 - 71), rows(2..3, 4096 - 70)].concat();
        tokio::select! {
            judged = connection.send("logs", &rows) => shown(&judged),
            () = broker => String::new(),
        }
    });
    let long = "1 Dead(TooLarge) the headers do not fit in a frame of 4096 bytes";
    assert_eq!(found, format!("1 Delivered ; {long}"));
}
