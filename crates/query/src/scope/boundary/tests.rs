//! Nothing outside a boundary can be learned through any query of a scope.

use super::Boundary;
use crate::{
    Clock, Extent, MemoryBudget, Near, ParseOptions, Query, Same, Search, SearchScope, SearchedLogspace,
    columns, context, extent, message, row_number, search, search_piped, stream,
    tests::naive::{START_US, document, snapshot, with_value},
    values,
};
use lookup::{CancelToken, Column, Document, Snapshot};
use std::sync::Arc;

fn query(text: &str) -> Query {
    let options = ParseOptions { now_us: START_US + 100_000_000, ..ParseOptions::default() };
    Query::parse(text, &options).unwrap()
}

/// A hundred messages, one a second, of the hosts open and secret in turn; the secret ones have fields, words, values
/// and times of their own, and are the first and the last.
fn base() -> Snapshot {
    let line = |n: i64| match n % 2 == 1 && n < 90 {
        true => with_value(document(n, "open", "app", &format!("login {n} done")), "size", "7"),
        false => {
            let made = document(n, "secret", "vault", &format!("password {n} leaked"));
            with_value(with_value(made, "pin", "1234"), "size", "big")
        }
    };
    snapshot((0..100).map(line).collect(), 17)
}

fn within(ways: &[Vec<Query>], snapshot: Snapshot) -> SearchScope {
    let snapshot = Arc::new(Boundary::new(ways).apply(&snapshot));
    SearchScope { members: vec![SearchedLogspace { name: "open".into(), snapshot, is_bounded: true }] }
}

fn filtered() -> SearchScope {
    within(&[vec![query("host:open")]], base())
}

/// Everything that a scope answers to a query, without measured times.
fn say(space: &SearchScope, text: &str, asked: &Search) -> String {
    let mut answer = search(space, &query(text), asked).unwrap();
    answer.took_us = 0;
    answer.snapshot.clear();
    let numbers = answer.rows.iter_mut().map(|row| std::mem::take(&mut row.document.sequence));
    let numbers = numbers.count();
    format!("{numbers} {answer:?}")
}

#[test]
fn a_filtered_space_answers_as_if_the_rest_never_was() {
    // The answers as if the hidden messages had never been received.
    let alone: Vec<Document> = {
        let mut left = Vec::new();
        for segment in base().segments {
            segment
                .read(&mut (0..segment.len()), &CancelToken::unlimited(), &mut |_, document| {
                    left.extend((document.host == b"open").then(|| document.clone()));
                    true
                })
                .unwrap();
        }
        left
    };
    let alone: SearchScope = snapshot(alone, 10).into();
    let all = Search {
        buckets: 7,
        facets: vec![
            Column::Host,
            Column::Program,
            Column::Named("pin".into()),
            Column::Named("size".into()),
        ],
        ..Search::default()
    };
    let event = Search { clock: Clock::Event, ..all.clone() };
    let range =
        Search { from_us: Some(START_US + 20_000_000), to_us: Some(START_US + 60_000_000), ..all.clone() };
    let event_range = Search { clock: Clock::Event, ..range.clone() };
    let questions = [
        "",
        "*",
        "NOT open",
        "NOT login",
        "NOT password",
        "password",
        "secret",
        "host:secret",
        "host:s*",
        "NOT host:open",
        "login OR password",
        "leaked~1",
        "\"password leaked\"",
        "/pass/",
        "NOT /pass/",
        "raw:\"vault\"",
        "pin:1234",
        "pin:*",
        "NOT _exists_:pin",
        "pni:1",
        "sise:1",
        "p*:1234",
        "size:>5",
        "size:b*",
        "@skew:>1s",
        "@received:<now-50s",
        "message:=\"password\"",
        "NOT message:=\"password\"",
        "-login -password",
        "severity:<=err",
        "host:/secret/",
        "NOT host:/open/",
    ];
    for text in questions {
        for asked in [&all, &event, &range, &event_range] {
            assert_eq!(say(&filtered(), text, asked), say(&alone, text, asked), "{text} {asked:?}");
        }
    }
    let pipes = [
        "* | stats count() by host",
        "* | stats count()",
        "* | top host",
        "* | patterns | fields pattern, count, first_seen",
        "* | timechart 10s count()",
        "* | stats sum(size), distinct(host), values",
        "password | stats count()",
        "* | dedup host | fields host",
        "* | sort host | head 3 | fields host, message",
        "* | stats max(size) by program",
        "NOT login | stats count() by host, program",
        "* | context 2 2 | stats count() by host",
        "| timechart by host",
        "* | stats min(@received), max(@event)",
    ];
    for text in pipes {
        let Ok(asked) = Query::parse(text, &ParseOptions::default()) else { continue };
        for options in [&all, &range] {
            let rows = |space: &SearchScope| {
                let mut rows = Vec::new();
                let outcome = stream(space, &asked, options, &mut |mut row| {
                    row.sequence = 0;
                    rows.push(row);
                    true
                });
                let outcome = outcome.unwrap();
                format!("{rows:?} {} {:?} {:?}", outcome.matched, outcome.notes, outcome.unread)
            };
            assert_eq!(rows(&filtered()), rows(&alone), "{text}");
        }
    }
}

