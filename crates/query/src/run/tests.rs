//! Searches over a small store, and the agreement of index and matcher on any query.

use super::{ExplainedPart, Means, explain, search, values};
use crate::{
    Answer, Clock, MemoryBudget, ParseOptions, Query, Search, SearchError, SearchScope, column,
    language::tree::Operator,
    tests::naive::{START_US, document, snapshot, with_value},
};
use lookup::{CancelToken, Column, Document, ReadCost};
use proptest::prelude::*;
use std::{sync::Arc, time::Instant};

fn store() -> SearchScope {
    let line = |n: i64| {
        let host = ["gw1", "gw2", "Web-01"][n as usize % 3];
        let text = match n % 5 {
            0 => format!("Failed password for root from 10.1.0.{n} port {}", 40_000 + n),
            1 => "authentication failure; user=mail".to_owned(),
            2 => format!("port scan detected, scan port {n}"),
            3 => "connection reset -> closed".to_owned(),
            _ => format!("session {n} opened for MrSmith"),
        };
        let made = document(n, host, if n % 2 == 0 { "sshd" } else { "kernel" }, &text);
        match n % 4 {
            0 => with_value(made, "bytes", &(n * 10).to_string()),
            1 => with_value(made, ".SDATA.x@1.y", "Blue sky"),
            _ => made,
        }
    };
    snapshot((0..100).map(line).collect(), 17).into()
}

fn ask(text: &str, search_options: &Search) -> Answer {
    let options = ParseOptions { now_us: START_US + 100_000_000, ..ParseOptions::default() };
    let query = Query::parse(text, &options).unwrap();
    search(&store(), &query, search_options).unwrap()
}

#[track_caller]
fn check(text: &str, total: u64) {
    let answer = ask(text, &Search::default());
    assert_eq!(answer.total, total, "{text}");
    assert_eq!(answer.rows.len() as u64, total, "{text}");
    assert_eq!(answer.histogram.unwrap().counts.iter().sum::<u64>(), total, "{text}");
}

#[test]
fn finds_words() {
    check("", 100);
    check("failed", 20);
    check("FAILED root", 20);
    check("failed OR session", 40);
    check("NOT failed", 80);
    check("failed -host:gw1", 13);
    check("failed AND root NOT kernel", 10);
    check("failed NOT (root OR sshd)", 0);
    check("failed NOT (kernel OR sshd)", 0);
    check("(failed OR session) AND sshd", 20);
    check("NOT failed NOT session", 60);
    check("port AND (failed OR scan) AND *a*", 40);
    check("session OR failed OR host:gw1 OR scan", 74);
    check("failed AND failed", 20);
    check("*ail*", 40);
    check("fial~1", 0);
    check("failde~1", 20);
    check("sshd", 50);
    check("blue", 25);
    check("message:sshd", 0);
    check("message:*s*d*", 40);
    check("message:po*", 40);
    check("message:blue", 0);
    check("message:mail OR message:user", 20);
    check("10.1.0.*", 20);
    check("\"->\"", 20);
}

#[test]
fn finds_phrases() {
    check("\"port scan\"", 20);
    check("\"scan port\"", 20);
    check("\"port detected\"", 0);
    check("\"port detected\"~1", 20);
    check("\"detected port\"~1", 20);
    check("\"password failed\"~1", 0);
    check("\"password failed\"~2", 20);
    check("\"failed * for\"", 20);
    check("user=mail", 20);
}

#[test]
fn finds_values() {
    check("host:gw1", 34);
    check("host:WEB-01", 33);
    check("host:==web-01", 0);
    check("host:/^gw\\d$/", 67);
    check("sd.x@1.y:\"blue sky\"", 25);
    check("sd.\\*:blue*", 25);
    check("*x@1*:/sky/", 25);
    check("bytes:[100 TO 200]", 3);
    check("bytes:{80 TO 200}", 2);
    check("bytes>=900", 2);
    check("_exists_:bytes", 25);
    check("NOT bytes:*", 75);
    check("nothing:here", 0);
    check("NOT nothing:here", 100);
    check("severity:<=alert", 26);
    check("level:err host:gw1", 5);
    check("peer:10.0.0.0/29", 8);
    check("peer:[10.0.0.10 TO 10.0.0.19]", 10);
    check("host:(gw1 OR gw2) bytes:*", 17);
}

