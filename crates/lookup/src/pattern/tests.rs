//! Rows for every kind of pattern, and the band of the fuzzy comparison against the whole table.

use super::*;
use proptest::prelude::*;

fn wildcard(text: &str) -> Pattern {
    Pattern::Wildcard(text.into())
}

#[track_caller]
fn check(pattern: &Pattern, matching: &[&str], other: &[&str]) {
    let mut matcher = Matcher::new(pattern);
    let prefixes = matcher.prefixes();
    assert!(prefixes.is_sorted(), "{pattern:?}");
    for text in matching {
        assert!(matcher.matches_value(text.as_bytes()), "{pattern:?} should match {text}");
        assert!(
            prefixes.iter().any(|prefix| text.to_ascii_lowercase().as_bytes().starts_with(prefix)),
            "prefixes of {pattern:?} and {text}"
        );
    }
    for text in other {
        assert!(!matcher.matches_value(text.as_bytes()), "{pattern:?} should not match {text}");
    }
}

#[test]
fn plain_patterns() {
    check(&Pattern::Exact("root".into()), &["root", "ROOT"], &["roots", ""]);
    check(&Pattern::CaseExact("Root".into()), &["Root"], &["root", "ROOT"]);
    check(&Pattern::Prefix("sys".into()), &["sys", "SYSLOG"], &["msys"]);
    check(&Pattern::Any, &["", "x"], &[]);
}

#[test]
fn wildcards() {
    check(&wildcard("*ail*"), &["ail", "failed", "FAIL"], &["al", ""]);
    check(&wildcard("*ed"), &["ed", "failed"], &["edit"]);
    check(&wildcard("a*"), &["a", "ab"], &["b"]);
    check(&wildcard("a*c?e"), &["acde", "abcde", "accxe", "acéE"], &["ace", "abcdef"]);
    check(&wildcard("f?o"), &["foo", "féo"], &["fo", "fooo"]);
    check(&wildcard(r"a\*b*"), &["a*b", "a*bc"], &["axb"]);
    check(&wildcard("*"), &["", "x"], &[]);
    check(&wildcard("**"), &["", "x"], &[]);
    check(&wildcard("*a*b*c*"), &["abc", "xaxbxcx"], &["acb"]);
    check(&wildcard("a?*"), &["ab", "abc"], &["a", "b"]);
    check(&wildcard("*?b"), &["ab", "xab"], &["b", "ba"]);
    check(&wildcard("*a?c*"), &["abc", "xabcx"], &["ac"]);
    check(&wildcard("f?o"), &["f\u{20ac}o", "f\u{1d11e}o"], &["f\u{20ac}\u{20ac}o"]);
    check(&wildcard("?x"), &["\u{20ac}x", "\u{1d11e}x", "\u{e9}x"], &["x", "xxx"]);
    check(&wildcard("fo?"), &["foo", "fo\u{20ac}"], &["fo", "fooo"]);
}

#[test]
fn one_of_several_characters() {
    check(&wildcard("[Ää]rger"), &["Ärger", "ärger", "ÄRGER"], &["Arger", "rger", "ÄÄrger", "ärgern"]);
    check(&wildcard("*[Öö]l*"), &["öl", "Erdöl", "ÖLWECHSEL"], &["ol", "ö", "l"]);
    check(&wildcard("b[Üü]*[Ss]?"), &["büsx", "BÜxs1"], &["büs", "busx"]);
    check(&wildcard("[Σςσ]?[Σςσ]"), &["σας", "ΣΑΣ"], &["σα", "ας"]);
    check(
        &wildcard("[Жж][Уу][Рр][Нн][Аа][Лл]"),
        &["журнал", "ЖУРНАЛ", "Журнал", "жУрНаЛ"],
        &["журна", "журналы"],
    );
    check(&wildcard(r"\[a]"), &["[a]"], &["a"]);
    check(&wildcard("[äÄ"), &["ä"], &["[ä"]);
    check(&wildcard("*x["), &[], &["x", "x["]);
}

