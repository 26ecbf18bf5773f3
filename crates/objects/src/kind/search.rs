//! Saved searches: what the search page shows, without the message that is open.
//!
//! In: `{query, logspace, time: {clock, from, to}, columns, facets, wrap}`. Out: the same with defaults written out.
//! Limits: [`COLUMNS_MAX`] columns and facets, the longest query that the language allows. A search reads one logspace: to
//! read several, name a multiple logspace.

use super::checked::{Checked, SpecError};
use query::{ParseOptions, Query, parse_time};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Most columns of the list, and most facets.
const COLUMNS_MAX: usize = 24;
/// Longest name of a column or of a logspace, in bytes.
const NAME_BYTES_MAX: usize = 256;
/// Longest line of a list, in characters.
pub(super) const SUMMARY_CHARS_MAX: usize = 200;

/// The specification of a search.
#[derive(Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct SearchSpec {
    /// The text of the query.
    #[serde(default)]
    query: String,
    /// The logspace; empty for the first one that the reader may search.
    #[serde(default)]
    logspace: String,
    #[serde(default)]
    time: SearchTime,
    /// Columns of the list between the time and the message.
    #[serde(default = "default_columns")]
    columns: Vec<String>,
    /// Fields whose most frequent values are shown.
    #[serde(default = "default_facets")]
    facets: Vec<String>,
    /// True when long messages are wrapped.
    #[serde(default)]
    wrap: bool,
}

/// The time range of a search. An end that is empty is no limit.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct SearchTime {
    /// The clock of the times.
    #[serde(default)]
    pub clock: SearchClock,
    /// The start.
    #[serde(default)]
    pub from: String,
    /// The end.
    #[serde(default)]
    pub to: String,
}

/// The clocks of messages.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[serde(rename_all = "lowercase")]
pub enum SearchClock {
    /// The received time.
    #[default]
    Received,
    /// The event time.
    Event,
}

impl Default for SearchTime {
    /// The last hour, as the page begins.
    fn default() -> SearchTime {
        SearchTime { clock: SearchClock::Received, from: "now-1h".to_owned(), to: "now".to_owned() }
    }
}

fn default_columns() -> Vec<String> {
    ["severity", "host", "program"].map(str::to_owned).to_vec()
}

fn default_facets() -> Vec<String> {
    ["severity", "host", "program", "facility"].map(str::to_owned).to_vec()
}

/// Checks a specification.
pub(super) fn check(spec: &Value) -> Result<Checked, SpecError> {
    if !spec.is_object() {
        return Err(SpecError::new("", "a JSON object is needed"));
    }
    let read = SearchSpec::deserialize(spec).map_err(|error| SpecError::new("", error.to_string()))?;
    Query::parse(&read.query, &ParseOptions::default())
        .map_err(|error| SpecError::new("query", error.to_string()))?;
    check_logspace("logspace", &read.logspace)?;
    check_times("time", &read.time.from, &read.time.to)?;
    check_columns("columns", &read.columns)?;
    check_columns("facets", &read.facets)?;
    let line: Vec<&str> = read.query.split_whitespace().collect();
    let summary = line.join(" ").chars().take(SUMMARY_CHARS_MAX).collect();
    let spec = serde_json::to_value(&read).map_err(|error| SpecError::new("", error.to_string()))?;
    Ok(Checked { spec, summary })
}

/// Refuses a text that is no name of a logspace; an empty one names none.
pub(super) fn check_logspace(member: &str, name: &str) -> Result<(), SpecError> {
    match name.len() > NAME_BYTES_MAX || name.chars().any(char::is_control) {
        true => Err(SpecError::new(member, "that is no name of a logspace")),
        false => Ok(()),
    }
}

/// Refuses ends of a range that are no times.
pub(super) fn check_times(member: &str, from: &str, to: &str) -> Result<(), SpecError> {
    for (end, text) in [("from", from), ("to", to)] {
        if !text.is_empty() && parse_time(text, 0, 0).is_none() {
            let what =
                format!("{text:?} is no time; ISO 8601, seconds since 1970, or now with -15m, -1h, -7d");
            return Err(SpecError::new(&format!("{member}.{end}"), what));
        }
    }
    Ok(())
}

/// Refuses lists of columns that are too long, or have a name twice.
pub(super) fn check_columns(member: &str, names: &[String]) -> Result<(), SpecError> {
    if names.len() > COLUMNS_MAX {
        return Err(SpecError::new(member, format!("at most {COLUMNS_MAX} names")));
    }
    if names.iter().any(|name| name.is_empty() || name.len() > NAME_BYTES_MAX) {
        return Err(SpecError::new(member, format!("a name has 1 to {NAME_BYTES_MAX} bytes")));
    }
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        true => Err(SpecError::new(member, "a name is there twice")),
        false => Ok(()),
    }
}

/// The line and the column at which a text that begins with a specification has not its form.
pub(super) fn form_error(text: &[u8]) -> Option<(usize, usize)> {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<SearchSpec>();
    let error = values.next()?.err()?;
    Some((error.line(), error.column()))
}

#[cfg(test)]
mod tests {
    //! Specifications and their faults.

    use super::super::checked::check_fault;
    use super::*;
    use serde_json::json;

    #[test]
    fn a_search_gets_its_defaults_and_keeps_what_it_says() {
        let checked = check(&json!({})).unwrap();
        assert_eq!(
            checked.spec,
            json!({"query": "", "logspace": "", "time": {"clock": "received", "from": "now-1h", "to": "now"},
                "columns": ["severity", "host", "program"], "facets": ["severity", "host", "program", "facility"],
                "wrap": false})
        );
        let all = json!({"query": "failed  AND\nhost:gw1 | top host", "logspace": "main",
            "time": {"clock": "event", "from": "2026-11-20T08:00:00Z", "to": ""}, "columns": [".SDATA.x@1.y"],
            "facets": [], "wrap": true});
        let checked = check(&all).unwrap();
        assert_eq!((&checked.spec, checked.summary.as_str()), (&all, "failed AND host:gw1 | top host"));
        assert_eq!(check(&checked.spec).unwrap().spec, checked.spec, "the form is stable");
        let long = check(&json!({"query": "ä".repeat(2_000)})).unwrap();
        assert_eq!(long.summary.chars().count(), SUMMARY_CHARS_MAX);
    }

    #[test]
    fn faults_are_named_with_their_member() {
        check_fault(check, json!([]), "", "a JSON object");
        check_fault(check, json!("failed"), "", "a JSON object");
        check_fault(check, json!({"qeury": "a"}), "", "unknown field `qeury`");
        check_fault(check, json!({"query": 5}), "", "string");
        check_fault(check, json!({"query": "\"open"}), "query", "missing closing quote");
        check_fault(check, json!({"query": "a".repeat(100_000)}), "query", "");
        check_fault(check, json!({"logspace": "a\nb"}), "logspace", "no name");
        check_fault(check, json!({"time": {"from": "tea-time"}}), "time.from", "tea-time");
        check_fault(check, json!({"time": {"to": "now-"}}), "time.to", "no time");
        check_fault(check, json!({"time": {"clock": "sundial"}}), "", "sundial");
        check_fault(check, json!({"columns": ["host", "host"]}), "columns", "twice");
        check_fault(check, json!({"columns": vec!["x"; 25]}), "columns", "at most 24");
        check_fault(check, json!({"facets": [""]}), "facets", "1 to 256");
    }
}