#[test]
fn scans_what_no_index_knows() {
    check("/pass.*root/", 20);
    check("/PASS.*root/", 0);
    check("/PASS.*root/i", 20);
    check("/scan port [0-9]$/", 2);
    check("NOT /o/", 0);
    check("host:gw1 AND /reset|opened/", 14);
    check("host:gw1 OR /reset|opened/", 60);
    check("NOT (host:gw1 OR /reset|opened/)", 40);
    check("raw:\"sshd: F\"", 10);
    check("raw:/^<\\d+>1 gw2/", 33);
    check("message:=\"password for\"", 20);
    check("message:=\"Password for\"", 0);
    check("message:==MrSmith", 20);
    check("message:==mrsmith", 0);
}

#[test]
fn keeps_right_with_more_parts_than_bitmaps() {
    let parts: Vec<String> = (0..100).map(|n| format!("(sshd AND /port {}$/)", 40_000 + n)).collect();
    check(&parts.join(" OR "), 10);
    check(&format!("NOT ({})", parts.join(" OR ")), 90);
    let parts: Vec<String> = (0..100).map(|n| format!("(/p/ OR bytes:{n})")).collect();
    check(&parts.join(" AND "), 60);
}

#[test]
fn finds_times() {
    check("@received:[now-10s TO now]", 10);
    check("@received:\"2026-01-01T00:00:05Z\"", 1);
    check("@event:<1767225605", 7);
    check("@skew:>5s", 14);
    check("@skew:[* TO 1s]", 30);
}

#[test]
fn cuts_time_into_bars() {
    let options = Search {
        from_us: Some(START_US + 10_000_000),
        to_us: Some(START_US + 40_000_000),
        buckets: 3,
        limit: 5,
        ..Search::default()
    };
    let answer = ask("failed", &options);
    assert_eq!((answer.total, answer.scanned, answer.rows.len()), (6, 30, 5));
    assert_eq!(answer.histogram.unwrap().counts, [2, 2, 2]);
    let sequences: Vec<u64> = answer.rows.iter().map(|row| row.document.sequence).collect();
    assert_eq!(sequences, [35, 30, 25, 20, 15]);
    let event = ask("failed", &Search { clock: Clock::Event, ..options });
    assert_eq!(event.total, event.histogram.unwrap().counts.iter().sum::<u64>());
    let open = ask("failed", &Search { clock: Clock::Event, buckets: 7, ..Search::default() });
    assert_eq!(open.histogram.unwrap().counts.iter().sum::<u64>(), 20);
}

#[test]
fn pages_and_pins() {
    let answer = ask("failed", &Search { before: Some(50), limit: 2, ..Search::default() });
    let sequences: Vec<u64> = answer.rows.iter().map(|row| row.document.sequence).collect();
    assert_eq!((answer.total, sequences), (20, vec![45, 40]));
    let pinned = ask("failed", &Search { until: vec![41], ..Search::default() });
    assert_eq!((pinned.snapshot, pinned.total, pinned.scanned), (vec![41], 9, 41));
}

#[test]
fn counts_values() {
    let facets = vec![Column::Host, column("bytes")];
    let answer = ask("failed", &Search { facets, facet_limit: 2, ..Search::default() });
    let host = &answer.facets[0];
    assert_eq!(
        host.values,
        [(b"gw1".to_vec(), 7), (b"Web-01".to_vec(), 7)][..].iter().rev().cloned().collect::<Vec<_>>()
    );
    assert_eq!((host.other, host.distinct, host.coverage, host.cut), (6, 3, 20, false));
    assert_eq!((answer.facets[1].distinct, answer.facets[1].coverage), (5, 5));
    let found =
        values(&store(), &Column::Host, "G", 10, &CancelToken::unlimited(), &MemoryBudget::unlimited())
            .unwrap();
    assert_eq!(found, [(b"gw1".to_vec(), 34), (b"gw2".to_vec(), 33)]);
}

#[test]
fn advises_on_unknown_fields() {
    assert_eq!(
        ask("hots:gw1", &Search::default()).hints,
        ["no message has a field hots; did you mean host?"]
    );
    assert_eq!(
        ask("x@1.y:blue", &Search::default()).hints,
        ["no message has a field x@1.y; in structured data it is .SDATA.x@1.y, or sd.x@1.y"]
    );
    assert_eq!(ask("sd.x@1.y:blue*", &Search::default()).total, 25);
    assert!(ask("host:gw9", &Search::default()).hints.is_empty());
}

/// Blocks of one piece, messages read from them, and the milliseconds on one core of the machine on which the
/// constants were measured.
const READINGS: [(u64, u64, f64); 2] = [(1_107, 1_288, 155.0), (4_380, 3_000_000, 2_150.0)];

