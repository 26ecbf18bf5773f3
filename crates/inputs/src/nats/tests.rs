//! Streams that are cut, places of messages, answers of JetStream, and a server of a few lines.

use super::{
    acks::{Acks, StreamPosition},
    packets::{HEADER_BYTES_MAX, Packet, Packets},
    setup::{self, ConsumerState, Stream},
};
use crate::{
    Metadata, NatsBegin, NatsConsumer, NatsSource,
    broker::{Broken, Deliveries},
};
use intake::{
    SourceDriver,
    testing::{Setup, source_options},
};
use message::FieldName;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    time::Duration,
};
use transport::{
    Endpoint,
    nats::NatsLogin,
    testing::{PATIENCE, eventually},
};
use wire::ParseFlags;

/// Splits a stream that arrives in parts of a size, and shows what it has.
#[track_caller]
fn check_packets(stream: &[u8], size: usize, want: &[&str]) {
    let (mut packets, mut received, mut shown) = (Packets::default(), Vec::new(), Vec::new());
    let mut most = 0;
    for part in stream.chunks(size) {
        received.extend_from_slice(part);
        let mut used = 0;
        while let Some((packet, end)) = packets.next(&mut received, used, 10).unwrap() {
            shown.push(match packet {
                Packet::Line(line) => format!("{line:?}"),
                Packet::Message(found) => {
                    let text = String::from_utf8_lossy(found.text).into_owned();
                    format!("{} {} {}+{text}", found.head.subject, found.head.bytes, found.headers.len())
                }
            });
            used = end;
        }
        received.drain(..used);
        most = most.max(received.len());
    }
    assert_eq!(shown, want, "in parts of {size}");
    assert!(most <= HEADER_BYTES_MAX + 10 + 100 + size, "{most} bytes were kept");
}

#[test]
fn long_messages_are_cut_wherever_the_stream_is() {
    let long = [&b"MSG a 1 r 300\r\n"[..], &[b'x'; 300], b"\r\n"].concat();
    let headers = HEADER_BYTES_MAX + 7;
    let head = format!("HMSG b 1 r {headers} {}\r\n", headers + 12);
    let both = [head.as_bytes(), &vec![b'h'; headers], b"abcdefghijkl\r\n"].concat();
    let stream =
        [&long[..], b"PING\r\n", &both, b"HMSG c 1 r 3 5\r\nabcde\r\n", &long, b"MSG d 1 0\r\n\r\n"].concat();
    let both = format!("b {} {HEADER_BYTES_MAX}+abcdefghij", headers + 12);
    let want = ["a 300 0+xxxxxxxxxx", "Ping", &both, "c 5 3+de", "a 300 0+xxxxxxxxxx", "d 0 0+"];
    for size in [7, 19, 64, 299, 302, 5000, 1 << 20] {
        check_packets(&stream, size, &want);
    }
    let mut received = b"MSG a 1 2\r\nabc\r\n".to_vec();
    let found = Packets::default().next(&mut received, 0, 10).map(|_| ());
    assert_eq!(found.map_err(|breach| breach.0), Err("a text is longer than it says"));
}

#[test]
fn the_subject_of_an_acknowledgement_says_where_a_message_is() {
    let check = |reply: &str, want: Option<(&str, u64, u64, &str)>| {
        let want = want.map(|(stream, sequence, consumer_sequence, time)| StreamPosition {
            stream,
            sequence,
            consumer_sequence,
            time,
        });
        assert_eq!(StreamPosition::parse(reply), want, "{reply}");
    };
    check("$JS.ACK.S.C.1.22.33.44.5", Some(("S", 22, 33, "44")));
    check("$JS.ACK.D.H.S.C.1.22.33.44.5", Some(("S", 22, 33, "44")));
    check("$JS.ACK.D.H.S.C.1.22.33.44.5.t", Some(("S", 22, 33, "44")));
    check("$JS.ACK.S.C.1.x.33.44.5", None);
    check("$JS.ACK.S.C.1.22", None);
    check("_INBOX.x", None);
}

