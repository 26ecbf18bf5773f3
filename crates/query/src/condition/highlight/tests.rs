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
fn highlights_searched_words() {
    check("failed root", "Failed password for root", "[Failed] password for [root]");
    check("*ass* NOT for", "Failed password for root", "Failed [password] for root");
    check("\"password for\"", "password: password for x for", "password: [password for] x for");
    check("\"for password\"~2", "password for x", "[password] [for] x");
    check("/pass\\w+/i", "Password for passage", "[Password] for [passage]");
    check("\"->\"", "a -> b", "a [->] b");
    check("host:root", "for root", "for root");
    check("message:(a OR b)", "a b c", "[a] [b] c");
    check("/ab|b/ /bc/", "abc", "[abc]");
    check("\"a * c\"", "a b c a c", "[a b c] a c");
    check("\"a b\"", "a b a b", "[a b] [a b]");
    check("a", "", "");
    check("\"x y\"~1 z", "y", "[y]");
    check("ärger", "ÄRGER mit", "[ÄRGER] mit");
    check("登录 admin", "用户admin登录失败", "用户[admin登录]失败");
    check("用户*", "来自用户组", "来自[用户]组");
}

#[test]
fn marks_are_bounded() {
    let text = "ab ".repeat(600);
    for query in ["ab", "/ab/", "message:=\"ab\"", "\"ab\"~1", "ab ab", "/ab/ ab", "/ab/ message:=\"ab\""] {
        let query = Query::parse(query, &ParseOptions::default()).unwrap();
        assert_eq!(query.highlights(text.as_bytes()).len(), 500);
    }
    let pairs = Query::parse("\"ab ab\"", &ParseOptions::default()).unwrap();
    let whole = 0..3 * 501 - 1;
    assert_eq!(pairs.highlights(text.as_bytes()), std::slice::from_ref(&whole));
}

#[test]
fn counts_utf16_units() {
    let text = "é😀x y".as_bytes();
    assert_eq!(utf16_ranges(text, &[6..7, 8..9]), [(3, 1), (5, 1)]);
    assert_eq!(utf16_ranges(b"\xffabc", &[0..1, 1..3]), [(0, 1), (1, 2)]);
}
