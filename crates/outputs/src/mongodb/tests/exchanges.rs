//! Exchanges with servers of a few answers.

use super::super::{
    check_collection,
    connection::MongodbConnection,
    options::{
        InsertOrder, MongodbLogin, MongodbTarget, MongodbTimes, Seeds, Shared, Validation, WriteConcern,
    },
    receiver::MongodbReceiver,
};
use super::document;
use crate::{
    link::Endpoint,
    testing::{closed_port, row, runtime, shown},
};
use delivery::{Batches, Cell, Connection, Receiver, Row};
use message::{AddTyped, Batch, CastError, RecordId, RenderTyped, Stamp, TypedValue, ValueKind};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use transport::{mongodb::HEAD_BYTES, testing::Text};

const PRIMARY: &str = r#"{"ismaster":true,"maxWriteBatchSize":3,"ok":1}"#;

fn server(port: u16) -> Endpoint {
    Endpoint { host: "127.0.0.1".to_owned(), port, tls: None }
}

fn shared(seeds: Seeds, login: Option<MongodbLogin>) -> Shared {
    Shared {
        seeds,
        tls: None,
        login,
        database: "d".to_owned(),
        concern: WriteConcern::default(),
        order: InsertOrder::Ordered,
        validation: Validation::Checked,
        times: MongodbTimes {
            connect: Duration::from_secs(2),
            answer: Duration::from_millis(200),
            selection: Duration::from_secs(5),
        },
    }
}

fn rows(count: u64) -> Vec<Row> {
    let row = |sequence| Row {
        id: RecordId { incarnation: 1, sequence },
        cells: vec![Cell::Bytes(b"\x0aa\0".to_vec()), Cell::Boolean(false)],
    };
    (0..count).map(row).collect()
}

/// Reads a command, and returns its number; zero when there is no more.
async fn heard(peer: &mut TcpStream) -> u32 {
    let mut head = [0; HEAD_BYTES];
    if peer.read_exact(&mut head).await.is_err() {
        return 0;
    }
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let mut rest = vec![0; word(0) as usize - HEAD_BYTES];
    if peer.read_exact(&mut rest).await.is_err() { 0 } else { word(4) }
}

/// Answers commands of one connection after the other with these documents; a text that is no JSON is sent as it is, and an empty
/// one closes the connection.
async fn serve(listener: TcpListener, says: &[&str]) {
    let mut says = says.iter();
    while let Ok((mut peer, _)) = listener.accept().await {
        loop {
            let number = heard(&mut peer).await;
            if number == 0 {
                break;
            }
            match says.next() {
                None | Some(&"") => break,
                Some(json) if json.starts_with('{') => {
                    let body = document(json);
                    let mut out = (body.len() as u32 + 21).to_le_bytes().to_vec();
                    for word in [1, number, 2013, 0] {
                        out.extend_from_slice(&word.to_le_bytes());
                    }
                    out.push(0);
                    out.extend_from_slice(&body);
                    peer.write_all(&out).await.expect("a peer");
                }
                Some(bytes) => peer.write_all(bytes.as_bytes()).await.expect("a peer"),
            }
        }
    }
}

#[track_caller]
fn check(login: Option<MongodbLogin>, says: &[&str], (count, requests): (u64, usize), want: &[&str]) {
    let found = runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let shared = shared(Seeds::Discover(vec![server(port)], None), login);
        let mut connection = MongodbConnection::new(Arc::new(shared));
        let rows = rows(count);
        let ask = async {
            let mut found = Vec::new();
            for _ in 0..requests {
                found.push(shown(&connection.send("c", &rows).await).replace(&port.to_string(), "PORT"));
            }
            found
        };
        tokio::select! {
            found = ask => found,
            () = serve(listener, says) => Vec::new(),
        }
    });
    assert_eq!(found, want);
}

