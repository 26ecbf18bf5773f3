//! Rows of patterns and values.

use super::{compare_texts, lower, matches, pattern, patterns, tokens};
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
fn letters_of_all_scripts_match_in_any_case() {
    for (wild, value) in [
        ("ärger", "Ärger"),
        ("ÄRGER", "ärger"),
        ("Журнал", "ЖУРНАЛ"),
        ("σας", "ΣΑΣ"),
        ("mü*er", "MÜLLER"),
        ("é?é", "ÉxÉ"),
        ("[ä", "[Ä"),
        ("a]ö", "A]Ö"),
    ] {
        check(wild, value, true);
    }
    for (wild, value) in [("ärger", "arger"), ("müller", "mueller"), ("straße", "STRASSE"), ("ä", "äÄ")]
    {
        check(wild, value, false);
    }
}

#[test]
fn words_written_without_blanks_are_found_within_others() {
    let found = |query: &str, text: &str| {
        let patterns = patterns(&glyphs(query));
        let mut words = Vec::new();
        tokens(text.as_bytes(), &mut |range| words.push(lower(&text[range])));
        let fits =
            |run: &[Vec<u8>]| patterns.iter().zip(run).all(|(pattern, word)| matches(pattern, word, word));
        words.windows(patterns.len()).any(fits)
    };
    let text = "系统日志：用户admin登录失败，来自10.1.2.3 source 防火墙规则";
    let chinese = ["登录", "登录失败", "系统", "日志：用户", "用户admin登录失败", "source 防火墙", "来自"];
    for query in chinese.into_iter().chain(["admin", "10.1.2.3", "登*", "*录失*", "登?失", "adm*"]) {
        assert!(found(query, text), "{query}");
    }
    for query in ["录登", "用户 登录", "登录 source", "source 规则", "sourc", "dmin", "户dmin登", "户adm"]
    {
        assert!(!found(query, text), "{query}");
    }
    assert!(found("エラー", "接続エラーが発生"));
    assert!(found("ผิดพลาด", "เกิดข้อผิดพลาดในระบบ"));
    assert!(!found("로그", "로그인"), "Korean has blanks between words");
}

#[test]
fn fuzzy_counts_a_transposition_once() {
    let rows = [
        ("fail", "fial", 1, true),
        ("fail", "fall", 1, true),
        ("fail", "fails", 1, true),
        ("ärgen", "ÄRGER", 1, true),
    ];
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
fn ranges_have_their_ends_or_not() {
    let text = |value: &str, inclusive| Bound::Text { value: value.into(), inclusive };
    let number = |value, inclusive| Bound::Number { value, inclusive };
    let check = |lower: Bound, upper: Bound, rows: &[(&str, bool)]| {
        let range = Pattern::Range { lower, upper };
        for (value, want) in rows {
            assert_eq!(matches(&range, value.as_bytes(), value.as_bytes()), *want, "{range:?} {value}");
        }
    };
    let rows = |at_ends: bool| {
        [("b", at_ends), ("c", true), ("d", at_ends), ("a", false), ("e", false), ("da", false)]
    };
    check(text("b", true), text("d", true), &rows(true));
    check(text("b", false), text("d", false), &rows(false));
    let rows = |at_ends: bool| {
        [("1", at_ends), ("1.5", true), ("2.0", at_ends), ("0.9", false), ("2.1", false), ("x", false)]
    };
    check(number(1.0, true), number(2.0, true), &rows(true));
    check(number(1.0, false), number(2.0, false), &rows(false));
    check(Bound::Open, text("c", false), &[("", true), ("b", true), ("c", false)]);
    check(text("c", false), Bound::Open, &[("b", false), ("c", false), ("d", true)]);
    check(Bound::Open, Bound::Open, &[("", true), ("x", true)]);
    let seven = Pattern::Number(7.0);
    for (value, want) in
        [("7", true), ("7.0", true), ("+7", true), ("0x7", false), ("8", false), ("7 ", false)]
    {
        assert_eq!(matches(&seven, value.as_bytes(), value.as_bytes()), want, "{value}");
    }
}

#[test]
fn a_question_mark_is_one_character() {
    for (wild, value, want) in [
        ("?", "é", true),
        ("?", "€", true),
        ("?", "😀", true),
        ("??", "é", false),
        ("?b", "€b", true),
        ("?*?", "😀", false),
    ] {
        check(wild, value, want);
    }
    // An invalid byte counts as one character.
    let one = pattern(&glyphs("a?b"));
    for (value, want) in
        [(&b"a\xffb"[..], true), (b"a\xc3b", true), (b"a\xe2\x82b", false), (b"a\xf0b", true)]
    {
        assert_eq!(matches(&one, value, value), want, "{value:?}");
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

#[test]
fn times_are_ordered_by_what_they_mean() {
    let times = [
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.000001Z",
        "2026-01-01T00:00:00.25Z",
        "2026-01-01T00:00:00.250001Z",
        "2026-01-01T00:00:00.3Z",
        "2026-01-01T00:00:01Z",
        "2026-01-01T00:00:10Z",
    ];
    assert!(times.is_sorted_by(|a, b| compare_texts(a.as_bytes(), b.as_bytes()).is_lt()));
    // Other texts stay in the order of their bytes, also those that look nearly like times.
    for (a, b) in [
        ("a", "b"),
        ("aZ", "a"),
        ("2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.x"),
        ("2026-01-01T00:00:00.x0Z", "2026-01-01T00:00:00.xZ"),
        ("", "Z"),
    ] {
        assert_eq!(compare_texts(a.as_bytes(), b.as_bytes()), a.cmp(b), "{a} {b}");
    }
}
