//! Rows for configurations as one text.

use std::path::Path;

use crate::tree::{Arg, Filter, FilterLeaf};
use crate::{Memory, parse_filter, preprocess};

fn expanded(files: &Memory) -> (String, bool) {
    let (_, report, text) = preprocess(Path::new("main.conf"), files);
    (text, report.is_usable())
}

/// A configuration after a version line, as one text; that text stays as it is when it is read again.
#[track_caller]
fn becomes(text: &str, want: &str) {
    let files =
        Memory::default().file("main.conf", format!("@version: 4.8\n{text}")).file("more.conf", "log {};");
    let (got, usable) = expanded(&files);
    assert_eq!(got, format!("@version: 4.8\n{want}"));
    assert!(usable);
    let again = Memory::default().file("main.conf", got.clone());
    assert_eq!(expanded(&again).0, got);
}

#[test]
fn takes_includes_and_blocks_in() {
    becomes("", "");
    becomes("@include \"more.conf\"\n", "log {\n};\n");
    becomes("include \"more.conf\"; log { flags(final); };", "log {\n};\nlog {\n    flags(final);\n};\n");
    becomes(
        "block source b(port(1) ...) { udp(port(`port`) `__VARARGS__`); };\nsource s { b(port(5514) ip(\"::\")); internal(); };",
        "source s {\n    udp(port(5514) ip(\"::\"));\n    internal();\n};\n",
    );
    becomes("block root r() { template t \"x\"; }; r(); r();", "template t \"x\";\ntemplate t \"x\";\n");
    becomes("application a[b] { filter { host(x); }; };", "");
}

#[test]
fn puts_applications_where_they_are_looked_for() {
    let nobody = "channel {\n                filter {\n                    tags(\".app.doesnotexist\");\n                };\n                flags(final);\n            };";
    becomes(
        "application a[t] { filter { host(x); }; parser { p(); }; }; application b[u] { };\nparser p { app-parser(topic(t)); };",
        &format!(
            "parser p {{\n    channel {{\n        junction {{\n            channel {{\n                filter {{\n                    host(x);\n                }};\n                parser {{\n                    p();\n                }};\n                rewrite {{\n                    set-tag(\".app.a\");\n                    set(\"a\" value(\".app.name\"));\n                }};\n                flags(final);\n            }};\n            {nobody}\n        }};\n    }};\n}};\n"
        ),
    );
    becomes(
        "application a[*] { filter { host(x); }; }; application a[t] { }; application c[t] {};\nparser p { app-parser(topic(t) auto-parse-exclude(c) allow-overlaps(yes)); };",
        "parser p {\n    channel {\n        if {\n            filter {\n                host(x);\n            };\n        };\n    };\n};\n",
    );
}

#[test]
fn keeps_what_is_written() {
    becomes(
        "options { perm(0640); log-msg-size(8Ki); stats(freq(0)); };",
        "options {\n    perm(0640);\n    log-msg-size(8Ki);\n    stats(freq(0));\n};\n",
    );
    becomes(
        "@define a 'x \"`` y'\ntemplate t \"`a`\";",
        "@define a \"x \\\"`` y\"\ntemplate t \"x \\\"`` y\";\n",
    );
    becomes("template t 'a\\n``\n';", "template t \"a\\\\n``\\n\";\n");
    becomes(
        "filter f { level(info..emerg) and not (host(\"a\") or \"1\" == \"2\"); };",
        "filter f {\n    level(info .. emerg) and not(host(\"a\") or \"1\" == \"2\");\n};\n",
    );
    becomes("filterx f { $a =~ /}/; };", "filterx f { $a =~ /}/; };\n");
    becomes(
        "destination d { file(`x`.log); };".replace("`x`", "out").as_str(),
        "destination d {\n    file(out.log);\n};\n",
    );
}

/// An expression as its tests with their columns, joined by its operators.
fn joined(filter: &Filter) -> String {
    let all = |filters: &[Filter], sign: &str| {
        format!("({})", filters.iter().map(joined).collect::<Vec<_>>().join(sign))
    };
    match filter {
        Filter::And(filters, _) => all(filters, " & "),
        Filter::Or(filters, _) => all(filters, " | "),
        Filter::Not(inner, _) => format!("!{}", joined(inner)),
        Filter::Leaf(leaf, span) => {
            let what = match leaf {
                FilterLeaf::Facility(set) => format!("facility {:x}", set.0),
                FilterLeaf::Severity(set) => format!("severity {:x}", set.0),
                FilterLeaf::Match(one) => format!("match {} {:?}", one.pattern.text, one.kind),
                FilterLeaf::InList { file, value } => format!("list {} {}", file.text, value.text),
                FilterLeaf::Compare(sides) => {
                    let text = |value: &Arg| value.text().unwrap_or("#").to_owned();
                    let (left, right) = (text(&sides.left.value), text(&sides.right.value));
                    format!("{left} {} {right}", sides.operator.text)
                }
                FilterLeaf::Later(call) => format!("later {}", call.name.text),
                FilterLeaf::Tags(tags) => format!("{} tags", tags.len()),
                _ => "other".to_owned(),
            };
            format!("{what}@{}..{}", span.start, span.end)
        }
    }
}

