//! Requests over a real connection: the answers, and what became of the messages.

use super::address;
use crate::{
    Acknowledge, Dialogue, HttpOptions, SourceDriver, StreamListener,
    testing::{Setup, here, source_options},
};
use hyper::Method;
use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use transport::testing::{PATIENCE, eventually};

mod uploads;

use uploads::end_upload;

fn options() -> HttpOptions {
    HttpOptions { timeout: Duration::from_millis(300), ..HttpOptions::new(1 << 20) }
}

fn setup(options: HttpOptions) -> Setup {
    let listener = move |port| {
        let mut listener = StreamListener::new(here(port));
        listener.dialogue = Dialogue::Http(Arc::new(options));
        SourceDriver::Stream(listener)
    };
    Setup::new(listener, source_options())
}

/// Sends a request and returns the status and the body of its answer.
fn ask(setup: &Setup, head: &str, body: &[u8]) -> (u16, String) {
    let mut stream = setup.connect();
    exchange(&mut stream, head, body)
}

fn exchange(stream: &mut TcpStream, head: &str, body: &[u8]) -> (u16, String) {
    let length = body.len();
    let request = format!("{head}\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    // The server may refuse a body before it is sent.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

#[track_caller]
fn check(head: &str, body: &[u8], want: (u16, &str), lines: &[&str]) {
    let setup = setup(options());
    let (status, answer) = ask(&setup, head, body);
    assert_eq!((status, answer.as_str()), want);
    assert_eq!(setup.collected.wait(lines.len()), lines);
}

#[test]
fn each_format_is_answered_in_its_way() {
    check(
        "POST / HTTP/1.1",
        b"one\n{\"host\":\"h\",\"msg\":\"two\"}\n",
        (200, "ok\n"),
        &["127.0.0.1||one", "h||two"],
    );
    check(
        "POST /lines HTTP/1.1\r\nContent-Type: application/json",
        b"{\n \"msg\": \"x\"\n}",
        (200, "ok\n"),
        &["127.0.0.1||x"],
    );
    check("POST /gelf HTTP/1.1", b"{\"short_message\":\"g\",\"host\":\"h\"}", (202, ""), &["h||g"]);
    check(
        "POST /loki/api/v1/push HTTP/1.1\r\nContent-Type: application/json",
        b"{\"streams\":[{\"stream\":{\"job\":\"j\"},\"values\":[[\"1767323045000000000\",\"l\"]]}]}",
        (204, ""),
        &["127.0.0.1|j|l"],
    );
    check(
        "POST /v1/logs HTTP/1.1\r\nContent-Type: application/json",
        b"{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"body\":{\"stringValue\":\"o\"}}]}]}]}",
        (200, "{}"),
        &["127.0.0.1||o"],
    );
    check("POST /v1/logs HTTP/1.1\r\nContent-Type: application/x-protobuf", b"", (200, ""), &[]);
    check(
        "POST /services/collector HTTP/1.1",
        b"{\"event\":\"e\",\"host\":\"h\"}",
        (200, "{\"text\":\"Success\",\"code\":0}"),
        &["h||e"],
    );
    check(
        "POST /services/collector/raw?host=h%20x&sourcetype=s HTTP/1.1",
        b"r1\nr2",
        (200, "{\"text\":\"Success\",\"code\":0}"),
        &["h x||r1", "h x||r2"],
    );
    check("POST /services/collector HTTP/1.1", b" ", (400, "{\"text\":\"No data\",\"code\":5}"), &[]);
    check(
        "POST /services/collector HTTP/1.1",
        b"{\"x\":1}",
        (400, "{\"text\":\"Event field is required\",\"code\":12}"),
        &[],
    );
    check(
        "POST /upload HTTP/1.1",
        b"MESSAGE=a\n_HOSTNAME=h\n\nMESSAGE=b\n",
        (202, "OK.\n"),
        &["h||a", "127.0.0.1||b"],
    );
    check(
        "POST /upload HTTP/1.1",
        b"MESSAGE\n\xff\0\0\0\0\0\0\0cut",
        (400, "cannot read the body: no journal entry at byte 0\n"),
        &[],
    );
}

/// A field of a Protocol Buffers message.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, u8::try_from(bytes.len()).unwrap()], bytes].concat()
}

#[test]
fn loki_may_compress_without_a_header() {
    let entry = [field(1, b""), field(2, b"line")].concat();
    let stream = [field(1, b"{job=\"j\"}"), field(2, &entry)].concat();
    let packed = snap::raw::Encoder::new().compress_vec(&field(1, &stream)).unwrap();
    let head = "POST /loki/api/v1/push HTTP/1.1\r\nContent-Type: application/x-protobuf";
    check(head, &packed, (204, ""), &["127.0.0.1|j|line"]);
    check(&format!("{head}\r\nContent-Encoding: snappy"), &packed, (204, ""), &["127.0.0.1|j|line"]);
    check(head, b"\xff\xff\xff\xff\xff\xff", (400, "the body cannot be unpacked\n"), &[]);
}

#[test]
fn lines_may_be_one_document() {
    let json = "POST / HTTP/1.1\r\nContent-Type: application/json";
    let document = b"{\n\"msg\":\"a\"\n}";
    check(json, document, (200, "ok\n"), &["127.0.0.1||a"]);
    check("POST / HTTP/1.1", b"{\n}", (200, "ok\n"), &["127.0.0.1||{", "127.0.0.1||}"]);
    check(json, b"no document", (200, "ok\n"), &["127.0.0.1||no document"]);
}

#[test]
fn a_call_of_grpc_is_answered_with_a_message() {
    let setup = setup(options());
    let head = "POST /opentelemetry.proto.collector.logs.v1.LogsService/Export HTTP/1.1";
    let (status, answer) = ask(&setup, head, &[0; 5]);
    assert!(status == 200 && answer.contains("\0\0\0\0\0"), "{status} {answer:?}");
    let (status, answer) = ask(&setup, head, &[0; 4]);
    assert!(status == 200 && !answer.contains('\0'), "{status} {answer:?}");
}

#[test]
fn a_body_has_a_limit_whether_its_length_is_known_or_not() {
    for (size, want) in [(64, 200), (65, 413)] {
        let setup = setup(HttpOptions { body_bytes_max: 64, ..options() });
        assert_eq!(ask(&setup, "POST /lines HTTP/1.1", &vec![b'x'; size]).0, want, "{size}");
        let mut stream = setup.connect();
        let head =
            "POST /lines HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
        let piece = "x".repeat(size - 60);
        let chunks = format!("3c\r\n{:x>60}\r\n{:x}\r\n{piece}\r\n", "", piece.len());
        stream.write_all((head.to_owned() + &chunks).as_bytes()).unwrap();
        assert_eq!(end_upload(stream), want, "{size} in chunks");
    }
}

#[test]
fn documents_get_identifiers_of_their_own() {
    let setup = setup(options());
    let body = b"{\"index\":{}}\n{\"message\":\"a\"}\n{\"index\":{}}\n{\"message\":\"b\"}\n";
    let (_, answer) = ask(&setup, "POST /logs/_bulk HTTP/1.1", body);
    let ids: Vec<&str> = answer.split("\"_id\":\"").skip(1).map(|part| &part[..22]).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1], "{answer}");
    assert!(answer.contains("\"_index\":\"logs\"") && answer.contains("\"errors\":false"), "{answer}");
    let (status, answer) = ask(&setup, "PUT /logs/_doc/7 HTTP/1.1", b"{\"message\":\"c\"}");
    assert_eq!(status, 201);
    assert!(answer.starts_with("{\"_index\":\"logs\",\"_id\":\""), "{answer}");
    assert_eq!(setup.collected.wait(3), ["127.0.0.1||a", "127.0.0.1||b", "127.0.0.1||c"]);
}

