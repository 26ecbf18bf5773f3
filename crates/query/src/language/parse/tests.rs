//! Rows of queries: how they are read, and how they are refused.

use super::parse;
use crate::language::tree::{Node, NodeKind, Operator};
use proptest::prelude::*;

/// The tree with every group and operator spelled out.
fn show(node: &Node) -> String {
    match &node.kind {
        NodeKind::Empty => "EMPTY".to_owned(),
        NodeKind::All => "ALL".to_owned(),
        NodeKind::Clause(_) => node.to_string(),
        NodeKind::Group { field, inner, .. } => {
            let field = field.as_ref().map(|field| field.shown() + ":").unwrap_or_default();
            format!("{field}({})", show(inner))
        }
        NodeKind::Not { inner, .. } => format!("NOT {}", show(inner)),
        NodeKind::Must(inner) => format!("MUST {}", show(inner)),
        NodeKind::Chain { operator, members } => {
            let sign = if *operator == Operator::And { " & " } else { " | " };
            let members: Vec<String> = members.iter().map(|(_, member)| show(member)).collect();
            format!("<{}>", members.join(sign))
        }
    }
}

#[track_caller]
fn check(text: &str, want: &str) {
    let parsed = parse(text, Operator::And).unwrap();
    assert_eq!(show(&parsed.tree), want, "{text}");
}

#[track_caller]
fn check_error(text: &str, want: &str) {
    let error = parse(text, Operator::And).unwrap_err();
    assert_eq!(format!("{}+{} {}", error.position, error.length, error.message), want, "{text}");
    assert!(error.suggestion.is_some(), "{text} has no suggestion");
}

#[test]
fn operators_bind_not_then_and_then_or() {
    check("", "EMPTY");
    check(" * ", "ALL");
    check("a b", "<a & b>");
    check("a AND b OR c AND NOT d", "<<a & b> | <c & NOT d>>");
    check("a b || !c && -d", "<<a & b> | <NOT c & NOT d>>");
    check("+a -b c", "<MUST a & NOT b & c>");
    check("(a OR b) c", "<(<a | b>) & c>");
    check("NOT NOT a", "NOT NOT a");
    check("a ! b", "<a & NOT b>");
    check("and or not", "<and & or & not>");
    check("ANDROID ORDER NOTE", "<ANDROID & ORDER & NOTE>");
}

#[test]
fn a_boost_may_be_on_either_side_of_a_fuzzy_sign() {
    // Lucene's grammar: Term [ <FUZZY> ] [ <CARAT> boost [ <FUZZY> ] ].
    let fuzzy = parse("term~^3", Operator::And).unwrap();
    for text in ["term^3~", "term^3~2", "host:term^3~1", "term^2.5~1"] {
        let parsed = parse(text, Operator::And).unwrap();
        assert_eq!(parsed.hints.len(), 1, "{text}");
        let again = parse(&parsed.tree.to_string(), Operator::And).unwrap();
        assert_eq!(again.tree, parsed.tree, "{text}");
    }
    assert_eq!(parse("term^3~", Operator::And).unwrap().tree, fuzzy.tree);
    check("a^3 b", "<a^3 & b>");
    check_error("term^3~^4", "7+1 ^ needs a word or a group before it");
    check_error("te*m^3~", "6+1 a word with wildcards cannot be fuzzy too");
}

#[test]
fn an_equals_sign_gets_a_hint_that_names_the_field() {
    let hints = |text: &str| -> Vec<String> {
        parse(text, Operator::And).unwrap().hints.into_iter().map(|hint| hint.message).collect()
    };
    let want = "host=h is looked for in the text; for the field write host:h";
    assert_eq!(hints("host=h"), [want]);
    assert_eq!(hints("a sd.x.y=1").len(), 1);
    for text in ["user=root", "host=", "=h", "host:=h", "\"host=h\""] {
        assert_eq!(hints(text), [""; 0], "{text}");
    }
}

#[test]
fn default_or_joins_side_by_side() {
    let parsed = parse("a b AND c d", Operator::Or).unwrap();
    assert_eq!(show(&parsed.tree), "<a | <b & c> | d>");
}

