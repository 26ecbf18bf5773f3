//! A rule over stored messages reports what it reports over all of them, one after the other.

use super::site::{S, START_US, Site, wait_until};
use lookup::{CancelToken, Document, ReadError, Stop};
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};
use watch::{Change, Evaluator, HistoryRange, Input, Limits, Rule, Selecting, history, read};

const RULES: &[&str] = &[
    "kind: match, query: alpha, by: host",
    "kind: match, query: alpha OR gamma, by: host, resolve-after: 9s",
    "kind: count, query: beta, by: host, at-least: 3, within: 20s",
    "kind: count, query: '*', less-than: 2, within: 10s, window: tumbling",
    "kind: distinct, query: alpha, field: host, at-least: 3, within: 30s",
    "kind: absence, query: '*', by: host, within: 15s",
    "kind: absence, query: gamma, within: 25s",
    "kind: new-value, query: beta, field: host, learn-for: 5s",
    "kind: sequence, query: alpha, then: beta, by: host, within: 10s",
    "kind: not-followed, query: alpha, then: beta, by: host, within: 10s",
];

/// A logspace of several segments, with silences between its messages.
fn site() -> Site {
    let site = Site::new("");
    let words = ["alpha", "beta", "gamma", "delta"];
    let mut random = 7u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    for _ in 0..60 {
        let lines = (0..=next(3)).map(|_| format!("h{} {} here", next(4), words[next(4) as usize]));
        site.send(&lines.collect::<Vec<_>>());
        site.clock.pass(Duration::from_secs(next(9)));
    }
    wait_until("the messages", || site.logspace.is_quiet());
    site
}

fn rule(text: &str) -> Arc<Rule> {
    Arc::clone(&read(&format!("rules: [{{id: a, {text}}}]")).unwrap()[0])
}

/// The ids of what would be reported, and the number of messages that match.
fn expected(rule: &Arc<Rule>, documents: &[Document], (from_us, to_us): (i64, i64)) -> (Vec<String>, u64) {
    let rules = vec![Arc::clone(rule)];
    let mut evaluator = Evaluator::new(rules, Limits::default(), Selecting::All).unwrap();
    let mut out = Vec::new();
    for document in documents.iter().filter(|one| (from_us..to_us).contains(&one.received_us)) {
        evaluator.apply(Input::Message(document), &mut out);
    }
    evaluator.apply(Input::Mark(to_us), &mut out);
    out.retain(|transition| matches!(transition.change, Change::Fired | Change::Occurred));
    let matched = evaluator.rules().map(|(_, counters)| counters.matched).sum();
    (out.iter().map(|transition| transition.id.to_string()).collect(), matched)
}

#[test]
fn a_history_is_what_one_evaluator_reports() {
    let site = site();
    let (documents, snapshot) = (site.documents(), site.logspace.snapshot());
    assert!(snapshot.segments.len() > 1, "several segments");
    let last_us = documents.last().unwrap().received_us;
    let middle_us = documents[documents.len() / 2].received_us;
    let ranges =
        [(START_US - S, last_us + 60 * S), (middle_us, last_us), (START_US, middle_us), (0, START_US)];
    let mut reported = 0;
    for text in RULES {
        let rule = rule(text);
        for received_us in ranges {
            let range = HistoryRange { received_us, bars: 7 };
            let found = history(&rule, &snapshot, range, &CancelToken::unlimited()).unwrap();
            let (ids, matched) = expected(&rule, &documents, received_us);
            let moments: Vec<String> = found.moments.iter().map(|moment| moment.id.to_string()).collect();
            assert_eq!(moments, ids, "{text} {received_us:?}");
            assert_eq!(found.matched.iter().sum::<u64>(), matched, "{text} {received_us:?}");
            assert_eq!((found.fired_total(), found.fired.len()), (ids.len() as u64, 7));
            assert_eq!((found.unread, found.is_degraded, found.reached_us), (0, false, None));
            let first = documents.iter().find(|one| one.received_us >= received_us.0);
            let first_us = first.map(|one| one.received_us).filter(|first_us| *first_us < received_us.1);
            assert_eq!(found.first_us, first_us);
            reported += ids.len();
        }
    }
    assert!(reported > 100, "{reported}");
}

#[test]
fn a_history_ends_when_its_time_is_over_or_nobody_waits() {
    let site = site();
    let (rule, snapshot) = (rule(RULES[0]), site.logspace.snapshot());
    let range = HistoryRange { received_us: (START_US, START_US + 3_600 * S), bars: 1 };
    let late = CancelToken::new(Arc::default(), Some(Instant::now()));
    let found = history(&rule, &snapshot, range, &late).unwrap();
    assert!(found.reached_us.is_some_and(|reached_us| reached_us < range.received_us.1), "{found:?}");
    let gone = CancelToken::new(Arc::new(AtomicBool::new(true)), None);
    let error = history(&rule, &snapshot, range, &gone).unwrap_err();
    assert!(matches!(error, ReadError::Stopped(Stop::Cancelled)), "{error}");
}
