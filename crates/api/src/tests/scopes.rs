//! Filtered and multiple logspaces, grants, sessions' keys and exports over a real socket: what a user is not to know
//! is in no answer.

mod calls;
pub(crate) mod large;

use super::Server;
use crate::{Scope, ScopeKind, ScopeMember};
use accounts::Right;
use evidence::{Identity, Recipient};
use logspace::{Logspace, LogspaceOptions, Unheard};
use message::{Ack, Batch, Delivery, Message, Origin, Outlet, Selection, Span, Stamp, WriteBudget};
use query::{Boundary, ParseOptions, Query};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

/// 2096-11-21T04:00:00Z: a segment ends with its day, so the day of these messages is never over.
const START_US: i64 = 4_004_308_800_000_000;
const SEAL: Duration = Duration::from_secs(10);

/// One message a second, of the hosts open and secret in turn.
fn batch(logspace: &str, from: i64, to: i64) -> impl Iterator<Item = Batch> {
    let logspace = logspace.to_owned();
    (from..to).map(move |n| {
        let host = if n % 2 == 0 { "open" } else { "secret" };
        let text = format!("<13>{host} {logspace} {n} word{host}");
        let raw = Span::received(0, text.len());
        let mut message = Message::default();
        (message.raw, message.text) = (raw, raw.part(4, raw.len()));
        message.host = raw.part(4, 4 + host.len());
        let received = Stamp::known(START_US + n * 1_000_000, 0);
        let text = Arc::new(text.into_bytes());
        let mut batch = Batch::new(text, vec![Arc::new(Origin::default())], received, Ack::none());
        batch.messages = vec![message];
        batch
    })
}

pub(crate) fn fill(logspace: &Logspace, name: &str, from: i64, to: i64) {
    store(logspace, name, from, to);
    seal(logspace);
}

/// Seals every message that was stored: they are counted a moment before they can be sealed.
pub(crate) fn seal(logspace: &Logspace) {
    while logspace.seal_now(SEAL).unwrap() < logspace.stats().messages_stored_total {
        std::thread::yield_now();
    }
}

/// Stores messages without sealing them.
pub(crate) fn store(logspace: &Logspace, name: &str, from: i64, to: i64) {
    let want = logspace.stats().messages_stored_total + (to - from) as u64;
    for batch in batch(name, from, to) {
        let selection = Selection::all(batch.len());
        let delivery =
            Delivery { batch: Arc::new(batch), selection, ack: Ack::none(), controlled: true, first: None };
        logspace.deliver(delivery, &WriteBudget::none());
    }
    // Stored, and then published to searches.
    while logspace.stats().messages_stored_total < want || !logspace.is_quiet() {
        std::thread::yield_now();
    }
}

pub(crate) fn open(folder: &Path, name: &str, recipients: Vec<Recipient>) -> Arc<Logspace> {
    let options = LogspaceOptions {
        recipients,
        refresh: Duration::from_millis(5),
        commit_gap: Duration::ZERO,
        scrub_bytes_a_second: 0,
        ..LogspaceOptions::default()
    };
    Arc::new(Logspace::open(&folder.join(name), options, Arc::new(Unheard)).unwrap())
}

pub(crate) fn member(shown: &str, logspace: &Arc<Logspace>, filter: Option<&str>) -> ScopeMember {
    let boundary = filter.map(|text| {
        let query = Query::parse(text, &ParseOptions::default()).unwrap();
        Arc::new(Boundary::new(&[vec![query]]))
    });
    ScopeMember { shown: shown.into(), base: shown.to_owned(), logspace: logspace.clone(), boundary }
}

/// The session that a login opened, as headers.
pub(super) fn cookie(head: &str) -> String {
    let cookie = head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
    format!("cookie: {cookie}\r\nx-requested-by: t\r\n")
}

