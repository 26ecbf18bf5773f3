//! Packets, topics, and exchanges with a broker of a few lines.

use super::{
    connection::{MqttConnection, Shared},
    options::{MqttLogin, MqttQos},
    packet::{self, Packet},
    topic,
};
use crate::link::Endpoint;
use delivery::{Cell, Connection, Row};
use message::RecordId;
use proptest::{collection::vec, prelude::any, proptest};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    runtime::Builder,
};

#[test]
fn packets_are_those_of_the_standard() {
    let login = MqttLogin {
        client: "me".to_owned(),
        user: Some("u".to_owned()),
        password: Some("p".to_owned()),
        keep_alive: 60,
    };
    assert_eq!(packet::connect(&login), b"\x10\x14\0\x04MQTT\x04\xc2\0\x3c\0\x02me\0\x01u\0\x01p");
    let bare = MqttLogin { client: "me".to_owned(), ..MqttLogin::default() };
    assert_eq!(packet::connect(&bare), b"\x10\x0e\0\x04MQTT\x04\x02\0\0\0\x02me");
    let published = |qos, payload: &[u8]| {
        let mut out = Vec::new();
        packet::publish(qos, 258, b"a/b", payload, &mut out);
        out
    };
    assert_eq!(published(MqttQos::Nothing, b"x\0"), b"\x30\x07\0\x03a/bx\0");
    assert_eq!(published(MqttQos::AtLeastOnce, b"x"), b"\x32\x08\0\x03a/b\x01\x02x");
    assert_eq!(published(MqttQos::ExactlyOnce, b"x"), b"\x34\x08\0\x03a/b\x01\x02x");
    // Lengths of two and of three bytes.
    assert_eq!(published(MqttQos::Nothing, &[b'x'; 123])[..3], [0x30, 0x80, 1]);
    assert_eq!(published(MqttQos::Nothing, &[b'x'; 16379])[..4], [0x30, 0x80, 0x80, 1]);
}

#[track_caller]
fn check_packet(bytes: &[u8], want: Result<Option<(Packet, usize)>, &str>) {
    assert_eq!(packet::decode(bytes).map_err(|breach| breach.0), want, "{bytes:?}");
}

#[test]
fn answers_are_read_whatever_they_are() {
    check_packet(b"", Ok(None));
    check_packet(b"\x20", Ok(None));
    check_packet(b"\x20\x02\0", Ok(None));
    check_packet(b"\x20\x02\0\x05", Ok(Some((Packet::Connected(5), 4))));
    check_packet(b"\x40\x02\x01\x02\x40", Ok(Some((Packet::Taken(258), 4))));
    check_packet(b"\x50\x02\0\x01", Ok(Some((Packet::Received(1), 4))));
    check_packet(b"\x70\x02\0\x01", Ok(Some((Packet::Completed(1), 4))));
    check_packet(b"\xd0\0", Ok(Some((Packet::Alive, 2))));
    check_packet(b"\x31\x03abc", Ok(Some((Packet::Other, 5))));
    check_packet(b"\x40\x03\0\x01\0", Err("an acknowledgement has another length"));
    check_packet(b"\x20\x00", Err("its greeting has another length"));
    check_packet(b"\x30\xff\xff\xff\x7f", Err("its answer is too long"));
    check_packet(b"\x30\xff\xff\xff\xff\x01", Err("the length of a packet has no end"));
    check_packet(b"HTTP/1.1", Ok(None));
    check_packet(b"\x10\x00", Err("this is no packet of MQTT 3.1.1"));
}

proptest! {
    #[test]
    fn no_answer_makes_decoding_fail(bytes in vec(any::<u8>(), 0..32)) {
        if let Ok(Some((_, size))) = packet::decode(&bytes) {
            assert!(size <= bytes.len());
        }
    }
}

#[test]
fn no_topic_ends_the_connection() {
    let found = |text: &[u8]| topic::check(text).map(str::to_owned).map_err(|error| error.to_string());
    assert_eq!(found("log/wéb/$x".as_bytes()), Ok("log/wéb/$x".to_owned()));
    for (text, words) in [
        (&b""[..], "is empty"),
        (b"a/+", "has a + or a #"),
        (b"#", "has a + or a #"),
        (b"a\0b", "control character"),
        (b"a\nb", "control character"),
        ("a\u{ffff}".as_bytes(), "control character"),
        (b"a\xff", "is not UTF-8"),
        (&[b'a'; 65_536], "more than 65,535 bytes"),
    ] {
        assert!(found(text).is_err_and(|error| error.contains(words)), "{text:?}");
    }
}

