//! Errors, and exchanges with a server of a few lines.

use super::{
    connection::{RedisConnection, Shared},
    options::RedisLogin,
    verdict,
};
use crate::link::Endpoint;
use delivery::{Cell, Connection, HoldReason, Row, Verdict, Wait};
use message::RecordId;
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    runtime::Builder,
};
use transport::DeadReason;

#[track_caller]
fn check_error(text: &str, want: Verdict, answer: &str) {
    let failure = verdict::failure(text);
    assert_eq!((failure.verdict, failure.answer.as_str()), (want, answer), "{text}");
}

#[test]
fn an_error_says_whether_messages_wait_or_die() {
    let hold = Verdict::Hold;
    check_error("LOADING Redis is loading", Verdict::Later(Wait::Busy), "LOADING Redis is loading");
    check_error("CLUSTERDOWN x", Verdict::Later(Wait::Busy), "CLUSTERDOWN x");
    check_error("BUSY script", Verdict::Later(Wait::BackOff), "BUSY script");
    check_error("OOM command not allowed", hold(HoldReason::Quota), "OOM command not allowed");
    check_error("READONLY", hold(HoldReason::Quota), "READONLY");
    check_error("NOAUTH Authentication", hold(HoldReason::Credentials), "NOAUTH Authentication");
    check_error("ERR invalid password", hold(HoldReason::Credentials), "ERR invalid password");
    check_error("NOPERM no", hold(HoldReason::Access), "NOPERM no");
    check_error("MOVED 5 h:1", hold(HoldReason::Schema), "MOVED 5 h:1");
    check_error(
        "ERR max number of clients reached",
        Verdict::Later(Wait::Reopen),
        "ERR max number of clients reached",
    );
    check_error(
        "ERR unknown command 'X', with args beginning with: 'secret'",
        hold(HoldReason::Schema),
        "ERR unknown command",
    );
    check_error("WRONGTYPE Operation", Verdict::Dead(DeadReason::Type), "WRONGTYPE Operation");
    check_error(
        "ERR value is not an integer",
        Verdict::Dead(DeadReason::Type),
        "ERR value is not an integer",
    );
    check_error(
        "ERR Protocol error: invalid bulk",
        Verdict::Dead(DeadReason::TooLarge),
        "ERR Protocol error: invalid bulk",
    );
    check_error("MINE says 'secret'", Verdict::Dead(DeadReason::Rejected), "MINE says\nMINE says 'secret'");
    check_error("", Verdict::Dead(DeadReason::Rejected), "");
}

/// Answers each connection with the next text after it has sent something, and closes it when there is no more to say.
async fn serve(listener: TcpListener, says: &[&str]) {
    for text in says {
        let Ok((mut peer, _)) = listener.accept().await else { return };
        for part in text.split('|') {
            let mut asked = [0; 4096];
            let _ = peer.read(&mut asked).await;
            let _ = peer.write_all(part.as_bytes()).await;
        }
    }
    std::future::pending::<()>().await;
}

/// Compares the verdicts over rows that are sent in requests of three to a server that says these things.
#[track_caller]
fn check(login: RedisLogin, says: &[&str], requests: usize, want: &[&str]) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let found = runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let server = Endpoint { host: "127.0.0.1".to_owned(), port, tls: None };
        let shared = Shared { server, login, command: "SET".to_owned(), timeout: Duration::from_millis(100) };
        let mut connection = RedisConnection::new(Arc::new(shared));
        let rows: Vec<Row> = (0..3)
            .map(|sequence| Row {
                id: RecordId { incarnation: 1, sequence },
                cells: vec![Cell::Bytes(b"x".to_vec())],
            })
            .collect();
        let ask = async {
            let mut found = Vec::new();
            for _ in 0..requests {
                let judged = connection.send("SET", &rows).await;
                let shown = judged.iter().map(|one| format!("{} {:?} {}", one.rows, one.verdict, one.answer));
                found.push(shown.collect::<Vec<_>>().join("; "));
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
fn each_command_has_the_verdict_of_its_own_reply() {
    let nobody = RedisLogin::default;
    check(
        nobody(),
        &["+OK\r\n-WRONGTYPE no\r\n:3\r\n"],
        1,
        &["1 Delivered ; 1 Dead(Type) WRONGTYPE no; 1 Delivered "],
    );
    check(
        nobody(),
        &["+OK\r\n", "+OK\r\n+OK\r\n+OK\r\n"],
        2,
        &["1 Delivered ; 2 Later(Busy) the server closed the connection", "3 Delivered "],
    );
    // A connection that was closed while it rested is opened again at once.
    check(nobody(), &[":1\r\n:1\r\n:1\r\n", ":1\r\n:1\r\n:1\r\n"], 2, &["3 Delivered ", "3 Delivered "]);
    check(
        nobody(),
        &["+OK\r\n|"],
        1,
        &["1 Delivered ; 2 Later(Busy) the server did not answer within 0.1 seconds"],
    );
    check(
        nobody(),
        &[":1\r\n:1\r\n:1\r\n:1\r\n", ":2\r\n:2\r\n:2\r\n"],
        2,
        &["3 Delivered ", "3 Delivered "],
    );
    check(
        nobody(),
        &["SSH-2.0-x\r\n"],
        1,
        &["3 Later(Busy) the server breaks its protocol: this is no reply of Redis"],
    );
    check(
        nobody(),
        &["-ERR max number of clients reached\r\n"],
        1,
        &[
            "1 Later(Reopen) ERR max number of clients reached; 2 Later(Busy) the server closed the connection",
        ],
    );
}

#[test]
fn a_login_that_fails_holds_everything() {
    let login =
        RedisLogin { user: Some("me".to_owned()), password: Some("secret".to_owned()), database: Some(3) };
    check(login.clone(), &["+OK\r\n|+OK\r\n|:1\r\n:1\r\n:1\r\n"], 1, &["3 Delivered "]);
    check(login.clone(), &["-WRONGPASS invalid\r\n"], 1, &["3 Hold(Credentials) WRONGPASS invalid"]);
    check(
        login.clone(),
        &["-ERR wrong number of arguments for 'auth'\r\n"],
        1,
        &["3 Hold(Credentials) ERR wrong number of arguments for"],
    );
    check(
        login.clone(),
        &["+OK\r\n|-ERR DB index is out of range\r\n"],
        1,
        &["3 Hold(Schema) ERR DB index is out of range"],
    );
    check(login, &["-LOADING wait\r\n"], 1, &["3 Later(Reopen) LOADING wait"]);
}
