//! Random rules over random messages, clocks and cuts: the evaluator and the naive model agree.

use super::{
    oracle::{model, outcomes},
    site::{Event, S, evaluator, message, rules},
};
use crate::{Rule, Selecting, Transition};
use proptest::prelude::*;
use std::{collections::HashSet, sync::Arc};

/// Returns the text of a rule of any kind.
fn rule() -> impl Strategy<Value = String> {
    let queries = prop_oneof![
        Just("alpha"),
        Just("'*'"),
        Just("user:u1"),
        Just("alpha OR beta"),
        Just("NOT beta"),
        Just("'n:>3'"),
        Just("'al*'"),
        Just("'host:h1 beta'"),
    ];
    let by = prop_oneof![
        Just(""),
        Just(", by: host"),
        Just(", by: [host, user]"),
        Just(", by: user, missing: none")
    ];
    (queries, by, 0..24usize, 1..5u64, 1..40i64, 1..40i64, 0..3usize).prop_map(
        |(query, by, kind, n, within, other, variant)| {
            let within = format!("within: {within}s");
            let hold = if variant == 0 { format!(", for: {other}s") } else { String::new() };
            let hysteresis = ["", ", hysteresis: 1", ", hysteresis: 0.5"][variant];
            let threshold = [
                format!("at-least: {n}"),
                format!("more-than: {n}"),
                format!("less-than: {n}"),
                format!("at-most: {n}"),
                format!("exactly: {n}"),
                format!("between: [{n}, {}]", n + 2),
            ];
            let any = &threshold[(other % 6) as usize];
            let up = &threshold[(other % 2) as usize];
            let resolve = if variant == 1 { ", resolve: {less-than: 2}" } else { "" };
            let kind = match kind {
                0 => "kind: match".to_owned(),
                1 => format!("kind: match, resolve-after: {other}s"),
                2..=5 => format!("kind: count, {up}, {within}{hold}{hysteresis}"),
                6..=8 => format!("kind: count, {any}, {within}, window: tumbling{hold}"),
                9 | 10 => format!("kind: distinct, field: user, {up}, {within}{hold}{hysteresis}"),
                11 => format!("kind: distinct, field: user, {any}, {within}, window: tumbling{hold}"),
                12 => format!("kind: sum, field: n, {any}, within: 1m{resolve}{hold}"),
                13 => format!("kind: max, field: n, {any}, within: 1m{resolve}{hold}"),
                14 => format!("kind: avg, field: n, {any}, within: 2m{resolve}{hold}"),
                15 => format!("kind: min, field: n, {any}, {within}, window: tumbling{resolve}{hold}"),
                16 => format!("kind: sum, field: n, {any}, {within}, window: tumbling{resolve}{hold}"),
                17 | 18 => format!("kind: absence, {within}, learn: {n}, forget-after: {other}s"),
                19 => format!("kind: new-value, field: user, learn-for: {other}s, remember-for: {other}s"),
                20 | 21 => format!("kind: sequence, then: beta, {within}"),
                _ => format!("kind: not-followed, then: beta, {within}, forget-after: {other}s"),
            };
            format!("query: {query}, {kind}{by}")
        },
    )
}

/// Returns events: messages with equal, late and jumping times, marks, stops of the listeners.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let step = prop_oneof![6 => 0..4i64, 2 => 4..30i64, 1 => -20..0i64, 1 => 30..200i64];
    let line = (0..3u8, 0..4u8, 0..4u8, 0..9u8).prop_map(|(host, word, user, n)| {
        let word = ["alpha", "beta", "alpha beta", "gamma"][usize::from(word)];
        let user = if user == 0 { String::new() } else { format!(" user=u{user}") };
        let n = if n == 0 { String::new() } else { format!(" n={n}") };
        format!("h{host} {word}{user}{n}")
    });
    let kind = prop_oneof![10 => Just(0u8), 1 => Just(1), 1 => Just(2)];
    proptest::collection::vec((step, line, kind), 1..60).prop_map(|steps| {
        let (mut at, mut sequence, mut stopped) = (1_000 * S, 0, false);
        let mut events = Vec::new();
        for (step, line, kind) in steps {
            at += step * S;
            let event = match kind {
                1 => Event::Mark(at),
                2 => {
                    stopped = !stopped;
                    if stopped { Event::Stopped(at) } else { Event::Started(at) }
                }
                // Nothing arrives while nobody listens.
                _ if stopped => Event::Mark(at),
                _ => {
                    sequence += 1;
                    Event::Message(Box::new(message(sequence, at, &line)))
                }
            };
            events.push(event);
        }
        events
    })
}

/// Applies events, with a new evaluator from a snapshot before each event whose position is a cut.
fn apply(
    rules: &[Arc<Rule>],
    events: &[Event],
    cuts: &HashSet<usize>,
    selecting: Selecting,
) -> Vec<Transition> {
    let mut running = evaluator(rules, selecting);
    let mut out = Vec::new();
    for (index, event) in events.iter().enumerate() {
        if cuts.contains(&index) {
            let snapshot = running.snapshot();
            running = evaluator(rules, selecting);
            let missing = running.restore(&snapshot).unwrap();
            assert!(missing.is_empty());
            assert_eq!(running.snapshot(), snapshot);
            // Messages that were evaluated already are read again after a crash.
            events[..index].iter().rev().take(3).for_each(|event| {
                if matches!(event, Event::Message(_)) {
                    running.apply(event.input(), &mut out);
                }
            });
        }
        running.apply(event.input(), &mut out);
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_evaluator_agrees_with_the_model(
        texts in proptest::collection::vec(rule(), 1..4),
        events in events(),
        cuts in proptest::collection::hash_set(0..60usize, 0..6),
    ) {
        let texts: Vec<String> =
            texts.iter().enumerate().map(|(n, text)| format!("- {{id: r{n}, {text}}}")).collect();
        let rules = rules(&format!("rules:\n{}\n", texts.join("\n")));
        let whole = apply(&rules, &events, &HashSet::new(), Selecting::ByMarks);
        for rule in &rules {
            let want = model(rule, &events);
            let got = outcomes(&whole, &rule.id);
            prop_assert_eq!(&got, &want, "{:?}\n{:#?}", texts, rule.id);
        }
        let ids: HashSet<_> = whole.iter().map(|transition| transition.id).collect();
        prop_assert_eq!(ids.len(), whole.len());
        prop_assert_eq!(&apply(&rules, &events, &HashSet::new(), Selecting::All), &whole);
        prop_assert_eq!(&apply(&rules, &events, &cuts, Selecting::ByMarks), &whole);
    }
}