/// Says each part after something was heard; the next connection begins behind `None`.
async fn serve(listener: TcpListener, says: &[Option<&[u8]>]) {
    for connection in says.split(Option::is_none) {
        let Ok((mut peer, _)) = listener.accept().await else { return };
        for part in connection.iter().flatten() {
            let mut heard = [0; 4096];
            let _ = peer.read(&mut heard).await;
            let _ = peer.write_all(part).await;
        }
    }
    std::future::pending::<()>().await;
}

/// Compares the verdicts over three rows that are published once to a broker that says these things.
#[track_caller]
fn check(qos: MqttQos, says: &[Option<&[u8]>], want: &str) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let found = runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let server = Endpoint { host: "127.0.0.1".to_owned(), port, tls: None };
        let login = MqttLogin::default();
        let shared = Shared { server, login, qos, timeout: Duration::from_millis(100) };
        let mut connection = MqttConnection::new(Arc::new(shared));
        let bytes = |text: &str| Cell::Bytes(text.as_bytes().to_vec());
        let row =
            |sequence| Row { id: RecordId { incarnation: 1, sequence }, cells: vec![bytes("t"), bytes("x")] };
        let rows: Vec<Row> = (0..3).map(row).collect();
        tokio::select! {
            judged = connection.send("t", &rows) => {
                let shown = judged.iter().map(|one| format!("{} {:?} {}", one.rows, one.verdict, one.answer));
                shown.collect::<Vec<_>>().join("; ")
            }
            () = serve(listener, says) => String::new(),
        }
    });
    assert_eq!(found, want);
}

const HELLO: Option<&[u8]> = Some(b"\x20\x02\0\0");

#[test]
fn each_publication_has_its_own_acknowledgement() {
    let (nothing, once, twice) = (MqttQos::Nothing, MqttQos::AtLeastOnce, MqttQos::ExactlyOnce);
    let broken = "BackOff) the server closed the connection";
    let silent = "BackOff) the server did not answer within 0.1 seconds";
    check(nothing, &[HELLO, Some(b"\xd0\0")], "3 Delivered ");
    check(nothing, &[HELLO, Some(b"")], &format!("3 Later({broken}"));
    // A publication of others comes in between.
    check(once, &[HELLO, Some(b"\x31\x03abc\x40\x02\0\x03\x40\x02\0\x01\x40\x02\0\x02")], "3 Delivered ");
    check(
        once,
        &[HELLO, Some(b"\x40\x02\0\x02")],
        &format!("1 Later({broken}; 1 Delivered ; 1 Later({broken}"),
    );
    check(
        once,
        &[HELLO, Some(b"\x40\x02\0\x01\x40\x02\0\x01"), Some(b""), None],
        &format!("1 Delivered ; 2 Later({silent}"),
    );
    check(
        twice,
        &[
            HELLO,
            Some(b"\x50\x02\0\x01\x50\x02\0\x02\x50\x02\0\x03"),
            Some(b"\x70\x02\0\x01\x70\x02\0\x02\x70\x02\0\x03"),
        ],
        "3 Delivered ",
    );
    let breach = |what: &str| format!("3 Later(BackOff) the server breaks its protocol: {what}");
    check(twice, &[HELLO, Some(b"\x70\x02\0\x01")], &breach("it passes on what it has no leave for"));
    check(once, &[HELLO, Some(b"\x40\x02\0\x04")], &breach("it acknowledges what was not published"));
    check(once, &[HELLO, Some(b"\x40\x02\0\0")], &breach("it acknowledges what was not published"));
    check(
        once,
        &[HELLO, Some(b"\x50\x02\0\x01")],
        &breach("it acknowledges in another way than it was asked to"),
    );
}

#[test]
fn a_login_that_fails_holds_everything() {
    let once = MqttQos::AtLeastOnce;
    check(once, &[Some(b"\x20\x02\0\x05")], "3 Hold(Credentials) the broker says that we are not authorised");
    check(once, &[Some(b"\x20\x02\0\x01")], "3 Hold(Schema) the broker does not speak MQTT 3.1.1");
    check(once, &[Some(b"\x20\x02\0\x02")], "3 Hold(Credentials) the broker refuses client-id()");
    check(once, &[Some(b"\x20\x02\0\x03")], "3 Later(Reopen) the broker is not available");
    check(
        once,
        &[Some(b"\x20\x02\0\x04")],
        "3 Hold(Credentials) the broker refuses username() or password()",
    );
    check(
        once,
        &[Some(b"\x20\x02\0\x06")],
        "3 Later(Reopen) the broker answers the login with an unknown code",
    );
    check(
        once,
        &[Some(b"\xd0\0")],
        "3 Later(Reopen) the server breaks its protocol: it does not answer the login",
    );
    check(once, &[Some(b"")], "3 Later(Reopen) the server closed the connection");
}
