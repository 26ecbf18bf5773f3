//! What cannot be read or written: gaps, full disks, lost states, rules with errors.

use super::site::{START_US, Site, wait_until};
use crate::{AlertState, GapReason, RuleSet, SavedRules, follower::Ending};
use logspace::Retention;
use rusqlite::Connection;
use std::time::Duration;

const EACH: &str = "- {id: each, kind: match, query: alpha, by: host}\n";
const MANY: &str = "- {id: many, kind: count, query: '*', by: host, at-least: 3, within: 1h}\n";

fn lines(host: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{host} alpha number {number}")).collect()
}

fn states(site: &Site) -> Vec<String> {
    site.alerts().into_iter().map(|alert| alert.state).collect()
}

fn coverage(site: &Site, rule: &str) -> Vec<(u64, Option<u64>, String)> {
    let rows = site.store().coverage("space", Some(rule)).unwrap();
    rows.into_iter().map(|row| (row.from, row.to, row.state)).collect()
}

fn evaluated() -> String {
    "evaluated".to_owned()
}

#[test]
fn without_rules_there_is_nothing() {
    let site = Site::new("");
    site.follow();
    site.send(&lines("a", 3));
    assert!(site.watcher.status().is_empty() && site.watcher.troubles().is_empty());
    assert!(!site.database().exists());
}

