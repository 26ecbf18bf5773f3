//! Rows of patterns and values.

use super::{lower, matches, pattern, tokens};
use crate::language::tree::{Glyph, Text};
use lookup::{Bound, Pattern};

fn glyphs(text: &str) -> Vec<Glyph> {
    text.chars()
        .map(|c| match c {
            '*' => Glyph::Run,
            '?' => Glyph::One,
            c => Glyph::Plain(c),
        })
        .collect()
}

#[track_caller]
fn check(wild: &str, value: &str, want: bool) {
    let pattern = pattern(&glyphs(wild));
    assert_eq!(matches(&pattern, value.as_bytes(), &lower(value)), want, "{wild} on {value}");
}

#[test]
fn wildcards() {
    for (wild, value) in
        [("*", "x"), ("a*", "AB"), ("*b", "ab"), ("a*c*e", "abcde"), ("?", "ü"), ("a?c", "abc")]
    {
        check(wild, value, true);
    }
    for (wild, value) in
        [("a*", "ba"), ("?", ""), ("?", "ab"), ("a*c", "ab"), ("*ab*ab*", "abb"), ("abc", "ab")]
    {
        check(wild, value, false);
    }
    let literal = pattern(&[Text::plain("a*\\?").glyphs, vec![Glyph::Run, Glyph::Plain('z')]].concat());
    assert!(matches(&literal, b"", b"a*\\?yz"));
    assert!(!matches(&literal, b"", b"ax\\?yz"));
}

#[test]
fn fuzzy_counts_a_transposition_once() {
    let rows = [("fail", "fial", 1, true), ("fail", "fall", 1, true), ("fail", "fails", 1, true)];
    let more = [("fail", "file", 1, false), ("fail", "file", 2, true), ("fail", "mailed", 2, false)];
    for (text, value, distance, want) in rows.into_iter().chain(more) {
        let fuzzy = Pattern::Fuzzy { text: text.into(), distance };
        assert_eq!(matches(&fuzzy, value.as_bytes(), value.as_bytes()), want, "{text} ~ {value}");
    }
}

#[test]
fn ranges_compare_numbers_as_numbers() {
    let number = |value| Bound::Number { value, inclusive: true };
    let range = Pattern::Range { lower: number(9.0), upper: number(100.0) };
    for (value, want) in
        [("10", true), ("9", true), ("1e1", true), ("8.9", false), ("", false), ("ten", false)]
    {
        assert_eq!(matches(&range, value.as_bytes(), value.as_bytes()), want, "{value}");
    }
}

#[test]
fn networks() {
    let mut address = [0; 16];
    address[10..14].copy_from_slice(&[0xff, 0xff, 10, 1]);
    let network = Pattern::Network { address, bits: 112 };
    for (value, want) in [("10.1.2.3", true), ("::ffff:10.1.0.0", true), ("10.2.0.0", false), ("x", false)] {
        assert_eq!(matches(&network, value.as_bytes(), value.as_bytes()), want, "{value}");
    }
}

#[test]
fn cuts_text_into_tokens() {
    let mut found = Vec::new();
    let text = "a.b-c, /var/log_x. <ü> 10.0.0.1: --";
    tokens(text.as_bytes(), &mut |range| found.push(&text[range]));
    assert_eq!(found, ["a.b-c", "var", "log_x", "ü", "10.0.0.1"]);
}
