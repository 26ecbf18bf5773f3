//! Rows of queries and texts; highlighted text is in brackets.

use super::utf16_ranges;
use crate::{ParseOptions, Query};

#[track_caller]
fn check(query: &str, text: &str, want: &str) {
    let query = Query::parse(query, &ParseOptions::default()).unwrap();
    let mut marked = text.to_owned();
    for range in query.highlights(text.as_bytes()).into_iter().rev() {
        marked.insert(range.end, ']');
        marked.insert(range.start, '[');
    }
    assert_eq!(marked, want);
}

#[test]
fn marks_what_is_looked_for() {
    check("failed root", "Failed password for root", "[Failed] password for [root]");
    check("*ass* NOT for", "Failed password for root", "Failed [password] for root");
    check("\"password for\"", "password: password for x for", "password: [password for] x for");
    check("\"for password\"~2", "password for x", "[password] [for] x");
    check("/pass\\w+/i", "Password for passage", "[Password] for [passage]");
    check("\"->\"", "a -> b", "a [->] b");
    check("host:root", "for root", "for root");
    check("message:(a OR b)", "a b c", "[a] [b] c");
    check("/ab|b/ /bc/", "abc", "[abc]");
}

#[test]
fn counts_utf16_units() {
    let text = "é😀x y".as_bytes();
    assert_eq!(utf16_ranges(text, &[6..7, 8..9]), [(3, 1), (5, 1)]);
    assert_eq!(utf16_ranges(b"\xffabc", &[0..1, 1..3]), [(0, 1), (1, 2)]);
}