/// A server with the logspaces all and other, open-only (a part of all) and both (open-only and other). The user bob
/// may search and export open-only, and search both; ann may nothing.
pub(crate) struct Site {
    pub(crate) server: Server,
    pub(crate) all: Arc<Logspace>,
    /// The sessions of some users.
    sessions: Mutex<HashMap<&'static str, String>>,
    _folder: tempfile::TempDir,
}

const BOB: &str = "bob";
const ANN: &str = "ann";
pub(crate) const EVA: &str = "eva";
const PASSWORD: &str = "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\nx-requested-by: t\r\n";

impl Site {
    pub(crate) fn start() -> Site {
        let folder = tempfile::tempdir().unwrap();
        let (all, other) = (open(folder.path(), "all", Vec::new()), open(folder.path(), "other", Vec::new()));
        fill(&all, "all", 1, 21);
        fill(&other, "other", 10, 14);
        let scope = |name: &str, kind, members| Arc::new(Scope { name: name.into(), kind, members });
        let filter = Some("host:open");
        let server = Server::with(vec![
            Arc::new(Scope::local("all", all.clone())),
            Arc::new(Scope::local("other", other.clone())),
            scope("open-only", ScopeKind::Filtered, vec![member("all", &all, filter)]),
            scope(
                "both",
                ScopeKind::Multiple,
                vec![member("open-only", &all, filter), member("other", &other, None)],
            ),
        ]);
        for name in ["bob", "ann"] {
            server.accounts.add(name, "a long password").unwrap();
        }
        server.accounts.grant("bob", "open-only", &[Right::Search, Right::Export]).unwrap();
        server.accounts.grant("bob", "both", &[Right::Search]).unwrap();
        Site { server, all, sessions: Mutex::default(), _folder: folder }
    }