#[test]
fn an_alert_fires_and_is_resolved_and_its_rule_ends_it() {
    let mut site = Site::new(MANY);
    site.send(&lines("a", 3));
    site.settle();
    wait_until("the alert", || states(&site) == ["firing"]);
    let alert = &site.alerts()[0];
    assert_eq!((alert.key.as_str(), alert.sequence, alert.value), (r#"{"host":"a"}"#, Some(2), Some(3.0)));
    site.clock.pass(Duration::from_secs(4000));
    wait_until("the end", || states(&site) == ["resolved"]);
    site.send(&lines("a", 3));
    wait_until("another alert", || states(&site) == ["firing", "resolved"]);
    site.store().acknowledge(site.alerts()[0].number, "eva", "on it", START_US).unwrap();
    assert!(site.store().acknowledge(1_000, "eva", "", START_US).is_err());
    site.change_rules(&MANY.replace("1h", "2h"));
    let alert = &site.alerts()[0];
    assert_eq!((alert.state.as_str(), alert.acknowledged_by.as_str()), ("ended", "eva"));
    assert_eq!(coverage(&site, "many"), [(0, Some(6), evaluated()), (6, None, evaluated())]);
    site.watcher.stop();
    site.check();
}

#[test]
fn rules_that_are_removed_close_their_account() {
    let site = Site::new(MANY);
    site.send(&lines("a", 4));
    wait_until("the alert", || states(&site) == ["firing"]);
    site.settle();
    site.watcher
        .follow(Ok(RuleSet::default()), SavedRules::default(), &[("space".to_owned(), site.logspace.clone())])
        .unwrap();
    assert!(site.watcher.status().is_empty());
    assert_eq!(
        (states(&site), coverage(&site, "many")),
        (vec!["ended".to_owned()], vec![(0, Some(4), evaluated())])
    );
    site.send(&lines("a", 4));
    wait_until("the messages", || site.logspace.is_quiet() && site.logspace.snapshot().sequence == 8);
    site.follow();
    wait_until("the rules", || site.changes() == 2);
    assert_eq!(coverage(&site, "many"), [(0, Some(4), evaluated()), (8, None, evaluated())]);
}

#[test]
fn rules_with_errors_leave_those_in_force() {
    let mut site = Site::new(EACH);
    let wrong = || RuleSet::of(vec![("x.yaml".to_owned(), "rules:\n- id: a".to_owned())]);
    let named = [("space".to_owned(), site.logspace.clone())];
    site.watcher.follow(wrong(), SavedRules::default(), &named).unwrap();
    assert!(site.watcher.troubles()[0].starts_with("x.yaml:2:"), "{:?}", site.watcher.troubles());
    site.send(&lines("a", 2));
    wait_until("two alerts", || site.alerts().len() == 2);
    site.restart(Ending::Crash);
    site.watcher.end_all(Ending::Stop);
    // After a restart as well.
    site.watcher.follow(wrong(), SavedRules::default(), &named).unwrap();
    site.send(&lines("a", 2));
    wait_until("four alerts", || site.alerts().len() == 4);
}

#[test]
fn what_the_retention_removed_is_a_gap() {
    let mut site = Site::new(EACH);
    site.send(&lines("a", 10));
    site.settle();
    site.watcher.end_all(Ending::Crash);
    site.send(&lines("b", 35));
    site.send(&lines("c", 35));
    site.logspace.seal_now(Duration::from_secs(60)).unwrap();
    site.logspace.set_retention(Retention { bytes: Some(1), ..Retention::default() });
    wait_until("the removal", || site.logspace.stats().segments == 0);
    site.send(&lines("d", 3));
    site.restart(Ending::Crash);
    site.settle();
    let gaps = site.store().gaps("space", 0).unwrap();
    let found: Vec<_> = gaps.iter().map(|gap| (gap.from, gap.to, gap.reason)).collect();
    // The state was saved at the start: what was evaluated since cannot be read again either, and is missing in windows.
    assert_eq!(found, [(0, 10, GapReason::Removed), (10, 80, GapReason::Removed)]);
    let removed = || "removed".to_owned();
    assert_eq!(
        coverage(&site, "each"),
        [(0, Some(10), removed()), (10, Some(80), removed()), (80, None, evaluated())]
    );
    wait_until("the figures", || site.watcher.status()[0].missed == 80);
    wait_until("the alerts", || site.alerts().len() == 13);
}

#[test]
fn what_cannot_be_written_waits_and_is_not_lost() {
    let site = Site::new(EACH);
    let full = Connection::open(site.database()).unwrap();
    let trigger =
        "CREATE TRIGGER full BEFORE INSERT ON transition BEGIN SELECT RAISE(ABORT, 'disk full'); END";
    full.execute_batch(trigger).unwrap();
    site.send(&lines("a", 5));
    wait_until("the trouble", || site.watcher.troubles().iter().any(|trouble| trouble.contains("disk full")));
    site.send(&lines("b", 5));
    assert!(site.alerts().is_empty());
    full.execute_batch("DROP TRIGGER full").unwrap();
    wait_until("the alerts", || site.alerts().len() == 10);
    site.settle();
    wait_until("the end of the trouble", || site.watcher.troubles().is_empty());
    site.watcher.stop();
    site.check();
}

#[test]
fn a_lost_state_is_told() {
    let mut site = Site::new(MANY);
    site.send(&lines("a", 3));
    wait_until("the alert", || states(&site) == ["firing"]);
    site.settle();
    site.watcher.stop();
    let state = site.folder.path().join("alerts/space.1.state");
    std::fs::write(&state, b"damaged").unwrap();
    site.restart(Ending::Stop);
    wait_until("the new beginning", || site.changes() == 2);
    assert_eq!(states(&site), [AlertState::Unknown.name()]);
    let lost = (3, Some(3), "state-lost".to_owned());
    assert_eq!(coverage(&site, "many"), [(0, Some(3), evaluated()), lost, (3, None, evaluated())]);
    site.send(&lines("a", 3));
    wait_until("another alert", || states(&site) == ["firing", "unknown"]);
    assert!(!state.exists());
}

#[test]
fn the_oldest_transitions_go_first() {
    let mut site = Site::new(EACH);
    site.settle();
    site.transitions_kept = 20;
    site.restart(Ending::Stop);
    site.send(&lines("a", 50));
    wait_until("the alerts", || site.alerts().first().is_some_and(|alert| alert.number == 50));
    assert_eq!((site.transitions().len(), site.alerts().len()), (20, 20));
    assert_eq!(site.transitions()[0].number, 31);
}