#[test]
fn estimates_rank_as_what_was_measured() {
    let rows = READINGS.map(|(blocks, messages, took_ms)| {
        let text = ReadCost { blocks, ..ReadCost::default() };
        (explain::reading(text, messages).as_secs_f64() * 1e3, took_ms)
    });
    for (estimate, took) in rows {
        assert!((0.5..2.0).contains(&(estimate / took)), "{estimate} ms, it took {took} ms");
    }
    assert!(rows.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1), "{rows:?}");
}

#[test]
fn explains_what_a_question_costs() {
    let options = ParseOptions { now_us: START_US + 100_000_000, ..ParseOptions::default() };
    let explained = |text: &str, search: &Search| {
        explain(&store(), &Query::parse(text, &options).unwrap(), search).unwrap()
    };
    let told = explained("failed /port 4/ -host:gw1", &Search::default());
    assert_eq!((told.segments, told.skipped, told.messages), (6, 0, 100));
    let part = |index: usize| {
        let part: &ExplainedPart = &told.root.parts[index];
        (part.shown.as_str(), part.means, part.documents, part.undecided)
    };
    assert_eq!(part(0), ("word failed", Means::Words, 20, 0));
    assert_eq!(part(1), ("NOT", Means::Parts, 13, 0));
    assert_eq!(part(2).1, Means::Text);
    assert_eq!((told.root.documents, told.root.undecided, told.undecided), (13, 13, 13));
    // Parts that the index decides alone read nothing; parts for which no candidates are left are not
    // evaluated.
    let told = explained("failed zzz /port/", &Search::default());
    assert_eq!((told.undecided, told.root.parts[2].segments, told.root.parts[0].segments), (0, 0, 6));
    let search = Search {
        from_us: Some(START_US + 40_000_000),
        to_us: Some(START_US + 50_000_000),
        ..Search::default()
    };
    let told = explained("failed", &search);
    assert_eq!((told.segments, told.skipped, told.messages, told.root.documents), (6, 5, 10, 2));
    let late = Search { cancel: CancelToken::new(Arc::default(), Some(Instant::now())), ..Search::default() };
    let query = Query::parse("failed", &options).unwrap();
    assert!(matches!(explain(&store(), &query, &late), Err(SearchError::TimedOut)));
}

#[test]
fn every_part_of_a_question_is_explained() {
    let options = ParseOptions { now_us: START_US + 100_000_000, ..ParseOptions::default() };
    let leaves = |text: &str| {
        let query = Query::parse(text, &options).unwrap();
        let told = explain(&store(), &query, &Search::default()).unwrap();
        let part = |part: &ExplainedPart| (part.shown.clone(), part.means, part.documents);
        (part(&told.root), told.root.parts.iter().map(part).collect::<Vec<_>>())
    };
    let leaf = |shown: &str, means, documents| (shown.to_owned(), means, documents);
    for (text, want) in [
        ("*", leaf("all", Means::Nothing, 100)),
        ("NOT *", leaf("never", Means::Nothing, 0)),
        ("\"port scan\"", leaf("text \"port scan\"", Means::Words, 20)),
        ("message:==Failed", leaf("text \"failed\" case Failed", Means::Words, 20)),
        ("host:gw1", leaf("host is gw1", Means::Columns, 34)),
        ("host:/gw/", leaf("host matches gw", Means::Columns, 67)),
        ("sd.\\*:blue*", leaf(".SDATA.* is blue*", Means::Columns, 25)),
        ("@skew:>=0s", leaf("skew 0..9223372036854775807", Means::Columns, 100)),
        ("raw:x", leaf("raw has x", Means::Text, 100)),
        ("raw:/x/", leaf("raw matches x", Means::Text, 100)),
    ] {
        assert_eq!(leaves(text), (want, Vec::new()), "{text}");
    }
    // Look-ups in the index: two words of a phrase in each of six segments, the values of a column.
    let asked = |text: &str| {
        let query = Query::parse(text, &options).unwrap();
        let told = explain(&store(), &query, &Search::default()).unwrap();
        (told.root.words, told.root.postings)
    };
    assert_eq!(asked("failed"), (Some(6), Some(20)));
    assert_eq!(asked("\"port * scan\"~2"), (Some(12), Some(60)));
    assert_eq!(asked("message:==Failed"), (Some(6), Some(20)));
    assert_eq!(asked("host:gw*"), (Some(12), None));
    assert_eq!(asked("host:/1/"), (Some(12), None));
    assert_eq!(asked("/x/"), (None, None));
    let (root, parts) = leaves("failed OR NOT host:gw1");
    assert_eq!(root, leaf("OR", Means::Parts, 73));
    assert_eq!(parts, [leaf("word failed", Means::Words, 20), leaf("NOT", Means::Parts, 66)]);
}

