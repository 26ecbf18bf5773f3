//! Searches with little memory: stages that need much are refused by name, those that need little are
//! answered.

use crate::{
    MemoryPool, ParseOptions, Query, Search, SearchError, SearchScope, search, search_piped, search_rows,
    stream,
    tests::naive::{START_US, document, snapshot},
    values,
};
use lookup::{CancelToken, Column};

/// Bytes of a message's text.
const TEXT_BYTES: usize = 10_000;
/// Messages.
const MESSAGES: i64 = 400;

/// Long messages, each from another host.
fn store() -> SearchScope {
    let filler = "word ".repeat(TEXT_BYTES / 5);
    let line = |n: i64| document(n, &format!("host{n}"), "app", &format!("{:04} {filler}", (n * 37) % 1000));
    snapshot((0..MESSAGES).map(line).collect(), 50).into()
}

fn query(text: &str) -> Query {
    Query::parse(text, &ParseOptions { now_us: START_US, ..ParseOptions::default() }).unwrap()
}

/// Makes a search that may use `kib` KiB.
fn within(kib: u64) -> (MemoryPool, Search) {
    let pool = MemoryPool::new(kib << 10, kib << 10);
    let memory = pool.budget(&CancelToken::unlimited());
    (pool, Search { memory, limit: 20, ..Search::default() })
}

/// Returns the number of rows of a piped search within `kib` KiB, or the stage that needed more; checks that
/// all memory is returned.
fn shown(text: &str, kib: u64) -> Result<usize, &'static str> {
    let (pool, search) = within(kib);
    let mut rows = 0;
    let result = search_piped(&store(), &query(text), &search, &mut |_| {
        rows += 1;
        Ok(rows < search.limit)
    });
    drop(search);
    let stage = match &result {
        Ok(_) => None,
        Err(SearchError::OverBudget(over)) => Some(over.stage),
        Err(error) => panic!("{text}: {error}"),
    };
    drop(result);
    assert_eq!(pool.held_bytes(), 0, "{text}");
    stage.map_or(Ok(rows), Err)
}

#[track_caller]
fn check(text: &str, enough_kib: u64, stage: &str) {
    assert!(shown(text, enough_kib).is_ok_and(|rows| rows > 0), "{text} within {enough_kib} KiB");
    assert_eq!(shown(text, enough_kib / 8), Err(stage), "{text}");
}

#[test]
fn h5_each_command_asks_for_what_it_holds() {
    // 400 rows of 20 KB: all of them would be 8 MB; of 21 rows with their keys, 630 KB.
    check("* | sort message", 1_000, "sort");
    check("* | sort message | fields host, message", 1_000, "sort");
    check("* | stats count() by host", 400, "stats");
    check("* | kv | stats max(message), distinct(host) by host", 16_000, "stats");
    check("* | top 10 host", 400, "top");
    check("* | timechart 100s count() by host", 400, "timechart");
    check("* | dedup host | stats count()", 64, "dedup");
    check("* | patterns 20", 1_000, "patterns");
}

#[test]
fn h5_a_sort_holds_what_is_shown() {
    for text in ["* | sort message", "* | sort message | head 100", "* | sort message | where host:host1*"] {
        let all = Search::default();
        let mut want = Vec::new();
        stream(&store(), &query(text), &all, &mut |row| {
            want.push(row.host);
            true
        })
        .unwrap();
        let mut got = Vec::new();
        let few = Search { limit: 5, ..Search::default() };
        search_piped(&store(), &query(text), &few, &mut |row| {
            got.push(row.host);
            Ok(true)
        })
        .unwrap();
        assert_eq!(got[..], want[..got.len()], "{text}");
        assert!(got.len() > 5, "one more than is shown, or all: {text}");
    }
    // An export has all rows, so all of them are held.
    let (_, search) = within(1_000);
    let refused = stream(&store(), &query("* | sort message"), &search, &mut |_| true).unwrap_err();
    assert!(matches!(&refused, SearchError::OverBudget(over) if over.stage == "sort"), "{refused}");
    assert!(stream(&store(), &query("* | sort message | head 20"), &search, &mut |_| true).is_ok());
}

#[test]
fn h5_rows_are_read_when_they_are_wanted() {
    let (pool, all) = within(16_000);
    let all = Search { limit: MESSAGES as usize, ..all };
    let want: Vec<u64> = search(&store(), &query(""), &Search { limit: 400, ..Search::default() })
        .unwrap()
        .rows
        .iter()
        .map(|row| row.document.sequence)
        .collect();
    let (answer, mut rows) = search_rows(&store(), &query(""), &all).unwrap();
    assert_eq!((answer.total, answer.rows.len()), (400, 0));
    // 4 MiB are read ahead, of 8.
    assert!((4 << 20..5 << 20).contains(&pool.held_bytes()), "{}", pool.held_bytes());
    let mut got = Vec::new();
    while let Some(row) = rows.next(&query(""), &CancelToken::unlimited()).unwrap() {
        got.push(row.document.sequence);
        if got.len() == 30 {
            rows.release();
            assert!(pool.held_bytes() < 1 << 20, "{}", pool.held_bytes());
        }
    }
    assert_eq!(got, want);
    assert!(rows.take_unread().is_empty() && pool.peak_bytes() < 5 << 20);
    drop((rows, all));
    assert_eq!(pool.held_bytes(), 0);
}

#[test]
fn h5_facets_are_refused_rather_than_cut() {
    let (pool, few) = within(16);
    let few = Search { limit: 0, facets: vec![Column::Host], ..few };
    let refused = search(&store(), &query(""), &few).unwrap_err();
    assert!(matches!(&refused, SearchError::OverBudget(over) if over.stage == "facets"), "{refused}");
    let (_, enough) = within(400);
    let enough = Search { limit: 0, facets: vec![Column::Host], ..enough };
    assert_eq!(search(&store(), &query(""), &enough).unwrap().facets[0].distinct, 400);
    let memory = pool.budget(&CancelToken::unlimited());
    assert!(values(&store(), &Column::Host, "", 10, &CancelToken::unlimited(), &memory).is_err());
}
