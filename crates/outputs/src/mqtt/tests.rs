//! Exchanges with a broker of a few lines.

use super::connection::{MqttConnection, Shared};
use crate::link::Endpoint;
use delivery::{Cell, Connection, Row};
use message::RecordId;
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    runtime::Builder,
};
use transport::mqtt::{MqttLogin, MqttQos};

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
    check(once, &[HELLO, Some(b"\x31\x03\0\x01a\x40\x02\0\x03\x40\x02\0\x01\x40\x02\0\x02")], "3 Delivered ");
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
