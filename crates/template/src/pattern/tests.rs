//! Rows for each type of pattern, and the guarantee that all engines answer as PCRE2 does.

use super::*;
use proptest::prelude::*;

fn pattern(text: &str, kind: &str, flags: &str) -> Result<Pattern, PatternError> {
    let mut set = PatternFlags::default();
    flags.split_whitespace().try_for_each(|flag| set.set(flag))?;
    Pattern::compile(text, PatternKind::from_name(kind).unwrap(), set)
}

#[track_caller]
fn check(text: &str, kind: &str, flags: &str, bytes: &[u8], want: bool) {
    let pattern = pattern(text, kind, flags).unwrap();
    assert_eq!(pattern.is_match(bytes), want, "{text} on {}", String::from_utf8_lossy(bytes));
    let mut groups = Groups::default();
    assert_eq!(pattern.find(bytes, 0, &mut groups), want, "find {text}");
}

#[test]
fn strings_are_equal_contained_or_at_the_start() {
    check("sshd", "string", "", b"sshd", true);
    check("sshd", "string", "", b"sshd2", false);
    check("sshd", "string", "substring", b"my sshd2", true);
    check("sshd", "string", "prefix", b"sshd2", true);
    check("sshd", "string", "prefix", b"my sshd", false);
    check("sSHd", "string", "ignore-case", b"SshD", true);
    check("sSHd", "string", "ignore-case substring", b"a SshD b", true);
    check("a.c", "string", "ignore-case", b"abc", false);
}

#[test]
fn globs_match_the_whole_text() {
    check("*", "glob", "", b"", true);
    check("web-??", "glob", "", b"web-01", true);
    check("web-??", "glob", "", b"web-1", false);
    check("*a*b*c", "glob", "", b"xaxbxbxc", true);
    check("*a*b*c", "glob", "", b"xaxbxbxcx", false);
    check("?", "glob", "", "é".as_bytes(), true);
    check("A*", "glob", "ignore-case", b"abc", true);
}

#[test]
fn regular_expressions_mean_what_pcre_means() {
    check("^(sshd|sudo)$", "pcre", "", b"sudo", true);
    check("^(sshd|sudo)$", "pcre", "", b"sudo\n", true);
    check("^(sshd|sudo)$", "pcre", "", b"sudo\n\n", false);
    check("^sshd$|^sudo$", "pcre", "", b"xsudo", false);
    check("^postfix/", "pcre", "", b"postfix/smtp", true);
    check("error.*", "pcre", "", b"an error", true);
    check("end$", "posix", "", b"the end\n", true);
    check("a$\\n", "pcre", "", b"a\n", true);
    check("(?=.*a)b", "pcre", "", b"ba", true);
    check("(a)\\1", "pcre", "", b"xaax", true);
    check("a++a", "pcre", "", b"aaa", false);
    check("[[:digit:]]+ms", "pcre", "", b"took 12ms", true);
    check("[]a-]+z", "pcre", "", b"]-z", true);
    check("a{,2}b", "pcre", "", b"a{,2}b", true);
    check("x{y", "pcre", "", b"x{y", true);
    check("ALMA", "pcre", "ignore-case", b"alma", true);
    check("^.{3}$", "pcre", "", "é1".as_bytes(), true);
    check("^.{3}$", "pcre", "utf8", "é1".as_bytes(), false);
    check("^.{2}$", "pcre", "utf8", "é1".as_bytes(), true);
    check("é+x", "pcre", "", "éx".as_bytes(), true);
    check("^a$", "pcre", "newline", b"a\r\n", true);
    check("(?<DN>foo)|(?<DN>bar)", "pcre", "dupnames", b"bar", true);
    check("\\w+\\b", "pcre", "", b"\xff\xfea", true);
}

#[test]
fn groups_have_places_and_names() {
    let pattern = pattern("(\\d+)-(?<word>[a-z]+)|(x)", "pcre", "").unwrap();
    let mut groups = Groups::default();
    assert!(pattern.find(b"..12-ab..", 0, &mut groups));
    assert_eq!(
        [0, 1, 2, 3].map(|group| groups.range(group)),
        [Some((2, 7)), Some((2, 4)), Some((5, 7)), None]
    );
    assert_eq!(pattern.names(), [("word".to_owned(), 2)]);
    assert!(!pattern.find(b"12-ab", 4, &mut groups));
}

#[track_caller]
fn check_error(text: &str, kind: &str, flags: &str, want: &str) {
    assert_eq!(pattern(text, kind, flags).unwrap_err().to_string(), want);
}

