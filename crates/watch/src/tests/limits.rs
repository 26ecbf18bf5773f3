//! Limits of keys and bytes: what is not tracked is said, and what is tracked stays right.

use super::site::{S, message, rules, show};
use crate::{Change, Evaluator, Input, Limits, Selecting, Transition};

fn limited(text: &str, limits: Limits) -> Evaluator {
    Evaluator::new(rules(text), limits, Selecting::ByMarks).unwrap()
}

fn feed(evaluator: &mut Evaluator, sequence: u64, at_us: i64, line: &str) -> Vec<Transition> {
    let mut out = Vec::new();
    evaluator.apply(Input::Message(&message(sequence, at_us, line)), &mut out);
    out
}

#[test]
fn the_key_after_the_last_is_told_and_the_others_stay_exact() {
    let limits = Limits { rule_keys_max: 1_000, ..Limits::default() };
    let text = "rules: [{id: r, kind: count, query: x, by: host, at-least: 2, within: 1h}]";
    let mut running = limited(text, limits);
    for n in 0..1_000 {
        assert!(feed(&mut running, n, n as i64, &format!("h{n} x")).is_empty());
    }
    let found = feed(&mut running, 1_000, S, "one-more x");
    assert_eq!(found.iter().map(show).collect::<Vec<_>>(), ["[] degraded #0 @m1000"]);
    assert!(feed(&mut running, 1_001, S, "one-more x").is_empty(), "it is said once");
    // Keys that are tracked fire as before.
    let found = feed(&mut running, 1_002, 2 * S, "h7 x");
    assert_eq!(found.iter().map(show).collect::<Vec<_>>(), ["[h7] fired #0 @m1002 =2"]);
    // An hour after the last refusal nothing untracked is within the window.
    let mut out = Vec::new();
    running.apply(Input::Mark(2 * 3_600 * S), &mut out);
    let recovered: Vec<_> = out.iter().filter(|t| t.change == Change::Recovered).map(show).collect();
    assert_eq!(recovered, ["[] recovered #0 @t3601"]);
    let found = feed(&mut running, 1_003, 3 * 3_600 * S, "one-more x");
    assert!(found.is_empty());
    let keys: usize = running.rules().map(|(_, counters)| counters.keys).sum();
    assert_eq!(keys, 1, "keys with empty windows are gone");
}

#[test]
fn bytes_are_limited_as_well() {
    let limits = Limits { rule_bytes_max: 100_000, ..Limits::default() };
    let text = "rules: [{id: r, kind: distinct, query: x, field: user, at-least: 90000, within: 1h}]";
    let mut running = limited(text, limits);
    let mut out = Vec::new();
    for n in 0..20_000 {
        let document = message(n, n as i64, &format!("a x user=somebody-with-a-long-name-{n}"));
        running.apply(Input::Message(&document), &mut out);
    }
    assert_eq!(out.len(), 1);
    assert_eq!(out[0].change, Change::Degraded);
    let bytes: usize = running.rules().map(|(_, counters)| counters.bytes).sum();
    assert!((50_000..=100_000).contains(&bytes), "{bytes}");
}

#[test]
fn all_rules_share_a_limit() {
    let limits = Limits { keys_max: 10, ..Limits::default() };
    let text = "rules:\n- {id: a, kind: absence, query: x, by: host, within: 1h}\n- {id: b, kind: absence, query: x, by: host, within: 1h}";
    let mut running = limited(text, limits);
    let mut out = Vec::new();
    for n in 0..8 {
        running.apply(Input::Message(&message(n, n as i64, &format!("h{n} x"))), &mut out);
    }
    assert_eq!(out.iter().filter(|t| t.change == Change::Degraded).count(), 2);
    let keys: usize = running.rules().map(|(_, counters)| counters.keys).sum();
    assert_eq!(keys, 10);
}

#[test]
fn a_key_that_counts_to_one_takes_64_bytes_at_most() {
    let text = "rules: [{id: r, kind: count, query: x, by: host, at-least: 1, within: 1h}]";
    let mut running = limited(text, Limits::default());
    for n in 0..10_000 {
        feed(&mut running, n, n as i64, &format!("host-{n} x"));
    }
    let bytes: usize = running.rules().map(|(_, counters)| counters.bytes).sum();
    assert!(bytes <= 64 * 10_000, "{bytes}");
}
