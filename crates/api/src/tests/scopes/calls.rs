//! Calls and their answers, compared with a file of `testdata`; `UPDATE=1` writes the file again.

use super::*;
use std::fmt::Write as _;

/// Members of answers that depend on the time that something took, on sizes of files, on when messages were sealed, or on a key that is drawn.
const UNSTEADY: [&str; 6] = ["bytes", "bytes_read", "postings", "segments", "snapshot", "version"];

/// Hides what differs from run to run.
fn hide(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let is_unsteady = UNSTEADY.contains(&name.as_str()) && !member.is_null();
                if is_unsteady || name.ends_with("_ms") && !member.is_null() {
                    *member = "...".into();
                }
                hide(member);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(hide),
        // The name of a row that its number is not to be known from.
        Value::String(text)
            if text.len() >= 20
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) =>
        {
            *text = "...".to_owned();
        }
        _ => {}
    }
}

#[test]
fn calls_have_their_answers() {
    let site = Site::start();
    let all = |more: Value| {
        let mut body = json!({"logspace": "all"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let none = || Value::Null;
    let span = json!({"from": "2096-11-21T04:00:05Z", "to": "2096-11-21T04:00:08Z"});
    let rows = [
        (EVA, "GET /api/v1/session", none()),
        (BOB, "GET /api/v1/session", none()),
        (ANN, "GET /api/v1/session", none()),
        (EVA, "GET /api/v1/logspaces", none()),
        (BOB, "GET /api/v1/logspaces", none()),
        (ANN, "GET /api/v1/logspaces", none()),
        (EVA, "GET /api/v1/health", none()),
        (BOB, "GET /api/v1/health", none()),
        ("", "GET /api/v1/health", none()),
        (EVA, "POST /api/v1/search", all(json!({"query": "open", "limit": 2, "bars": 4}))),
        (EVA, "POST /api/v1/search", all(json!({"query": "open", "limit": 0}))),
        (EVA, "POST /api/v1/search", all(json!({"query": "n", "limit": 1, "bars": 0}))),
        (EVA, "POST /api/v1/search", all(json!({"limit": 2, "before": 5, "bars": 0}))),
        (EVA, "POST /api/v1/search", all(json!({"limit": 9, "time": span, "bars": 3, "facets": ["host"]}))),
        (EVA, "POST /api/v1/search", all(json!({"query": "* | stats count() by host", "bars": 0}))),
        (EVA, "POST /api/v1/search", all(json!({"query": "* | top host | head 1", "bars": 0}))),
        (EVA, "POST /api/v1/search", all(json!({"query": "hosst:open", "bars": 0}))),
        (EVA, "POST /api/v1/search", all(json!({"query": "\"open"}))),
        (EVA, "POST /api/v1/search", json!({"logspace": "nowhere"})),
        (EVA, "POST /api/v1/search", json!({})),
        (ANN, "POST /api/v1/search", all(json!({}))),
        (EVA, "POST /api/v1/facets", all(json!({"columns": ["host", "program"], "query": "open"}))),
        (EVA, "POST /api/v1/facets", all(json!({"columns": []}))),
        (EVA, "POST /api/v1/facets", all(json!({"columns": vec!["host"; 99]}))),
        (EVA, "GET /api/v1/columns?logspace=all", none()),
        (EVA, "GET /api/v1/columns?logspace=nowhere", none()),
        (EVA, "GET /api/v1/values?logspace=all&column=host", none()),
        (EVA, "GET /api/v1/values?logspace=all&column=host&prefix=se", none()),
        (EVA, "GET /api/v1/values?logspace=all&column=host&limit=1", none()),
        (EVA, "GET /api/v1/values?logspace=all", none()),
        (EVA, "GET /api/v1/validate?query=open", none()),
        (EVA, "GET /api/v1/validate?query=%28open", none()),
        (EVA, "GET /api/v1/validate?query=*%20%7C%20stats%20count%28%29", none()),
        (EVA, "POST /api/v1/explain", all(json!({"query": "open AND all", "run": true}))),
        (EVA, "POST /api/v1/explain", all(json!({"query": "host:open OR secret"}))),
        (EVA, "GET /api/v1/message?logspace=all&sequence=3", none()),
        (EVA, "GET /api/v1/message?logspace=all&sequence=400", none()),
        (EVA, "GET /api/v1/context?logspace=all&sequence=3&before=1&after=2&same=none", none()),
        (EVA, "GET /api/v1/context?logspace=all&sequence=3&before=1&after=1&same=host", none()),
        (EVA, "GET /api/v1/context?logspace=all&sequence=0&before=5&after=1", none()),
        (EVA, "GET /api/v1/context?logspace=all&sequence=3&before=100000", none()),
        (EVA, "GET /api/v1/export?logspace=all&query=open&format=raw", none()),
        (EVA, "GET /api/v1/export?logspace=other&format=csv", none()),
        (EVA, "GET /api/v1/export?logspace=other&format=ndjson&query=open", none()),
        (EVA, "GET /api/v1/export?logspace=other&format=nonsense", none()),
        (BOB, "GET /api/v1/export?logspace=both", none()),
        (EVA, "GET /api/v1/export/report?id=nothing", none()),
        (EVA, "POST /api/v1/seal", all(json!({}))),
        (BOB, "POST /api/v1/seal", json!({"logspace": "open-only"})),
        (EVA, "POST /api/v1/lock", all(json!({}))),
        (EVA, "POST /api/v1/unlock", all(json!({"key": "nonsense"}))),
        (EVA, "GET /api/v1/package?id=nothing", none()),
        (BOB, "POST /api/v1/package", json!({"logspace": "both"})),
        (EVA, "GET /api/v1/alerts?state=loud", none()),
        (EVA, "GET /api/v1/rules", none()),
        (EVA, "GET /api/v1/rules?logspace=nowhere", none()),
        (EVA, "GET /api/v1/rules?limit=5000", none()),
        (
            EVA,
            "POST /api/v1/rules/preview",
            all(json!({"rule": {"kind": "match", "query": "open"}, "from": "2001-01-01"})),
        ),
        (
            EVA,
            "POST /api/v1/rules/preview",
            all(
                json!({"rule": {"kind": "match", "query": "a", "by": "host"}, "from": "2000-01-01", "to": "2000-06-01", "bars": 3}),
            ),
        ),
        (
            EVA,
            "POST /api/v1/rules/preview",
            json!({"logspace": "both", "rule": {"kind": "match", "query": "a"}, "from": "now-1d"}),
        ),
        (EVA, "GET /api/v1/search", none()),
        (EVA, "DELETE /api/v1/session", none()),
        (EVA, "GET /api/v1/nothing", none()),
        ("", "GET /nothing.js", none()),
        (EVA, "POST /api/v1/logout", json!({})),
        (EVA, "GET /api/v1/logspaces", none()),
    ];
    let mut shown = String::new();
    for (who, request, body) in rows {
        let (status, text) = site.text(who, request, &body);
        let body = if body.is_null() { String::new() } else { format!(" {body}") };
        writeln!(shown, "{who}: {request}{body}\n{status}").unwrap();
        match serde_json::from_str::<Value>(&text) {
            Ok(mut answer) => {
                hide(&mut answer);
                writeln!(shown, "{answer}").unwrap();
            }
            Err(_) => writeln!(shown, "{text}").unwrap(),
        }
    }
    check(&shown);
}

#[track_caller]
fn check(shown: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/calls.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, shown).unwrap();
    }
    let want = std::fs::read_to_string(&path).unwrap_or_default();
    for (line, want) in shown.lines().zip(want.lines()) {
        assert_eq!(line, want);
    }
    assert_eq!(shown.lines().count(), want.lines().count(), "{shown}");
}