/// Sends bytes and leaves; checks how many connections count as broken.
#[track_caller]
fn check_leaving(bytes: &[u8], want: u64) {
    let setup = setup(options());
    let mut stream = setup.connect();
    stream.write_all(bytes).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let _ = stream.read_to_end(&mut Vec::new());
    let counters = setup.registry.list().remove(0);
    eventually("closed", || counters.connections.load(Ordering::Relaxed) == 0);
    assert_eq!(counters.errors.load(Ordering::Relaxed), want, "{bytes:?}");
}

#[test]
fn a_client_may_leave_at_any_time() {
    check_leaving(b"", 0);
    check_leaving(b"POST /lin", 0);
    check_leaving(b"POST /lines HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc", 0);
    check_leaving(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n", 0);
    check_leaving(b"\0\0\0\0\r\n\r\n", 1);
}

#[test]
fn bulk_tells_of_each_item() {
    let setup = setup(options());
    let body = b"{\"create\":{\"_index\":\"i\",\"_id\":\"7\"}}\n{\"message\":\"a\"}\n{\"delete\":{}}\n";
    let (status, answer) = ask(&setup, "POST /_bulk HTTP/1.1", body);
    assert_eq!(status, 200);
    assert!(
        answer.starts_with(
            "{\"took\":0,\"errors\":true,\"items\":[{\"create\":{\"_index\":\"i\",\"_id\":\"7\""
        ),
        "{answer}"
    );
    assert!(
        answer.contains("\"status\":201}},{\"delete\":") && answer.contains("\"status\":400"),
        "{answer}"
    );
    assert_eq!(setup.collected.wait(1), ["127.0.0.1||a"]);
}

#[track_caller]
fn check_route(method: &str, path: &str, want: &str) {
    let method: Method = method.parse().unwrap();
    let shown = match address::endpoint(&method, path) {
        Ok(endpoint) => format!("{endpoint:?}"),
        Err(error) => format!("no {error:?}"),
    };
    assert_eq!(shown, want, "{method} {path}");
}

#[test]
fn paths_mean_formats() {
    check_route("POST", "/_bulk", "Bulk { index: None }");
    check_route("PUT", "/logs-x/_bulk/", "Bulk { index: Some(\"logs-x\") }");
    check_route("POST", "/logs/doc/_bulk", "Bulk { index: Some(\"logs\") }");
    check_route("PUT", "/logs/_create/5", "Document { index: \"logs\" }");
    check_route("GET", "/", "Elastic");
    check_route("HEAD", "/_index_template/x", "Elastic");
    check_route("GET", "/_bulk", "Elastic");
    check_route("POST", "/other", "no Path");
    check_route("GET", "/gelf", "no Method");
    check_route("POST", "/services/collector/event/1.0", "HecEvents");
    check_route("GET", "/services/collector/health", "HecHealth");
    check_route("POST", "/services/collectors", "no Path");
    for (path, endpoint) in [
        ("/lines", "Lines"),
        ("/lines/", "Lines"),
        ("/loki/api/v1/push", "Loki"),
        ("/api/prom/push", "Loki"),
        ("/v1/logs", "Otlp"),
        ("/opentelemetry.proto.collector.logs.v1.LogsService/Export", "OtlpGrpc"),
        ("/gelf", "Gelf"),
        ("/upload", "Journal"),
        ("/services/collector", "HecEvents"),
        ("/services/collector/event", "HecEvents"),
        ("/services/collector/1.0", "HecEvents"),
        ("/services/collector/raw", "HecRaw"),
        ("/services/collector/raw/1.0", "HecRaw"),
        ("/services/collector/ack", "HecAck"),
        ("/services/collector/ack/1.0", "HecAck"),
    ] {
        check_route("POST", path, endpoint);
        check_route("PUT", path, endpoint);
        check_route("GET", path, "no Method");
        check_route("DELETE", path, "no Method");
    }
    for path in ["/health", "/ready", "/healthz"] {
        check_route("GET", path, "Health");
        check_route("HEAD", path, "Health");
        check_route("POST", path, "no Method");
    }
    check_route("HEAD", "/services/collector/health/1.0", "HecHealth");
    check_route("POST", "/services/collector/health", "no Method");
    check_route("POST", "/", "Lines");
    check_route("HEAD", "/", "Elastic");
    check_route("POST", "//", "Lines");
    check_route("POST", "/a/b/c/_bulk", "no Path");
    check_route("POST", "/_x/_bulk", "Bulk { index: None }");
    check_route("GET", "/logs/_bulk", "no Path");
    check_route("POST", "/logs/_doc", "Document { index: \"logs\" }");
    check_route("POST", "/logs/_doc/1/2", "no Path");
    check_route("POST", "/_logs/_doc", "no Path");
    check_route("POST", "//_doc", "no Path");
    check_route("GET", "/logs/_doc/1", "no Path");
    check_route("DELETE", "/_bulk", "Elastic");
}

fn with_credentials() -> HttpOptions {
    let mut options = options();
    options.tokens = vec!["secret".to_owned()];
    options.users = vec![("ship".to_owned(), "pass".to_owned())];
    options
}

#[track_caller]
fn check_credentials(header: &str, want: u16) {
    let setup = setup(with_credentials());
    let (status, _) = ask(&setup, &format!("POST /lines HTTP/1.1{header}"), b"x");
    assert_eq!(status, want, "{header}");
    assert_eq!(setup.collected.wait(usize::from(want == 200)).len(), usize::from(want == 200));
}

#[test]
fn only_clients_with_a_secret_may_send() {
    check_credentials("", 401);
    check_credentials("\r\nAuthorization: Bearer secret", 200);
    check_credentials("\r\nAuthorization: Splunk secret", 200);
    check_credentials("\r\nX-Api-Key: secret", 200);
    check_credentials("\r\nAuthorization: Bearer secre", 401);
    check_credentials("\r\nAuthorization: Basic c2hpcDpwYXNz", 200); // ship:pass
    check_credentials("\r\nAuthorization: Basic eDpzZWNyZXQ=", 200); // x:secret
    check_credentials("\r\nAuthorization: Basic c2hpcDpubw==", 401); // ship:no
    check_credentials("\r\nAuthorization: ApiKey c2hpcDpwYXNz", 200);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn bodies_may_be_packed() {
    let zstd = zstd::bulk::compress(b"packed", 1).unwrap();
    let snappy = snap::raw::Encoder::new().compress_vec(b"packed").unwrap();
    for (name, body) in [
        ("gzip", gzip(b"packed")),
        ("deflate", zlib(b"packed")),
        ("gzip,deflate", zlib(b"packed")),
        ("gzip, deflate", gzip(b"packed")),
        ("zstd", zstd),
        ("snappy", snappy),
    ] {
        let head = format!("POST /lines HTTP/1.1\r\nContent-Encoding: {name}");
        check(&head, &body, (200, "ok\n"), &["127.0.0.1||packed"]);
    }
    check(
        "POST /lines HTTP/1.1\r\nContent-Encoding: gzip",
        b"no",
        (400, "the body cannot be unpacked\n"),
        &[],
    );
    check(
        "POST /lines HTTP/1.1\r\nContent-Encoding: br",
        b"no",
        (415, "this content encoding is not known\n"),
        &[],
    );
}

#[test]
fn bombs_do_not_unfold() {
    let bomb = vec![b'x'; 8 << 20];
    let packed = [
        ("gzip", gzip(&bomb)),
        ("zstd", zstd::bulk::compress(&bomb, 1).unwrap()),
        ("snappy", snap::raw::Encoder::new().compress_vec(&bomb).unwrap()),
    ];
    for (name, body) in packed {
        let mut options = options();
        options.body_bytes_max = 512 << 10;
        let setup = setup(options);
        let (status, _) = ask(&setup, &format!("POST /lines HTTP/1.1\r\nContent-Encoding: {name}"), &body);
        assert_eq!(status, 413, "{name}");
        assert_eq!(setup.collected.count(), 0);
    }
    // All bodies together have a budget.
    let setup = setup(HttpOptions { timeout: Duration::from_millis(300), ..HttpOptions::new(64 << 10) });
    assert_eq!(ask(&setup, "POST /lines HTTP/1.1", &bomb[..100_000]).0, 429);
    assert_eq!(ask(&setup, "POST /lines HTTP/1.1", b"small").0, 200);
}

#[test]
fn success_waits_for_tokens() {
    let setup = setup(options());
    setup.collected.hold();
    let (status, answer) = ask(&setup, "POST /lines HTTP/1.1", b"held");
    assert_eq!((status, answer.as_str()), (503, "the messages are not safe yet, send them again\n"));
    assert_eq!(ask(&setup, "POST /_bulk HTTP/1.1", b"{\"index\":{}}\n{\"message\":\"held\"}\n").0, 429);
    setup.collected.release();
    assert_eq!(ask(&setup, "POST /lines HTTP/1.1", b"free").0, 200);
}

#[test]
fn receipt_may_be_enough() {
    let mut options = options();
    options.acknowledge = Acknowledge::Received;
    let setup = setup(options);
    setup.collected.hold();
    assert_eq!(ask(&setup, "POST /lines HTTP/1.1", b"held").0, 200);
    setup.collected.release();
}

#[test]
fn the_collector_is_asked_later() {
    let setup = setup(options());
    setup.collected.hold();
    let channel = "X-Splunk-Request-Channel: c1";
    let send = |body: &[u8]| ask(&setup, &format!("POST /services/collector HTTP/1.1\r\n{channel}"), body).1;
    let acks = || {
        let body = b"{\"acks\": [0, 1,7]}";
        ask(&setup, "POST /services/collector/ack?channel=c1 HTTP/1.1", body).1
    };
    assert_eq!(send(b"{\"event\":\"a\"}"), "{\"text\":\"Success\",\"code\":0,\"ackId\":0}");
    assert_eq!(send(b"{\"event\":\"b\"}"), "{\"text\":\"Success\",\"code\":0,\"ackId\":1}");
    assert_eq!(acks(), "{\"acks\":{\"0\":false,\"1\":false,\"7\":false}}");
    setup.collected.release();
    assert_eq!(acks(), "{\"acks\":{\"0\":true,\"1\":true,\"7\":false}}");
}

#[test]
fn slow_senders_run_out_of_time() {
    let setup = setup(HttpOptions { idle_timeout: Duration::from_millis(200), ..options() });
    let mut silent = setup.connect();
    let mut slow = setup.connect();
    slow.write_all(b"POST /lines HTTP/1.1\r\nHost: x\r\nContent-Le").unwrap();
    let mut stuck = setup.connect();
    stuck.write_all(b"POST /lines HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc").unwrap();
    for (stream, want) in [(&mut silent, ""), (&mut slow, ""), (&mut stuck, "HTTP/1.1 408")] {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let shown = String::from_utf8_lossy(&answer).into_owned();
        assert!(
            shown.starts_with(want) && (shown.is_empty() || !want.is_empty() || shown.contains("408")),
            "{shown}"
        );
    }
    assert_eq!(setup.collected.count(), 0);
    let counters = setup.registry.list().remove(0);
    eventually("closed", || counters.connections.load(Ordering::Relaxed) == 0);
    assert_eq!(counters.errors.load(Ordering::Relaxed), 0, "they were slow, not broken");
}

#[test]
fn elastic_is_asked_before_it_is_sent_to() {
    let setup = setup(options());
    for (head, status, part) in [
        ("GET / HTTP/1.1", 200, "\"number\":\"8."),
        ("GET /_cluster/health?x=y HTTP/1.1", 200, "\"green\""),
        ("GET /_index_template/a HTTP/1.1", 404, "resource_not_found"),
        ("PUT /_index_template/a HTTP/1.1", 200, "\"acknowledged\":true"),
        ("GET /_license HTTP/1.1", 200, "\"basic\""),
    ] {
        let (got, answer) = ask(&setup, head, b"");
        assert!(got == status && answer.contains(part), "{head}: {got} {answer}");
    }
    let mut stream = setup.connect();
    stream.write_all(b"HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("x-elastic-product: Elasticsearch") && answer.ends_with("\r\n\r\n"), "{answer}");
}

#[test]
fn a_client_need_not_wait() {
    let setup = setup(options());
    for number in 0..10 {
        let mut stream = setup.connect();
        let body = format!("line {number}");
        let head = format!("POST /lines HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all((head + &body).as_bytes()).unwrap();
    }
    assert_eq!(setup.collected.wait(10).len(), 10);
}

#[test]
fn reports_its_health_without_credentials() {
    let setup = setup(with_credentials());
    for (path, want) in [
        ("/health", "ok\n"),
        ("/ready", "ok\n"),
        ("/services/collector/health", "{\"text\":\"HEC is healthy\",\"code\":17}"),
    ] {
        let (status, answer) = ask(&setup, &format!("GET {path} HTTP/1.1"), b"");
        assert_eq!((status, answer.as_str()), (200, want), "{path}");
    }
}
