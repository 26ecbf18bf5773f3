//! A server of prepared answers: how often it is asked, and when it is left alone.

use crate::testing::Stage;
use std::time::{Duration, Instant};

#[test]
fn keys_are_asked_for_once() {
    let stage = Stage::new(1, 2);
    assert_eq!(stage.ask(&["a", "n", "r", "a", "ab"]), "a - refused a ab");
    assert_eq!(stage.asked(), ["a n", "r ab"]);
    // Another path was faster.
    assert_eq!(stage.ask(&["a", "n", "r", "ac"]), "a - refused ac");
    assert_eq!(stage.asked(), ["ac"]);
    let counts = stage.store.counts();
    assert_eq!((counts.answered, counts.refused, counts.unanswered, counts.paused), (4, 1, 0, 0));
}

#[test]
fn a_server_that_fails_is_left_alone() {
    let stage = Stage::new(1, 1);
    stage.set_down(1);
    assert_eq!(stage.ask(&["a", "b", "c", "d", "e"]), "!server !server !server !paused !paused");
    assert_eq!(stage.asked(), ["a", "b", "c"]);
    assert_eq!(stage.store.trouble().as_deref(), Some("down"));
    assert_eq!(stage.ask(&["a"]), "!paused");
    assert!(stage.asked().is_empty());
    // A probe fails, and one succeeds.
    stage.asker.probe(b"a"[..].into());
    stage.until(0);
    stage.set_down(0);
    stage.asker.probe(b"a"[..].into());
    stage.until(1);
    assert_eq!(stage.asked(), ["a", "a"]);
    assert_eq!(stage.ask(&["a", "b"]), "a b");
    assert_eq!(stage.asked(), ["b"]);
    // A probe for what is known asks all the same.
    stage.asker.probe(b"a"[..].into());
    stage.until(1);
    assert_eq!((stage.asked(), stage.store.trouble()), (vec!["a".to_owned()], None));
}

#[test]
fn a_key_that_fails_between_others_is_no_fault_of_the_server() {
    let stage = Stage::new(1, 1);
    let keys = ["f1", "f2", "a1", "f3", "f4", "a2"];
    assert_eq!(stage.ask(&keys), "!server !server a1 !server !server a2");
    assert!(stage.store.works());
    assert_eq!(stage.ask(&["r1", "r2", "r3", "r4"]), "refused refused refused refused");
    assert!(stage.store.works());
}

#[test]
fn a_server_that_hangs_costs_three_times_the_limit() {
    let stage = Stage::new(1, 10);
    let began = Instant::now();
    for _ in 0..5 {
        assert!(["!timeout", "!paused"].contains(&stage.ask(&["h"]).as_str()));
    }
    assert!(began.elapsed() < Duration::from_millis(1000), "{:?}", began.elapsed());
    assert_eq!(stage.asked(), ["h", "closed", "h", "closed", "h", "closed"]);
}

#[test]
fn connections_work_side_by_side() {
    let stage = Stage::new(3, 1);
    let keys: Vec<String> = (0..100).map(|number| format!("a{number}")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    assert_eq!(stage.ask(&keys), keys.join(" "));
    assert_eq!(stage.asked().len(), 100);
    stage.set_down(1);
    let keys = ["x1", "x2", "x3", "x4", "x5", "x6"];
    let found = stage.ask(&keys);
    assert!(found.contains("!server") && found.contains("!paused"), "{found}");
    assert!(stage.asked().len() <= 5, "no more than those that were on their way");
}

#[test]
fn keys_that_fail_between_others_are_bounded_as_well() {
    let stage = Stage::new(1, 1);
    let keys: Vec<String> = (0..40).map(|number| format!("{}{number}", ["a", "f"][number % 2])).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let found = stage.ask(&keys);
    assert_eq!((found.matches("!server").count(), found.matches("!paused").count()), (8, 24), "{found}");
    assert!(stage.store.works());
}
