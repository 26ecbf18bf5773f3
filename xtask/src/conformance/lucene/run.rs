//! The dialects, each with the function that compares our tree with its own.
//!
//! In: the samples' folder. Out: a row for each dialect.

use super::{
    classic, js,
    question::{of_our_syntax, read_or_refused},
    tantivy,
};
use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::Row,
};
use serde_json::Value;
use std::path::Path;

pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
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
