//! The pages about rules and notifications: all on them is read, and every story below a rule happens.

use super::site::{S, evaluator, events, rules};
use crate::{Rule, Selecting, Transition};

const PAGE: &str = include_str!("../../../../docs/manual/rules.md");
const NOTIFICATIONS: &str = include_str!("../../../../docs/manual/notifications.md");
const CHANNELS: &str = include_str!("../../../../examples/notifications.yaml");
const EXAMPLES: &str = include_str!("../../../../examples/rules.yaml");

/// Returns the blocks of a page with their languages.
fn blocks(page: &'static str) -> Vec<(&'static str, &'static str)> {
    let inside = page.split("```").skip(1).step_by(2);
    inside.filter_map(|block| block.split_once('\n')).collect()
}

/// Shows a transition as the page does.
fn show(rule: &Rule, transition: &Transition) -> String {
    let pairs = rule.key_names().zip(&transition.key);
    let key: String =
        pairs.map(|(name, value)| format!(" {name}={}", String::from_utf8_lossy(value))).collect();
    let value = transition.value.map_or_else(String::new, |value| format!(" ({value})"));
    format!("{} s  {}{key}{value}", transition.at_us / S, transition.change.name())
}

/// Plays a story: messages, and what is reported up to each arrow.
fn play(text: &str, story: &str) {
    let rules = rules(text);
    let mut running = evaluator(&rules, Selecting::ByMarks);
    let lines = story.lines().map(str::trim).filter(|line| !line.starts_with("->"));
    let lines: Vec<String> = lines.map(|line| line.replacen(" s  ", " ", 1)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut out = Vec::new();
    events(&lines).iter().for_each(|event| running.apply(event.input(), &mut out));
    let got: Vec<String> = out.iter().map(|transition| show(&rules[0], transition)).collect();
    let want = story.lines().filter_map(|line| line.trim().strip_prefix("-> "));
    assert_eq!(got, want.collect::<Vec<_>>(), "{text}");
}

#[test]
fn what_the_manual_tells_of_rules_happens() {
    let blocks = blocks(PAGE);
    let mut stories = 0;
    for pair in blocks.windows(2) {
        if let [("yaml", text), ("text", story)] = pair {
            play(text, story);
            stories += 1;
        }
    }
    assert!(stories >= 9, "{stories}");
    blocks.iter().filter(|(language, _)| *language == "yaml").for_each(|(_, text)| drop(rules(text)));
    assert_eq!(rules(EXAMPLES).len(), 7);
}

#[test]
fn channels_and_routes_of_the_manual_are_read() {
    let of_page = blocks(NOTIFICATIONS).into_iter().filter(|(language, _)| *language == "yaml");
    let texts: Vec<&str> = of_page.map(|(_, text)| text).chain([CHANNELS]).collect();
    assert_eq!(texts.len(), 5);
    for text in texts {
        assert!(crate::read_notifications(text).is_ok(), "{text}");
    }
}
