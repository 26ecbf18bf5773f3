//! Rows for refusals in the form of each protocol.

use super::*;
use http_body_util::BodyExt;
use hyper::header::{CONTENT_TYPE, HeaderValue};

/// Checks status and body; gRPC has its status in the trailers.
#[track_caller]
fn check(endpoint: &Endpoint, refusal: Refusal, status: u16, want: &str) {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    let answer = refused(endpoint, &headers, refusal);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let got = answer.status().as_u16();
    let body = runtime.block_on(answer.into_body().collect()).unwrap();
    let text = match body.trailers() {
        Some(trailers) => {
            let part = |name: &str| trailers[name].to_str().unwrap().to_owned();
            format!("{} {}", part("grpc-status"), part("grpc-message"))
        }
        None => String::from_utf8(body.to_bytes().to_vec()).unwrap(),
    };
    assert_eq!((got, text.as_str()), (status, want), "{endpoint:?} {refusal:?}");
}

const UNKNOWN: Refusal = Refusal::Credentials(Standing::Unknown);
const WRONG: Refusal = Refusal::Credentials(Standing::Refused);

#[test]
fn plain_requests_get_a_sentence() {
    for (refusal, status, want) in [
        (UNKNOWN, 401, "credentials are needed\n"),
        (WRONG, 401, "wrong credentials\n"),
        (Refusal::Body(BodyRefusal::TooLarge), 413, "the body is too large\n"),
        (Refusal::Body(BodyRefusal::TooSlow), 408, "the body did not come in time\n"),
        (Refusal::Body(BodyRefusal::Encoding), 415, "this content encoding is not known\n"),
        (Refusal::Body(BodyRefusal::Damaged), 400, "the body cannot be unpacked\n"),
        (Refusal::Body(BodyRefusal::Broken), 400, "the body broke off\n"),
        (Refusal::Body(BodyRefusal::Busy), 429, "too much is in work, come again\n"),
        (Refusal::Busy, 429, "too much is in work, come again\n"),
        (Refusal::Unsafe, 503, "the messages are not safe yet, send them again\n"),
    ] {
        check(&Endpoint::Loki, refusal, status, want);
    }
}

#[test]
fn elasticsearch_gets_an_error_that_its_clients_know() {
    let bulk = Endpoint::Bulk { index: None };
    let error = |kind: &str, reason: &str, status: u16| {
        let cause = format!("\"type\":\"{kind}\",\"reason\":\"{reason}\"");
        format!("{{\"error\":{{\"root_cause\":[{{{cause}}}],{cause}}},\"status\":{status}}}")
    };
    let busy = "too much is in work, come again";
    let unsafe_yet = "the messages are not safe yet, send them again";
    for (refusal, status, kind, reason) in [
        (Refusal::Busy, 429, "es_rejected_execution_exception", busy),
        (Refusal::Unsafe, 429, "es_rejected_execution_exception", unsafe_yet),
        (WRONG, 401, "security_exception", "wrong credentials"),
        (Refusal::Body(BodyRefusal::TooLarge), 413, "illegal_argument_exception", "the body is too large"),
    ] {
        check(&bulk, refusal, status, &error(kind, reason, status));
    }
}

#[test]
fn splunk_gets_its_codes() {
    let said = |text: &str, code: u32| format!("{{\"text\":\"{text}\",\"code\":{code}}}");
    for endpoint in [Endpoint::HecEvents, Endpoint::HecRaw, Endpoint::HecAck] {
        for (refusal, status, text, code) in [
            (UNKNOWN, 401, "Token is required", 2),
            (WRONG, 403, "Invalid token", 4),
            (Refusal::Busy, 503, "Server is busy", 9),
            (Refusal::Unsafe, 503, "Server is busy", 9),
            (Refusal::Body(BodyRefusal::Busy), 503, "Server is busy", 9),
            (Refusal::Body(BodyRefusal::TooLarge), 413, "Invalid data format", 6),
            (Refusal::Body(BodyRefusal::Damaged), 400, "Invalid data format", 6),
        ] {
            check(&endpoint, refusal, status, &said(text, code));
        }
    }
}

#[test]
fn grpc_gets_its_status() {
    for (refusal, want) in [
        (UNKNOWN, "16 credentials are needed"),
        (WRONG, "16 credentials are needed"),
        (Refusal::Body(BodyRefusal::TooLarge), "8 the message is too large"),
        (Refusal::Body(BodyRefusal::Busy), "14 come again"),
        (Refusal::Body(BodyRefusal::TooSlow), "14 come again"),
        (Refusal::Body(BodyRefusal::Broken), "14 come again"),
        (Refusal::Busy, "14 come again"),
        (Refusal::Unsafe, "14 come again"),
        (Refusal::Body(BodyRefusal::Encoding), "3 the message cannot be read"),
        (Refusal::Body(BodyRefusal::Damaged), "3 the message cannot be read"),
    ] {
        check(&Endpoint::OtlpGrpc, refusal, 200, want);
    }
}

#[test]
fn opentelemetry_gets_a_status_in_the_form_of_its_request() {
    check(&Endpoint::Otlp, Refusal::Busy, 429, "{\"message\":\"too much is in work, come again\"}");
    let answer = refused(&Endpoint::Otlp, &HeaderMap::new(), WRONG);
    assert_eq!(answer.status().as_u16(), 401);
    assert_eq!(answer.headers()[CONTENT_TYPE], answer::PROTOBUF);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let body = runtime.block_on(answer.into_body().collect()).unwrap().to_bytes();
    // Field 2 of google.rpc.Status, with its length.
    assert_eq!(body, [&[0x12, 17][..], b"wrong credentials"].concat());
}
