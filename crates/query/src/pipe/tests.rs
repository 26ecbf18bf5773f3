//! Pipes over a small store, as tables in text.

mod budget;
mod cached;
mod columns;
mod damaged;
mod names;

use super::stream;
use crate::{
    ParseOptions, Query, Search, SearchError, SearchScope,
    tests::naive::{START_US, document, snapshot, with_value},
};
use lookup::Document;
use std::fmt::Write;

const NOW_US: i64 = START_US + 100_000_000;

/// A hundred messages, one a second; hosts gw1 and gw2 in turn, users and bytes in some.
fn store() -> SearchScope {
    let line = |n: i64| {
        let text = match n % 4 {
            0 => format!("login user=user{} ok in {n} ms", n % 8),
            1 => format!("{{\"code\": {}, \"who\": {{\"name\": \"ann\"}}}}", 200 + n % 3),
            2 => format!("connection from 10.0.0.{n} closed"),
            _ => "nothing to say".to_owned(),
        };
        let made = document(n, ["gw1", "gw2"][n as usize % 2], "app", &text);
        if n % 5 == 0 { with_value(made, "bytes", &(n * 10).to_string()) } else { made }
    };
    snapshot((0..100).map(line).collect(), 17).into()
}

fn options() -> ParseOptions {
    ParseOptions { now_us: NOW_US, ..ParseOptions::default() }
}

fn run(text: &str, search: &Search) -> Result<(Vec<Document>, super::Outcome), SearchError> {
    let query = Query::parse(text, &options()).unwrap();
    let mut rows = Vec::new();
    let outcome = stream(&store(), &query, search, &mut |row| {
        rows.push(row);
        true
    })?;
    Ok((rows, outcome))
}

/// The table as lines of values; messages by their sequence numbers.
fn table(text: &str, search: &Search) -> String {
    let (rows, _) = run(text, search).unwrap();
    let query = Query::parse(text, &options()).unwrap();
    let mut shown = String::new();
    for row in &rows {
        let line: Vec<String> = match query.columns() {
            None => vec![row.sequence.to_string()],
            Some(columns) => columns
                .iter()
                .map(|name| {
                    name.value(row).map_or_else(
                        || "-".to_owned(),
                        |(value, _)| String::from_utf8_lossy(&value).into_owned(),
                    )
                })
                .collect(),
        };
        writeln!(shown, "{}", line.join(" ")).unwrap();
    }
    shown
}

#[track_caller]
fn check(text: &str, want: &[&str]) {
    let got = table(text, &Search::default());
    assert_eq!(got.lines().collect::<Vec<_>>(), want, "{text}");
}

#[track_caller]
fn check_error(text: &str, want: &str) {
    let error = Query::parse(text, &options()).unwrap_err();
    assert_eq!(format!("{}+{} {}", error.position, error.length, error.message), want, "{text}");
    assert!(error.suggestion.is_some(), "{text} has no suggestion");
}

#[test]
fn counts_and_computes() {
    check("* | stats count()", &["100"]);
    check("| stats count", &["100"]);
    check("nothing | stats count() by host", &["gw2 25"]);
    check(
        "* | stats count() as n, sum(bytes), min(bytes), max(bytes) by host",
        &["gw1 50 4500 0 900", "gw2 50 5000 50 950"],
    );
    check("* | stats avg(bytes), distinct(bytes), count(bytes)", &["475 20 20"]);
    check("zzz | stats count(), sum(bytes)", &["0 -"]);
    check("zzz | stats count() by host", &[]);
    check("* | top 1 host", &["gw1 50 50"]);
    check("* | terms severity 2", &["alert 13 13", "crit 13 13"]);
    check("* | stats count() by host, program", &["gw1 app 50", "gw2 app 50"]);
    check("* | stats max(@sequence), min(host)", &["99 gw1"]);
}

#[test]
fn percentiles_are_within_one_percent() {
    let got = table("* | stats p50(bytes), p90(bytes), median(bytes)", &Search::default());
    let numbers: Vec<f64> = got.split_whitespace().map(|number| number.parse().unwrap()).collect();
    for (got, want) in numbers.iter().zip([450.0, 850.0, 450.0]) {
        assert!((got - want).abs() <= want * 0.01, "{got} for {want}");
    }
}

#[test]
fn index_and_rows_agree() {
    let pairs = [
        ("stats count() by host", "where * | stats count() by host"),
        ("stats avg(bytes), max(bytes), count()", "where * | stats avg(bytes), max(bytes), count()"),
        ("timechart 10s count() by host", "where * | timechart 10s count() by host"),
        ("top 3 severity", "where * | top 3 severity"),
        ("stats count() by tags", "where * | stats count() by tags"),
    ];
    for (fast, slow) in pairs {
        let all = Search::default();
        assert_eq!(
            table(&format!("login | {fast}"), &all),
            table(&format!("login | {slow}"), &all),
            "{fast}"
        );
    }
}

