//! Groups that are held, tried and go again.

use super::*;

fn group(name: &str) -> Arc<str> {
    Arc::from(name)
}

fn held(name: &str, reason: HoldReason) -> Option<HoldEvent> {
    Some(HoldEvent::Held { group: group(name), reason, answer: "no".to_owned() })
}

fn resumed(names: &[&str]) -> Vec<HoldEvent> {
    names.iter().map(|name| HoldEvent::Resumed { group: group(name) }).collect()
}

#[test]
fn a_group_is_held_until_it_is_tried() {
    let (mut holds, now) = (Holds::default(), Instant::now());
    let (until, before) = (now + Duration::from_secs(9), now + Duration::from_secs(8));
    let (a, b) = (group("a"), group("b"));
    assert!(holds.allow(&a, now, || true) && holds.until(&a).is_none() && holds.describe().is_none());
    assert_eq!(holds.begin(&a, HoldReason::Quota, "no", until), held("a", HoldReason::Quota));
    assert_eq!(holds.begin(&a, HoldReason::Quota, "still no", until), None, "that is nothing new");
    assert_eq!(holds.begin(&a, HoldReason::Schema, "no", until), held("a", HoldReason::Schema));
    assert!(!holds.allow(&a, before, || false) && holds.allow(&a, until, || false));
    assert!(!holds.allow(&a, until, || true), "one try at a time");
    assert!(holds.allow(&b, now, || true) && !holds.is_of_all());
    assert_eq!((holds.until(&a), holds.until(&b)), (Some(until), None));
    assert_eq!(holds.describe().as_deref(), Some("messages wait for a (schema): no"));
    assert_eq!(holds.end(&b), []);
    assert_eq!(holds.end(&a), resumed(&["a"]));
    assert_eq!(holds.end(&a), []);
    holds.begin(&a, HoldReason::Quota, "no", until);
    assert_eq!(holds.end_group(&a), resumed(&["a"]).pop());
    assert_eq!(holds.end_group(&a), None);
}

#[test]
fn some_reasons_hold_everything() {
    for (reason, is_of_all) in [
        (HoldReason::Credentials, true),
        (HoldReason::ManyDead, true),
        (HoldReason::Access, false),
        (HoldReason::Schema, false),
        (HoldReason::Quota, false),
    ] {
        let (mut holds, now) = (Holds::default(), Instant::now());
        let until = now + Duration::from_secs(9);
        let name = if is_of_all { "" } else { "a" };
        assert_eq!(holds.begin(&group("a"), reason, "no", until), held(name, reason));
        assert_eq!(holds.is_of_all(), is_of_all);
        assert_eq!(holds.allow(&group("b"), now, || false), !is_of_all);
        assert_eq!(holds.until(&group("b")).is_some(), is_of_all);
        assert_eq!(holds.end(&group("a")), resumed(&[name]));
        assert!(!holds.is_of_all());
    }
}

#[test]
fn the_longest_hold_counts() {
    let (mut holds, now) = (Holds::default(), Instant::now());
    let [soon, later] = [1, 2].map(|seconds| now + Duration::from_secs(seconds));
    holds.begin(&group("a"), HoldReason::Quota, "no", soon);
    holds.begin(&group("a"), HoldReason::Credentials, "who are you", later);
    assert_eq!(holds.until(&group("a")), Some(later));
    assert!(!holds.allow(&group("a"), soon, || false) && holds.allow(&group("a"), later, || false));
    assert_eq!(holds.describe().as_deref(), Some("messages wait (credentials): who are you"));
    assert_eq!(holds.end(&group("a")), resumed(&["", "a"]));
}

#[test]
fn so_many_groups_are_named() {
    let (mut holds, now) = (Holds::default(), Instant::now());
    let named = |count: usize| {
        (0..count).map(|number| format!("{number} (access): no")).collect::<Vec<_>>().join(", ")
    };
    for count in 1..=DESCRIBED_MAX {
        holds.begin(&group(&(count - 1).to_string()), HoldReason::Access, "no", now);
        assert_eq!(holds.describe(), Some(format!("messages wait for {}", named(count))));
    }
    for others in 1..3 {
        holds.begin(&group(&(DESCRIBED_MAX + others).to_string()), HoldReason::Access, "no", now);
        let want = format!("messages wait for {}, and {others} others", named(DESCRIBED_MAX));
        assert_eq!(holds.describe(), Some(want));
    }
}
