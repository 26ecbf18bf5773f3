//! Searches that use results of earlier ones answer as those that do not.

use super::{
    START_US,
    columns::{Line, TABLES, lines, snapshot, table},
};
use crate::{
    Answer, Boundary, Clock, ParseOptions, Query, ResultCache, Search, SearchScope, SearchedLogspace, column,
    search,
};
use lookup::{SegmentView, Snapshot};
use proptest::{prelude::*, sample::select};
use std::sync::Arc;

const BYTES: u64 = 64 << 20;

const FILTERS: [&str; 6] =
    ["*", "host:gw1", "one", "NOT user:ann", "host:gw1 OR program:sshd", "@received:>now-70s"];

/// A search: its filter and table, its range in seconds, its clock, the user, and the segments that are there.
#[derive(Clone, Debug)]
struct Step {
    filter: &'static str,
    of: &'static str,
    range: Option<(i64, i64)>,
    clock: Clock,
    user: usize,
    segments: (usize, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (
        select(&FILTERS[..]),
        select(&TABLES[..]),
        prop::option::weighted(0.7, (0i64..20, 0i64..20)),
        select(&[Clock::Received, Clock::Received, Clock::Event][..]),
        0..3usize,
        (0..3usize, 0..5usize),
    );
    let step = step.prop_map(|(filter, of, range, clock, user, segments)| {
        let range = range.map(|(from, to)| (from.min(to), from.max(to)));
        Step { filter, of, range, clock, user, segments }
    });
    prop::collection::vec(step, 1..24)
}

/// The logspace as a user sees it: all of it, or within a boundary.
fn scope(whole: &Snapshot, boundary: Option<&Boundary>) -> SearchScope {
    let snapshot = boundary.map_or_else(|| whole.clone(), |boundary| boundary.apply(whole));
    let is_bounded = boundary.is_some();
    SearchScope {
        members: vec![SearchedLogspace { name: "".into(), snapshot: Arc::new(snapshot), is_bounded }],
    }
}

/// The parts of an answer without pipes.
fn shown(scope: &SearchScope, filter: &str, how: &Search) -> String {
    let query =
        Query::parse(filter, &ParseOptions { now_us: super::NOW_US, ..ParseOptions::default() }).unwrap();
    let facets = ["host", "user", "tags"].map(column).to_vec();
    let how = Search { facets, buckets: 7, ..how.clone() };
    let Answer { total, scanned, histogram, facets, rows, .. } = search(scope, &query, &how).unwrap();
    let rows: Vec<u64> = rows.iter().map(|row| row.document.sequence).collect();
    format!("{total} {scanned} {histogram:?} {facets:?} {rows:?}")
}

fn boundary(text: &str) -> Boundary {
    Boundary::new(&[vec![Query::parse(text, &ParseOptions::default()).unwrap()]])
}

/// The segments of some of the messages: sealed ones, and an active one that is not the same in any two snapshots.
fn part(all: &Snapshot, (removed, added): (usize, usize)) -> Snapshot {
    let end = (removed + added).min(all.segments.len());
    Snapshot { segments: all.segments[removed.min(end)..end].to_vec(), ..all.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn answers_do_not_depend_on_the_cache(lines in lines(), steps in steps(), is_small in any::<bool>()) {
        let all = snapshot(&lines);
        let boundaries = [boundary("NOT program:cron"), boundary("user:ann OR host:gw2")];
        // In the small one hardly any two results have room.
        let bytes_max = if is_small { 16 << 10 } else { BYTES };
        let cache = ResultCache::new(bytes_max);
        for Step { filter, of, range, clock, user, segments } in steps {
            let boundary = user.checked_sub(1).map(|user| &boundaries[user]);
            let scope = scope(&part(&all, segments), boundary);
            let time = |second: i64| START_US + second * 1_000_000;
            let plain = Search {
                clock,
                from_us: range.map(|(from, _)| time(from)),
                to_us: range.map(|(_, to)| time(to)),
                ..Search::default()
            };
            let cached = Search { cache: cache.clone(), ..plain.clone() };
            let text = format!("{filter} | {of}");
            for _ in 0..2 {
                prop_assert_eq!(table(&scope, &text, &cached), table(&scope, &text, &plain), "{}", text);
                prop_assert_eq!(shown(&scope, filter, &cached), shown(&scope, filter, &plain), "{}", filter);
            }
            prop_assert!(cache.counters().bytes <= bytes_max);
        }
        drop((all, boundaries));
        prop_assert_eq!(cache.counters().bytes, 0, "results of segments that are gone");
    }
}

/// Forty messages in three sealed segments and an active one, two a second.
fn forty() -> Snapshot {
    let line = |n: usize| -> Line { (["gw1", "gw2"][n % 2], "sshd", 13, vec![], vec![]) };
    snapshot(&(0..40).map(line).collect::<Vec<_>>())
}

/// Runs a search; returns how many results were there, and how many were not.
fn used(cache: &ResultCache, scope: &SearchScope, text: &str, range: Option<(i64, i64)>) -> (u64, u64) {
    let before = cache.counters();
    let time = |second: i64| START_US + second * 1_000_000;
    let how = Search {
        cache: cache.clone(),
        from_us: range.map(|(from, _)| time(from)),
        to_us: range.map(|(_, to)| time(to)),
        ..Search::default()
    };
    table(scope, text, &how);
    let after = cache.counters();
    (after.hits - before.hits, after.misses - before.misses)
}

#[test]
fn results_of_sealed_segments_are_used_again() {
    let (all, cache) = (forty(), ResultCache::new(BYTES));
    let whole = scope(&all, None);
    // The table and the matches of each sealed segment.
    let rows = [
        ("host:gw1 | stats count() by program", None, (0, 6)),
        ("host:gw1 | stats count() by program", None, (3, 0)),
        ("host:gw1|  stats   count() as n by program | sort -n", None, (3, 0)),
        ("host:gw1 | top 1 program", Some((0, 100)), (3, 0)),
        ("host:gw1 | stats count() by severity", Some((0, 100)), (3, 3)),
        // Two segments are whole in this range.
        ("host:gw1 | stats count() by program", Some((3, 15)), (2, 0)),
        ("host:gw2 | stats count() by program", None, (0, 6)),
        ("* | timechart 2s count()", Some((0, 100)), (0, 3)),
        ("* | timechart 2s count()", Some((1, 101)), (2, 0)),
        ("* | timechart 3s count()", Some((0, 100)), (0, 3)),
        ("host:gw1 | where host:gw1 | stats count() by program", None, (3, 3)),
        ("host:gw1 | where host:gw2 | stats count() by program", None, (3, 3)),
        // These depend on the time, and on the other logspaces that are searched.
        ("host:gw1 AND @received:>now-1h | stats count() by program", None, (0, 0)),
        ("* | where @received:>now-1h | stats count() by program", None, (0, 0)),
        ("* | stats max(@sequence)", None, (0, 0)),
    ];
    for (text, range, want) in rows {
        assert_eq!(used(&cache, &whole, text, range), want, "{text} {range:?}");
    }
    // Another user has results of his own.
    let bounded = boundary("host:gw1");
    let text = "host:gw1 | stats count() by program";
    assert_eq!(used(&cache, &scope(&all, Some(&bounded)), text, None), (0, 6));
    assert_eq!(used(&cache, &scope(&all, Some(&bounded)), text, None), (3, 0));
    assert_eq!(used(&ResultCache::default(), &whole, text, None), (0, 0));
    assert_eq!(used(&ResultCache::new(0), &whole, text, None), (0, 0));
}

#[test]
fn results_end_with_their_segments_and_make_room_for_others() {
    let (all, cache) = (forty(), ResultCache::new(BYTES));
    used(&cache, &scope(&all, None), "host:gw1 | top program", None);
    let bytes = cache.counters().bytes;
    let newest: Arc<dyn SegmentView> = Arc::clone(&all.segments[2]);
    drop(all);
    assert!((1..bytes).contains(&cache.counters().bytes));
    drop(newest);
    assert_eq!(cache.counters().bytes, 0);

    let (all, cache) = (forty(), ResultCache::new(16 << 10));
    let whole = scope(&all, None);
    for n in 0..40 {
        used(&cache, &whole, &format!("host:gw1 OR user:u{n} | stats count() by program"), None);
        assert!(cache.counters().bytes <= 16 << 10);
    }
    assert!(cache.counters().evicted > 0);
    // A long query is part of what it takes: its results would have to make room for all others.
    let long = (0..200).map(|n| format!("host:gw{n}")).collect::<Vec<_>>().join(" OR ");
    let before = cache.counters();
    used(&cache, &whole, &format!("({long}) AND host:gw1 | stats count() by program"), None);
    assert_eq!(cache.counters().bytes, before.bytes);
    // The newest are still there, the oldest are not.
    assert_eq!(used(&cache, &whole, "host:gw1 OR user:u39 | stats count() by program", None), (3, 0));
    assert_eq!(used(&cache, &whole, "host:gw1 OR user:u0 | stats count() by program", None), (0, 6));
}