#[test]
fn charts_time() {
    let search = Search { from_us: Some(START_US), to_us: Some(START_US + 60_000_000), ..Search::default() };
    let got = table("nothing | timechart 20s", &search);
    assert_eq!(got, "2026-01-01T00:00:00Z 5\n2026-01-01T00:00:20Z 5\n2026-01-01T00:00:40Z 5\n");
    let got = table("bytes:200 | timechart 20s sum(bytes)", &search);
    assert_eq!(got, "2026-01-01T00:00:00Z -\n2026-01-01T00:00:20Z 200\n2026-01-01T00:00:40Z -\n");
    assert_eq!(table("* | timechart", &search).lines().count(), 30);
    let text = "* | timechart 1ms";
    assert!(matches!(run(text, &Search::default()), Err(SearchError::Refused(why)) if why.contains("wider")));
}

#[test]
fn works_on_messages() {
    check("nothing | head 3", &["99", "95", "91"]);
    check("nothing | sort @sequence | head 2", &["3", "7"]);
    check("_exists_:bytes | sort -bytes | head 2 | fields bytes, host", &["950 gw2", "900 gw1"]);
    check("* | dedup host", &["99", "98"]);
    check("* | where host:gw1 AND login | head 2", &["96", "92"]);
    check("@sequence:x | head 1", &[]);
    let made =
        |n: i64| Document { peer: "10.0.0.1".into(), ..document(n, ["a", "b"][n as usize % 2], "p", "x") };
    let query = Query::parse("@event:>2020-01-01 host:a | head 2 | context 1 1", &options()).unwrap();
    let mut shown = Vec::new();
    stream(&snapshot((0..10).map(made).collect(), 3).into(), &query, &Search::default(), &mut |row| {
        shown.push(row.sequence);
        true
    })
    .unwrap();
    assert_eq!(shown, [8, 6, 4]);
}

#[test]
fn makes_fields() {
    check(
        "login | rex \"user=(?<user>\\w+) ok in (?<ms>\\d+)\" | stats count(), max(ms) by user",
        &["user0 13 96", "user4 12 92"],
    );
    check("code | json | stats count() by code, who.name", &["200 ann 8", "201 ann 9", "202 ann 8"]);
    check("login | kv | top 1 user", &["user0 13 52"]);
    check("login | rex field=host /(?<digit>[0-9])/ | stats count() by digit", &["1 25"]);
}

#[test]
fn works_on_tables() {
    check(
        "* | stats count() as n by severity | where n:>12 | sort -n, severity | head 2",
        &["alert 13", "crit 13"],
    );
    check("* | stats count() as n by severity | stats max(n), count()", &["13 8"]);
    check("* | stats count() by host | fields host", &["gw1", "gw2"]);
    check("* | top 2 host | fields - percent | sort host desc", &["gw2 50", "gw1 50"]);
}

#[test]
fn finds_patterns() {
    let got = table("* | patterns 3 | fields pattern, count", &Search::default());
    let mut lines: Vec<&str> = got.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["connection from <*> closed 25", "login user=<*> ok in <*> ms 25", "nothing to say 25"]
    );
    let trend = table("nothing | patterns | fields trend, first_seen", &Search::default());
    assert!(trend.ends_with("2026-01-01T00:00:03Z\n"), "{trend}");
    let words = "alpha bravo charlie delta echo foxtrot golf hotel india";
    let many = words
        .split(' ')
        .enumerate()
        .map(|(n, word)| document(n as i64, "h", "p", &format!("user {word} left")))
        // An empty gap is not a word that changes.
        .chain([document(9, "h", "p", "user  left")])
        .collect();
    let query = Query::parse("* | patterns", &options()).unwrap();
    let mut rows = Vec::new();
    stream(&snapshot(many, 4).into(), &query, &Search::default(), &mut |row| {
        rows.push(row);
        true
    })
    .unwrap();
    let patterns: Vec<Vec<u8>> =
        rows.iter().map(|row| query.columns().unwrap()[0].value(row).unwrap().0).collect();
    assert_eq!(patterns, [&b"user <*> left"[..], b"user  left"]);
}

#[test]
fn compares_with_earlier() {
    let search = Search {
        from_us: Some(START_US + 50_000_000),
        to_us: Some(START_US + 100_000_000),
        ..Search::default()
    };
    let got = table("bytes:>=500 OR host:gw2 | stats count() by host | diff earlier=50s", &search);
    assert_eq!(got, "gw1 5 0 5\ngw2 25 25 0\n");
    let open = run("* | top host | diff 1h", &Search::default());
    assert!(matches!(open, Err(SearchError::Refused(why)) if why.contains("time range")));
}