#[track_caller]
fn expression(text: &str, want: &str) {
    let shown = match parse_filter(text) {
        Ok(filter) => joined(&filter),
        Err(error) => error.to_string(),
    };
    assert_eq!(shown, want, "{text}");
}

#[test]
fn parses_standalone_expressions() {
    expression("host(a)", "match a Pcre@0..7");
    expression(
        "host(a) and not message(b) or tags(c, d)",
        "((match a Pcre@0..7 & !match b Pcre@16..26) | 2 tags@30..40)",
    );
    expression("HOST eq 'x' OR ${b c}==1", "(HOST eq x@0..11 | ${b c} == #@15..24)");
    expression("facility(kern..mail)", "facility 7@0..20");
    expression(
        "level(err) ; selector(\"mail.info\")",
        "(severity 8@0..10 & (facility 4@13..34 & severity 7f@13..34))",
    );
    expression("in-list(\"f\" value(n))", "list f n@0..21");
    expression("cidr(\"10.0.0.0/8\")", "later cidr@0..18");
    expression("host(a type(string))", "match a Text@0..20");
}

#[test]
fn points_into_standalone_expressions() {
    expression(
        "",
        "expected a filter such as `facility()`, or a template to compare, found the end of the expression (byte 0 of the expression)",
    );
    expression("host(a", "expected `)`, found the end of the expression (byte 6 of the expression)");
    expression("(host(a)", "expected `)`, found the end of the expression (byte 8 of the expression)");
    expression("host(a) host(b)", "expected `and`, `or` or the end, found `host` (byte 8 of the expression)");
    expression("host(a))", "expected `and`, `or` or the end, found `)` (byte 7 of the expression)");
    expression("hots(a)", "unknown filter `hots`; did you mean `host`? (byte 0 of the expression)");
    expression("level(wran)", "unknown severity `wran`; did you mean `warn`? (byte 6 of the expression)");
    expression("host('a)", "string is not terminated (byte 5 of the expression)");
    expression("'a' == nosuch('b')", "unknown type `nosuch` (byte 7 of the expression)");
    expression(
        "'a' = 'b'",
        "expected an operator (==, !=, ===, !==, <, <=, >, >=, eq, ne, lt, le, gt, ge), found `=` (byte 4 of the expression)",
    );
    let deep = "(".repeat(1000);
    expression(&deep, "this is nested more than 128 levels deep (byte 128 of the expression)");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 300, ..Default::default() })]

    #[test]
    fn places_in_an_expression_are_bytes_of_it(text in "[a-z()'\"$= .<>!{}@,;`#\\\\0-9é]{0,40}") {
        if let Err(error) = parse_filter(&text) {
            proptest::prop_assert!(error.offset <= text.len() && text.is_char_boundary(error.offset));
        }
    }

    #[test]
    fn one_text_stays_one_text(words in proptest::collection::vec(0usize..WORDS.len(), 0..40)) {
        let words: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
        let files = Memory::default().file("main.conf", format!("@version: 4.8\n{}", words.join(" ")));
        let (text, usable) = expanded(&files);
        if usable {
            let again = expanded(&Memory::default().file("main.conf", text.clone()));
            proptest::prop_assert_eq!(again, (text, true));
        }
    }
}

/// Complete pieces, so that many combinations are valid.
const WORDS: &[&str] = &[
    "source s1 { b(); };",
    "block source b(a(1)) { udp(port(`a`)); };",
    "block source c() { b(); b(a(2)); };",
    "source s2 { c(); };",
    "log { source(s1);",
    "if (host(\"x\")) { flags(final); } else { destination(d); };",
    "junction { channel { }; };",
    "};",
    "@define a \"b c\"\n",
    "template t1 \"`a`\\x41``\";",
    "template t2 'it\\';",
    "options { perm(0600); };",
    ";",
    "# comment\n",
    "rewrite r { set(int(\"5\") value(n) condition(not host(.a.b))); };",
    "filterx x { $a = \"}\"; };",
];
