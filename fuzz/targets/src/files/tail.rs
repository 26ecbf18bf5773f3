//! Queries on single messages, as in live tail: no query fails on any text, and highlights are inside the
//! text.

use lookup::Document;
use query::{ParseOptions, Query};

/// Runs the target.
pub(crate) fn run(input: (String, Vec<u8>)) {
    let (question, text) = input;
    let Ok(query) = Query::parse(&question, &ParseOptions::default()) else { return };
    let document = Document { raw: text.clone(), text, ..Document::default() };
    let _ = query.matcher().matches(&document);
    for range in query.highlights(&document.text) {
        assert!(range.start <= range.end && range.end <= document.text.len());
    }
}
