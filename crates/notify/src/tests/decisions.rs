//! What routes make of transitions: groups, limits, silences, reminders, signs of life.

use super::site::{S, Site};

const PLAIN: &str = "- {id: r, channels: a, wait: 10s, interval: 1m, repeat: 0}";

#[test]
fn what_comes_within_the_wait_is_one_notification() {
    let mut site = Site::new(PLAIN);
    site.fire("disk", "warning", "gw1");
    site.pass(0);
    assert_eq!(site.delivered("a"), [""; 0]);
    site.fire("disk", "warning", "gw2");
    site.fire("load", "warning", "gw3");
    site.pass(10);
    assert_eq!(site.delivered("a"), ["r: fired gw1, fired gw2"]);
    site.pass(10);
    assert_eq!(site.delivered("a"), ["r: fired gw3"]);
    // The next one of a group waits for its interval.
    let instance = site.fire("disk", "warning", "gw4");
    site.pass(0);
    site.resolve("disk", "warning", instance);
    site.pass(49);
    assert_eq!(site.delivered("a"), [""; 0]);
    site.pass(1);
    assert_eq!(site.delivered("a"), ["r: fired gw4, resolved "]);
}

#[test]
fn a_critical_alert_does_not_wait() {
    let mut site = Site::new(PLAIN);
    site.fire("disk", "crit", "gw1");
    site.pass(0);
    assert_eq!(site.delivered("a"), ["r: fired gw1"]);
}

#[test]
fn each_route_that_matches_gets_it_over_each_channel() {
    let mut site = Site::new(
        "- {id: all, channels: [a, b], wait: 0, group-by: []}\n\
         - {id: bad, alerts: 'severity<=err', channels: b, wait: 0}\n\
         - {id: web, alerts: 'host:web* rule:disk', channels: a, wait: 0}",
    );
    site.fire("disk", "warning", "web1");
    site.pass(0);
    site.fire("disk", "err", "gw1");
    site.pass(0);
    assert_eq!(site.delivered("a"), ["all: fired web1", "web: fired web1"]);
    assert_eq!(site.delivered("b"), ["all: fired web1", "bad: fired gw1"]);
    site.pass(300);
    assert_eq!(site.delivered("a"), ["all: fired gw1"]);
}

#[test]
fn what_is_over_the_limit_is_merged_and_nothing_is_dropped() {
    let mut site = Site::new("- {id: r, channels: a, wait: 0, interval: 0, group-by: host, hourly-max: 8}");
    for host in 0..200 {
        site.fire("disk", "warning", &format!("h{host}"));
    }
    site.pass(0);
    let lines = site.delivered("a");
    assert_eq!(lines.len(), 4);
    assert!(lines[3].ends_with(" +147") && lines[3].matches("fired").count() == 50, "{lines:?}");
    site.fire("disk", "warning", "late1");
    site.fire("disk", "warning", "late2");
    site.pass(899);
    assert_eq!(site.delivered("a"), [""; 0]);
    site.pass(1);
    assert_eq!(site.delivered("a"), ["r: fired late1, fired late2"]);
    assert!(site.outcomes().iter().all(|outcome| outcome == "fired notified"));
}

#[test]
fn a_silence_mutes_and_its_end_is_told_once() {
    let mut site = Site::new("- {id: r, channels: a, wait: 0, interval: 0}");
    let told = site.fire("disk", "warning", "gw1");
    site.pass(0);
    assert_eq!(site.delivered("a"), ["r: fired gw1"]);
    site.silence("rule:disk", 60);
    let short = site.fire("disk", "warning", "gw2");
    site.fire("disk", "warning", "gw3");
    site.fire("load", "warning", "gw4");
    site.pass(1);
    // The end of an alert that was notified before is notified, silence or not; that of a muted one is not.
    site.resolve("disk", "warning", told);
    site.resolve("disk", "warning", short);
    site.pass(1);
    assert_eq!(site.delivered("a"), ["r: fired gw4", "r: resolved "]);
    site.pass(58);
    site.pass(1);
    site.pass(100);
    assert_eq!(site.delivered("a"), ["r: unsilenced gw3"]);
    assert_eq!(
        site.outcomes(),
        [
            "fired notified",
            "fired silenced",
            "fired silenced",
            "fired notified",
            "resolved notified",
            "resolved untold",
            "unsilenced notified",
        ]
    );
}

