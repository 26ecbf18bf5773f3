//! Rows for syntax that syslog-ng accepts although its documentation does not mention it.

use super::{finds, finds_in, memory, read};
use crate::Memory;
use crate::tree::{Filter, FilterLeaf, Statement};

#[test]
fn reads_a_value_in_double_quotes_once_more() {
    let check = |text: &str, want: &str| {
        let (tree, _) = read(&memory(text));
        let shown = format!("{:?}", tree.statements);
        assert!(shown.contains(want), "{shown}");
    };
    check("@define a \"x\\\\ny\"\ntemplate t \"<`a`>\";", r#"text: "<x\ny>""#);
    check("@define a \"x\\\\ny\"\ntemplate t '<`a`>';", r#"text: "<x\\ny>""#);
    let block = "block rewrite b(a(\"d\")) {\n set(\"<`a`>\" value(\"v\"));\n};\n";
    check(&format!("{block}rewrite r {{ b(a(\"x\\\\ny\")); }};"), r#"text: "<x\\ny>""#);
    check(&format!("{block}rewrite r {{ b(a(x\\ny)); }};"), r#"text: "<x\ny>""#);
    check(&format!("{block}rewrite r {{ b(a()); }};"), r#"text: "<d>""#);
    check(&format!("{block}rewrite r {{ b(a('')); }};"), r#"text: "<>""#);
}

#[test]
fn accepts_the_syntax_of_real_configurations() {
    let fits = |text: &str| finds(text, &[]);
    fits(
        "block source b(a(\"\")) {\n file(\"/x\" `a`);\n};\nsource s { b(); b(a('')); b(a()); b(a(flags(no-parse))); };",
    );
    fits("block source b(...) { internal(); };\nsource s { b(flags(no-parse)); };");
    fits("block source b(...) { file(\"/x\" `__VARARGS__`); };\nsource s { b(tags(a) tags(b)); };");
    fits("filter f { level(\"err\"..\"emerg\") and host(x flags(icase)); };");
    fits("log { source { internal(); }; if (host(x);) { }; junction { }; flags(catch-all); };");
    fits("rewrite r { set(\"x\" value(\"y\") condition(host(x);)); };");
    fits("destination d { file(\"/x\" owner() group() perm() frac-digits(9)); };");
    fits("@requires json-plugin\n@requires \"tags_parser\" \"why\"\n");
    finds_in(&Memory::default().file("main.conf", "@version: \"4.8\"\n"), &[]);
    finds(
        "source s { tcp(port(1) tcp-keep-alive(yes)); file(\"/x\" perm(0600)); };",
        &[
            "main.conf:2:24: warning: `tcp-keep-alive()` is an old spelling",
            "main.conf:2:56: warning: `perm()` has no effect: what is read is created by who writes it",
        ],
    );
}

#[test]
fn reads_semicolons_in_filters() {
    let check = |text: &str, same: &str| {
        let shape = |text: &str| {
            let block = "block filter b() {\n host(a) or host(b);\n};\n";
            let (tree, report) = read(&memory(&format!("{block}filter f {{ {text} }};")));
            assert!(report.is_usable(), "{text}: {:?}", report.findings());
            let Some(Statement::Filter(named)) = tree.statements.last() else { return String::new() };
            shape_of(&named.filter)
        };
        assert_eq!(shape(text), shape(same), "{text}");
    };
    check("host(a); host(b);", "host(a) and host(b)");
    check("host(a); or host(b)", "host(a) or host(b)");
    check("host(a) or host(b); host(c)", "(host(a) or host(b)) and host(c)");
    check("host(a) or host(b); and host(c)", "(host(a) or host(b)) and host(c)");
    check("host(a); host(b) or host(c)", "host(a) and (host(b) or host(c))");
    check("(host(a); host(b);); or host(c);;", "(host(a) and host(b)) or host(c)");
    check("b() and host(c)", "(host(a) or host(b)) and host(c)");
    check("not b()", "not host(a) or host(b)");
}

/// A filter with its groups, abbreviated.
fn shape_of(filter: &Filter) -> String {
    let all = |filters: &[Filter], word: &str| filters.iter().map(shape_of).collect::<Vec<_>>().join(word);
    match filter {
        Filter::And(filters, _) => format!("({})", all(filters, " and ")),
        Filter::Or(filters, _) => format!("({})", all(filters, " or ")),
        Filter::Not(inner, _) => format!("not {}", shape_of(inner)),
        Filter::Leaf(FilterLeaf::Match(found), _) => found.pattern.text.clone(),
        Filter::Leaf(leaf, _) => format!("{leaf:?}"),
    }
}
