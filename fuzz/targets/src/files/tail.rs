//! Questions asked of messages one by one, as live tail does: no question on no text fails, and highlights lie inside.

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
