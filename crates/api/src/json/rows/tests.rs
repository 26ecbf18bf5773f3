//! Rows for the shapes.

use super::*;
use crate::scope::ScopeKind;
use lookup::ReadError;
use message::Stamp;
use query::OverBudget;
use serde_json::json;

#[test]
fn values_keep_their_types_and_their_digits() {
    let rows = [
        ("42", ValueKind::Integer, json!(42)),
        ("-7", ValueKind::Integer, json!(-7)),
        ("9007199254740992", ValueKind::Integer, json!(9_007_199_254_740_992_i64)),
        ("9007199254740993", ValueKind::Integer, json!("9007199254740993")),
        ("-9007199254740993", ValueKind::Integer, json!("-9007199254740993")),
        ("12345678901234567890", ValueKind::Integer, json!("12345678901234567890")),
        ("x", ValueKind::Integer, json!("x")),
        ("1.5", ValueKind::Double, json!(1.5)),
        ("inf", ValueKind::Double, json!("inf")),
        ("NaN", ValueKind::Double, json!("NaN")),
        ("true", ValueKind::Boolean, json!(true)),
        ("false", ValueKind::Boolean, json!(false)),
        ("x", ValueKind::Boolean, json!("x")),
        ("[1]", ValueKind::Json, json!([1])),
        ("[1", ValueKind::Json, json!("[1")),
        ("[\"a\"]", ValueKind::List, json!(["a"])),
        ("x", ValueKind::Null, json!(null)),
        ("42", ValueKind::String, json!("42")),
    ];
    for (value, kind, want) in rows {
        assert_eq!(value_of(value.as_bytes(), kind), want, "{value} {kind:?}");
    }
    assert_eq!(value_of(b"a\xff", ValueKind::String), json!("a\u{fffd}"));
}

#[test]
fn times_are_those_of_utc() {
    assert_eq!(time(1_795_233_600_123_456), "2026-11-21T04:00:00.123Z");
    assert_eq!(time(i64::MAX), i64::MAX.to_string());
}

/// The row of a document in a scope of two members.
fn shown(document: &Document, kind: ScopeKind) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let ids = Ids::load_or_draw(&folder.path().join("key")).unwrap();
    let scope = Scope { name: "x".into(), kind, members: Vec::new() };
    serde_json::to_value(row(&ids, &scope, document, std::slice::from_ref(&(2..4)))).unwrap()
}

#[test]
fn rows_have_every_field() {
    let value = |name: &str, value: &[u8]| (name.to_owned(), value.to_vec(), ValueKind::String);
    let mut document = Document {
        pri: 4 * 8 + 3,
        received_us: 1_795_233_600_000_000,
        host: b"web".to_vec(),
        program: b"app".to_vec(),
        pid: b"7".to_vec(),
        msgid: b"ID".to_vec(),
        source: "s".into(),
        peer: "10.0.0.1".into(),
        text: "\u{e4}bc".as_bytes().to_vec(),
        tags: vec!["t".into()],
        values: vec![value("a", b"1"), value("b", b"2"), value("a", b"3"), value("a", b"4")],
        ..Document::default()
    };
    let seen = shown(&document, ScopeKind::Local);
    let want = [
        ("facility", json!("auth")),
        ("severity", json!("err")),
        ("host", json!("web")),
        ("program", json!("app")),
        ("pid", json!("7")),
        ("msgid", json!("ID")),
        ("source", json!("s")),
        ("peer", json!("10.0.0.1")),
        ("message", json!("\u{e4}bc")),
        ("tags", json!(["t"])),
        ("values", json!({"a": ["1", "3", "4"], "b": "2"})),
        ("received_us", json!(1_795_233_600_000_000_i64)),
        // In the units of browsers: the first letter has two bytes there, and is one unit.
        ("highlights", json!([[1, 2]])),
    ];
    for (name, want) in want {
        assert_eq!(seen[name], want, "{name}: {seen}");
    }
    for (quality, want) in [
        (ZoneQuality::Absent, "absent"),
        (ZoneQuality::Known, "known"),
        (ZoneQuality::ZoneGuessed, "zone_guessed"),
        (ZoneQuality::YearGuessed, "year_guessed"),
    ] {
        document.event = Stamp { quality, ..Stamp::known(5_000_000, 3600) };
        let seen = shown(&document, ScopeKind::Local);
        assert_eq!((&seen["event_us"], &seen["event_offset_s"]), (&json!(5_000_000), &json!(3600)));
        assert_eq!(seen["event_quality"], want);
    }
    document.pri = 30 * 8;
    assert_eq!(shown(&document, ScopeKind::Local)["facility"], "30", "it has no name");
}

#[test]
fn failed_searches_have_their_status() {
    let limit = Duration::from_millis(1_500);
    let rows = [
        (SearchError::Cancelled, 408, "the search was cancelled"),
        (SearchError::TimedOut, 504, "nothing was searched within 1500 ms: ask for a shorter time range"),
        (SearchError::Refused("why".to_owned()), 400, "why"),
    ];
    for (error, status, text) in rows {
        let shown = search_error(&error, limit);
        assert_eq!((shown.status().as_u16(), shown.to_string().as_str()), (status, text));
    }
    let read = SearchError::Read(ReadError::Corrupt { path: "/x".into(), offset: 3, what: "y" });
    assert_eq!(search_error(&read, limit).status().as_u16(), 500);
    for (of, status) in [(BudgetOf::AllSearches, 503), (BudgetOf::Search, 422)] {
        let over = SearchError::OverBudget(OverBudget { stage: "sort", limit_bytes: 7, of });
        assert_eq!(search_error(&over, limit).status().as_u16(), status, "{of:?}");
    }
}
