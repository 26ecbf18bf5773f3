//! Snapshots: damage is an error, edited rules start again, others go on.

use super::site::{S, evaluator, events, message, rules};
use crate::{Input, RestoreError, Selecting};

const TEXT: &str = "rules:
- {id: a, kind: count, query: x, by: host, at-least: 3, within: 1h}
- {id: b, kind: absence, query: x, by: host, within: 1m, keys: [gw]}
- {id: c, kind: distinct, query: x, field: user, at-least: 2, within: 1h}
- {id: d, kind: sum, query: x, field: n, at-least: 100, within: 1h}
- {id: e, kind: count, query: x, at-most: 3, within: 1m, window: tumbling}
";

fn snapshot() -> Vec<u8> {
    let mut running = evaluator(&rules(TEXT), Selecting::ByMarks);
    let lines = ["0 h1 x user=u n=3", "1 h2 x user=v n=4", "100 h1 x", "101 h1 x user=w n=98"];
    events(&lines).iter().for_each(|event| running.apply(event.input(), &mut Vec::new()));
    running.snapshot()
}

#[test]
fn no_damage_is_taken_for_a_state() {
    let good = snapshot();
    let restore = |bytes: &[u8]| evaluator(&rules(TEXT), Selecting::ByMarks).restore(bytes);
    assert_eq!(restore(&good), Ok(Vec::new()));
    for length in 0..good.len() {
        assert!(restore(&good[..length]).is_err(), "{length}");
    }
    for position in 0..good.len() {
        let mut bad = good.clone();
        bad[position] ^= 0x11;
        assert!(restore(&bad).is_err(), "{position}");
    }
    assert_eq!(restore(b"DWS\x02something"), Err(RestoreError::Format));
}

#[test]
fn an_edited_rule_starts_again_and_a_new_title_does_not() {
    let edited =
        TEXT.replace("{id: a, kind: count,", "{id: a, title: Three times, severity: crit, kind: count,");
    let edited = edited.replace("{id: b, kind: absence, query: x,", "{id: b, kind: absence, query: y,");
    let mut running = evaluator(&rules(&edited), Selecting::ByMarks);
    let missing = running.restore(&snapshot()).unwrap();
    assert_eq!(missing.iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["b"]);
    assert_eq!(running.next_sequence(), 4);
    let mut out = Vec::new();
    // It expects its keys from the time of the snapshot on.
    running.apply(Input::Message(&message(4, 161 * S, "h9 z")), &mut out);
    let fired: Vec<_> = out.iter().filter(|t| t.rule.as_ref() == "b").map(|t| t.at_us).collect();
    assert_eq!(fired, [161 * S]);
}