#[test]
fn says_what_is_wrong() {
    check_error("a(b", "pcre", "", "regular expression is wrong at byte 3: missing closing parenthesis");
    check_error(
        "(?<DN>foo)|(?<DN>bar)",
        "pcre",
        "",
        "regular expression is wrong at byte 17: two named subpatterns have the same name (PCRE2_DUPNAMES not set)",
    );
    check_error(
        "a",
        "pcre",
        "nobackref",
        "flag nobackref is gone since version 3: matches are stored by store-matches only",
    );
}

#[test]
fn a_crafted_line_does_not_stop_the_server() {
    for flags in ["disable-jit", ""] {
        let pattern = pattern("^(?=(a+)+b)a", "pcre", flags).unwrap();
        assert!(!pattern.is_match(&[b'a'; 64]));
    }
}

#[test]
fn long_lines_have_stack_enough() {
    let pattern = pattern("(?=x)(x|y)*z$", "pcre", "").unwrap();
    let mut line = vec![b'x'; 8000];
    line.push(b'z');
    assert!(pattern.is_match(&line));
}

const PATTERNS: &[&str] = &[
    "^(ab|cd)$",
    "^a|b$",
    "^ab",
    "ab$",
    "a.b",
    "a[^b]*c",
    "(a|ab)(c|bcd)",
    "a+?b",
    "[a-c\\d]{2,3}",
    "^$",
    "$",
    "a|$",
    "\\bab\\b",
    "\\s+a",
    "(?:a|b)*c",
    "(a*)b?",
    "x*",
    "a\\.b",
    "^.*b",
    "[^a]$",
    "(?i)aB",
    "a(?i)b|c",
    "b\\Z",
    "^(a|b|)$",
    "\\x61\\n",
    "a-b-c",
    "[a\\-z]",
    "[\\w-]+",
    "(a)|(b)|(ab)",
];

proptest! {
    #[test]
    fn every_engine_answers_as_pcre(index in 0..PATTERNS.len(), text in "[abcABd\\.\\- \n1é]{0,12}") {
        let text = text.as_bytes();
        let pattern = pattern(PATTERNS[index], "pcre", "").unwrap();
        let reference = pcre2::bytes::Regex::new(PATTERNS[index]).unwrap();
        let found = reference.captures(text).unwrap();
        prop_assert_eq!(pattern.is_match(text), found.is_some(), "{}", PATTERNS[index]);
        let mut groups = Groups::default();
        prop_assert_eq!(pattern.find(text, 0, &mut groups), found.is_some());
        if let Some(found) = found {
            for group in 0..found.len() {
                let want = found.get(group).map(|place| (place.start(), place.end()));
                prop_assert_eq!(groups.range(group), want, "group {} of {}", group, PATTERNS[index]);
            }
        }
    }

    #[test]
    fn no_bytes_make_a_pattern_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80), from in 0usize..90) {
        for (text, kind, flags) in [
            ("^(a|b)+$", "pcre", ""), ("(?=a).b", "pcre", "utf8"), ("a*?b", "glob", ""), ("é", "string", "ignore-case utf8"),
        ] {
            let pattern = pattern(text, kind, flags).unwrap();
            pattern.is_match(&bytes);
            pattern.find(&bytes, from, &mut Groups::default());
        }
    }
}

/// Checks a pattern on two texts, and which engine answers it: most patterns take time in proportion to the text.
#[track_caller]
fn check_linear(text: &str, flags: &str, matching: &[u8], other: &[u8], is_linear: bool) {
    check(text, "pcre", flags, matching, true);
    check(text, "pcre", flags, other, false);
    assert_eq!(pattern(text, "pcre", flags).unwrap().cost() < 200, is_linear, "{text}");
}

#[test]
fn escapes_and_groups_stay_in_linear_time() {
    check_linear(r"^x\r\t\f\e\a$", "", b"x\r\t\x0c\x1b\x07", b"xrtfea", true);
    check_linear(r"\x41[\x30-\x39]", "", b"A7", b"x417", true);
    check_linear(r"\x4g", "", b"\x04g", b"x4g", false);
    check_linear(r"a\.b\ c\/", "", b"a.b c/", b"axb c/", true);
    check_linear(r"\Aab", "", b"abc", b"cab", true);
    check_linear(r"ab\z", "", b"cab", b"ab\n", true);
    check_linear(r"a\Bb\b", "", b"ab", b"abc", true);
    check_linear(r"[\b]x", "", b"\x08x", b"x", true);
    check_linear("(?:ab)+c", "", b"ababc", b"ac", true);
    check_linear("(?i:AB)c", "", b"abc", b"abC", true);
    check_linear("(?<one>a)(?P<two_2>b)", "", b"ab", b"a", true);
    check_linear("(?-i)a(?i)b", "", b"aB", b"Ab", true);
    check_linear("a+?b*?c??$", "", b"aab", b"b", true);
    check_linear("a{2}b{1,}c{0,1}$", "", b"aabb", b"abb", true);
    check_linear("[[:alpha:]-]+[^[:space:]]1", "", b"a-x1", b"a 1", true);
    check_linear(r"[+-\]]x", "", b"Ax", b"ax", true);
    check_linear(r"[\d-]x", "", b"-x", b"ax", true);
}

