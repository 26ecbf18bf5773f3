//! Requests as a server of prepared answers hears them, and what becomes of the rows.

use super::*;
use crate::testing::{
    accept, client, pki,
    requests::{self, answer},
    runtime, shown,
};
use tokio::net::TcpListener;

/// Sends rows, so many times, over a connection to a server with these answers. Returns the verdicts and the requests.
fn exchanged(says: &[&str], sends: usize) -> (Vec<String>, Vec<(String, Vec<u8>)>) {
    let connection = |address: &str| {
        let mut target = target(Text::boxed("k"), Text::boxed("x"));
        target.address = format!("{address}/logs");
        S3Receiver::new(target).connection()
    };
    requests::exchanged(connection, ("k ä", &rows(&[1, 2])), (says, sends))
}

#[test]
fn a_batch_is_one_signed_request() {
    let (verdicts, heard) = exchanged(&["200 "], 1);
    assert_eq!(verdicts, ["2 Delivered "]);
    let (head, body) = &heard[0];
    assert!(head.starts_with("PUT /logs/k%20%C3%A4-00000000000000ab-000000000001-000000000002-"), "{head}");
    assert_eq!(body, b"m1\nm2\n");
    let signed = "signedheaders=content-type;host;if-none-match;x-amz-checksum-sha256;x-amz-content-sha256;x-amz-date,";
    for part in ["\r\nif-none-match: *\r\n", "\r\ncontent-type: text/plain\r\n", "credential=id/", signed] {
        assert!(head.contains(part), "{part} {head}");
    }
    assert!(!head.contains("hidden") && !head.contains("content-encoding"), "{head}");
}

#[test]
fn a_lost_answer_repeats_the_same_object() {
    let known = "412 <Error><Code>PreconditionFailed</Code></Error>";
    let (verdicts, heard) = exchanged(&["", known], 1);
    assert_eq!(verdicts, ["2 Delivered "]);
    let line = |at: usize| heard[at].0.lines().next().unwrap().to_owned();
    assert_eq!((line(0), &heard[0].1), (line(1), &heard[1].1));
    let (verdicts, heard) = exchanged(&["500 ", "412 "], 2);
    assert_eq!(
        verdicts,
        ["2 Later(BackOff) the server answered 500: this is no answer of S3", "2 Delivered "]
    );
    assert_eq!(heard[0].1, heard[1].1);
}

#[test]
fn a_server_that_does_not_know_conditions_gets_none() {
    let unknown = "501 <Error><Code>NotImplemented</Code><Message>a header</Message></Error>";
    let (verdicts, heard) = exchanged(&[unknown, "200 ", "200 "], 2);
    assert_eq!(verdicts, ["2 Delivered ", "2 Delivered "]);
    let conditions: Vec<bool> = heard.iter().map(|(head, _)| head.contains("if-none-match")).collect();
    assert_eq!(conditions, [true, false, false]);
    let (verdicts, _) = exchanged(&[unknown, unknown, unknown], 2);
    assert_eq!(verdicts, ["2 Hold(Schema) the server answered 501 NotImplemented a header"; 2]);
}

#[test]
fn objects_go_over_tls_when_the_url_says_so() {
    let pki = pki();
    runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut target = target(Text::boxed("k"), Text::boxed("x"));
        target.address = format!("https://{}/logs", listener.local_addr().unwrap());
        target.tls = client(&pki);
        target.headers.clear();
        target.checksum = S3Checksum::NotSent;
        target.login.session_token = Some("token-7".to_owned());
        let mut connection = S3Receiver::new(target).connection();
        let (mut says, mut heard) = (vec!["200 "], Vec::new());
        let serve = async {
            let peer = accept(&pki, listener.accept().await.unwrap().0).await.unwrap();
            answer(peer, &mut says, &mut heard).await;
        };
        let rows = rows(&[1]);
        let (judged, ()) = tokio::join!(connection.send("k", &rows), serve);
        assert_eq!(shown(&judged), "1 Delivered ");
        let head = heard[0].0.to_ascii_lowercase();
        assert!(!head.contains("checksum"), "{head}");
        assert!(head.contains("x-amz-security-token: token-7"), "{head}");
        assert!(head.contains("x-amz-date;x-amz-security-token, signature="), "{head}");
    });
}

#[test]
fn a_server_that_is_away_is_tried_later() {
    let receiver = S3Receiver::new(target(Text::boxed("k"), Text::boxed("x")));
    let judged = shown(&runtime().block_on(receiver.connection().send("k", &rows(&[1]))));
    assert!(judged.starts_with("1 Later(Reopen) Connection refused"), "{judged}");
}
