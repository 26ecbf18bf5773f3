//! Attempts: what is tried again, when, and with which id.

use super::site::{S, Site};
use crate::channel::Delivery;
use std::time::Duration;

const ROUTE: &str = "- {id: r, channels: a, wait: 0, interval: 0, group-by: host}";

fn later(wait: Option<u64>) -> Delivery {
    Delivery::Later { answer: "503".to_owned(), wait: wait.map(Duration::from_secs) }
}

#[test]
fn every_attempt_has_the_same_id_until_it_is_given_up() {
    let mut site = Site::new(ROUTE);
    site.fire("disk", "warning", "gw1");
    site.pass(0);
    let first = site.next("a").unwrap();
    let mut attempts = 0;
    let begin_us = site.now_us;
    while let Some(letter) = site.next("a") {
        assert_eq!((&letter.id, letter.created_us), (&first.id, begin_us));
        site.answer("a", &letter, later(None));
        assert_eq!(site.next("a"), None, "it has a pause");
        attempts += 1;
        site.restart();
        site.now_us += 27 * 3_600 * S;
    }
    assert_eq!(attempts, 11);
    assert_eq!(site.texts("SELECT state FROM notification"), ["given-up"]);
    assert_eq!(site.texts("SELECT outcome FROM notification_attempt").len(), 11);
}

#[test]
fn a_group_keeps_its_order_and_others_do_not_wait_for_it() {
    let mut site = Site::new(ROUTE);
    let instance = site.fire("disk", "warning", "gw1");
    site.pass(0);
    let first = site.next("a").unwrap();
    site.answer("a", &first, later(None));
    site.resolve("disk", "warning", instance);
    site.fire("disk", "warning", "gw2");
    site.pass(1);
    let other = site.next("a").unwrap();
    assert_eq!(other.content.records()[0].field("host"), "gw2");
    assert_eq!(other.thread, None);
    // The receiver is there again, so that what failed is sent at once.
    site.answer("a", &other, Delivery::Done(String::new()));
    let again = site.next("a").unwrap();
    assert_eq!((again.id.as_str(), again.attempts), (first.id.as_str(), 1));
    site.answer("a", &again, Delivery::Done(String::new()));
    let end = site.next("a").unwrap();
    assert_eq!(end.thread, Some(first.id));
}

#[test]
fn a_pause_that_the_receiver_asks_for_is_kept() {
    let mut site = Site::new(ROUTE);
    site.fire("disk", "warning", "gw1");
    site.fire("disk", "warning", "gw2");
    site.pass(0);
    let first = site.next("a").unwrap();
    site.answer("a", &first, later(Some(3_600)));
    let second = site.next("a").unwrap();
    site.answer("a", &second, Delivery::Done(String::new()));
    assert_eq!(site.next("a"), None);
    site.now_us += 3_600 * S;
    assert_eq!(site.next("a").map(|letter| letter.id), Some(first.id));
}

#[test]
fn what_is_refused_is_not_tried_again_and_answers_are_kept_short() {
    let mut site = Site::new(ROUTE);
    site.fire("disk", "warning", "gw1");
    site.pass(0);
    let letter = site.next("a").unwrap();
    site.answer("a", &letter, Delivery::Never(format!("400 \u{1b}[31m{}", "ä".repeat(400))));
    site.now_us += 86_400 * S;
    assert_eq!(site.next("a"), None);
    assert_eq!(site.texts("SELECT state FROM notification"), ["refused"]);
    let answer = &site.texts("SELECT answer FROM notification_attempt")[0];
    assert!(answer.len() <= 500 && !answer.contains('\u{1b}'), "{answer}");
}