#[test]
fn signs_of_work_are_given_until_the_acknowledgement() {
    let (mut acks, mut out) = (Acks::default(), Vec::new());
    acks.add(1, "r.1");
    acks.add(2, "r.2");
    assert!(acks.show_work(PATIENCE, &mut out).is_some() && out.is_empty());
    acks.acknowledge(1, &mut out);
    acks.acknowledge(1, &mut out);
    eventually("a sign of work", || {
        assert!(acks.show_work(Duration::ZERO, &mut out).is_some());
        String::from_utf8_lossy(&out).contains("+WPI")
    });
    acks.refuse_given_up(&Deliveries::default(), &mut out);
    let said = String::from_utf8(out).unwrap();
    assert_eq!(said, "PUB r.1 4\r\n+ACK\r\nPUB r.2 4\r\n+WPI\r\nPUB r.2 4\r\n-NAK\r\n");
}

fn options(port: u16) -> NatsSource {
    NatsSource {
        servers: vec![Endpoint { host: "127.0.0.1".to_owned(), port, tls: None }],
        login: NatsLogin::default(),
        stream: Some("S".to_owned()),
        subject: Some("a.>".to_owned()),
        durable: "me".to_owned(),
        consumer: NatsConsumer::Made(NatsBegin::All),
        fetch: 4,
        metadata: Metadata::Stored,
        timeout: PATIENCE,
        reopen_after: Duration::from_millis(10),
    }
}

