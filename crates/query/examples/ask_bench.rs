//! Times queries, with their pipes, over sealed segments, without a server.
//!
//! In: a folder of segment files, and queries, or none for those of `make bench-store`. Out: a line per query: the
//! number of matches, milliseconds of the first and of the median answer, and processor milliseconds per answer.
//! `$CACHE_MB` is the size of the cache of results, 0 by default.
//! Limits: segments that are not encrypted.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
#![expect(clippy::disallowed_methods, reason = "it measures, with files")]

use lookup::{SegmentView, Snapshot};
use query::{ParseOptions, Query, ResultCache, Search, SearchScope, search, search_piped};
use segment::Sealed;
use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

const QUESTIONS: [&str; 17] = [
    "deadbeefcafe4711deadbeefcafe4711",
    "blocked",
    "user",
    "failed AND root",
    "failed OR invalid OR deny OR blocked",
    "failed NOT root",
    "syst*",
    "*bound",
    "*beefcafe4711",
    "*ail*",
    "*",
    "*a*",
    "\"authentication failure\"",
    "\"user jenkins from\"",
    "autentication~1",
    "autentication~2",
    "host:gru1-srv-005 AND failed",
];
/// Shortest time for which each query is repeated.
const ASKED: Duration = Duration::from_millis(400);
const MILLISECONDS_A_TICK: f64 = 10.0;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        println!("usage: ask_bench FOLDER [QUESTION...]");
        return;
    };
    let cache = std::env::var("CACHE_MB").map_or(0, |text| text.parse::<u64>().unwrap() << 20);
    let cache = ResultCache::new(cache);
    let own: Vec<String> = arguments.collect();
    let questions: Vec<&str> =
        if own.is_empty() { QUESTIONS.to_vec() } else { own.iter().map(String::as_str).collect() };
    let space = open(&folder);
    for text in questions {
        ask(&space, text, &[], &cache);
    }
    if own.is_empty() {
        ask(&space, "*", &["host", "program", "severity"], &cache);
        ask(&space, "failed", &["host"], &cache);
    }
}

fn open(folder: &str) -> SearchScope {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let open = |path: &PathBuf| Arc::new(Sealed::open(path).unwrap()) as Arc<dyn SegmentView>;
    let segments: Vec<_> = paths.iter().map(open).collect();
    let sequence = segments.last().map_or(0, |view| view.first_sequence() + u64::from(view.len()));
    Snapshot { segments, sequence, ..Snapshot::default() }.into()
}

fn ask(space: &SearchScope, text: &str, facets: &[&str], cache: &ResultCache) {
    let query = Query::parse(text, &ParseOptions::default()).unwrap();
    let facets_of = facets.iter().map(|name| query::column(name)).collect();
    let how = Search { facets: facets_of, cache: cache.clone(), ..Search::default() };
    let mut times = Vec::new();
    let (began, mut before) = (Instant::now(), 0.0);
    let mut total = 0;
    while began.elapsed() < ASKED || times.len() < 4 {
        let start = Instant::now();
        total = match query.written_pipes() {
            [] => search(space, &query, &how).unwrap().total,
            _ => search_piped(space, &query, &how, &mut |_| Ok(true)).unwrap().0.total,
        };
        times.push(start.elapsed().as_secs_f64() * 1e3);
        if times.len() == 1 {
            before = cpu_ms();
        }
    }
    let cpu = (cpu_ms() - before) / (times.len() - 1) as f64;
    let first = times.remove(0);
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    println!("{text:<40} {facets:>2?} {total:>9} found, {first:>8.2} / {median:>8.2} ms, CPU {cpu:>8.2} ms");
}

/// Milliseconds of processor time that this process used.
fn cpu_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let ticks = fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<f64>().unwrap());
    ticks.sum::<f64>() * MILLISECONDS_A_TICK
}
