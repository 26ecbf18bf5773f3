//! Values inserted into queries, hostile ones among them.

use super::*;
use crate::{ParseOptions, Query, language::tree::Node};

fn text(value: &str) -> ParameterValue {
    ParameterValue::Text(value.to_owned())
}

#[track_caller]
fn check(query: &str, value: ParameterValue, want: &str) {
    let got = bind(query, &|name| (name == "x").then(|| value.clone()));
    assert_eq!(got.unwrap_or_else(|error| error.to_string()), want);
}

#[test]
fn a_value_takes_the_place_of_its_parameter() {
    check("host:${x} AND failed | top host", text("gw1"), "host:\"gw1\" AND failed | top host");
    check("${x} OR (a ${x})", text("b c"), "\"b c\" OR (a \"b c\")");
    check("* | kv | where user:${x} | head 5", text("eva"), "* | kv | where user:\"eva\" | head 5");
    check("ä:${x} ü", text("ö"), "ä:\"ö\" ü");
    check("ms:>=${x} AND ms>=${x}", ParameterValue::Number("-5.5".into()), "ms:>=\\-5.5 AND ms>=\\-5.5");
    check("ms:[${x} TO *]", ParameterValue::Number("5".into()), "ms:[5 TO *]");
    check("host:==${x}", text("GW*"), "host:==\"GW\\*\"");
    check("host:${x}", ParameterValue::Any, "host:*");
    check("a$\\{b ${x}", text("c"), "a$\\{b \"c\"");
}

#[test]
fn faults_have_their_position() {
    let fault = |query: &str, want: &str| {
        let error =
            bind(query, &|name| (name == "x").then_some(ParameterValue::Any)).unwrap_err().to_string();
        assert!(error.contains(want), "{query}: {error}");
    };
    fault("a host:${y}", "there is no parameter y at 8");
    fault("a ms:>${x}", "the parameter x has no value at 7");
    fault("ms:[${x} TO 5]", "the parameter x has no value at 5");
    fault("host:${x}y", "text follows ${x} without a blank at 6");
    fault("host:${x}*", "without a blank");
    fault("host:${x}~1", "without a blank");
    fault("ms:>${x}5", "without a blank");
    fault("host:${X}", "no name of a parameter at 6");
    fault("host:${}", "no name of a parameter");
    fault("host:${x", "no name of a parameter");
    fault("host:${x} | top ${x}", "${ cannot stand here at 17");
    fault("\"${x}\"", "${ cannot stand here at 2");
    fault("/${x}/", "${ cannot stand here at 2");
    let error = Query::parse("a host:${x}", &ParseOptions::default()).unwrap_err();
    assert_eq!((error.position, error.length), (7, 4), "{error}");
}

#[test]
fn numbers_are_plain_numbers() {
    for good in ["0", "-5", "5.25", "00", "-0.5"] {
        assert!(ParameterValue::number(good).is_some(), "{good}");
    }
    for bad in ["", "-", "5.", ".5", "1e3", "inf", "NaN", "5 OR 6", "+5", "--5", "5-", "\u{665}"] {
        assert_eq!(ParameterValue::number(bad), None, "{bad}");
    }
}

/// Returns the tree without the texts of its values.
fn shape(node: &Node) -> String {
    let debug = format!("{:?}", node.kind);
    let mut shape = String::new();
    for part in debug.split("Phrase(Text { glyphs: [") {
        shape.push_str(part.split_once("] }").map_or(part, |(_, rest)| rest));
        shape.push('#');
    }
    // Places are those of the text, which is longer.
    let digits: Vec<&str> =
        shape.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    digits.join("")
}

#[test]
fn no_value_changes_the_rest_of_a_query() {
    let query = "host:${x} AND NOT program:${x} (${x} OR b) | where user:${x} | top host";
    let tree = |value: &str| {
        let bound = bind(query, &|_| Some(text(value))).unwrap();
        let parsed = parse(&bound, Operator::And).unwrap_or_else(|error| panic!("{bound}: {error}"));
        Query::parse(&bound, &ParseOptions::default()).unwrap_or_else(|error| panic!("{bound}: {error}"));
        assert_eq!(parsed.pipes.len(), 2, "{bound}");
        let where_shape = match &parsed.pipes[0].command {
            crate::language::tree::Command::Where(node) => shape(node),
            other => panic!("{other:?}"),
        };
        (shape(&parsed.tree), where_shape, parsed.tree)
    };
    let (plain, condition, _) = tree("a");
    let hostile = [
        "\"",
        "\\",
        "\\\"",
        "a\" OR *",
        "\" OR host:\"*",
        "*",
        "?",
        "a) OR (b",
        "x | head 1",
        "a\n| top host",
        "\u{0}",
        "${x}",
        "${y}",
        "\\u0022",
        "/.*/",
        "[* TO *]",
        "AND",
        "OR",
        "NOT",
        "-a",
        "\"~5",
        "a\"*",
        "\"^2",
        "\u{202e}a\"",
        "'; DROP",
        "\u{feff}\"",
        "=\"",
        "\\\\\"",
    ];
    for value in hostile {
        let (got, got_condition, tree) = tree(value);
        assert_eq!((&got, &got_condition), (&plain, &condition), "{value:?}");
        // The values are the text itself, without a wildcard.
        let glyphs: Vec<crate::Glyph> = value.chars().map(crate::Glyph::Plain).collect();
        assert!(
            format!("{tree:?}").contains(&format!("Phrase(Text {{ glyphs: {glyphs:?} }}, None)")),
            "{value:?}"
        );
    }
    // Each pair of special characters too.
    let special: Vec<char> = "+-&|!(){}[]^\"~*?:\\/<>= $\n\tua".chars().collect();
    for one in &special {
        for other in &special {
            assert_eq!(tree(&format!("{one}{other}")).0, plain, "{one:?}{other:?}");
        }
    }
}

#[test]
fn conditions_are_added_before_the_pipes() {
    let pair = |field: &str, value: &str| (field.to_owned(), value.to_owned());
    let check = |query: &str, values: &[(String, String)], want: &str| {
        let got = with_values(query, values).unwrap();
        assert_eq!(got, want);
        let parsed = Query::parse(&got, &ParseOptions::default()).unwrap();
        assert_eq!(parsed.written_pipes().len(), want.matches(" | ").count());
    };
    check("a OR b | top host", &[pair("host", "gw1")], "(a OR b) AND host:\"gw1\" | top host");
    check("", &[pair("host", "g\"w*")], "host:\"g\\\"w\\*\"");
    check("* | head 5", &[pair("a b:c", "1"), pair("d", "2")], "a\\ b\\:c:\"1\" AND d:\"2\" | head 5");
    check("failed", &[], "failed");
    assert!(with_values("(", &[pair("host", "a")]).is_err());
}