/// Compares what becomes of an answer about the consumer.
#[track_caller]
fn check_consumer(config: &str, want: &str) {
    let stream = br#"{"config":{"subjects":["a.>"]},"state":{"first_seq":9}}"#;
    let stream = setup::read_stream(stream, "S").unwrap();
    let answer = format!(r#"{{"config":{{{config}}},"delivered":{{"stream_seq":5}}}}"#);
    let found = match setup::read_consumer(answer.as_bytes(), &stream, &options(0)) {
        Ok(ConsumerState::Consumer(found)) => {
            let limits = (found.fetch_max.min(99), found.bytes_max, found.deliveries_max);
            format!(
                "{:?} {:?} {limits:?} {:?} {}",
                found.again_after, found.expires_after, found.gap, found.is_whole
            )
        }
        Ok(ConsumerState::Missing) => "missing".to_owned(),
        Err(broken) => format!("{broken:?}"),
    };
    assert_eq!(found, want);
}

#[test]
fn a_consumer_is_taken_as_it_is_or_refused() {
    let explicit = r#""ack_policy":"explicit""#;
    check_consumer(explicit, "30s 10s (99, None, None) Some((6, 8)) true");
    check_consumer(
        &format!(
            r#"{explicit},"filter_subject":"a.>","ack_wait":2000000000,"max_batch":7,"max_bytes":8,"max_expires":3000000000,"max_deliver":4"#
        ),
        "2s 3s (7, Some(8), Some(4)) Some((6, 8)) true",
    );
    check_consumer(&format!(r#"{explicit},"max_deliver":-1"#), "30s 10s (99, None, None) Some((6, 8)) true");
    check_consumer(
        &format!(r#"{explicit},"filter_subjects":["a.b","a.c"]"#),
        r#"Refused("consumer 'me' has other subjects than 'a.>': a.b, a.c")"#,
    );
    check_consumer(
        &format!(r#"{explicit},"deliver_subject":"x""#),
        r#"Refused("consumer 'me' pushes messages: a pull consumer is needed")"#,
    );
    check_consumer(
        r#""ack_policy":"none""#,
        r#"Refused("consumer 'me' has the ack policy 'none': it has to be explicit")"#,
    );
    check_consumer(
        &format!(r#"{explicit},"headers_only":true"#),
        r#"Refused("consumer 'me' delivers headers without texts")"#,
    );
}

#[test]
fn errors_of_jetstream_are_told_apart() {
    let error = |code: u64| format!(r#"{{"error":{{"code":404,"err_code":{code},"description":"no\n"}}}}"#);
    let consumer = |code| setup::read_consumer(error(code).as_bytes(), &Stream::default(), &options(0));
    assert_eq!(consumer(10_014), Ok(ConsumerState::Missing));
    let lost = |words: &str| Broken::Lost(words.to_owned());
    assert_eq!(consumer(10_008), Err(lost("consumer 'me' of stream '': 10008 no")));
    let stream = |code| setup::read_stream(error(code).as_bytes(), "S");
    assert_eq!(stream(10_059), Err(Broken::Refused("there is no stream 'S'".to_owned())));
    assert_eq!(stream(10_008), Err(lost("stream 'S' does not answer: 10008 no")));
    let names = |answer: &str| setup::read_names(answer.as_bytes(), "a");
    assert_eq!(names(r#"{"streams":["S"]}"#), Ok("S".to_owned()));
    assert_eq!(
        names(r#"{"streams":null}"#),
        Err(Broken::Refused("no stream has the subject 'a'".to_owned()))
    );
    assert!(matches!(names(r#"{"streams":["S","T"]}"#), Err(Broken::Refused(_))));
    assert!(matches!(names(r#"{"streams":["S.T"]}"#), Err(Broken::Lost(_))));
    assert!(matches!(names("x"), Err(Broken::Lost(_))));
}

/// A server, and a source that reads from it.
struct Played {
    listener: TcpListener,
    setup: Setup,
}

/// The end of a server.
struct Peer {
    lines: BufReader<TcpStream>,
    inbox: String,
}

impl Played {
    fn new() -> Played {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut options_of_all = source_options();
        options_of_all.decode.flags = options_of_all.decode.flags.with(ParseFlags::NO_PARSE);
        let setup = Setup::new(|_| SourceDriver::Input(Arc::new(options(port))), options_of_all);
        Played { listener, setup }
    }

    /// Accepts the next connection, and greets.
    fn accept(&self) -> Peer {
        let (peer, _) = self.listener.accept().unwrap();
        peer.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut peer = Peer { lines: BufReader::new(peer), inbox: String::new() };
        peer.say("INFO {\"headers\":true}\r\n");
        assert!(peer.hears().starts_with("CONNECT {"));
        let subscribed = peer.hears();
        peer.inbox = subscribed.split(' ').nth(1).unwrap().trim_end_matches('*').to_owned();
        peer
    }

    /// The same, with a stream and a consumer. Returns when it was asked for messages.
    fn serve(&self) -> Peer {
        let mut peer = self.accept();
        assert_eq!(peer.hears(), "PING");
        peer.say("PONG\r\n");
        peer.answers("$JS.API.STREAM.INFO.S ", r#"{"config":{"subjects":["a.>"]},"state":{"first_seq":1}}"#);
        peer.answers("$JS.API.CONSUMER.INFO.S.me ", r#"{"config":{"ack_policy":"explicit"}}"#);
        assert!(peer.hears().starts_with("PUB $JS.API.CONSUMER.MSG.NEXT.S.me "));
        assert_eq!(peer.hears(), r#"{"batch":4,"max_bytes":2097152,"expires":10000000000}"#);
        peer
    }

    fn trouble(&self) -> Option<String> {
        self.setup.registry.list().iter().find_map(|counters| counters.trouble())
    }
}

impl Peer {
    fn say(&mut self, text: &str) {
        self.lines.get_mut().write_all(text.as_bytes()).unwrap();
    }

    fn hears(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Answers a question.
    fn answers(&mut self, subject: &str, answer: &str) {
        let question = self.hears();
        assert!(question.starts_with(&format!("PUB {subject}")), "{question}");
        let mut words = question.rsplit(' ');
        let size: usize = words.next().unwrap().parse().unwrap();
        let reply = words.next().unwrap();
        let mut text = vec![0; size + 2];
        self.lines.read_exact(&mut text).unwrap();
        self.say(&format!("MSG {reply} 1 {}\r\n{answer}\r\n", answer.len()));
    }

    /// Delivers a message by its sequence and the number of the delivery.
    fn delivers(&mut self, sequence: u64, delivery: u64, text: &str) {
        let reply = format!("$JS.ACK.S.me.1.{sequence}.{delivery}.7{sequence}.0");
        self.say(&format!("MSG a.b 1 {reply} {}\r\n{text}\r\n", text.len()));
    }

    #[track_caller]
    fn hears_ack(&mut self, sequence: u64, delivery: u64) {
        let want = format!("PUB $JS.ACK.S.me.1.{sequence}.{delivery}.7{sequence}.0 4");
        assert_eq!((self.hears(), self.hears()), (want, "+ACK".to_owned()));
    }

    #[track_caller]
    fn hears_request(&mut self) {
        assert!(self.hears().starts_with("PUB $JS.API.CONSUMER.MSG.NEXT.S.me "));
        assert!(self.hears().starts_with("{\"batch\":4,"));
    }
}

#[test]
fn messages_are_acknowledged_when_they_are_safe() {
    let mut played = Played::new();
    let mut peer = played.serve();
    played.setup.collected.hold();
    peer.delivers(1, 1, "one");
    peer.delivers(2, 2, "two");
    assert_eq!(played.setup.collected.wait(2).len(), 2);
    peer.hears_request();
    let subjects = played.setup.collected.batches(|batches| {
        let name = FieldName::parse(".nats.subject");
        batches.iter().map(|batch| batch.field(0, &name).unwrap().into_owned()).collect::<Vec<_>>()
    });
    assert_eq!(subjects[0], b"a.b");
    // The connection ends: what waits is acknowledged over the next one, and not read again.
    drop(peer);
    let mut peer = played.serve();
    peer.delivers(1, 3, "one");
    peer.delivers(3, 4, "three");
    assert_eq!(played.setup.collected.wait(3).len(), 3);
    peer.hears_request();
    played.setup.collected.release();
    peer.hears_ack(1, 3);
    peer.hears_ack(2, 2);
    peer.hears_ack(3, 4);
    played.setup.sources.stop(PATIENCE);
    assert_eq!(peer.hears(), "UNSUB 1");
}

/// Compares the trouble after a server said something to one who reads.
#[track_caller]
fn check_trouble(said: impl FnOnce(&mut Peer), want: &str) {
    let played = Played::new();
    let mut peer = played.serve();
    said(&mut peer);
    eventually("the trouble", || played.trouble().is_some());
    assert_eq!(played.trouble().as_deref(), Some(want));
}

#[test]
fn what_a_server_refuses_or_breaks_is_said() {
    let status = |peer: &mut Peer, status: &str| {
        let head = format!("NATS/1.0 {status}\r\n\r\n");
        let inbox = peer.inbox.clone();
        peer.say(&format!("HMSG {inbox}pull 1 {0} {0}\r\n{head}\r\n", head.len()));
    };
    check_trouble(
        |peer| status(peer, "409 Consumer Deleted"),
        "consumer 'me' of stream 'S': 409 Consumer Deleted",
    );
    check_trouble(|peer| status(peer, "503"), "503: JetStream does not answer, or is not enabled");
    check_trouble(|peer| peer.say("INFO {\"ldm\":true}\r\n"), "the server is about to end (lame duck mode)");
    check_trouble(
        |peer| peer.say("-ERR 'Permissions Violation for Publish to \"x\"'\r\n"),
        "Permissions Violation for Publish to \"x\"",
    );
    let breach = |what: &str| format!("the broker breaks its protocol: {what}");
    check_trouble(|peer| peer.say("HTTP/1.1 400\r\n"), &breach("this is no server of NATS"));
    check_trouble(|peer| peer.say("MSG a.b 1 2\r\nxx\r\n"), &breach("a message cannot be acknowledged"));
}

#[test]
fn a_request_that_has_ended_is_made_again() {
    let played = Played::new();
    let mut peer = played.serve();
    let inbox = peer.inbox.clone();
    let head = "NATS/1.0 408 Request Timeout\r\nNats-Pending-Messages: 4\r\n\r\n";
    peer.say(&format!("HMSG {inbox}pull 1 {0} {0}\r\n{head}\r\n", head.len()));
    peer.hears_request();
    // It was for too few bytes.
    let head = "NATS/1.0 409 Message Size Exceeds MaxBytes\r\nNats-Pending-Messages: 4\r\n\r\n";
    peer.say(&format!("HMSG {inbox}pull 1 {0} {0}\r\n{head}\r\n", head.len()));
    assert!(peer.hears().starts_with("PUB $JS.API.CONSUMER.MSG.NEXT.S.me "));
    assert_eq!(peer.hears(), r#"{"batch":4,"max_bytes":4194304,"expires":10000000000}"#);
    assert_eq!(played.trouble(), None);
}