    /// The headers of a user's session.
    pub(crate) fn session(&self, user: &'static str) -> String {
        let open = || {
            let body = format!(r#"{{"user":"{user}","password":"a long password"}}"#);
            cookie(&self.server.ask("POST /api/v1/login", "", &body).1)
        };
        self.sessions.lock().unwrap().entry(user).or_insert_with(open).clone()
    }

    pub(crate) fn text(&self, who: &'static str, request: &str, body: &Value) -> (u16, String) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = if who.is_empty() { String::new() } else { self.session(who) };
        let (status, _, text) = self.server.ask(request, &headers, &body);
        (status, text)
    }

    #[track_caller]
    pub(crate) fn json(&self, who: &'static str, request: &str, body: Value) -> Value {
        let (status, text) = self.text(who, request, &body);
        assert_eq!(status, 200, "{request} {body}: {text}");
        serde_json::from_str(&text).unwrap()
    }
}

#[test]
fn a_filtered_logspace_tells_nothing_of_the_rest() {
    let site = Site::start();
    let search = |body: Value| site.json(BOB, "POST /api/v1/search", body);
    let open = |more: Value| {
        let mut body = json!({"logspace": "open-only"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let found = search(open(json!({"facets": ["host"], "limit": 100})));
    assert_eq!((&found["total"], &found["scanned"]), (&json!(10), &json!(10)), "{found}");
    assert_eq!(found["facets"][0]["values"], json!([{"value": "open", "count": 10}]));
    assert_eq!(found["from_us"], START_US + 2_000_000);
    assert!(found["snapshot"].is_string() && found["rows"][0]["sequence"].is_string(), "{found}");
    assert!(!found.to_string().contains("secret"), "{found}");
    for query in ["secret", "NOT open", "wordsecret OR host:secret", "host:s*", "nosuch:1"] {
        assert_eq!(search(open(json!({"query": query})))["total"], 0, "{query}");
    }
    for query in [
        "* | stats count() by host",
        "* | patterns",
        "* | top host",
        "* | context 5 5 | stats count() by host",
    ] {
        let found = search(open(json!({"query": query})));
        assert!(
            found["table"]["rows"].as_array().unwrap().len() == 1 && !found.to_string().contains("secret"),
            "{found}"
        );
    }
    let (status, text) =
        site.text(BOB, "POST /api/v1/search", &open(json!({"query": "* | stats max(@sequence)"})));
    assert_eq!(status, 400, "{text}");
    let facets = open(json!({"columns": ["host"], "snapshot": found["snapshot"]}));
    let facets = site.json(BOB, "POST /api/v1/facets", facets);
    assert_eq!(facets["facets"][0]["distinct"], 1);
    let values = site.json(BOB, "GET /api/v1/values?logspace=open-only&column=host", Value::Null);
    assert_eq!(values, json!([{"value": "open", "count": 10}]));
    assert_eq!(
        site.json(BOB, "GET /api/v1/values?logspace=open-only&column=host&prefix=s", Value::Null),
        json!([])
    );
    let columns = site.json(BOB, "GET /api/v1/columns?logspace=open-only", Value::Null);
    assert!(
        columns.as_array().unwrap().iter().all(|column| column["documents"].as_u64() <= Some(10)),
        "{columns}"
    );
    let row = found["rows"][4]["sequence"].as_str().unwrap();
    let near = site.json(
        BOB,
        &format!("GET /api/v1/context?logspace=open-only&sequence={row}&before=2&after=2&same=none"),
        Value::Null,
    );
    assert!(near["rows"].as_array().unwrap().len() == 5 && !near.to_string().contains("secret"), "{near}");
    // Sequence numbers of the whole logspace are refused, and the errors do not reveal which ones exist.
    let ask = |sequence: &str| {
        site.text(BOB, &format!("GET /api/v1/message?logspace=open-only&sequence={sequence}"), &Value::Null)
    };
    assert_eq!((ask("3").0, ask("4000").0), (400, 400));
    assert_eq!(ask("3").1.replace('3', ""), ask("4").1.replace('4', ""));
    let (status, text) = site.text(BOB, "GET /api/v1/export?logspace=open-only&format=raw", &Value::Null);
    assert_eq!(
        (status, text.matches("wordopen").count(), text.contains("secret")),
        (200, 10, false),
        "{text}"
    );
    let (_, text) = site.text(BOB, "GET /api/v1/export?logspace=open-only", &Value::Null);
    assert!(!text.contains("\"sequence\":1"), "{text}");
    let listed = site.json(BOB, "GET /api/v1/logspaces", Value::Null);
    assert_eq!(listed[0]["messages"], 10);
    assert!(listed[0]["bytes"].is_null() && listed[0]["oldest_us"] == START_US + 2_000_000, "{listed}");
    // Paged by names that say nothing, nothing is twice and nothing is left out.
    let mut seen = Vec::new();
    let mut before = Value::Null;
    loop {
        let page = search(open(json!({"limit": 3, "before": before})));
        let rows = page["rows"].as_array().unwrap().clone();
        let Some(last) = rows.last() else { break };
        before = last["sequence"].clone();
        seen.extend(rows.iter().map(|row| row["received_us"].as_i64().unwrap()));
    }
    assert_eq!(seen.len(), 10);
    assert!(seen.is_sorted_by(|newer, older| newer > older));
}

#[test]
fn a_multiple_logspace_is_one_list() {
    let site = Site::start();
    let found =
        site.json(BOB, "POST /api/v1/search", json!({"logspace": "both", "facets": ["host"], "limit": 100}));
    assert_eq!((&found["total"], found["rows"].as_array().unwrap().len()), (&json!(14), 14));
    let names: Vec<&str> =
        found["rows"].as_array().unwrap().iter().map(|row| row["logspace"].as_str().unwrap()).collect();
    assert_eq!(names.iter().filter(|name| **name == "other").count(), 4);
    assert_eq!(
        found["facets"][0]["values"],
        json!([{"value": "open", "count": 12}, {"value": "secret", "count": 2}])
    );
    let pinned = json!({"logspace": "both", "columns": ["host"], "snapshot": found["snapshot"]});
    fill(&site.all, "all", 30, 40);
    assert_eq!(site.json(BOB, "POST /api/v1/facets", pinned)["facets"][0]["coverage"], 14);
    let again = json!({"logspace": "both", "snapshot": found["snapshot"]});
    assert_eq!(site.json(BOB, "POST /api/v1/search", again)["total"], 14);
    assert_eq!(site.json(BOB, "POST /api/v1/search", json!({"logspace": "both"}))["total"], 19);
}

/// A package shows the chain of the local logspace, so its maker needs the right to search that.
#[test]
fn packages_are_for_those_who_may_know_of_the_rest() {
    let site = Site::start();
    let make = |who: &'static str, logspace: &str, query: &str| {
        site.text(who, "POST /api/v1/package", &json!({"logspace": logspace, "query": query}))
    };
    let rows = [
        (BOB, "open-only", "", 403, "by the chain of logspace all, which bob may not search"),
        (BOB, "both", "", 403, "may not export"),
        (BOB, "all", "", 404, "there is no logspace"),
        (EVA, "all", "* | top host", 400, "leave out what stands behind |"),
        (EVA, "all", "host:(", 400, "query_syntax"),
        (EVA, "all", "", 200, "\"messages\":20,"),
        (EVA, "all", "host:secret", 200, "\"messages\":10,"),
        (EVA, "open-only", "", 200, "\"messages\":10,"),
        (EVA, "open-only", "secret", 200, "\"messages\":0,"),
        (EVA, "both", "", 200, "\"messages\":14,"),
    ];
    for (who, logspace, query, want, text) in rows {
        let (status, said) = make(who, logspace, query);
        assert!(status == want && said.contains(text), "{who} {logspace} {query}: {status} {said}");
    }
    let made: Value = serde_json::from_str(&make(EVA, "open-only", "").1).unwrap();
    let take = format!("GET /api/v1/package?id={}", made["id"].as_str().unwrap());
    assert_eq!(site.text(BOB, &take, &Value::Null).0, 404);
    let headers = site.session(EVA);
    let (status, head, _) = site.server.ask(&take, &headers, "");
    assert!(status == 200 && head.contains("filename=\"evidence-open-only-"), "{head}");
    let (day, from) = ("1970-01-02T00:00:00Z", "2096-11-21T04:00:11Z");
    for (query, time, messages, question) in [
        (
            "wordopen",
            json!({"clock": "event", "from": day}),
            0,
            "(wordopen) AND @event:[1970-01-02T00:00:00Z TO *}",
        ),
        ("", json!({"clock": "event", "to": day}), 20, "@event:[* TO 1970-01-02T00:00:00Z}"),
        (
            "",
            json!({"clock": "event", "from": day, "to": from}),
            0,
            "@event:[1970-01-02T00:00:00Z TO 2096-11-21T04:00:11Z}",
        ),
        ("wordopen", json!({"clock": "event"}), 10, "wordopen"),
        (" wordopen ", json!({"clock": "received", "from": from}), 5, "wordopen"),
        ("", json!({"to": from}), 10, ""),
    ] {
        let asked = json!({"logspace": "all", "query": query, "time": time});
        let made = site.json(EVA, "POST /api/v1/package", asked.clone());
        assert_eq!(made["messages"], messages, "{asked}: {made}");
        let ledger = site.server.backend.ledger.lock().unwrap();
        assert_eq!(ledger.last().unwrap(), format!("eva exported all {question}").trim_end(), "{asked}");
    }
}

#[test]
fn users_see_what_they_are_granted() {
    let site = Site::start();
    let names = |who: &'static str| -> Vec<String> {
        let listed = site.json(who, "GET /api/v1/logspaces", Value::Null);
        listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(EVA), ["all", "other", "open-only", "both"]);
    assert_eq!(names(BOB), ["open-only", "both"]);
    assert!(names(ANN).is_empty());
    // What may not be searched is as if it were not there, in every call.
    let gets =
        ["columns?", "values?column=host&", "message?sequence=1&", "context?sequence=1&", "tail?", "export?"];
    let posts = ["search", "facets", "seal", "unlock", "lock"];
    for (place, missing) in [("all", "nowhere"), ("other", "nothere")] {
        for call in gets {
            let ask =
                |name: &str| site.text(BOB, &format!("GET /api/v1/{call}logspace={name}"), &Value::Null);
            let (status, text) = ask(place);
            assert_eq!(status, 404, "{call}: {text}");
            assert_eq!(text.replace(place, ""), ask(missing).1.replace(missing, ""), "{call}");
        }
        for call in posts {
            let body = |name: &str| match call {
                "facets" => json!({"logspace": name, "columns": []}),
                "unlock" => json!({"logspace": name, "key": "x"}),
                _ => json!({"logspace": name}),
            };
            let ask = |name: &str| site.text(BOB, &format!("POST /api/v1/{call}"), &body(name));
            let (status, text) = ask(place);
            assert_eq!(status, 404, "{call}: {text}");
            assert_eq!(text.replace(place, ""), ask(missing).1.replace(missing, ""), "{call}");
        }
    }
    let (status, text) = site.text(BOB, "POST /api/v1/search", &json!({}));
    assert!(status == 400 && !text.contains("other"), "{text}");
    assert_eq!(site.text(ANN, "POST /api/v1/search", &json!({})).0, 404);
    assert_eq!(
        site.text(BOB, "GET /api/v1/export?logspace=both", &Value::Null).0,
        403,
        "search is not export"
    );
    assert_eq!(site.text(BOB, "POST /api/v1/seal", &json!({"logspace": "open-only"})).0, 403);
    assert_eq!(
        site.text(EVA, "POST /api/v1/seal", &json!({"logspace": "open-only"})).0,
        400,
        "not a local one"
    );
    assert_eq!(site.json(EVA, "POST /api/v1/seal", json!({"logspace": "all"}))["sealed_below"], 20);
    let health = site.text("", "GET /api/v1/health", &Value::Null).1;
    assert_eq!(health, r#"{"status":"ok","logspaces":[]}"#, "names are for who is logged in");
    let far = format!("{}x-forwarded-for: 10.1.1.1\r\n", site.session(BOB));
    assert_eq!(site.server.ask("GET /metrics", &far, "").0, 403);
    site.server.accounts.revoke("bob", "both", &[Right::Search]).unwrap();
    assert_eq!(names(BOB), ["open-only"], "a change counts at once");
    let noted = site.server.backend.ledger.lock().unwrap().clone();
    assert!(noted.contains(&"eva seal all".to_owned()), "{noted:?}");
    assert!(!noted.iter().any(|line| line.starts_with("bob") && line.contains(" all")), "{noted:?}");
}

/// The events of a live tail, read until a line says a text.
fn tail(site: &Site, path: &str, until: &str) -> Vec<String> {
    let mut peer = TcpStream::connect(site.server.address).unwrap();
    peer.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    write!(peer, "GET /api/v1/tail?{path} HTTP/1.1\r\nhost: localhost\r\n{}\r\n", site.session(BOB)).unwrap();
    let mut lines = Vec::new();
    for line in BufReader::new(peer).lines() {
        let line = line.unwrap();
        let is_last = line.contains(until);
        lines.push(line);
        if lines.iter().any(|line| line.contains("event: status") || line.contains("event:status"))
            && lines.len() < 40
        {
            // The tail listens: now something happens.
            fill(&site.all, "late", 100, 104);
        }
        if is_last {
            break;
        }
    }
    lines
}

#[test]
fn live_tails_stay_within_and_end_with_the_grant() {
    let site = Site::start();
    let lines = tail(&site, "logspace=open-only", "late 102");
    let text = lines.join("\n");
    assert!(text.contains("open late 100") && !text.contains("secret"), "{text}");
    let ids: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("id:")).map(str::trim).collect();
    assert!(ids.iter().all(|id| id.len() == 22), "{ids:?}");
    // A tail that reconnects continues after that event.
    let again = tail(&site, &format!("logspace=open-only&after={}", ids[0]), "late 102").join("\n");
    assert!(again.contains("late 102") && !again.contains("secret"), "{again}");
    let mut peer = TcpStream::connect(site.server.address).unwrap();
    peer.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    write!(
        peer,
        "GET /api/v1/tail?logspace=open-only HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{}\r\n",
        site.session(BOB)
    )
    .unwrap();
    let mut lines = BufReader::new(peer).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line.contains("status"))));
    site.server.accounts.revoke("bob", "open-only", &accounts::RIGHTS).unwrap();
    assert!(lines.all(|line| line.is_ok()), "the tail ends");
}

