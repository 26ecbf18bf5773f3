//! The query language: any text yields a tree or an error with a position inside the text; a printed tree is
//! parsed as itself; any query can be evaluated on a message.

use lookup::Document;
use query::{Operator, ParseOptions, Query, parse};

/// Runs the target.
pub(crate) fn run(text: &str) {
    let length = text.chars().count();
    for default_operator in [Operator::And, Operator::Or] {
        match parse(text, default_operator) {
            Err(error) => assert!(error.position + error.length <= length, "{error:?}"),
            Ok(parsed) => {
                let printed = parsed.tree.to_string();
                let again = parse(&printed, default_operator).map(|again| again.tree);
                assert_eq!(again.as_ref(), Ok(&parsed.tree), "{text} printed as {printed}");
            }
        }
        let options = ParseOptions { default_operator, now_us: 1_780_000_000_000_000, offset_s: 0 };
        match Query::parse(text, &options) {
            Err(error) => assert!(error.position + error.length <= length, "{error:?}"),
            Ok(query) => {
                let document = Document { text: text.as_bytes().to_vec(), ..Document::default() };
                query.matcher().matches(&document);
                let ranges = query.highlights(&document.text);
                assert!(ranges.windows(2).all(|pair| pair[0].end < pair[1].start), "{ranges:?}");
                query::utf16_ranges(&document.text, &ranges);
            }
        }
    }
}
