//! Results of messages, forms as NRDP reads them, and exchanges.

use super::{
    check::{NAME_BYTES_MAX, OUTPUT_BYTES_MAX, item, state_by_severity},
    connection::body,
    options::NrdpTarget,
    receiver::NrdpReceiver,
};
use crate::{
    http::{Compression, RequestSettings},
    testing::{requests::exchanged as exchanged_with, row},
};
use delivery::{Batches, Cell, Receiver, Row};
use message::{RecordId, Severity};
use std::time::Duration;
use transport::{
    testing::Text,
    tls::{SenderTls, TlsOptions},
};

#[track_caller]
fn check([host, service, state, output]: [&str; 4], want: &str) {
    let found = item(host.as_bytes(), service.as_bytes(), state.as_bytes(), output.as_bytes());
    let found = found.unwrap_or_else(|error| format!("{:?}: {}", error.reason, error.text));
    assert_eq!(found, want);
}

#[test]
fn a_result_is_that_of_a_host_or_a_service() {
    check(
        ["web", "disk", "WARNING", "90 %|used=90%"],
        r#"{"checkresult":{"type":"service","checktype":"1"},"hostname":"web","servicename":"disk","state":"1","output":"90 %|used=90%"}"#,
    );
    check(
        ["web", " ", "down", "gone\nfor long\n"],
        r#"{"checkresult":{"type":"host","checktype":"1"},"hostname":"web","state":"1","output":"gone\nfor long"}"#,
    );
    let hostile = ["web\nreturn_code=0", "a\"b\r\n", "2", "x\u{1b}[31m\ty"];
    check(
        hostile,
        r#"{"checkresult":{"type":"service","checktype":"1"},"hostname":"web return_code=0","servicename":"a\"b","state":"2","output":"x [31m y"}"#,
    );
    check(["\n", "s", "0", ""], "BadName: the host is empty");
    let service = "Cast: the state is none of 0 to 3, ok, warning, critical or unknown";
    for state in ["", "4", "-1", "up or down", "down", "2\nhost_name=x"] {
        check(["h", "s", state, ""], service);
    }
    check(["h", "", "3", ""], "Cast: the state is none of 0 to 2, up, down or unreachable");
    let long = "x".repeat(NAME_BYTES_MAX + 1);
    check([&long, "s", "0", ""], "BadName: the host has more than 255 bytes");
    check(["h", &long, "0", ""], "BadName: the service has more than 255 bytes");
    check(
        ["h", "s", "0", &"x".repeat(OUTPUT_BYTES_MAX + 1)],
        "TooLarge: the output has more than 8192 bytes",
    );
}

#[test]
fn a_severity_is_a_state() {
    let states = [Severity::EMERGENCY, Severity::ERROR, Severity::WARNING, Severity::NOTICE];
    let of = |service: &[u8]| states.map(|severity| state_by_severity(severity, service));
    assert_eq!(of(b"s"), ["critical", "critical", "warning", "ok"]);
    assert_eq!(of(b" "), ["down", "down", "up", "up"]);
}

fn rows(items: &[&str]) -> Vec<Row> {
    let row = |(sequence, item): (usize, &&str)| Row {
        id: RecordId { incarnation: 1, sequence: sequence as u64 },
        cells: vec![Cell::Text((*item).to_owned())],
    };
    items.iter().enumerate().map(row).collect()
}

#[test]
fn a_form_has_the_token_the_command_and_the_results() {
    let found = body("a&b=c", &rows(&["{\"a\":\"\u{e4} +&\"}", "{}"]));
    let want = "token=a%26b%3Dc&cmd=submitcheck&JSONDATA=\
                %7B%22checkresults%22%3A%5B%7B%22a%22%3A%22%C3%A4%20%2B%26%22%7D%2C%7B%7D%5D%7D";
    assert_eq!(String::from_utf8(found).unwrap(), want);
}

fn target(address: &str) -> NrdpTarget {
    NrdpTarget {
        url: format!("{address}/nrdp/"),
        token: "secret".to_owned(),
        host: Text::boxed("$HOST"),
        service: Some(Text::boxed("logs")),
        state: None,
        output: Text::boxed("$MSG"),
        settings: RequestSettings {
            method: "POST".to_owned(),
            headers: Vec::new(),
            compression: Compression::None,
            timeout: Duration::from_secs(2),
            follows_redirects: false,
            proxy: None,
            tls: SenderTls::new(TlsOptions::default()),
        },
        batches: Batches { lines: 100, bytes: 0, wait: None, workers: 1, retries: None },
    }
}

#[test]
fn a_message_is_a_result() {
    let mut receiver = NrdpReceiver::new(target("http://h"));
    let found = row(&mut receiver, "web|it failed");
    let item = r#"{"checkresult":{"type":"service","checktype":"1"},"hostname":"web","servicename":"logs","state":"0","output":"it failed"}"#;
    assert_eq!(found, format!(": {:?}", Cell::Text(item.to_owned())));
    assert_eq!(receiver.instance(), "nrdp,http://h/nrdp/");
    assert!(!receiver.settings().join(" ").contains("secret"));
}

#[test]
fn a_batch_is_one_form_with_one_answer() {
    let rows = rows(&["{}", "{}"]);
    let connection = |address: &str| NrdpReceiver::new(target(address)).connection();
    let says = [
        "200 {\"result\":{\"status\":0,\"message\":\"OK\",\"meta\":{\"output\":\"2 checks processed\"}}}",
        "200 {\"result\":{\"status\":-1,\"message\":\"BAD TOKEN\"}}",
        "200 <html>",
        "",
        "503 ",
    ];
    let (verdicts, heard) = exchanged_with(connection, ("", &rows), (&says, 4));
    let want = [
        "2 Delivered ",
        "2 Hold(Credentials) the server answered: BAD TOKEN",
        "2 Hold(Schema) this is no answer of NRDP",
        "2 Later(Busy) the server answered 503",
    ];
    assert_eq!(verdicts, want);
    let (head, body) = &heard[0];
    assert!(head.starts_with("POST /nrdp/ HTTP/1.1\r\n"), "{head}");
    assert!(
        head.contains("\r\ncontent-type: application/x-www-form-urlencoded\r\n") && !head.contains("secret"),
        "{head}"
    );
    assert!(body.starts_with(b"token=secret&cmd=submitcheck&JSONDATA=%7B"));
}