#[test]
fn clauses() {
    check("host:gw1", "host:gw1");
    check("host : gw1", "host:gw1");
    check("f:(a OR \"b c\")", "f:(<a | \"b c\">)");
    check("first\\ name:x", "first\\ name:x");
    check("sd.\\*:x", "sd.\\*:x");
    check("app* us?r *pple f*l", "<app* & us?r & *pple & f*l>");
    check("roam~ roam~1 roam~0.8", "<roam~ & roam~1 & roam~0.8>");
    check("\"port  scan\"~10", "\"port  scan\"~10");
    check("\"user * failed\"", "\"user * failed\"");
    check("\"first sec\"*", "\"first sec*\"");
    check("level>=warning b<=a", "<level:>=warning & b:<=a>");
    check("/fail(ed|ure)?/ host:/gw[0-9]+/i", "</fail(ed|ure)?/ & host:/gw[0-9]+/i>");
    check("/a\\/b/", "/a\\/b/");
    check("bytes:[100 TO 200} x:{* TO 5]", "<bytes:[100 TO 200} & x:{* TO 5]>");
    check("bytes:>=10 bytes:<5 b>7 c<=\"x\"", "<bytes:>=10 & bytes:<5 & b:>7 & c:<=\"x\">");
    check("_exists_:f f:*", "<_exists_:f & f:*>");
    check("ip:10.0.0.0/8 ip:2001:db8::/32", "<ip:10.0.0.0\\/8 & ip:2001\\:db8\\:\\:\\/32>");
    check("message:=\"key: v\" f:==MrSmith", "<message:=\"key: v\" & f:==MrSmith>");
    check("@event:2026-01-01T10:00:00Z", "@event:2026\\-01\\-01T10\\:00\\:00Z");
    check("@skew:>5m", "@skew:>5m");
    check("n:-5", "n:\\-5");
    check("a^2 \"b c\"^1.5 (d)^3", "<a^2 & \"b c\"^1.5 & (d)>");
    check("\\(a\\) \\u0041", "<\\(a\\) & A>");
    check("a-b a+b a/b a=b a,b it's", "<a\\-b & a\\+b & a\\/b & a\\=b & a,b & it's>");
    check("a->b", "a\\-\\>b");
    // A sign is a comparison if a comparable value follows.
    check("n>-5 n>now n<\"x\" n>=word", "<n:>\\-5 & n:>now & n:<\"x\" & n:>=word>");
    check("a>b a>-b a>nox a<noon", "<a\\>b & a\\>\\-b & a\\>nox & a\\<noon>");
}

#[test]
fn printing_keeps_how_it_was_written() {
    for text in [
        "*",
        "a AND b",
        "a OR b",
        "a && b",
        "a || b",
        "a b",
        "NOT a",
        "!a",
        "-a",
        "+a",
        "f:(a OR b)^2",
        "(a)",
        "f:[1 TO *}",
        "f:{* TO \"x y\"]",
        "/a/i",
        "\"p q\"~2^3",
        "f:==v",
        "message:=\"v w\"",
        "_exists_:f",
        "z~0.5",
    ] {
        assert_eq!(parse(text, Operator::And).unwrap().tree.to_string(), text);
    }
}

#[test]
fn errors_are_shown_with_their_place() {
    let error = parse("a b)", Operator::And).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("this ) closes nothing at 4: {}", error.suggestion.as_deref().unwrap())
    );
    let bare = crate::QueryError { suggestion: None, ..error };
    assert_eq!(bare.to_string(), "this ) closes nothing at 4");
}

#[test]
fn pipes_are_equal_when_they_say_the_same() {
    let pipes = |text: &str| parse(text, Operator::And).unwrap().pipes;
    assert_eq!(pipes("a | head 5 | fields x"), pipes("longer |head 5|  fields \"x\""));
    assert_ne!(pipes("a | head 5"), pipes("a | head 6"));
    assert_ne!(pipes("a | fields x"), pipes("a | fields y"));
    assert_ne!(pipes("a | fields x"), pipes("a | fields - x"));
}

