//! Rules that people keep on the server: beside those of files, without them, and stopped.

use super::site::{Site, wait_until};
use crate::{FolderProblem, RuleSet, SavedRule, SavedRules, StoppedRule, Store, follower::Ending};
use std::collections::BTreeSet;

const EACH: &str = "- {id: each, kind: match, query: alpha, by: host}\n";
const KEPT: &str = "- {id: kept, kind: match, query: beta, by: host}\n";

fn line(text: &str) -> Vec<String> {
    vec![text.to_owned()]
}

/// The rules of the alerts, in the order in which they began.
fn rules(site: &Site) -> Vec<String> {
    site.alerts().iter().rev().map(|alert| alert.rule.clone()).collect()
}

#[test]
fn a_saved_rule_begins_and_ends_at_a_message() {
    let mut site = Site::new("");
    site.follow();
    site.send(&line("a beta before"));
    wait_until("the message", || site.logspace.is_quiet() && site.logspace.snapshot().sequence == 1);
    site.change_saved(KEPT);
    site.send(&line("a beta now"));
    wait_until("the alert", || rules(&site) == ["kept"]);
    site.settle();
    site.change_rules(EACH);
    site.send(&line("a alpha beta"));
    wait_until("two more", || rules(&site).len() == 3);
    site.settle();
    site.change_saved("");
    site.send(&line("a alpha beta"));
    wait_until("the file's", || rules(&site).len() == 4);
    site.settle();
    assert_eq!(rules(&site).iter().filter(|rule| *rule == "kept").count(), 2);
    let covered = site.store().coverage("space", Some("kept")).unwrap();
    assert_eq!(covered.iter().map(|part| (part.from, part.to)).collect::<Vec<_>>(), [(1, Some(3))]);
    site.watcher.stop();
    site.check();
}

#[test]
fn a_rule_of_a_file_counts_before_that_of_an_object() {
    let saved = SavedRule {
        id: "each".to_owned(),
        logspaces: Vec::new(),
        text: format!("rules:\n{}", EACH.replace("alpha", "beta")),
    };
    let files = RuleSet::of(vec![("a.yaml".to_owned(), format!("rules:\n{EACH}"))]).unwrap();
    let (set, problems) = files.with_saved(std::slice::from_ref(&saved), "space");
    assert!(problems.is_empty() && set.rules.len() == 1 && set.rules[0].query.text() == "alpha");
    assert_eq!(files.files()["each"].to_str(), Some("a.yaml"));
    let (set, _) = RuleSet::default().with_saved(std::slice::from_ref(&saved), "space");
    assert_eq!(set.rules[0].query.text(), "beta");
    let wrong = SavedRule { text: "rules: [{id: each}]".to_owned(), ..saved };
    let (set, problems) = RuleSet::default().with_saved(&[wrong], "space");
    assert!(set.rules.is_empty() && matches!(problems[..], [FolderProblem::Rule { .. }, ..]), "{problems:?}");
}

#[test]
fn a_saved_rule_is_only_in_the_sets_of_its_logspaces() {
    let text = "rules:\n- {id: kept, kind: match, query: beta, logspace: other}\n".to_owned();
    let saved = SavedRules {
        running: vec![SavedRule { id: "kept".to_owned(), logspaces: vec!["other".to_owned()], text }],
        problems: Vec::new(),
    };
    let site = Site::new("");
    site.follow();
    site.watcher.follow_saved(saved).unwrap();
    assert!(site.watcher.status().is_empty(), "no thread");
    assert_eq!(site.watcher.problems(), ["rule kept: there is no logspace other that rules can watch"]);
}

#[test]
fn files_with_errors_do_not_hold_back_saved_rules() {
    let mut site = Site::new(EACH);
    site.change_saved(KEPT);
    let wrong = || RuleSet::of(vec![("x.yaml".to_owned(), "rules:\n- id: a".to_owned())]);
    let named = [("space".to_owned(), site.logspace.clone())];
    for ending in [None, Some(Ending::Crash)] {
        if let Some(ending) = ending {
            site.restart(ending);
            site.watcher.end_all(Ending::Stop);
        }
        let before = rules(&site).len();
        site.watcher.follow(wrong(), site.saved.clone(), &named).unwrap();
        site.send(&line("a alpha beta"));
        wait_until("both", || rules(&site).len() == before + 2);
    }
    let changes = site.changes();
    site.watcher.follow_saved(SavedRules::default()).unwrap();
    wait_until("the change", || site.changes() > changes);
    let before = rules(&site).len();
    site.send(&line("a beta alpha"));
    wait_until("the file's", || rules(&site).len() == before + 1);
    site.settle();
    assert_eq!(rules(&site).last().map(String::as_str), Some("each"));
}

#[test]
fn a_rule_that_stops_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alerts.db");
    let rule = watch::read("rules:\n- {id: kept, title: Kept, kind: match, query: x}").unwrap().remove(0);
    let stopped = StoppedRule::of(&rule, "main", "eva", "eva may not search main");
    let changes = || {
        let found = Store::at(&path).transitions("main", 0, 100).unwrap();
        found.iter().map(|one| one.change.clone()).collect::<Vec<_>>()
    };
    let note = |stopped: &[StoppedRule], running: &[&str], now_us| {
        let running: BTreeSet<String> = running.iter().map(|id| (*id).to_owned()).collect();
        Store::at(&path).note_stopped(stopped, &running, now_us).unwrap();
    };
    note(&[], &["kept"], 1);
    assert!(!path.exists(), "nothing to report makes no database");
    for now_us in 2..5 {
        note(std::slice::from_ref(&stopped), &[], now_us);
    }
    assert_eq!(changes(), ["stopped"]);
    note(&[], &["kept"], 5);
    note(&[], &["kept"], 6);
    assert_eq!(changes(), ["stopped", "resumed"]);
    note(std::slice::from_ref(&stopped), &[], 7);
    note(&[], &[], 8);
    assert_eq!(changes(), ["stopped", "resumed", "stopped"], "a rule that was deleted does not run again");
    let key: serde_json::Value =
        serde_json::from_str(&Store::at(&path).transitions("main", 0, 1).unwrap()[0].key).unwrap();
    assert_eq!((&key["title"], &key["owner"]), (&"Kept".into(), &"eva".into()));
}