#[test]
fn keys_open_for_one_session_and_exports_say_what_they_lack() {
    let folder = tempfile::tempdir().unwrap();
    let (recipient, key) = Identity::draw().unwrap();
    let logspace = open(folder.path(), "audit", vec![Recipient::load(&recipient).unwrap()]);
    fill(&logspace, "audit", 0, 6);
    // One, or two if a part was sealed while the rest was being stored.
    let segments = logspace.snapshot().locked.len();
    let server = Server::with(vec![Arc::new(Scope::local("audit", logspace))]);
    let session = || cookie(&server.login("a long password").1);
    let (mine, other) = (session(), session());
    let post = |who: &str, call: &str, body: Value| {
        let (status, _, text) = server.ask(&format!("POST /api/v1/{call}"), who, &body.to_string());
        (status, serde_json::from_str::<Value>(&text).unwrap())
    };
    let found = post(&mine, "search", json!({"query": "open"})).1;
    assert_eq!((&found["total"], &found["unread"][0]["why"]), (&json!(0), &json!("locked")), "{found}");
    assert_eq!(found["unread"][0]["from_us"], START_US);
    let table = post(&mine, "search", json!({"query": "* | stats count()"})).1;
    assert_eq!((&table["table"]["rows"], table["unread"].as_array().unwrap().len()), (&json!([[0]]), 1));
    let (status, head, _) = server.ask("GET /api/v1/export", &mine, "");
    let id = head.split("x-export-report: ").nth(1).unwrap().split("\r\n").next().unwrap();
    assert_eq!(status, 200);
    let (_, _, report) = server.ask(&format!("GET /api/v1/export/report?id={id}"), &mine, "");
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(
        (&report["complete"], &report["messages"], &report["unread"][0]["why"]),
        (&json!(true), &json!(0), &json!("locked"))
    );
    for (sequence, why) in [(0, "is locked"), (5, "is locked"), (6, "it never was, or retention removed it")]
    {
        let (status, _, text) = server.ask(&format!("GET /api/v1/message?sequence={sequence}"), &mine, "");
        assert!(status == 404 && text.contains(why), "{sequence}: {text}");
    }
    assert_eq!(post(&mine, "unlock", json!({"key": "nonsense"})).0, 400);
    assert_eq!(post(&mine, "unlock", json!({"key": Identity::draw().unwrap().1})).0, 400, "another key");
    assert_eq!(post(PASSWORD, "unlock", json!({"key": key})).0, 400, "there is no session to keep it");
    assert_eq!(post(&mine, "unlock", json!({"key": key})).1, json!({"opened": segments, "locked": 0}));
    assert_eq!(post(&mine, "search", json!({"query": "open"})).1["total"], 3);
    assert_eq!(post(&other, "search", json!({"query": "open"})).1["total"], 0, "another session");
    let (_, _, listed) = server.ask("GET /api/v1/logspaces", &mine, "");
    assert!(listed.contains(r#""locked":false,"unlocked":true"#), "{listed}");
    let (_, _, listed) = server.ask("GET /api/v1/logspaces", &other, "");
    assert!(listed.contains(r#""locked":true,"unlocked":false"#), "{listed}");
    post(&mine, "lock", json!({}));
    assert_eq!(post(&mine, "search", json!({"query": "open"})).1["total"], 0);
    assert!(server.backend.ledger.lock().unwrap().iter().any(|line| line == "eva unlock audit"));
}