#[test]
fn alerts_that_go_on_are_repeated_until_somebody_acknowledges_them() {
    let mut site = Site::new("- {id: r, channels: a, wait: 0, interval: 1m, repeat: 1h}");
    let first = site.fire("disk", "warning", "gw1");
    let second = site.fire("disk", "warning", "gw2");
    site.pass(0);
    assert_eq!(site.delivered("a"), ["r: fired gw1, fired gw2"]);
    site.pass(3_599);
    assert_eq!(site.delivered("a"), [""; 0]);
    site.pass(1);
    assert_eq!(site.delivered("a"), ["r: reminder gw1, reminder gw2"]);
    site.execute("UPDATE alert SET acknowledged_us = 1 WHERE instance = $1", &[&first]);
    site.pass(3_600);
    assert_eq!(site.delivered("a"), ["r: reminder gw2"]);
    site.resolve("disk", "warning", second);
    site.pass(60);
    site.pass(7_200);
    assert_eq!(site.delivered("a"), ["r: resolved "]);
}

#[test]
fn an_alert_that_ends_with_its_rule_is_told() {
    let mut site = Site::new("- {id: r, channels: a, wait: 0, interval: 0}");
    let instance = site.fire("disk", "warning", "gw1");
    site.pass(0);
    site.delivered("a");
    site.end(instance, "ended");
    site.pass(1);
    site.pass(1);
    assert_eq!(site.delivered("a"), ["r: ended gw1"]);
}

#[test]
fn what_is_late_is_one_notification() {
    let mut site = Site::new("- {id: r, channels: a, wait: 10s, group-by: host}");
    let old_us = site.now_us - 7_200 * S;
    site.occur("disk", "warning", "gw1", old_us);
    site.occur("disk", "warning", "gw2", old_us);
    site.occur("disk", "warning", "gw3", site.now_us);
    site.pass(0);
    site.pass(10);
    assert_eq!(site.delivered("a"), ["r: occurred gw1, occurred gw2", "r: occurred gw3"]);
}

#[test]
fn a_sign_of_life_comes_at_its_time_and_is_never_made_up_for() {
    let mut site = Site::new("- {id: r, alerts: 'rule:none', channels: a, heartbeat: 1m}");
    site.pass(0);
    site.pass(59);
    assert_eq!(site.delivered("a"), ["r: "]);
    site.pass(1);
    site.pass(600);
    site.pass(0);
    assert_eq!(site.delivered("a"), ["r: "]);
    // A clock that is set back does not stop it.
    site.pass(-86_400);
    assert_eq!(site.delivered("a"), ["r: "]);
}

#[test]
fn a_restart_changes_nothing_and_removed_routes_wait_for_nobody() {
    let mut site = Site::new(PLAIN);
    site.fire("disk", "warning", "gw1");
    site.pass(0);
    site.restart();
    site.pass(5);
    site.restart();
    site.pass(5);
    assert_eq!(site.delivered("a"), ["r: fired gw1"]);
    site.fire("load", "warning", "gw2");
    site.pass(0);
    site.adopt("- {id: other, channels: b, wait: 0}");
    site.pass(100);
    assert_eq!((site.delivered("a"), site.delivered("b")), (vec![], vec![]));
    assert_eq!(site.outcomes(), ["fired notified", "fired removed"]);
}

#[test]
fn transitions_from_before_the_first_route_are_not_told() {
    let mut site = Site::new(PLAIN);
    site.execute("DELETE FROM notification_setup", &[]);
    site.fire("disk", "crit", "gw1");
    site.adopt(PLAIN);
    site.fire("disk", "crit", "gw2");
    site.pass(0);
    assert_eq!(site.delivered("a"), ["r: fired gw2"]);
}
