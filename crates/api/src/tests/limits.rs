//! Limits of answers, connections and calls: what is just allowed, and what is not.

use super::{
    callers::{plain, tls},
    scopes::{EVA, Site, large::whole},
    *,
};
use crate::ConnectionLimits;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[test]
fn answers_hold_what_is_documented_and_no_more() {
    let site = Site::start();
    let names = |count| json!(vec!["host"; count]);
    let rows = [
        ("search", "limit", json!(10_000), 200),
        ("search", "limit", json!(10_001), 400),
        ("search", "bars", json!(500), 200),
        ("search", "bars", json!(501), 400),
        ("search", "facets", names(50), 200),
        ("search", "facets", names(51), 400),
        ("facets", "columns", names(50), 200),
        ("facets", "columns", names(51), 400),
        ("facets", "limit", json!(1_000), 200),
        ("facets", "limit", json!(1_001), 400),
        ("search", "timeout_ms", json!(0), 504),
        ("search", "query", json!("open"), 200),
        ("search", "quary", json!("open"), 400),
    ];
    for (call, member, value, want) in rows {
        let mut body = json!({"logspace": "all"});
        if call == "facets" {
            body["columns"] = json!(["host"]);
        }
        body[member] = value;
        let (status, text) = site.text(EVA, &format!("POST /api/v1/{call}"), &body);
        assert_eq!(status, want, "{call} {member}: {text}");
    }
}

#[test]
fn what_is_left_out_has_its_default() {
    let site = Site::start();
    super::scopes::fill(&site.all, "more", 100, 400);
    let search = |body: Value| site.json(EVA, "POST /api/v1/search", body);
    let found = search(json!({"logspace": "all", "query": "more"}));
    let (rows, bars) = (&found["rows"], &found["bars"]["counts"]);
    assert_eq!((rows.as_array().unwrap().len(), bars.as_array().unwrap().len()), (200, 30));
    // Words are all wanted, unless the question says otherwise.
    for (operator, want) in [(None, 0), (Some("and"), 0), (Some("or"), 20)] {
        let mut body = json!({"logspace": "all", "query": "wordopen wordsecret", "time": {"to": "2096-11-21T04:01:00Z"}});
        if let Some(operator) = operator {
            body["default_operator"] = json!(operator);
        }
        assert_eq!(search(body)["total"], want, "{operator:?}");
    }
    let by = |clock: &str| {
        search(json!({"logspace": "all", "time": {"clock": clock, "from": "2096-11-21T04:00:00Z"}}))["total"]
            .clone()
    };
    assert_eq!((by("received"), by("event")), (json!(320), json!(0)), "senders said no time");
}

#[test]
fn tables_say_when_they_lack_rows() {
    let site = Site::start();
    for (limit, rows, more) in [(5, 5, true), (20, 20, false), (21, 20, false)] {
        let body = json!({"logspace": "all", "query": "* | fields host", "limit": limit, "bars": 0});
        let found = site.json(EVA, "POST /api/v1/search", body);
        assert_eq!(found["table"]["rows"].as_array().unwrap().len(), rows, "{limit}");
        assert_eq!(found["table"]["more"], more, "{limit}");
    }
}

#[test]
fn a_logspace_has_the_size_of_its_files() {
    let site = Site::start();
    let sizes = || {
        let stats = site.all.stats();
        (stats.segment_bytes, stats.journal_bytes)
    };
    // The journal gives back the room of sealed messages at a time of its own.
    loop {
        let (segments, journal) = sizes();
        let listed = site.json(EVA, "GET /api/v1/logspaces", Value::Null);
        if sizes() == (segments, journal) {
            assert!(segments > 0 && journal > 1, "{segments} {journal}");
            assert_eq!(listed[0]["bytes"], segments + journal);
            break;
        }
    }
}

#[test]
fn times_of_answers_are_milliseconds() {
    let site = Site::start();
    let asked = Instant::now();
    let body = json!({"logspace": "all", "query": "* | patterns", "bars": 0});
    let took = site.json(EVA, "POST /api/v1/search", body)["took_ms"].as_f64().unwrap();
    assert!(took > 0.0 && took <= asked.elapsed().as_secs_f64() * 1000.0, "{took}");
}

