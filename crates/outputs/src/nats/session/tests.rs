//! Greetings and logins, in the clear and encrypted.

use super::*;
use crate::testing::{accept, client, pki, runtime};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
};
use transport::tls::SenderTls;

/// Reads what comes until it ends so.
async fn until(stream: &mut (impl AsyncRead + Unpin), end: &str, heard: &mut String) {
    while !heard.ends_with(end) {
        match stream.read_u8().await {
            Ok(byte) => heard.push(char::from(byte)),
            Err(_) => return,
        }
    }
}

/// Answers the ping behind a login; a question of the server is to be answered as well.
async fn log_in(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: &str) -> String {
    let mut heard = String::new();
    until(&mut stream, "PING\r\n", &mut heard).await;
    let _ = stream.write_all(answer.as_bytes()).await;
    if answer.starts_with("PING") {
        until(&mut stream, "PONG\r\n", &mut heard).await;
        let _ = stream.write_all(b"PONG\r\n").await;
    }
    heard
}

/// Opens a session with a server that greets so, encrypts if it is to, and answers the login so. Returns the outcome, and
/// what the server heard.
fn open(tls: Option<&SenderTls>, greeting: &str, answer: &str) -> (String, String) {
    let pki = pki();
    let own = client(&pki);
    runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let tls = tls.map(|_| own);
        let is_encrypted = tls.is_some() && greeting.contains("tls_");
        let server = Endpoint { host: "127.0.0.1".to_owned(), port, tls };
        let login =
            NatsLogin { user: Some("me".to_owned()), password: Some("secret".to_owned()), token: None };
        let serve = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(greeting.as_bytes()).await.unwrap();
            match is_encrypted {
                true => match accept(&pki, stream).await {
                    Ok(stream) => log_in(stream, answer).await,
                    Err(_) => String::new(),
                },
                false => log_in(stream, answer).await,
            }
        };
        let open = async {
            match Session::open(&server, &login, "name", Duration::from_secs(5)).await {
                Ok(session) => format!("{} {}", session.inbox, session.text_bytes_max),
                Err(failure) => format!("{:?}: {}", failure.verdict, failure.answer),
            }
        };
        tokio::join!(open, serve)
    })
}

#[track_caller]
fn check(tls: Option<&SenderTls>, greeting: &str, answer: &str, want: &str) {
    assert_eq!(open(tls, greeting, answer).0, want, "{greeting}");
}

const GREETING: &str = "INFO {\"headers\":true,\"max_payload\":100}\r\n";
const REQUIRED: &str = "INFO {\"headers\":true,\"tls_required\":true}\r\n";
const AVAILABLE: &str = "INFO {\"headers\":true,\"tls_available\":true,\"max_payload\":100}\r\n";

#[test]
fn a_session_is_encrypted_as_both_sides_want() {
    let some = client(&pki());
    check(None, GREETING, "PONG\r\n", "_INBOX.name. 100");
    check(None, AVAILABLE, "PONG\r\n", "_INBOX.name. 100");
    check(Some(&some), AVAILABLE, "PONG\r\n", "_INBOX.name. 100");
    check(Some(&some), REQUIRED, "PONG\r\n", "_INBOX.name. 1048576");
    let none = "Hold(Credentials): the server does not speak TLS, and there is tls()";
    check(Some(&some), GREETING, "PONG\r\n", none);
    check(None, REQUIRED, "", "Hold(Credentials): the server wants TLS: set tls()");
    let early = format!("{REQUIRED}+OK\r\n");
    check(Some(&some), &early, "", "Later(Reopen): it speaks before the connection is encrypted");
}

#[test]
fn a_login_may_have_other_lines_before_its_answer() {
    check(None, GREETING, "+OK\r\nINFO {}\r\nPONG\r\n", "_INBOX.name. 100");
    check(None, GREETING, "PING\r\n", "_INBOX.name. 100");
    let breach = "Later(Reopen): the server breaks its protocol: it answers what was not published";
    check(None, GREETING, "MSG i.3 1 2\r\n{}\r\n", breach);
    let early = "Hold(Credentials): Authorization Violation";
    check(None, GREETING, "-ERR 'Authorization Violation'\r\n-ERR 'x'\r\n", early);
    check(
        None,
        GREETING,
        "-ERR 'Maximum Connections Exceeded'\r\n",
        "Later(Reopen): Maximum Connections Exceeded",
    );
}

#[test]
fn a_login_says_who_we_are() {
    let (_, heard) = open(None, GREETING, "PONG\r\n");
    let line = heard.strip_prefix("CONNECT ").and_then(|rest| rest.split("\r\n").next()).unwrap();
    let options: Value = serde_json::from_str(line).unwrap();
    assert_eq!(
        (&options["user"], &options["pass"], &options["auth_token"]),
        (&json!("me"), &json!("secret"), &Value::Null)
    );
    assert!(options["headers"] == true && options["verbose"] == false);
    assert!(heard.ends_with("\r\nSUB _INBOX.name.* 1\r\nPING\r\n"), "{heard}");
}