#[test]
fn refuses_with_a_place() {
    check_error("failed | frobnicate", "9+10 there is no command frobnicate");
    check_error("failed |", "7+1 a command is missing after |");
    check_error("a | stats by host", "4+5 stats needs a function");
    check_error("a | stats sum() by host", "10+3 sum needs the name of a field");
    check_error("a | stats wrong(x)", "10+5 there is no function wrong");
    check_error("a | stats count() by", "18+2 by needs the name of a field");
    check_error("a | head many", "9+4 many is no number");
    check_error("a | head 1000000", "9+7 1000000 is more than 100000");
    check_error("a | where", "4+5 where needs a condition");
    check_error("a | where (x", "10+1 missing closing parenthesis");
    check_error("a | rex \"no group\"", "8+10 the expression names no group");
    check_error("a | rex \"(?<u>[\"", "8+8 the expression cannot be read: unclosed character class");
    check_error("a | diff 1h", "4+7 diff has no table to compare");
    check_error("a | stats count() by host | diff soon", "33+4 soon is no duration");
    check_error("a | stats count() by host | sort bytes", "33+5 the table has no column bytes");
    check_error("a | stats count() by host | where bytes:1", "28+13 the table has no column bytes");
    check_error(
        "a | stats count() by host | json",
        "28+4 json needs messages, and the command before makes a table",
    );
    check_error("a | top 5", "4+3 top needs the name of a field");
    check_error("a | head 5 )", "11+1 ) cannot stand here");
    check_error("a | rex", "4+3 rex needs an expression in quotes");
    check_error("a | rex /x", "8+1 missing / that ends the expression");
    check_error("a | rex \"x", "8+1 missing \" that ends the expression");
    check_error("a | diff", "4+4 diff needs a duration");
    check_error("a | json field=", "9+5 field needs a name");
    check_error("a | stats sum(bytes", "10+3 missing ) after the function's field");
    check_error("a | stats p0(x)", "10+2 there is no function p0");
    check_error("a | stats p100(x)", "10+4 there is no function p100");
    check_error("a | timechart 0s", "14+2 0s is no duration");
    check_error("a | stats count() by host | where NOT bytes:1", "28+17 the table has no column bytes");
    check_error(
        "a | stats count() by host | timechart",
        "28+9 timechart needs messages, and the command before makes a table",
    );
    check_error("a | stats count() by host | fields user", "35+4 the table has no column user");
    const NAMES: usize = 101;
    let many = |word: &str| vec![word; NAMES].join(", ");
    check_error(&format!("a | stats {}", many("count()")), "910+5 more than 100 functions");
    check_error(&format!("a | fields {}", many("f")), "4+6 more than 100 names");
    check_error("OR | head", "0+2 OR has nothing before it");
    check_error("a OR | head", "2+2 OR has nothing after it");
}

#[test]
fn what_is_written_in_other_ways_means_the_same() {
    let tree = |text: &str| Query::parse(text, &options()).unwrap().tree().clone();
    let columns = |text: &str| {
        let query = Query::parse(text, &options()).unwrap();
        query.columns().unwrap_or_default().iter().map(|name| name.shown().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(tree("a | head"), tree("a"));
    for (text, want) in [
        ("* | stats mean(bytes), dc(host), p9(x)", &["mean(bytes)", "dc(host)", "p9(x)"][..]),
        ("* | stats count as \"a b\" by first\\ name", &["first name", "a b"]),
        ("* | timechart 5m count() by host", &["time", "host", "count"]),
        ("* | patterns | diff 1h", &["pattern", "count", "earlier count", "change count"]),
        ("* | fields host | rex field=host /(?<a>x)(?<host>y)/", &["host", "a"]),
        ("* | top host | fields - percent", &["host", "count"]),
    ] {
        assert_eq!(columns(text), want, "{text}");
    }
    for (text, want) in [
        ("* | head 3", false),
        ("* | fields @sequence", true),
        ("* | stats max(@sequence)", true),
        ("* | stats count() by @sequence", true),
        ("* | sort -@sequence", true),
        ("* | dedup host, @sequence", true),
        ("* | kv field=@sequence", true),
        ("* | stats count() by host | diff 1h", false),
        ("* | where host:a | context 1 1 | patterns", false),
    ] {
        assert_eq!(Query::parse(text, &options()).unwrap().has_sequences(), want, "{text}");
    }
}

#[test]
fn limits_are_reported() {
    let text = "* | sort host";
    assert!(run(text, &Search::default()).is_ok());
    let pipes = " | head".repeat(51);
    check_error(&format!("a{pipes}"), "352+1 more than 50 pipes");
}