#[test]
fn looking_around_stays_within() {
    let (space, cancel) = (filtered(), CancelToken::unlimited());
    assert!(message(&space, 0, &cancel).unwrap().is_none(), "a message outside");
    assert!(message(&space, 1, &cancel).unwrap().is_some());
    let around = |number, count| {
        let near = Near { before: count, after: count, same: Same::None };
        let mut memory = MemoryBudget::unlimited().permit("context");
        context(&space, number, near, &cancel, &mut memory).unwrap()
    };
    assert!(around(2, 5).is_empty(), "an anchor outside");
    let around = around(7, 2);
    assert_eq!(around.iter().map(|near| near.sequence).collect::<Vec<_>>(), [3, 5, 7, 9, 11]);
    let names = |space: &SearchScope| -> Vec<(String, u64, bool)> {
        let found = columns(space, &cancel).unwrap();
        let of = |used: &lookup::ColumnUse| {
            (crate::column_name(&used.column).to_owned(), used.documents, used.numeric)
        };
        found.iter().map(of).collect()
    };
    let found = names(&space);
    assert!(found.contains(&("size".into(), 45, true)), "{found:?}");
    assert!(!found.iter().any(|(name, ..)| name == "pin"), "{found:?}");
    let complete = |column: Column, prefix: &str| {
        values(&space, &column, prefix, 10, &cancel, &MemoryBudget::unlimited()).unwrap()
    };
    assert_eq!(complete(Column::Host, ""), [(b"open".to_vec(), 45)]);
    assert_eq!(complete(Column::Host, "s"), []);
    assert_eq!(complete(Column::Named("pin".into()), "1"), []);
    let want = Extent { messages: 45, received_us: Some((START_US + 1_000_000, START_US + 89_000_000)) };
    assert_eq!(extent(&space, &cancel).unwrap(), want);
    let mut matcher = Boundary::new(&[vec![query("host:open")]]).matcher();
    assert!(
        matcher.matches(&document(0, "open", "x", "y")) && !matcher.matches(&document(0, "secret", "x", "y"))
    );
}

#[test]
fn ways_join() {
    let count = |ways: &[&[&str]]| {
        let ways: Vec<Vec<Query>> =
            ways.iter().map(|way| way.iter().map(|text| query(text)).collect()).collect();
        extent(&within(&ways, base()), &CancelToken::unlimited()).unwrap().messages
    };
    assert_eq!(count(&[&["host:open", "message:1*"]]), 6);
    assert_eq!(count(&[&["host:open", "message:1*"], &["host:secret"]]), 61);
    assert_eq!(count(&[&["nothing"]]), 0);
}

