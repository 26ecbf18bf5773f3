//! Rows of Sigma rules: the queries that they become, the messages that those match, and what is refused.

use super::import;
use lookup::Document;
use message::ValueKind;
use query::{ParseOptions, Query};

/// Returns the text of a rule with a detection, indented by two.
fn rule(logsource: &str, detection: &str) -> String {
    format!(
        "title: T\nid: 1-2\nlevel: high\nauthor: A\nlogsource: {{{logsource}}}\ndetection:\n  {}\n",
        detection.replace('\n', "\n  ")
    )
}

/// Checks the query of a detection on fields.
#[track_caller]
fn check(detection: &str, want: &str) {
    let query = import(&rule("product: windows", detection)).map(|rule| rule.query);
    assert_eq!(query.unwrap_or_else(|refusal| format!("refused: {refusal}")), want);
}

/// Checks which messages match: the value of the field `a`, or the text when there is none.
#[track_caller]
fn check_matches(detection: &str, matching: &[&str], others: &[&str]) {
    let query = import(&rule("product: linux", detection)).unwrap().query;
    let mut matcher = Query::parse(&query, &ParseOptions::default()).unwrap().matcher();
    for (texts, want) in [(matching, true), (others, false)] {
        for text in texts {
            let value = ("a".to_owned(), text.as_bytes().to_vec(), ValueKind::String);
            let document =
                Document { text: text.as_bytes().to_vec(), values: vec![value], ..Document::default() };
            assert_eq!(matcher.matches(&document), want, "{query}: {text}");
        }
    }
}

#[test]
fn selections_become_clauses() {
    check("s: {a: b}\ncondition: s", "a:b");
    check("s: {a: [b, c], d: 4}\ncondition: s", "((a:b OR a:c) AND d:4)");
    check("s: [{a: b}, {c: d}]\ncondition: s", "(a:b OR c:d)");
    check("s: {'a|contains|all': [b, c]}\ncondition: s", "(a:*b* AND a:*c*)");
    check("s: {'a|startswith': b, 'c|endswith': d}\ncondition: s", "(a:b* AND c:*d)");
    check("s: {a: null}\ncondition: not s", "(NOT (NOT _exists_:a))");
    check("s: {'a|exists': true}\ncondition: s", "_exists_:a");
    check("s: {'a|re': 'x/[0-9]+'}\ncondition: s", "a:/x\\/[0-9]+/");
    check("s: {'a|re|i': x}\ncondition: s", "a:/x/i");
    check("s: {'a|cidr': 10.0.0.0/8}\ncondition: s", "a:\"10.0.0.0/8\"");
    check("s: {'a|gte': 5}\ncondition: s", "a:>=5");
    check("s: {'a|neq': b}\ncondition: s", "(NOT a:b)");
}

#[test]
fn conditions_join_selections() {
    let parts = "x1: {a: b}\nx2: {c: d}\n_y: {e: f}\n";
    check(&format!("{parts}condition: x1 and not x2 or _y"), "((a:b AND (NOT c:d)) OR e:f)");
    check(&format!("{parts}condition: x1 and (x2 or _y)"), "(a:b AND (c:d OR e:f))");
    check(&format!("{parts}condition: 1 of x*"), "(a:b OR c:d)");
    check(&format!("{parts}condition: all of them"), "(a:b AND c:d)");
    check(&format!("{parts}condition: not 1 of x* and _y"), "((NOT (a:b OR c:d)) AND e:f)");
    check(&format!("{parts}condition: [x1, x2]"), "(a:b OR c:d)");
    check(&format!("{parts}condition: x1 | count() > 5"), "refused: the condition cannot be read at |");
    check(&format!("{parts}condition: x1 and z"), "refused: the condition cannot be read at z");
    check(&format!("{parts}condition: (x1"), "refused: the condition cannot be read at its end");
    check(&format!("{parts}condition: 2 of x*"), "refused: the condition cannot be read at 2");
}

#[test]
fn values_match_as_sigma_says() {
    check_matches("s: {a: 'Who?mi*'}\ncondition: s", &["whoami", "WHOxmi.exe"], &["whomi", "xwhoami"]);
    check_matches(
        r"s: {'a|endswith': '\who.exe'}
condition: s",
        &[r"C:\who.exe", r"C:\WHO.EXE"],
        &["who.exe"],
    );
    check_matches(
        r"s: {a: 'a\*b\\c'}
condition: s",
        &[r"a*b\c"],
        &[r"axb\c"],
    );
    check_matches("s: {'a|re': 'A[0-9]'}\ncondition: s", &["xA1"], &["xa1"]);
    check_matches("s: {'a|contains|cased': 'Ab.'}\ncondition: s", &["xAb.x"], &["xab.x", "xAbx"]);
    check_matches(
        "s: {'a|contains|windash': ' -enc '}\ncondition: s",
        &["x -enc y", "x /enc y"],
        &["x enc y"],
    );
    check_matches(
        "s: ['segfault at', 'b*c']\ncondition: s",
        &["a SegFault at 5", "xbxcx"],
        &["segfaults", "cb"],
    );
    check_matches("s: {'|all': [one, two]}\ncondition: s", &["two ones"], &["one"]);
}

#[test]
fn services_are_told_from_others() {
    let of = |source: &str| import(&rule(source, "s: [x]\ncondition: s")).map(|rule| rule.query);
    assert_eq!(
        of("product: linux, service: sshd").unwrap(),
        "(program:(sshd OR sshd-session) AND message:/x/i)"
    );
    assert_eq!(of("product: linux").unwrap(), "(* AND message:/x/i)");
    assert!(of("product: cisco, service: aaa").is_err());
}

#[test]
fn a_rule_keeps_what_names_its_origin() {
    let found = import(&rule("product: linux", "s: {a: b}\ncondition: s")).unwrap();
    assert_eq!((found.id.as_str(), found.title.as_str(), found.severity.name()), ("sigma-1-2", "T", "err"));
    assert_eq!(found.description, "Author: A\nSigma rule 1-2");
}

#[test]
fn what_cannot_be_expressed_is_refused() {
    for modifier in ["base64offset|contains", "fieldref", "expand", "wide", "utf16le", "minute", "unheard"] {
        let name = modifier.split('|').next().unwrap();
        check(
            &format!("s: {{'a|{modifier}': '%x%'}}\ncondition: s"),
            &format!("refused: the modifier {name} cannot be expressed"),
        );
    }
    check("s: {'a|re': '(?=x)y'}\ncondition: s", &{
        let refusal = import(&rule("product: windows", "s: {'a|re': '(?=x)y'}\ncondition: s")).unwrap_err();
        assert!(refusal.to_string().contains("look-around"), "{refusal}");
        format!("refused: {refusal}")
    });
    check("s: {a: ''}\ncondition: s", "refused: the value  cannot be expressed");
    check("s: {a: b}", "refused: it has no condition that can be read");
    check("s: {a: b}\ntimeframe: 5m\ncondition: s", "refused: the modifier timeframe cannot be expressed");
    let correlation = import("title: c\nid: 1\ncorrelation: {type: event_count}").unwrap_err();
    assert_eq!(correlation.to_string(), "correlations are not imported");
    assert!(import("title: [").is_err());
    assert!(import("title: x\nid: 1\n").is_err());
    let deep = format!("s: {{a: b}}\ncondition: {}s{}", "(".repeat(200), ")".repeat(200));
    check(&deep, "refused: the condition cannot be read at (");
}