#[test]
fn a_look_up_begins_at_each_case() {
    let prefixes = |text| {
        let prefixes = Matcher::new(&wildcard(text)).prefixes();
        prefixes.iter().map(|prefix| String::from_utf8_lossy(prefix).into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(prefixes("m[Üü]ller"), ["mÜller", "müller"]);
    assert_eq!(prefixes("[Ää]r*x"), ["Är", "är"]);
    let cyrillic = prefixes("[Жж][Уу][Рр][Нн][Аа][Лл]");
    assert_eq!((cyrillic.len(), cyrillic[0].as_str(), cyrillic[15].as_str()), (16, "ЖУРН", "журн"));
    check_hints(&wildcard("m[Üü]ller*"), None, "mÜller", "", "m\u{fc}ller");
}

/// Checks what a look-up may rely on: the only token, the first prefix and the common substring of all tokens, and its
/// characters.
#[track_caller]
fn check_hints(pattern: &Pattern, exact: Option<&str>, prefix: &str, needle: &str, held: &str) {
    let matcher = Matcher::new(pattern);
    assert_eq!(matcher.exact(), exact.map(str::as_bytes), "{pattern:?}");
    assert_eq!(String::from_utf8_lossy(&matcher.prefixes()[0]), prefix, "{pattern:?}");
    assert_eq!(String::from_utf8_lossy(&matcher.needle()), needle, "{pattern:?}");
    assert_eq!(matcher.char_filter(), CharFilter::of(held.as_bytes()), "{pattern:?}");
}

#[test]
fn hints_for_a_look_up() {
    check_hints(&Pattern::Exact("root".into()), Some("root"), "root", "root", "");
    check_hints(&Pattern::CaseExact("Root".into()), Some("Root"), "root", "root", "");
    check_hints(&Pattern::Prefix("sys".into()), None, "sys", "sys", "");
    check_hints(&wildcard("plain"), Some("plain"), "plain", "plain", "");
    check_hints(&wildcard("sys*"), None, "sys", "sys", "");
    check_hints(&wildcard("*ail*"), None, "", "ail", "ail");
    check_hints(&wildcard("*led"), None, "", "led", "led");
    check_hints(&wildcard("fa*l?d"), None, "fa", "fa", "fald");
    check_hints(&wildcard("a?*"), None, "a", "a", "a");
    check_hints(&wildcard("*a?*"), None, "", "", "a");
    check_hints(&wildcard(r"a\*b"), None, "a*b", "a*b", "a*b");
    check_hints(&wildcard(r"*\?"), None, "", "", "?");
    check_hints(&wildcard("**"), None, "", "", "");
    check_hints(&Pattern::Any, None, "", "", "");
    check_hints(&Pattern::Number(1.0), None, "", "", "");
    check_hints(&Pattern::Fuzzy { text: "form".into(), distance: 1 }, None, "", "", "");
}

#[test]
fn only_fuzzy_patterns_refuse_by_prefix() {
    assert!(Matcher::new(&Pattern::Fuzzy { text: "form".into(), distance: 1 }).refuses_prefixes());
    for pattern in [wildcard("f*m"), Pattern::Exact("form".into()), Pattern::Any] {
        let matcher = Matcher::new(&pattern);
        assert_eq!(
            (matcher.refuses_prefixes(), matcher.impossible_prefix(b"zzzz")),
            (false, None),
            "{pattern:?}"
        );
    }
}

#[test]
fn one_letter_within_a_word_is_common() {
    for (text, want) in [("*a*", true), ("*ab*", false), ("*a", false), ("a*", false), ("a", false)] {
        assert_eq!(Matcher::new(&wildcard(text)).in_order().is_common(), want, "{text}");
    }
}

/// Checks how numbers are compared with values of a type.
#[track_caller]
fn check_kind(number: f64, kind: ValueKind, matching: &[&str], other: &[&str]) {
    let pattern = Pattern::Number(number);
    match pattern.of_kind(kind) {
        Some(pattern) => check(&pattern, matching, other),
        None => assert!(matching.is_empty(), "{number} has no match in {kind:?}"),
    }
}

#[test]
fn numbers_are_compared_with_values_of_numeric_types() {
    check_kind(5.0, ValueKind::Double, &["5", "5.0", "+5", "5e0"], &["5.1", "x", ""]);
    check_kind(5.5, ValueKind::Datetime, &["5.5"], &["5"]);
    check_kind(5.0, ValueKind::Integer, &["5"], &["50", "-5"]);
    check_kind(-7.0, ValueKind::Integer, &["-7"], &["7"]);
    check_kind(9_007_199_254_740_992.0, ValueKind::Integer, &["9007199254740992"], &[]);
    check_kind(9_007_199_254_740_994.0, ValueKind::Integer, &[], &[]);
    check_kind(5.5, ValueKind::Integer, &[], &[]);
    check_kind(5.0, ValueKind::String, &[], &[]);
    assert!(Pattern::Number(5.5).of_kind(ValueKind::Integer).is_none());
    assert!(Pattern::Number(9_007_199_254_740_994.0).of_kind(ValueKind::Integer).is_none());
    let whole = Pattern::Number(5.0);
    let whole = whole.of_kind(ValueKind::Integer).expect("a pattern");
    assert_eq!(Matcher::new(&whole).exact(), Some(&b"5"[..]), "whole numbers are looked up");
    check(&Pattern::Any.of_kind(ValueKind::String).expect("any text"), &["x"], &[]);
}

#[test]
fn fuzzy() {
    let near = |text: &str, distance| Pattern::Fuzzy { text: text.into(), distance };
    check(&near("autentication", 1), &["authentication", "autentication"], &["authentications"]);
    check(&near("form", 1), &["from", "for", "farm", "forms", "form"], &["frm0", "fo", "mrof"]);
    check(&near("abcd", 2), &["badc", "ab", "abcdef", "xbcx"], &["dcba", "a"]);
    check(&near("é", 1), &["e", "", "éa"], &["ab"]);
    check(&near("x", 0), &["x", "X"], &["y"]);
    check(&near("ab", 2), &["ab\u{1d11e}\u{1d11e}"], &["ab\u{1d11e}\u{1d11e}\u{1d11e}"]);
    check(&near("ab", 9), &["abcd"], &["abcde"]);
}

#[test]
fn ranges_and_networks() {
    let number = |value, inclusive| Bound::Number { value, inclusive };
    let range = |lower, upper| Pattern::Range { lower, upper };
    check(
        &range(number(10.0, true), number(20.0, false)),
        &["10", "19.5", "+12"],
        &["20", "9", "x", "15x", ""],
    );
    check(&range(Bound::Open, number(0.0, true)), &["-1", "0", "-0.5"], &["1", "abc"]);
    let text = |value: &str, inclusive| Bound::Text { value: value.into(), inclusive };
    check(&range(text("b", true), text("d", false)), &["b", "B", "cz"], &["a", "d"]);
    check(&range(text("b", false), text("d", true)), &["ba", "c", "d"], &["a", "b", "da", "e"]);
    check(&range(number(10.0, false), number(20.0, true)), &["10.1", "20"], &["10", "20.1", "abc"]);
    check(&range(number(10.0, true), text("3", true)), &["11", "2e1"], &["9", "30", "x"]);
    let mut address = [0; 16];
    address[10..].copy_from_slice(&[0xff, 0xff, 10, 1, 0, 0]);
    check(
        &Pattern::Network { address, bits: 112 },
        &["10.1.2.3", "::ffff:10.1.0.0"],
        &["10.2.0.1", "x", "10.1.2"],
    );
    check(&Pattern::Network { address, bits: 0 }, &["10.2.0.1", "fe80::1"], &["x"]);
}

#[test]
fn distant_words_are_recognised_by_their_prefix() {
    let fuzzy = |text: &str, distance| Matcher::new(&Pattern::Fuzzy { text: text.into(), distance });
    let rows: [(&str, u8, &str, Option<usize>); 10] = [
        ("failed", 1, "", None),
        ("failed", 1, "f", None),
        ("failed", 1, "af", None),
        ("failed", 1, "xa", None),
        ("failed", 1, "x", None),
        ("failed", 1, "xy", Some(2)),
        ("failed", 1, "xyfailed", Some(2)),
        ("failed", 2, "xy", None),
        ("failed", 2, "xyzz", Some(3)),
        ("f\u{e9}", 1, "xyz", None),
    ];
    for (text, distance, prefix, dead) in rows {
        assert_eq!(
            fuzzy(text, distance).impossible_prefix(prefix.as_bytes()),
            dead,
            "{text}~{distance} {prefix}"
        );
    }
}

fn table(a: &[u8], b: &[u8]) -> usize {
    let mut cells = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            cells[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = usize::from(a[i - 1] != b[j - 1]);
                let mut best =
                    (cells[i - 1][j] + 1).min(cells[i][j - 1] + 1).min(cells[i - 1][j - 1] + change);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(cells[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    cells[a.len()][b.len()]
}

#[test]
fn every_letter_has_a_bit_of_its_own() {
    let bits = |text: &str| CharFilter::of(text.as_bytes()).bits();
    let letters: Vec<u32> = ('a'..='z').map(|letter| bits(&letter.to_string())).collect();
    assert!(letters.iter().all(|bit| bit.count_ones() == 1));
    assert_eq!(letters.iter().fold(0, |all, bit| all | bit).count_ones(), 26);
    assert_eq!((bits("AZ"), bits("0") == bits("9"), bits("")), (bits("az"), true, 0));
    let others = [bits("5"), bits("."), bits("-"), bits("_"), bits(" "), bits("\u{e4}"), bits("z")];
    assert!(others.iter().all(|bit| bit.count_ones() == 1));
    assert_eq!(others.iter().fold(0, |all, bit| all | bit).count_ones(), 7, "{others:x?}");
}

#[test]
fn characters_show_which_patterns_cannot_match() {
    let of = |text: &str| CharFilter::of(text.as_bytes());
    for (text, wanted, want) in [
        ("fail", "ail", false),
        ("Fail", "AIL", false),
        ("fail", "ails", true),
        ("fail", "", false),
        ("", "a", true),
        ("10.0", "9", false),
        ("10.0", "1-0", true),
        ("\u{fc}", "\u{e9}", false),
    ] {
        assert_eq!(of(text).cannot_contain(of(wanted)), want, "{wanted} in {text}");
        assert_eq!(CharFilter::from_bits(of(text).bits()), of(text));
    }
    let mut both = of("fa");
    both.add(of("il"));
    assert_eq!(both, of("fail"));
}

/// All texts of up to `length` of three letters.
fn texts(length: usize) -> Vec<Vec<u8>> {
    let mut texts = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..length {
        let longest = from..texts.len();
        from = texts.len();
        for index in longest {
            texts.extend(b"abc".map(|letter| [texts[index].as_slice(), &[letter]].concat()));
        }
    }
    texts
}

#[test]
fn edits_of_short_texts_are_those_of_the_table() {
    let all = texts(5);
    for text in texts(3) {
        for distance in 0..3 {
            let matcher = Matcher::new(&Pattern::Fuzzy { text: text.clone(), distance });
            let near: Vec<&Vec<u8>> =
                all.iter().filter(|other| table(&text, other) <= usize::from(distance)).collect();
            for other in &all {
                assert_eq!(
                    matcher.matches_token(other),
                    near.contains(&other),
                    "{text:?}~{distance} {other:?}"
                );
                let is_possible = |end: &usize| near.iter().any(|near| near.starts_with(&other[..*end]));
                let dead = (1..=other.len()).find(|end| !is_possible(end));
                assert_eq!(matcher.impossible_prefix(other), dead, "{text:?}~{distance} {other:?}");
            }
        }
    }
}

#[test]
fn prefixes_of_long_texts_are_not_judged() {
    for (length, want) in [(63, Some(3)), (64, None)] {
        let matcher = Matcher::new(&Pattern::Fuzzy { text: vec![b'a'; length], distance: 2 });
        assert_eq!(matcher.impossible_prefix(b"xyz"), want, "{length} bytes");
    }
    let matcher = Matcher::new(&Pattern::Fuzzy { text: "failed".into(), distance: 1 });
    assert_eq!(matcher.impossible_prefix("x\u{e9}z".as_bytes()), None, "characters of several bytes");
}

proptest! {
    #[test]
    fn a_sorted_list_is_compared_as_its_tokens_are(
        mut tokens in proptest::collection::vec("[ab]{0,5}|[abc]{10,40}", 1..40),
        text in "[ab]{0,5}",
        after in "|[abc]{30}",
    ) {
        tokens.sort();
        for pattern in [format!("*{text}*"), format!("*{text}"), format!("{text}*")] {
            let matcher = Matcher::new(&wildcard(&pattern));
            let mut in_order = matcher.in_order();
            let mut before = "";
            for token in &tokens {
                let shared = before.bytes().zip(token.bytes()).take_while(|(a, b)| a == b).count();
                // As stored, anything may follow.
                let rest = [&token.as_bytes()[shared..], after.as_bytes()].concat();
                let matches = in_order.matches(shared, token.as_bytes(), &rest);
                prop_assert_eq!(matches, matcher.matches_token(token.as_bytes()), "{} in {}", pattern, token);
                prop_assert_eq!(matches, match pattern.strip_suffix('*') {
                    Some(rest) if rest.starts_with('*') => token.contains(&text),
                    Some(_) => token.starts_with(&text),
                    None => token.ends_with(&text),
                });
                before = token;
            }
        }
    }

    #[test]
    fn what_is_near_may_begin_as_it_does(a in "[abc]{0,6}", b in "[abc]{0,6}", distance in 0u8..3) {
        let matcher = Matcher::new(&Pattern::Fuzzy { text: a.clone().into(), distance });
        if matcher.matches_token(b.as_bytes()) {
            prop_assert!((0..=b.len()).all(|end| matcher.impossible_prefix(&b.as_bytes()[..end]).is_none()), "{a} {b}");
        }
    }

    #[test]
    fn the_band_agrees_with_the_table(a in "[abc]{0,7}", b in "[abc]{0,7}", distance in 0u8..3) {
        let matcher = Matcher::new(&Pattern::Fuzzy { text: a.clone().into(), distance });
        prop_assert_eq!(matcher.matches_token(b.as_bytes()), table(a.as_bytes(), b.as_bytes()) <= usize::from(distance));
    }
}
