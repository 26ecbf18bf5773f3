//! Tables made from columns are those that reading every message makes.

use super::{NOW_US, START_US};
use crate::{
    Boundary, Clock, MemoryPool, ParseOptions, Query, Search, SearchScope, SearchedLogspace, stream,
};
use lookup::{CancelToken, SegmentView, Snapshot};
use message::{Ack, Batch, Message, Origin, Priority, Selection, Span, Stamp, ValueKind};
use proptest::{prelude::*, sample::select};
use segment::{Active, Sealed};
use std::{fmt::Write, sync::Arc};

/// A message: host, program, priority, tags, values.
pub(super) type Line =
    (&'static str, &'static str, u16, Vec<&'static str>, Vec<(&'static str, &'static str, ValueKind)>);

/// Functions and keys of several columns, with values that are missing, repeated or of several kinds.
pub(super) const TABLES: [&str; 16] = [
    "stats count() by host, program",
    "stats count() by host, program, severity",
    "stats count() by host, user",
    "stats count() by tags, host",
    "stats count() as n, count(user), sum(ms), avg(ms), min(ms), max(ms), p50(ms), distinct(user) by host",
    "stats max(ms), count(tags) by tags",
    "stats distinct(host) by user, nothing",
    "stats count(), sum(@sequence) by host, program",
    "stats count() by facility, message",
    "top 3 host, program",
    "timechart 2s count() by host, severity",
    "timechart 2s sum(ms), distinct(host)",
    "timechart 3s p90(ms) by host",
    "timechart 2s count()",
    "timechart 2s count() by user",
    "stats sum(ms), count()",
];

pub(super) fn lines() -> impl Strategy<Value = Vec<Line>> {
    let kind = || select(&[ValueKind::String, ValueKind::Integer][..]);
    let value = prop_oneof![
        (Just("user"), select(&["ann", "bob", "", "7"][..]), kind()),
        (Just("ms"), select(&["1", "20", "300", "fast"][..]), kind()),
    ];
    let line = (
        select(&["gw1", "gw2", "GW1", ""][..]),
        select(&["sshd", "cron", ""][..]),
        select(&[0u16, 13, 38, 191, 1000][..]),
        prop::collection::vec(select(&["red", "blue"][..]), 0..3),
        prop::collection::vec(value, 0..3),
    );
    prop::collection::vec(line, 1..40)
}

/// A batch of messages that were received at once.
fn batch(lines: &[Line], received_us: i64) -> Batch {
    let (mut bytes, mut messages) = (Vec::new(), Vec::new());
    for (index, (host, program, pri, ..)) in lines.iter().enumerate() {
        let start = bytes.len();
        let mut put = |text: &str| {
            let span = Span::received(bytes.len(), text.len());
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(b' ');
            span
        };
        let (host, program, text) = (put(host), put(program), put(["one", "two"][index % 2]));
        let mut message = Message::default();
        (message.host, message.program, message.text) = (host, program, text);
        message.raw = Span::received(start, bytes.len() - start);
        message.pri = Priority(*pri);
        message.event = Stamp::known(received_us - 3_000_000 * (index as i64 % 3), 0);
        messages.push(message);
    }
    let origins = vec![Arc::new(Origin::default())];
    let mut batch = Batch::new(Arc::new(bytes), origins, Stamp::known(received_us, 0), Ack::none());
    batch.messages = messages;
    for (index, (.., tags, values)) in lines.iter().enumerate() {
        tags.iter().for_each(|tag| batch.add_tag(index, tag));
        for (name, value, kind) in values {
            batch.set_field(index, &message::FieldName::parse(name), value.as_bytes(), *kind);
        }
    }
    batch
}

/// Segments of ten messages, the last one active; two messages a second.
pub(super) fn snapshot(lines: &[Line]) -> Snapshot {
    let dir = tempfile::tempdir().unwrap();
    let mut segments: Vec<Arc<dyn SegmentView>> = Vec::new();
    let count = lines.chunks(10).count();
    for (index, lines) in lines.chunks(10).enumerate() {
        let mut active = Active::new(index as u64 * 10, None);
        for (pair, lines) in lines.chunks(2).enumerate() {
            let second = index as i64 * 5 + pair as i64;
            active.append(&batch(lines, START_US + second * 1_000_000), &Selection::all(lines.len()));
        }
        if index + 1 == count {
            segments.push(active.view());
        } else {
            let path = dir.path().join(index.to_string());
            active.seal(&path).unwrap();
            segments.push(Arc::new(Sealed::open(&path).unwrap()));
        }
    }
    Snapshot { segments, sequence: lines.len() as u64, ..Snapshot::default() }
}

/// The rows of a table as text.
pub(super) fn table(scope: &SearchScope, text: &str, search: &Search) -> String {
    let query = Query::parse(text, &ParseOptions { now_us: NOW_US, ..ParseOptions::default() }).unwrap();
    let mut shown = String::new();
    let outcome = stream(scope, &query, search, &mut |row| {
        for name in query.columns().unwrap_or_default() {
            let value = name.value(&row).map(|(value, kind)| (String::from_utf8(value).unwrap(), kind));
            write!(shown, "{value:?} ").unwrap();
        }
        shown.push('\n');
        true
    });
    let outcome = outcome.unwrap();
    writeln!(shown, "{} {:?} {:?}", outcome.matched, outcome.unread, outcome.notes).unwrap();
    shown
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn columns_and_messages_make_the_same_table(
        lines in lines(),
        filter in select(&["*", "host:gw1", "one", "NOT user:ann"][..]),
        range in prop::option::of((0i64..20, 0i64..20)),
        clock in select(&[Clock::Received, Clock::Event][..]),
        is_bounded in any::<bool>(),
    ) {
        let mut snapshot = snapshot(&lines);
        if is_bounded {
            let visible = Query::parse("NOT program:cron", &ParseOptions::default()).unwrap();
            snapshot = Boundary::new(&[vec![visible]]).apply(&snapshot);
        }
        let snapshot = Arc::new(snapshot);
        let scope = SearchScope { members: vec![SearchedLogspace { name: "".into(), snapshot, is_bounded }] };
        let time = |second: i64| START_US + second * 1_000_000;
        let search = Search {
            clock,
            from_us: range.map(|(from, to)| time(from.min(to))),
            to_us: range.map(|(from, to)| time(from.max(to))),
            ..Search::default()
        };
        for of in TABLES {
            let from_columns = table(&scope, &format!("{filter} | {of}"), &search);
            prop_assert_eq!(from_columns, table(&scope, &format!("{filter} | where * | {of}"), &search), "{}", of);
        }
    }
}

#[test]
fn messages_are_read_when_their_columns_need_too_much_memory() {
    let long =
        |n: usize| -> &'static str { Box::leak(format!("{n} {}", "x".repeat(4_000)).into_boxed_str()) };
    let line = |n: usize| -> Line { ("gw1", "sshd", 13, vec![], vec![("user", long(n), ValueKind::String)]) };
    let scope = SearchScope::from(snapshot(&(0..30).map(line).collect::<Vec<_>>()));
    let pool = MemoryPool::new(32 << 10, 32 << 10);
    let small = Search { memory: pool.budget(&CancelToken::unlimited()), ..Search::default() };
    let text = "* | stats distinct(user), count() by host, program";
    let shown = table(&scope, text, &small);
    assert_eq!(shown, table(&scope, text, &Search::default()));
    assert!(shown.contains("\"30\""), "{shown}");
}
