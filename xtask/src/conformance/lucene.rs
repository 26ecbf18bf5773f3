//! Questions that the tests of other parsers of Lucene's syntax hold.
//!
//! In: `lucene/vectors.jsonl`. Out: a row a dialect. Our tree is printed as that parser prints its own and compared
//! as text; where its print says nothing about ours (typed schemas), the question must be read, or refused, as
//! there. Left out are constructs that our syntax does not have: other analysers, stop words, sets (`IN [..]`), quotes
//! of one stroke.

mod classic;
mod js;
mod tantivy;

use super::{
    Row,
    decoded::{records, text},
};
use query::{Operator, parse};
use serde_json::Value;
use std::path::Path;

pub(super) fn run(folder: &Path) -> Result<Vec<Row>, String> {
    let cases = records(&folder.join("lucene/vectors.jsonl"))?;
    let dialects: [(&str, f64, Check); 4] = [
        ("lucene-classic", 97.0, classic::difference),
        ("tantivy", 97.0, tantivy::difference),
        ("lucene-js", 94.0, js::difference),
        ("luqum", 93.0, read_or_refused),
    ];
    let row = |(dialect, floor, check): (&str, f64, Check)| {
        let cases = cases.iter().filter(|case| text(case, "dialect") == dialect && of_our_syntax(case));
        let mut row = Row::empty(format!("lucene/{dialect}"), floor);
        for case in cases {
            row.count(text(case, "query"), check(case));
        }
        row
    };
    Ok(dialects.into_iter().map(row).collect())
}

/// Returns a description of the difference, if there is one.
type Check = fn(&Value) -> Option<String>;

/// Tests of analysers, of stop words and of the older parser's clause limit say nothing about a syntax.
fn of_our_syntax(case: &Value) -> bool {
    let special = ["qpAnalyzer", "stop"].iter().any(|name| case["analyzer"][0] == *name)
        || case["context"].is_string()
        || case["context"].is_array()
        || text(case, "test") == "TestBooleanQuery";
    let query = text(case, "query");
    !special && !query.contains("IN [") && !query.contains("IN {") && !query.contains('\'')
}

fn operator(case: &Value) -> Operator {
    let and = case["default_operator"] == "AND" || case["default_conjunction"] == true;
    if and { Operator::And } else { Operator::Or }
}

/// The question must be read, or refused where its test is named after an error.
fn read_or_refused(case: &Value) -> Option<String> {
    let test = text(case, "test");
    let refused = test.ends_with("_ko") || test.contains("exception") || test.contains("throw");
    match (parse(text(case, "query"), operator(case)), refused) {
        (Ok(_), false) | (Err(_), true) => None,
        (Ok(_), true) => Some("is read, but should be refused".to_owned()),
        (Err(error), false) => Some(format!("is refused: {error}")),
    }
}

fn compare(want: &str, got: &str) -> Option<String> {
    (want != got).then(|| format!("want {want}, got {got}"))
}