#[test]
fn users_read_how_a_question_was_understood() {
    let options = ParseOptions { now_us: START_US, ..ParseOptions::default() };
    for (text, want) in [
        ("*", "all"),
        ("NOT *", "never"),
        ("failed", "word failed"),
        ("failed OR -host:gw1", "(word failed OR NOT host is gw1)"),
        ("failed \"port scan\"", "(word failed AND text \"port scan\")"),
    ] {
        assert_eq!(Query::parse(text, &options).unwrap().explain(), want, "{text}");
    }
}

#[test]
fn a_facet_of_tags_covers_each_message_once() {
    let tagged = |second: i64, tags: &[&str]| {
        let made = document(second, "gw1", "sshd", "text");
        Document { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..made }
    };
    let lines = vec![tagged(0, &["a", "b"]), tagged(1, &["a"]), tagged(2, &[]), tagged(3, &["a", "b", "c"])];
    let space: SearchScope = snapshot(lines, 2).into();
    let query = Query::parse("*", &ParseOptions::default()).unwrap();
    let facets = vec![Column::Tags, Column::Host];
    let answer = search(&space, &query, &Search { facets, ..Search::default() }).unwrap();
    let counts: Vec<u64> = answer.facets[0].values.iter().map(|(_, count)| *count).collect();
    assert_eq!((answer.facets[0].coverage, counts), (3, vec![3, 2, 1]));
    assert_eq!((answer.facets[1].coverage, answer.facets[1].distinct), (4, 1));
}

#[test]
fn reading_costs_blocks_and_messages() {
    // A block is opened, decompressed up to the last wanted message, and its messages are reconstructed.
    for (blocks, messages, want_ns) in
        [(0, 0, 0), (1, 0, 20_000), (1, 1, 80_500), (1, 2, 101_000), (10, 10, 805_000), (10, 90, 1_325_000)]
    {
        let took = explain::reading(ReadCost { blocks, bytes: 1 << 20 }, messages);
        assert_eq!(took.as_nanos(), want_ns, "{messages} messages of {blocks} blocks");
    }
}

#[test]
fn stops_on_request() {
    let query = Query::parse("failed", &ParseOptions::default()).unwrap();
    let run = |cancel| search(&store(), &query, &Search { cancel, ..Search::default() });
    let late = CancelToken::new(Arc::default(), Some(Instant::now()));
    assert!(matches!(run(late), Err(SearchError::TimedOut)));
    let cancelled = CancelToken::new(Arc::new(true.into()), None);
    assert!(matches!(run(cancelled), Err(SearchError::Cancelled)));
}

fn any_question() -> impl Strategy<Value = String> {
    let clause = prop::sample::select(vec![
        "failed",
        "port",
        "*a*",
        "se?sion",
        "\"port scan\"",
        "\"scan port\"~2",
        "host:gw1",
        "host:/[12]$/",
        "bytes:>300",
        "bytes:*",
        "sd.*:blue*",
        "/reset|root/",
        "/o.*o/i",
        "raw:\"kernel\"",
        "message:=\"for root\"",
        "@skew:>2s",
        "@event:>now-40s",
        "@received:<now-70s",
        "severity:<=err",
        "message:==Failed",
        "message:s*",
        "message:port",
        "message:blue",
        "sshd",
        "nothing:x",
        "*",
        "\"->\"",
    ]);
    let leaf = clause.prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} AND {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} OR {b})")),
            inner.prop_map(|a| format!("NOT {a}")),
        ]
    })
}

proptest! {
    #[test]
    fn index_and_matcher_agree(text in any_question()) {
        let now_us = START_US + 100_000_000;
        let options = ParseOptions { now_us, default_operator: Operator::And, offset_s: 0 };
        let query = Query::parse(&text, &options).unwrap();
        let snapshot = store();
        let mut matcher = query.matcher();
        let mut want: Vec<Document> = Vec::new();
        for view in &snapshot.members[0].snapshot.segments {
            view.read(&mut (0..view.len()), &CancelToken::unlimited(), &mut |_, document| {
                if matcher.matches(document) {
                    want.push(document.clone());
                }
                true
            }).unwrap();
        }
        want.reverse();
        let answer = search(&snapshot, &query, &Search::default()).unwrap();
        let got: Vec<u64> = answer.rows.iter().map(|row| row.document.sequence).collect();
        let want: Vec<u64> = want.iter().map(|document| document.sequence).collect();
        prop_assert_eq!(answer.total, got.len() as u64);
        prop_assert_eq!(got, want, "{} = {}", text, query.explain());
    }
}
