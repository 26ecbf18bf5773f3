//! Determines in which of the three languages a line is written.
//!
//! In: the text from a line on, or its first word. Out: answers. Holds: nothing.

/// The words that start an object.
const OBJECTS: &[&str] = &[
    "action",
    "constant",
    "dyn_stats",
    "global",
    "input",
    "lookup_table",
    "main_queue",
    "module",
    "parser",
    "percentile_stats",
    "property",
    "ratelimit",
    "reload_lookup_table",
    "ruleset",
    "template",
    "timezone",
];

/// Returns true when a word before a parenthesis starts an object.
pub(super) fn is_object(word: &str) -> bool {
    OBJECTS.contains(&word)
}

/// Returns true when a line starts with a selector: `facility.severity` and then a blank.
pub(super) fn is_selector(rest: &str) -> bool {
    let word = joined(rest.split('\n').take(8).collect::<Vec<_>>().join("\n").as_str());
    let selector = word.split([' ', '\t', '{']).next().unwrap_or_default();
    selector.contains('.')
        && !selector.starts_with(['/', '-', '@', '|', '^', '~', '.', '?'])
        && selector.chars().all(|one| one.is_ascii_alphanumeric() || ".,;*=!-_".contains(one))
}

/// Joins lines that end with a backslash to the next one.
fn joined(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\\n") {
        out.push_str(before);
        rest = after.trim_start();
    }
    out.push_str(rest.lines().next().unwrap_or_default());
    out
}

/// Returns true when a line that starts with a colon is `:property, operation, "value"`, and not `:omusrmsg:*`.
pub(super) fn is_property_filter(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default();
    line.find(',').is_some_and(|comma| line[1..].find(':').is_none_or(|colon| comma < colon + 1))
}