#[test]
fn short_answers_say_how_long_they_are() {
    let site = Site::start();
    let headers = site.session(EVA);
    let (_, head, _) = site.server.ask("POST /api/v1/search", &headers, r#"{"logspace":"all"}"#);
    assert!(head.contains("content-length: ") && !head.contains("chunked"), "{head}");
}

#[test]
fn exports_of_tables_and_of_messages_have_their_formats() {
    let site = Site::start();
    let headers = site.session(EVA);
    let export = |format: &str, query: &str| {
        let call = format!("GET /api/v1/export?logspace=other&format={format}&query={query}");
        let (status, head, body) = site.server.ask(&call, &headers, "");
        (status, whole(&head, &body))
    };
    assert_eq!(export("raw", "*%20%7C%20fields%20host").0, 400);
    assert_eq!(
        export("csv", "*%20%7C%20fields%20host%20%7C%20head%201"),
        (200, "host\r\nsecret\r\n".to_owned())
    );
    let formula = "*%20%7C%20eval%20x%3D%22-1%22%20%7C%20fields%20x%20%7C%20head%201";
    let (plain, safe) = (export("csv", formula), export("csv-safe", formula));
    if plain.0 == 200 {
        assert_eq!((plain.1.as_str(), safe.1.as_str()), ("x\r\n-1\r\n", "x\r\n'-1\r\n"));
    }
}

#[test]
fn too_many_tails_are_refused() {
    let site = Site::start();
    let session = site.session(EVA);
    let pipes = site.server.ask("GET /api/v1/tail?logspace=all&query=*%7Ctop%20host", &session, "");
    assert!(pipes.0 == 400 && pipes.2.contains("takes no pipes"), "{pipes:?}");
    let all = site.server.state.tails.clone().try_acquire_many_owned(crate::state::TAILS_MAX as u32).unwrap();
    assert_eq!(site.server.ask("GET /api/v1/tail?logspace=all", &session, "").0, 503);
    drop(all);
}

/// A connection whose request has a user and no end: it keeps its place.
fn occupied(stream: &mut (impl Read + Write)) {
    let basic = "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==";
    stream
        .write_all(format!("GET /api/v1/tail HTTP/1.1\r\nhost: localhost\r\n{basic}\r\n\r\n").as_bytes())
        .unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
}

#[test]
fn who_finds_no_place_is_told_so_in_clear_alone() {
    let folder = tempfile::tempdir().unwrap();
    let logspace = super::scopes::open(folder.path(), "all", Vec::new());
    let given =
        || Given { scopes: vec![Arc::new(Scope::local("all", logspace.clone()))], ..Given::default() };
    let one = ConnectionLimits { total: 1, per_address: 1 };
    let server = Server::listening(given(), |options| ListenOptions { connections: one, ..options });
    let mut tail = TcpStream::connect(server.address).unwrap();
    occupied(&mut tail);
    let (status, text) = plain(server.address, "");
    assert!(status == 503 && text.contains("retry-after: 1"), "{text}");
    drop(tail);
    let (config, trusting) = tls();
    let server = Server::listening(given(), |options| ListenOptions {
        connections: one,
        tls: Arc::new(move || Some(config.clone())),
        ..options
    });
    let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
    let session = rustls::ClientConnection::new(trusting, name).unwrap();
    let mut tail = rustls::StreamOwned::new(session, TcpStream::connect(server.address).unwrap());
    occupied(&mut tail);
    let mut other = TcpStream::connect(server.address).unwrap();
    other.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut bytes = Vec::new();
    // A reset is as good as an end.
    let end = other.read_to_end(&mut bytes);
    assert!(bytes.is_empty() && end.is_ok_and(|count| count == 0), "{bytes:?}");
}

#[test]
fn a_body_is_as_large_as_its_call_needs() {
    let server = Server::start();
    let basic = "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\nx-requested-by: t\r\n";
    let login = r#"{"user":"eva","password":"a long password"}"#;
    let padded = |text: &str, bytes: usize| text.to_owned() + &" ".repeat(bytes - text.len());
    for (call, text, most, want) in [
        ("POST /api/v1/login", login, 16 << 10, 200),
        ("POST /api/v1/search", "{}", crate::BODY_BYTES_MAX, 404),
    ] {
        assert_eq!(server.ask(call, basic, &padded(text, most)).0, want, "{call}");
        let (status, _, body) = server.ask(call, basic, &padded(text, most + 1));
        assert!(status == 413 && body.contains(r#""code":"too_large""#), "{call}: {status} {body}");
    }
}

#[test]
fn an_address_that_is_taken_is_named() {
    let server = Server::start();
    let options = ListenOptions::plain(server.address);
    let error = server.runtime.block_on(listen(options, server.state.clone())).err().unwrap();
    assert!(
        error.to_string().starts_with(&format!("cannot listen on {} for the page", server.address)),
        "{error}"
    );
}
