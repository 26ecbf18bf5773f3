//! A query of the samples: whether it can be judged here, and how it is parsed.
//!
//! In: a case. Out: its operator, and differences. Holds: nothing.

use crate::conformance::records::text;
use query::{Operator, parse};
use serde_json::Value;

/// Tests of analysers, of stop words and of the older parser's clause limit say nothing about the syntax.
pub(super) fn of_our_syntax(case: &Value) -> bool {
    let special = ["qpAnalyzer", "stop"].iter().any(|name| case["analyzer"][0] == *name)
        || case["context"].is_string()
        || case["context"].is_array()
        || text(case, "test") == "TestBooleanQuery";
    let query = text(case, "query");
    !special && !query.contains("IN [") && !query.contains("IN {") && !query.contains('\'')
}

pub(super) fn operator(case: &Value) -> Operator {
    let and = case["default_operator"] == "AND" || case["default_conjunction"] == true;
    if and { Operator::And } else { Operator::Or }
}

/// The query must be accepted, or refused if its test is named after an error.
pub(super) fn read_or_refused(case: &Value) -> Option<String> {
    let test = text(case, "test");
    let refused = test.ends_with("_ko") || test.contains("exception") || test.contains("throw");
    match (parse(text(case, "query"), operator(case)), refused) {
        (Ok(_), false) | (Err(_), true) => None,
        (Ok(_), true) => Some("is read, but should be refused".to_owned()),
        (Err(error), false) => Some(format!("is refused: {error}")),
    }
}

pub(super) fn compare(want: &str, got: &str) -> Option<String> {
    (want != got).then(|| format!("want {want}, got {got}"))
}