#[test]
fn refuses_with_a_place() {
    check_error("say \"hello", "4+1 missing closing quote");
    check_error("(a b", "0+1 missing closing parenthesis");
    check_error("a b)", "3+1 this ) closes nothing");
    check_error("a AND", "2+3 AND has nothing after it");
    check_error("OR a", "0+2 OR has nothing before it");
    check_error("a AND OR b", "2+3 AND has nothing after it");
    check_error("a NOT", "2+3 NOT has nothing after it");
    check_error("()", "0+2 nothing between the parentheses");
    check_error("f:", "0+2 no value after f:");
    check_error("f:NOT", "0+2 no value after f:");
    check_error("a:b:c", "3+1 a second : in one clause");
    check_error("//", "0+2 an empty regular expression");
    check_error("^", "0+1 ^ needs a word or a group before it");
    check_error("a (| head)", "3+1 a ) is missing before |");
    check_error("a ]", "2+1 this ] closes nothing");
    check_error("a ~", "2+1 ~ needs a word or a phrase before it");
    check_error("f:(a", "2+1 missing closing parenthesis");
    check_error("/abc", "0+1 missing / that ends the regular expression");
    check_error("/var/log/x", "0+6 text follows the end of the regular expression");
    check_error("x:[1 2]", "2+3 a range needs TO between its ends");
    check_error("x:[1 TO 2", "2+1 missing ] or } that ends the range");
    check_error("x:[1 TO ]", "2+6 an end of the range is missing");
    check_error("x:>", "2+1 > has nothing after it");
    check_error("a~3", "1+2 the distance of a fuzzy word is 0, 1 or 2 edits");
    check_error("a*~", "2+1 a word with wildcards cannot be fuzzy too");
    check_error("\"a b\"~", "5+1 ~ after a phrase needs a whole number");
    check_error("\"a b\"~1.5", "5+4 ~ after a phrase needs a whole number");
    check_error("a^", "1+1 ^ needs a number after it");
    check_error("a\\", "1+1 a backslash at the end escapes nothing");
    check_error("XY\\u00", "2+2 \\u needs the four hexadecimal digits of a character");
    check_error("(failed | stats count())", "8+1 a ) is missing before |");
    check_error("failed ^ | head", "7+1 ^ needs a word or a group before it");
    check_error("é \"ü", "2+1 missing closing quote");
}

#[test]
fn bounds_depth_and_size() {
    check_error(&"(".repeat(101), "100+1 the query is nested deeper than 100 levels");
    check_error(&"a ".repeat(4_097), "8192+0 the query has more than 4096 parts");
    check_error(&"a".repeat(65_537), "65536+0 the query is longer than 65536 characters");
}

#[test]
fn hints_explain_surprising_queries() {
    let hints = |text: &str| -> Vec<usize> {
        parse(text, Operator::And).unwrap().hints.iter().map(|hint| hint.position).collect()
    };
    assert_eq!(hints("a and b"), [2]);
    assert_eq!(hints("a^2 - b"), [1, 4]);
    assert!(hints("a -b").is_empty());
    assert!(hints("a NOT b").is_empty());
    assert!(hints("a + b").is_empty());
    assert!(hints("a AND b").is_empty());
}

/// Texts made from pieces of the syntax.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b c",
        "AND",
        "OR",
        "NOT",
        "&&",
        "||",
        "-",
        "+",
        "!",
        "(",
        ")",
        "f:",
        "f:(",
        "\"p q\"",
        "\"p * q\"~2",
        "x*",
        "?y",
        "z~1",
        "z^2",
        "[1 TO 5]",
        "{a TO *}",
        ">=5",
        "/r+/i",
        "\\*",
        "\\ ",
        "ü",
        "=v",
        "==v",
        "~",
        ":",
        "_exists_:g",
        "h>3",
        "AND:",
        "\\AND",
        " ",
        " ",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.join(" ").replace(": ", ":"))
}

proptest! {
    #[test]
    fn printing_loses_nothing(text in pieces(), or in any::<bool>()) {
        let operator = if or { Operator::Or } else { Operator::And };
        if let Ok(parsed) = parse(&text, operator) {
            let printed = parsed.tree.to_string();
            let again = parse(&printed, operator);
            prop_assert_eq!(Ok(&parsed.tree), again.as_ref().map(|again| &again.tree), "{} -> {}", text, printed);
        }
    }

    #[test]
    fn any_text_is_read_or_refused_with_its_place(text in "\\PC{0,60}") {
        if let Err(error) = parse(&text, Operator::And) {
            prop_assert!(error.position + error.length <= text.chars().count());
        }
    }

    #[test]
    fn escaped_text_means_itself(text in "[a-z+&|!(){}^\"~*?:/<>=-]{1,20}") {
        let escaped = crate::escape(&text);
        let tree = parse(&escaped, Operator::And).unwrap().tree;
        prop_assert_eq!(tree.to_string(), escaped);
    }
}