#[test]
fn segments_are_kept_between_answers() {
    let (boundary, base) = (Boundary::new(&[vec![query("host:open")]]), base());
    let (first, second) = (boundary.apply(&base), boundary.apply(&base));
    let same = first.segments.iter().zip(&second.segments).all(|(a, b)| Arc::ptr_eq(a, b));
    assert!(same && boundary.known.lock().unwrap().len() == base.segments.len());
    boundary.apply(&Snapshot::default());
    assert!(boundary.known.lock().unwrap().is_empty(), "what is gone is forgotten");
}

/// Two logspaces: a has a message each even second, b each third; both have one in the seconds that are both.
fn union() -> SearchScope {
    let made = |every: usize, host: &'static str, a_segment: usize| {
        let lines = (0..60).step_by(every).map(|n| document(n, host, "p", &format!("line {n}")));
        Arc::new(snapshot(lines.collect(), a_segment))
    };
    let (a, b) = (made(2, "a", 7), made(3, "b", 9));
    let b = Arc::new(Boundary::new(&[vec![query("NOT message:57")]]).apply(&b));
    let member =
        |name: &str, snapshot, is_bounded| SearchedLogspace { name: name.into(), snapshot, is_bounded };
    SearchScope { members: vec![member("a", a, false), member("b", b, true)] }
}

#[test]
fn a_union_is_one_list_by_time() {
    let space = union();
    let asked = Search { buckets: 6, facets: vec![Column::Host], ..Search::default() };
    let answer = search(&space, &query(""), &asked).unwrap();
    assert_eq!((answer.total, answer.scanned, answer.rows.len()), (49, 49, 49));
    assert_eq!(answer.facets[0].values, [(b"a".to_vec(), 30), (b"b".to_vec(), 19)]);
    assert_eq!(answer.histogram.as_ref().unwrap().counts, [9, 8, 8, 8, 9, 7]);
    let order = |rows: &[crate::Row]| -> Vec<(i64, u64)> {
        rows.iter().map(|row| (row.document.received_us, row.document.sequence)).collect()
    };
    let whole = order(&answer.rows);
    assert!(whole.is_sorted_by(|newer, older| newer > older), "{whole:?}");
    assert_eq!(whole.iter().filter(|(_, number)| *number >= row_number(1, 0)).count(), 19);
    let mut paged = Vec::new();
    let mut asked = Search { limit: 4, ..Search::default() };
    loop {
        let rows = search(&space, &query(""), &asked).unwrap().rows;
        let Some(last) = rows.last() else { break };
        asked.before = Some(last.document.sequence);
        paged.extend(order(&rows));
    }
    assert_eq!(paged, whole, "pages have every row once");
    let mut streamed = Vec::new();
    stream(&space, &query(""), &Search::default(), &mut |row| {
        streamed.push((row.received_us, row.sequence));
        true
    })
    .unwrap();
    assert_eq!(streamed, whole, "exports have the same order");
    let pinned = Search { until: vec![10, 5], ..Search::default() };
    assert_eq!(search(&space, &query(""), &pinned).unwrap().total, 15);
    let (answer, _) =
        search_piped(&space, &query("* | stats count() by host"), &pinned, &mut |_| Ok(true)).unwrap();
    assert_eq!((answer.total, answer.snapshot), (15, vec![10, 5]));
    let near = Near { before: 1, after: 1, same: Same::None };
    let mut memory = MemoryBudget::unlimited().permit("context");
    let near = context(&space, row_number(1, 2), near, &CancelToken::unlimited(), &mut memory).unwrap();
    assert_eq!(
        near.iter().map(|near| near.sequence).collect::<Vec<_>>(),
        [row_number(1, 1), row_number(1, 2), row_number(1, 3)]
    );
}

#[test]
fn a_boundary_shows_the_queries_that_it_was_made_from() {
    let boundary = Boundary::new(&[vec![query("host:open"), query("login*")], vec![query("app")]]);
    assert_eq!(
        boundary.written(),
        [vec!["host:open".to_owned(), "login*".to_owned()], vec!["app".to_owned()]]
    );
}