#[test]
fn documents_are_sent_until_each_has_its_answer() {
    check(None, &[PRIMARY, r#"{"n":3,"ok":1}"#], (3, 1), &["3 Delivered "]);
    // Three of a command, as the server says; then one that ends an ordered command.
    let bad = r#"{"n":1,"ok":1,"writeErrors":[{"index":1,"code":121,"errmsg":"no"}]}"#;
    let (one, three) = (r#"{"n":1,"ok":1}"#, r#"{"n":3,"ok":1}"#);
    check(
        None,
        &[PRIMARY, three, bad, one],
        (6, 1),
        &["4 Delivered ; 1 Dead(Constraint) 121 no; 1 Delivered "],
    );
    // What was stored before ends order, so that the rest is one command.
    let stored = r#"{"n":0,"ok":1,"writeErrors":[{"index":0,"code":11000,"keyPattern":{"_id":1}}]}"#;
    let both = r#"{"n":0,"ok":1,"writeErrors":[{"index":0,"code":11000,"keyPattern":{"_id":1}},{"index":1,"code":11000,"keyPattern":{"_id":1}}]}"#;
    check(None, &[PRIMARY, stored, both], (3, 1), &["3 Delivered "]);
    // A document that is to be tried later keeps those behind it back.
    let busy = r#"{"n":1,"ok":1,"writeErrors":[{"index":1,"code":112,"errmsg":"conflict"}]}"#;
    check(None, &[PRIMARY, busy], (3, 1), &["1 Delivered ; 2 Later(BackOff) 112 conflict"]);
    let large = r#"{"ok":0,"code":10334,"errmsg":"x"}"#;
    check(None, &[PRIMARY, large, one], (4, 1), &["3 Split(TooLarge) 10334 x; 1 Delivered "]);
    let denied = r#"{"ok":0,"code":13,"errmsg":"x"}"#;
    check(None, &[PRIMARY, denied, denied], (4, 2), &["4 Hold(Access) 13 x", "4 Hold(Access) 13 x"]);
    let small = r#"{"ismaster":true,"maxBsonObjectSize":20,"ok":1}"#;
    check(None, &[small], (2, 1), &["2 Dead(TooLarge) the server takes documents of 20 bytes"]);
}

#[test]
fn a_document_that_another_index_refuses_is_looked_for() {
    // The first is there: it was stored before its answer was lost. The second is not: another one has its value.
    let refused =
        r#"{"n":0,"ok":1,"writeErrors":[{"index":0,"code":11000,"keyPattern":{"user":1},"errmsg":"no"}]}"#;
    let first = r#"{"ok":1,"cursor":{"firstBatch":[{"_id":"00000000000000010000000000000000"}]}}"#;
    let none = r#"{"ok":1,"cursor":{"firstBatch":[]}}"#;
    check(
        None,
        &[PRIMARY, refused, first, refused, none],
        (2, 1),
        &["1 Delivered ; 1 Dead(Constraint) 11000 no"],
    );
    let denied = r#"{"ok":0,"code":13,"errmsg":"no"}"#;
    check(None, &[PRIMARY, refused, denied], (1, 1), &["1 Dead(Constraint) 11000 no"]);
    check(None, &[PRIMARY, refused, ""], (2, 1), &["2 Later(Busy) the server closed the connection"]);
}

#[test]
fn a_server_that_ends_or_steps_down_is_looked_for_again() {
    let three = r#"{"n":3,"ok":1}"#;
    check(None, &[PRIMARY, three, "", PRIMARY, three], (3, 2), &["3 Delivered ", "3 Delivered "]);
    check(
        None,
        &[PRIMARY, r#"{"ok":0,"code":10107,"errmsg":"not primary"}"#, PRIMARY, three],
        (3, 2),
        &["3 Later(Busy) 10107 not primary", "3 Delivered "],
    );
    check(None, &[PRIMARY, ""], (3, 1), &["3 Later(Busy) the server closed the connection"]);
    check(
        None,
        &[r#"{"ismaster":false,"secondary":true,"ok":1}"#],
        (3, 1),
        &["3 Later(Busy) 127.0.0.1:PORT takes no writes, and no primary is known"],
    );
    check(
        None,
        &["HTTP/1.1 400 Bad Request"],
        (1, 1),
        &["1 Later(Reopen) 127.0.0.1:PORT: the server breaks its protocol: this is no answer of MongoDB"],
    );
    check(
        None,
        &[r#"{"ok":0,"code":59,"errmsg":"no such command"}"#],
        (1, 1),
        &["1 Hold(Credentials) 127.0.0.1:PORT: 59 no such command"],
    );
}

#[test]
fn a_login_that_fails_holds_everything() {
    let login = || {
        Some(MongodbLogin {
            user: "me".to_owned(),
            password: "secret".to_owned(),
            source: "admin".to_owned(),
            mechanism: None,
        })
    };
    let refused = r#"{"ok":0,"code":18,"codeName":"AuthenticationFailed","errmsg":"Authentication failed."}"#;
    check(
        login(),
        &[PRIMARY, refused],
        (1, 1),
        &["1 Hold(Credentials) 18 AuthenticationFailed: Authentication failed."],
    );
    check(
        login(),
        &[PRIMARY, r#"{"ok":1,"payload":"r=x,s=YQ==,i=4096"}"#],
        (1, 1),
        &["1 Hold(Credentials) the server answers another login"],
    );
    check(
        login(),
        &[PRIMARY, r#"{"ok":0,"code":91,"errmsg":"ending"}"#],
        (1, 1),
        &["1 Later(Busy) 91 ending"],
    );
}

/// Compares the verdict when the first server says this, and a second one is the primary.
#[track_caller]
fn check_set(set: Option<&str>, first: &str, want: &str) {
    let found = runtime().block_on(async {
        let (one, two) = (TcpListener::bind("127.0.0.1:0").await, TcpListener::bind("127.0.0.1:0").await);
        let (one, two) = (one.expect("a port"), two.expect("a port"));
        let port = |listener: &TcpListener| listener.local_addr().expect("an address").port();
        let first = first.replace("TWO", &format!("127.0.0.1:{}", port(&two)));
        let port = port(&one);
        let seeds = Seeds::Discover(vec![server(closed_port()), server(port)], set.map(str::to_owned));
        let mut connection = MongodbConnection::new(Arc::new(shared(seeds, None)));
        let rows = rows(1);
        let says = [first.as_str()];
        tokio::select! {
            found = connection.send("c", &rows) => shown(&found).replace(&port.to_string(), "ONE"),
            () = serve(one, &says) => String::new(),
            () = serve(two, &[r#"{"isWritablePrimary":true,"setName":"rs","ok":1}"#, r#"{"n":1,"ok":1}"#]) => String::new(),
        }
    });
    assert_eq!(found, want);
}

#[test]
fn a_server_knows_the_primary_of_its_set() {
    check_set(None, r#"{"secondary":true,"setName":"rs","primary":"TWO","ok":1}"#, "1 Delivered ");
    check_set(Some("rs"), r#"{"secondary":true,"setName":"rs","hosts":["TWO"],"ok":1}"#, "1 Delivered ");
    check_set(
        Some("other"),
        r#"{"isWritablePrimary":true,"setName":"rs","ok":1}"#,
        "1 Hold(Schema) 127.0.0.1:ONE is of another replica set: rs",
    );
}

/// Gives the message as a number.
struct Number;

impl RenderTyped for Number {
    fn begin(&mut self, _: Stamp) {}

    fn typed_pairs(
        &mut self,
        batch: &Batch,
        index: usize,
        _: u64,
        add: &mut AddTyped<'_>,
    ) -> Result<(), CastError> {
        let text = batch.bytes(batch.messages[index].text);
        let number = std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok());
        let error = || CastError { name: "n".to_owned(), kind: ValueKind::Integer };
        add(&[b"n"], TypedValue::Integer(number.ok_or_else(error)?));
        Ok(())
    }
}

fn target(collection: &str) -> MongodbTarget {
    MongodbTarget {
        seeds: Seeds::Direct(server(closed_port())),
        tls: None,
        login: None,
        database: "d".to_owned(),
        collection: Text::boxed(collection),
        values: Box::new(Number),
        concern: WriteConcern::default(),
        order: InsertOrder::Unordered,
        validation: Validation::Bypassed,
        times: shared(Seeds::Direct(server(1)), None).times,
        batches: Batches { lines: 5, bytes: 77, wait: None, workers: 2, retries: Some(4) },
    }
}

#[test]
fn a_row_is_a_document_of_a_collection() {
    let mut receiver = MongodbReceiver::new(target("of_$HOST"));
    assert_eq!(row(&mut receiver, "h|7"), "of_h: \u{12}n\0\u{7}\0\0\0\0\0\0\0, Boolean(false)");
    assert_eq!(row(&mut receiver, "h|x"), "Cast: the value of n is no Integer");
    assert_eq!(
        row(&mut receiver, "$|7"),
        "BadName: the name of a collection has a `$` or a NUL, or a dot at one of its ends"
    );
    let long = "x".repeat(120);
    for (name, want) in [
        ("", "the name of a collection is empty"),
        (".a", "the name of a collection has a `$` or a NUL, or a dot at one of its ends"),
        ("system.x", "collections of `system.` are the server's own"),
        (&long[2..], ""),
        (&long[1..], "the names of database and collection have more than 120 bytes, or are not UTF-8"),
    ] {
        let found =
            check_collection("d", name.as_bytes()).map_or_else(|error| error.to_string(), |_| String::new());
        assert_eq!(found, want, "{name}");
    }
    assert!(check_collection("d", b"\xff").is_err());
}

#[test]
fn its_connection_goes_to_the_server() {
    let receiver = MongodbReceiver::new(target("c"));
    let judged = shown(&runtime().block_on(receiver.connection().send("c", &rows(1))));
    assert!(judged.starts_with("1 Later(Reopen) 127.0.0.1:") && judged.contains("refused"), "{judged}");
    assert_eq!((receiver.batches().lines, receiver.batches().retries), (5, Some(4)));
    assert!(receiver.instance().starts_with("mongodb,127.0.0.1:") && receiver.instance().ends_with(",d,c"));
}
