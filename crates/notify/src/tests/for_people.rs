//! Silences that are refused, and what became of alerts.

use super::site::{S, Site};
use crate::{
    DecisionFilter, NewSilence, TestError, channel::Delivery, decisions, end_silence, notification, outbox,
    silence_alerts, silences, test_channel,
};
use alerts::StoppedRule;
use std::collections::BTreeSet;

const ROUTE: &str = "- {id: r, channels: a, wait: 0, interval: 0}";

#[track_caller]
fn check(change: impl Fn(&mut NewSilence), want: &str) {
    let site = Site::new(ROUTE);
    let mut wanted = NewSilence {
        query: "rule:disk".to_owned(),
        from_us: site.now_us,
        to_us: site.now_us + 60 * S,
        author: "eva".to_owned(),
        reason: "maintenance".to_owned(),
    };
    change(&mut wanted);
    let got = silence_alerts(&site.store, &wanted, site.now_us);
    let got = got.map_or_else(|error| error.to_string(), |silence| format!("made {}", silence.number));
    assert!(got.starts_with(want), "{got}");
}

#[test]
fn a_silence_has_a_query_a_reason_and_an_end() {
    check(|_| {}, "made 1");
    check(|silence| silence.query = " ".to_owned(), "a silence needs a query");
    check(|silence| silence.query = "rule:(".to_owned(), "in the query, ");
    check(
        |silence| silence.query = "rule:a | stats count()".to_owned(),
        "the query of a silence has no pipes",
    );
    check(|silence| silence.query = "x".repeat(4_001), "the query has at most 4000 bytes");
    check(|silence| silence.reason = "\n".to_owned(), "a silence needs a reason");
    check(|silence| silence.reason = "x".repeat(2_001), "the reason has at most 2000 bytes");
    check(|silence| silence.to_us = silence.from_us, "a silence ends after it begins");
    check(|silence| silence.to_us = 1, "a silence ends after it begins");
    check(|silence| silence.to_us += 30 * 86_400 * S, "a silence lasts for at most 30 days");
    check(
        |silence| (silence.from_us, silence.to_us) = (i64::MIN, i64::MAX),
        "a silence lasts for at most 30 days",
    );
}

#[test]
fn a_silence_that_is_ended_mutes_nothing_and_what_fires_is_told() {
    let mut site = Site::new(ROUTE);
    site.silence("host:gw*", 600);
    site.fire("disk", "warning", "gw1");
    site.pass(1);
    assert_eq!(site.delivered("a"), [""; 0]);
    let ended = end_silence(&site.store, 1, "bob", site.now_us).unwrap();
    assert_eq!((ended.ended_us, ended.ended_by.as_str()), (Some(site.now_us), "bob"));
    assert!(end_silence(&site.store, 1, "bob", site.now_us).is_err());
    assert_eq!(silences(&site.store).unwrap(), [ended]);
    site.pass(1);
    assert_eq!(site.delivered("a"), ["r: unsilenced gw1"]);
}

#[test]
fn the_history_says_why_somebody_was_not_notified() {
    let mut site = Site::new(ROUTE);
    site.fire("disk", "warning", "gw1");
    site.pass(0);
    let letter = site.next("a").unwrap();
    site.answer("a", &letter, Delivery::Later { answer: "503 busy".to_owned(), wait: None });
    site.silence("rule:load", 600);
    site.fire("load", "warning", "gw2");
    site.pass(1);
    let filter = DecisionFilter { limit: 10, ..DecisionFilter::default() };
    let found = decisions(&site.store, &filter).unwrap();
    let shown: Vec<_> =
        found.iter().map(|one| (one.change.as_str(), one.outcome.as_str(), one.silence)).collect();
    assert_eq!(shown, [("fired", "silenced", Some(1)), ("fired", "notified", None)]);
    let sent = &found[1].notifications[0];
    assert_eq!(
        (sent.id.as_str(), sent.state.as_str(), sent.channel.as_str()),
        (letter.id.as_str(), "waiting", "a")
    );
    assert_eq!((sent.attempts[0].outcome.as_str(), sent.attempts[0].answer.as_str()), ("failed", "503 busy"));
    assert_eq!(notification(&site.store, &letter.id).unwrap().as_ref(), Some(sent));
    let count = |filter: DecisionFilter| {
        decisions(&site.store, &DecisionFilter { limit: 10, ..filter }).unwrap().len()
    };
    assert_eq!(count(DecisionFilter { alert: found[1].alert, ..DecisionFilter::default() }), 1);
    assert_eq!(count(DecisionFilter { route: Some("other".to_owned()), ..DecisionFilter::default() }), 0);
    assert_eq!(count(DecisionFilter { before: Some(found[0].number), ..DecisionFilter::default() }), 1);
    assert_eq!(
        count(DecisionFilter { logspaces: Some(vec!["main".to_owned()]), ..DecisionFilter::default() }),
        2
    );
    assert_eq!(count(DecisionFilter { logspaces: Some(Vec::new()), ..DecisionFilter::default() }), 0);
}

#[test]
fn a_test_goes_to_its_channel_and_enables_it_again() {
    let site = Site::new(ROUTE);
    assert!(matches!(test_channel(&site.store, "srv", "none", site.now_us), Err(TestError::NoChannel)));
    outbox::disable(&site.store, "a", "definition", "410", site.now_us).unwrap();
    let id = test_channel(&site.store, "srv", "a", site.now_us).unwrap();
    assert_eq!(outbox::disabled(&site.store, "a", "definition").unwrap(), None);
    let letter = site.next("a").unwrap();
    assert_eq!((letter.id, letter.content.subject()), (id, "srv: this is a test".to_owned()));
    assert_eq!(site.next("b"), None);
}

#[test]
fn a_rule_that_stops_and_runs_again_is_told_by_its_name() {
    let mut site = Site::new(ROUTE);
    let text = "rules:\n- {id: kept, title: Failed logins, kind: match, query: x, severity: err}";
    let rule = watch::read(text).unwrap().remove(0);
    let stopped = StoppedRule::of(&rule, "main", "eva", "its owner eva may not search main");
    site.store.note_stopped(&[stopped], &BTreeSet::new(), site.now_us).unwrap();
    site.pass(1);
    let told = site.next("a").unwrap();
    let subject = told.content.subject();
    assert!(subject.starts_with("srv: err the rule is stopped: Failed logins "), "{subject}");
    assert!(subject.contains("owner=eva") && subject.contains("may not search main"), "{subject}");
    assert_eq!(told.content.text("status"), "firing");
    site.answer("a", &told, Delivery::Done("ok".to_owned()));
    site.store.note_stopped(&[], &BTreeSet::from(["kept".to_owned()]), site.now_us).unwrap();
    site.pass(1);
    let told = site.next("a").unwrap();
    assert!(told.content.subject().contains("the rule runs again: Failed logins"), "{:?}", told.content);
    assert_eq!(told.content.text("status"), "resolved");
}
