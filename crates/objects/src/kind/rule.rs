//! Rules: the messages that they are about, and when they make an alert.
//!
//! In: the keys of a rule as files of rules have them, without `id`, `title` and `description`, which are those of the
//! object; `enabled`. Out: the same, `logspace` as a list. Limits: those of crate `watch`; [`LOGSPACES_MAX`] logspaces. A rule
//! of an object names its logspaces, because its owner needs a right in each.

use super::checked::{Checked, SpecError};
use serde_json::{Map, Value};
use std::sync::Arc;
use watch::Rule;

/// Most logspaces that a rule watches.
const LOGSPACES_MAX: usize = 100;
/// Longest line of a list, in characters.
const SUMMARY_CHARS_MAX: usize = 200;
/// Lines of a text of rules before the first key of the specification: `rules:`, the id, title and description.
const HEAD_LINES: usize = 4;
/// Keys of files of rules that are members of the object.
const OF_OBJECT: [(&str, &str); 3] = [
    ("id", "the id of the rule is that of the object: leave it out"),
    ("title", "the title of the rule is the name of the object: leave it out"),
    ("description", "the description of the rule is that of the object: leave it out"),
];

/// Checks a specification.
pub(super) fn check(spec: &Value) -> Result<Checked, SpecError> {
    let Value::Object(members) = spec else { return Err(SpecError::new("", "a JSON object is needed")) };
    for (name, what) in OF_OBJECT {
        if members.contains_key(name) {
            return Err(SpecError::new(name, what));
        }
    }
    let mut members = members.clone();
    match members.entry("enabled").or_insert(Value::Bool(true)) {
        Value::Bool(_) => {}
        _ => return Err(SpecError::new("enabled", "true or false is needed")),
    }
    if let Some(Value::String(one)) = members.get("logspace") {
        members.insert("logspace".to_owned(), Value::from(vec![one.clone()]));
    }
    let rule = read("rule", "", "", &members)?;
    match rule.logspaces.len() {
        0 => return Err(SpecError::new("logspace", "the logspaces that the rule watches are needed here")),
        1..=LOGSPACES_MAX => {}
        _ => return Err(SpecError::new("logspace", format!("at most {LOGSPACES_MAX} logspaces"))),
    }
    let mut sorted: Vec<&String> = rule.logspaces.iter().collect();
    sorted.sort_unstable();
    if sorted.iter().any(|name| name.is_empty()) || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(SpecError::new("logspace", "a name is empty or there twice"));
    }
    let line: Vec<&str> = rule.query.text().split_whitespace().collect();
    let summary = line.join(" ").chars().take(SUMMARY_CHARS_MAX).collect();
    Ok(Checked { spec: Value::Object(members), summary })
}

/// Finds no place: faults of rules name their member.
pub(super) fn form_error(_: &[u8]) -> Option<(usize, usize)> {
    None
}

/// Returns the rule of an object as the text of a file of rules, one key a line.
pub(crate) fn text(id: &str, name: &str, description: &str, spec: &Map<String, Value>) -> String {
    let mut text = format!(
        "rules:\n- id: {}\n  title: {}\n  description: {}\n",
        quoted(&id.into()),
        quoted(&name.into()),
        quoted(&description.into())
    );
    for (key, value) in spec.iter().filter(|(key, _)| *key != "enabled") {
        text.push_str(&format!("  {}: {}\n", quoted(&key.as_str().into()), quoted(value)));
    }
    text
}

/// Reads a rule; the first fault is named with its member.
pub(crate) fn read(
    id: &str,
    name: &str,
    description: &str,
    spec: &Map<String, Value>,
) -> Result<Arc<Rule>, SpecError> {
    let rules = watch::read(&text(id, name, description, spec)).map_err(|errors| {
        let Some(error) = errors.first() else { return SpecError::new("", "this is no rule") };
        let keys = spec.keys().filter(|key| *key != "enabled");
        let key = (error.line.checked_sub(HEAD_LINES + 1)).and_then(|line| keys.clone().nth(line));
        SpecError::new(key.map_or("", String::as_str), error.fault.to_string())
    })?;
    rules.into_iter().next().ok_or_else(|| SpecError::new("", "this is no rule"))
}

