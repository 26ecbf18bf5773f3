//! The query language: any text gives a tree or an error with a place inside the text.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for operator in [query::Operator::And, query::Operator::Or] {
        if let Err(error) = query::parse(text, operator) {
            assert!(error.position + error.length <= text.chars().count(), "{error:?}");
        }
    }
});
