//! Crashes, stops, changes of rules and steps of the clock at random: nothing is missing, nothing is there twice.

use super::site::{S, Site};
use crate::follower::Ending;
use sim::Chance;
use std::time::Duration;

const RULES: [&str; 3] = [
    "- {id: each, kind: match, query: alpha, by: host}
- {id: quiet, kind: match, query: beta, by: host, resolve-after: 20s}
- {id: many, kind: count, query: '*', by: host, at-least: 4, within: 15s}
- {id: few, kind: count, query: alpha, less-than: 3, within: 10s, window: tumbling}
- {id: silent, kind: absence, query: '*', by: host, within: 30s}
- {id: after, kind: sequence, query: alpha, then: beta, by: host, within: 20s}
- {id: alone, kind: not-followed, query: alpha, then: gamma, by: host, within: 20s}
",
    "- {id: each, kind: match, query: alpha, by: host}
- {id: many, kind: count, query: '*', by: host, at-least: 3, within: 15s}
- {id: silent, kind: absence, query: '*', by: host, within: 30s}
- {id: alone, kind: not-followed, query: alpha, then: gamma, by: host, within: 20s}
- {id: fresh, kind: new-value, query: '*', field: host, learn-for: 5s, remember-for: 1m}
",
    "- {id: each, title: Another title, kind: match, query: alpha, by: host}
- {id: many, kind: count, query: '*', by: host, at-least: 3, within: 15s}
",
];

const SAVED: [&str; 3] = [
    "",
    "- {id: kept, kind: count, query: beta, by: host, at-least: 2, within: 20s}
- {id: lonely, kind: absence, query: gamma, within: 25s}
",
    "- {id: kept, title: Another, kind: count, query: beta, by: host, at-least: 2, within: 20s}
- {id: fourth, kind: match, query: gamma, by: host, resolve-after: 9s}
",
];

fn lines(chance: &mut Chance) -> Vec<String> {
    let word = |chance: &mut Chance| ["alpha", "beta", "gamma"][chance.below(3) as usize];
    let one = |chance: &mut Chance| format!("h{} {} here", chance.below(4), word(chance));
    let count = 1 + chance.below(12);
    (0..count).map(|_| one(chance)).collect()
}

/// Lets something happen.
fn happen(site: &mut Site, chance: &mut Chance) {
    match chance.below(22) {
        0..=8 => site.send(&lines(chance)),
        9..=12 => site.clock.pass(Duration::from_secs(chance.below(12))),
        13 => site.clock.step(100 * S),
        14 => site.clock.step(-50 * S),
        15 => {
            site.restart(Ending::Crash);
        }
        16 => {
            site.restart(Ending::Stop);
        }
        17 => site.change_rules(RULES[chance.below(3) as usize]),
        18 | 19 => site.change_saved(SAVED[chance.below(3) as usize]),
        20 => {
            site.logspace.seal_now(Duration::from_secs(60)).unwrap();
        }
        _ => site.settle(),
    }
}

fn run(seed: u64) -> usize {
    let mut chance = Chance::new(seed);
    let mut site = Site::new(RULES[0]);
    for _ in 0..60 {
        happen(&mut site, &mut chance);
    }
    site.settle();
    // Beyond everything that ticks still wait for.
    site.send(&lines(&mut chance));
    site.clock.pass(Duration::from_secs(100));
    site.send(&lines(&mut chance));
    site.settle();
    site.watcher.stop();
    site.check();
    site.transitions().len()
}

#[test]
fn the_transitions_are_those_of_one_evaluator_without_interruption() {
    let count: usize = (1..=6).map(run).sum();
    assert!(count > 500, "{count} transitions are too few to tell");
}