/// Returns a value as JSON that YAML reads as the same: characters that YAML does not allow as they are, or takes for the end
/// of a line, are escaped.
fn quoted(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        match c {
            '\u{7f}'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    //! Specifications and their faults.

    use super::super::checked::check_fault;
    use super::*;
    use serde_json::json;

    #[test]
    fn a_rule_keeps_what_it_says() {
        let spec = json!({"logspace": "main", "query": "failed  AND\nhost:gw1", "kind": "count", "by": ["host"],
            "more-than": 10, "within": "1m"});
        let checked = check(&spec).unwrap();
        assert_eq!(checked.summary, "failed AND host:gw1");
        assert_eq!((&checked.spec["enabled"], &checked.spec["logspace"]), (&json!(true), &json!(["main"])));
        assert_eq!(check(&checked.spec).unwrap().spec, checked.spec, "the form is stable");
        let off = json!({"logspace": ["a", "b"], "query": "*", "kind": "match", "enabled": false});
        assert_eq!(check(&off).unwrap().spec, off);
    }

    #[test]
    fn specifications_of_the_first_version_stay_readable() {
        let golden = include_str!("rule/testdata/version-1.json");
        let specs: Vec<Value> = serde_json::from_str(golden).unwrap();
        assert_eq!(specs.len(), 9);
        for spec in specs {
            assert_eq!(check(&spec).map(|checked| checked.spec), Ok(spec.clone()), "{spec}");
        }
    }

    #[test]
    fn every_text_survives_the_way_through_yaml() {
        let odd = "a\"b\\c\u{7f}\u{85}\u{2028}\u{feff}\u{1f600}\tend: - #x {y}";
        let spec =
            json!({"logspace": ["main"], "query": "*", "kind": "match", "by": ["host"], "missing": odd});
        let Value::Object(spec) = spec else { unreachable!() };
        let rule = read("rule", odd, odd, &spec).unwrap();
        assert_eq!((rule.title.as_str(), rule.description.as_str()), (odd, odd));
        assert_eq!(rule.missing.as_deref(), Some(odd.as_bytes()));
    }

    #[test]
    fn faults_are_named_with_their_member() {
        let rule = |more: Value| {
            let mut spec = json!({"logspace": ["main"], "query": "*", "kind": "match"});
            more.as_object().unwrap().iter().for_each(|(key, value)| spec[key] = value.clone());
            spec
        };
        check_fault(check, json!([]), "", "a JSON object");
        check_fault(check, json!({}), "", "missing");
        check_fault(check, rule(json!({"id": "x"})), "id", "that of the object");
        check_fault(check, rule(json!({"title": "x"})), "title", "name of the object");
        check_fault(check, rule(json!({"description": "x"})), "description", "that of the object");
        check_fault(check, rule(json!({"enabled": "yes"})), "enabled", "true or false");
        check_fault(check, rule(json!({"query": "(a"})), "query", "in the query");
        check_fault(check, rule(json!({"query": "a | top host"})), "query", "no pipes");
        check_fault(check, rule(json!({"query": "@received:>now-1h"})), "query", "now");
        check_fault(check, rule(json!({"qeury": "a"})), "qeury", "unknown key");
        check_fault(check, rule(json!({"kind": "dance"})), "kind", "dance");
        check_fault(
            check,
            rule(json!({"kind": "count", "more-than": "many", "within": "1m"})),
            "more-than",
            "number",
        );
        check_fault(check, rule(json!({"severity": null})), "severity", "null");
        check_fault(check, rule(json!({"by": {"a": 1}})), "by", "list of texts");
        check_fault(check, rule(json!({"logspace": []})), "logspace", "needed");
        check_fault(check, json!({"query": "*", "kind": "match"}), "logspace", "needed");
        check_fault(check, rule(json!({"logspace": ["a", "a"]})), "logspace", "twice");
        check_fault(check, rule(json!({"logspace": ["a", ""]})), "logspace", "empty");
        let many: Vec<String> = (0..=LOGSPACES_MAX).map(|number| format!("l{number}")).collect();
        check_fault(check, rule(json!({"logspace": many})), "logspace", "at most 100");
        check_fault(check, rule(json!({"x\ny": 1})), "x\ny", "unknown key");
    }
}