#[test]
fn patterns_that_only_pcre_supports_use_it() {
    check_linear("a(?=b)", "", b"ab", b"ac", false);
    check_linear("a(?>b+)b?c", "", b"abc", b"ab", false);
    check_linear("(*ANYCRLF)a$", "", b"a", b"b", false);
    check_linear("(?s)a.b", "", b"a\nb", b"ab", false);
    check_linear("(?s:a.b)", "", b"a\nb", b"ab", false);
    check_linear("a*+b", "", b"aab", b"aa", false);
    check_linear("[^a]é", "utf8", "xé".as_bytes(), "aé".as_bytes(), false);
    check_linear(r"\Dé", "utf8", "xé".as_bytes(), "1é".as_bytes(), false);
    check_linear(r"\D1", "", b"x1", b"11", true);
    check_linear(r"\xe9", "utf8", "é".as_bytes(), b"e", false);
    check_linear(r"\x7e\x7F", "utf8", b"~\x7f", b"~", true);
    check_linear("(?i:é)", "utf8", "É".as_bytes(), b"e", false);
    check_linear(r"\h+x", "", b" x", b"x", false);
    check_linear("a{1, 2}b", "", b"aab", b"b", false);
}

#[test]
fn cheap_patterns_are_known_as_such() {
    let cost = |text: &str, kind: &str, flags: &str| pattern(text, kind, flags).unwrap().cost();
    let rising = [
        Pattern::nothing().cost(),
        cost("sshd", "string", ""),
        cost("^(sshd|sudo)$", "pcre", ""),
        cost("sshd", "string", "substring"),
        cost("a*b", "glob", ""),
        cost("a?[bc]+needle", "pcre", ""),
        cost("a?[bc]+", "pcre", ""),
        cost("(?=a)b", "pcre", ""),
    ];
    assert!(rising.is_sorted_by(|one, next| one < next), "{rising:?}");
}

#[test]
fn what_was_written_can_be_read_again() {
    let all = "ignore-case utf8 newline global store-matches substring prefix disable-jit dupnames";
    let flags = pattern("a.b", "pcre", all).unwrap().flags();
    let want = PatternFlags {
        ignore_case: true,
        utf8: true,
        newline: true,
        global: true,
        store_matches: true,
        substring: true,
        prefix: true,
        disable_jit: true,
        dupnames: true,
        ..PatternFlags::default()
    };
    assert_eq!(flags, want);
    assert_eq!(
        pattern("a.b", "pcre", "global").unwrap().flags(),
        PatternFlags { global: true, ..PatternFlags::default() }
    );
    assert_eq!(pattern("a.b", "glob", "").unwrap().text(), "a.b");
    assert!(PatternKind::from_name("lua").is_none());
}

#[test]
fn groups_are_counted_up_to_the_last_that_took_part() {
    let mut groups = Groups::default();
    for (text, bytes, count) in [("(a)(b)?", "ab", 3), ("(a)(b)?", "a", 2), ("ab", "ab", 1), ("(a)", "x", 0)]
    {
        pattern(text, "pcre", "").unwrap().find(bytes.as_bytes(), 0, &mut groups);
        assert_eq!(groups.count(), count, "{text} on {bytes}");
    }
}

#[test]
fn literals_in_parts_of_a_pattern_are_needed_whole() {
    for (text, matching, other) in [
        ("[ab](xy)+z", "axyxyz", "axz"),
        ("[ab]+(?:x|y)(key=)", "bykey=", "bykey"),
        ("(a|b)(c|d)", "bd", "be"),
        ("^(a|b)(c|d)$", "bd", "bdx"),
        ("^(?:a|b)(c)", "bcx", "xbc"),
        ("[ab](?:long text)*z", "az", "along text"),
        ("a?(?:x+9)b", "xx9b", "x9"),
    ] {
        check(text, "pcre", "", matching.as_bytes(), true);
        check(text, "pcre", "", other.as_bytes(), false);
    }
}

#[test]
fn prefixes_and_globs_know_characters() {
    check("sSHd", "string", "ignore-case prefix", b"SshDaemon", true);
    check("sSHd", "string", "ignore-case prefix", b"my SshD", false);
    check("?x", "glob", "", "\u{20ac}x".as_bytes(), true);
    check("?x", "glob", "", "\u{1d11e}x".as_bytes(), true);
    check("?x", "glob", "", "\u{20ac}\u{20ac}x".as_bytes(), false);
    check("?x", "glob", "", b"\xe2\x82x", false);
    check("a*", "glob", "", b"b", false);
    check("*a?", "glob", "", b"xa", false);
}
