//! Requests of webhooks: their answers, and the values of their messages.

use super::*;
use crate::{
    Dialogue, HttpOptions, SourceDriver, StreamListener,
    options::{ClientHeader, PathPattern},
    testing::{Setup, here, source_options},
};
use std::{
    io::{Read, Write},
    sync::Arc,
    time::Duration,
};
use transport::testing::PATIENCE;
use wire::ParseFlags;

fn hook() -> WebhookOptions {
    WebhookOptions {
        paths: ["/events/(?P<HOST>.+)", "/.*x"]
            .iter()
            .map(|text| PathPattern::parse(text).unwrap())
            .collect(),
        headers: RequestHeaders::Stored,
        proxy_header: ClientHeader::parse("X-Forwarded-For"),
        ..WebhookOptions::default()
    }
}

fn setup(hook: WebhookOptions) -> Setup {
    let listener = move |port| {
        let mut listener = StreamListener::new(here(port));
        let mut http = HttpOptions { timeout: Duration::from_millis(300), ..HttpOptions::new(1 << 20) };
        http.body_bytes_max = 100;
        http.tokens = vec!["t".to_owned()];
        http.webhook = Some(hook);
        listener.dialogue = Dialogue::Http(Arc::new(http));
        SourceDriver::Stream(listener)
    };
    let mut options = source_options();
    options.decode.flags = options.decode.flags.with(ParseFlags::NO_PARSE);
    options.keeps_empty_lines = true;
    Setup::new(listener, options)
}

/// Sends a request and returns the status and the body of its answer.
fn ask(setup: &Setup, head: &str, body: &str) -> String {
    let mut stream = setup.connect();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    let request = format!("{head}\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    let status = answer.split(' ').nth(1).unwrap_or_default();
    format!("{status} {}", answer.split_once("\r\n\r\n").unwrap_or_default().1)
}

#[track_caller]
fn check(head: &str, body: &str, answer: &str, values: &[(&str, &str)]) {
    let setup = setup(hook());
    assert_eq!(
        ask(&setup, &head.replace("AUTH", "HTTP/1.1\r\nAuthorization: Token t"), body),
        answer,
        "{head}"
    );
    if values.is_empty() {
        return;
    }
    setup.collected.wait(1);
    let value = |batch: &message::Batch, name: &str| {
        let value = batch.field(0, &FieldName::parse(name));
        value.map_or("-".to_owned(), |value| String::from_utf8_lossy(&value).into_owned())
    };
    for (name, want) in values {
        setup.collected.batches(|batches| assert_eq!(value(&batches[0], name), *want, "{name}"));
    }
}

const TAKEN: &str = "200 {\"status\": \"received\"}";

#[test]
fn a_request_is_one_message_with_values() {
    check(
        "POST /events/a%20b?x=1&y=&x=2,%223&z+z=%ff AUTH\r\nX-Forwarded-For: 1.2.3.4\r\nx-forwarded-for: 9.9.9.9, 10.1.2.3",
        "<1>two\nlines\n",
        TAKEN,
        &[
            ("MESSAGE", "<1>two\nlines"),
            ("HOST", "a b"),
            ("webhook.query.x", "1,\"2,\\\"3\""),
            ("webhook.query.y", ""),
            ("HOST_FROM", "10.1.2.3"),
            (
                "webhook.headers",
                "{\"X-Forwarded-For\":[\"1.2.3.4\",\"9.9.9.9, 10.1.2.3\"],\"Host\":[\"x\"],\"Connection\":[\"close\"],\"Content-Length\":[\"13\"]}",
            ),
        ],
    );
    check("POST /yx AUTH\r\nX-Forwarded-For: who", "", TAKEN, &[("MESSAGE", ""), ("HOST_FROM", "127.0.0.1")]);
}

#[test]
fn what_is_not_taken_is_answered() {
    check("POST /xy AUTH", "m", "404 {\"status\": \"nothing is taken under this path\"}", &[]);
    check("PUT /x AUTH", "m", "405 {\"status\": \"not with this method\"}", &[]);
    check("POST /x HTTP/1.1", "m", "401 {\"status\": \"credentials are needed\"}", &[]);
    check("POST /x HTTP/1.1\r\nAuthorization: Bearer u", "m", "401 {\"status\": \"wrong credentials\"}", &[]);
    check("POST /x AUTH", &"m".repeat(101), "413 {\"status\": \"the body is too large\"}", &[]);
    let many = format!("POST /x?{} AUTH", "a&".repeat(1_001));
    check(&many, "m", "400 {\"status\": \"the query has too many values\"}", &[]);
}

#[test]
fn documents_are_checked_at_the_door() {
    for (body, want) in [
        ("{\"a\": [1]}", TAKEN),
        ("[1]", "400 {\"status\": \"cannot read the body: no JSON object at byte 0\"}"),
        ("{\"a\": ", "400 {\"status\": \"cannot read the body: no JSON object at byte 0\"}"),
    ] {
        let setup = setup(WebhookOptions { content: WebhookContent::Json, paths: Vec::new(), ..hook() });
        assert_eq!(ask(&setup, "POST / HTTP/1.1\r\nX-Api-Key: t", body), want, "{body}");
    }
}

#[test]
fn the_answer_waits_until_the_message_is_safe() {
    let setup = setup(hook());
    setup.collected.hold();
    let late = "503 {\"status\": \"the messages are not safe yet, send them again\"}";
    assert_eq!(ask(&setup, "POST /x HTTP/1.1\r\nX-Api-Key: t", "m"), late);
    assert_eq!(setup.collected.wait(1).len(), 1);
}
