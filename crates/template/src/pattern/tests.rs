//! Rows for each type of pattern, and the promise that all engines answer as PCRE2 does.

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
