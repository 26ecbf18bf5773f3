//! Rows for `xml()` and `windows-eventlog-xml-parser()`.

use super::parsed;
use crate::parser::{Input, TextParser, Xml};
use std::sync::Arc;
use template::pattern::{Pattern, PatternFlags, PatternKind};

fn lists() -> Xml {
    Xml { lists: true, drop_invalid: true, ..Xml::default() }
}

#[track_caller]
fn check(xml: Xml, text: &str, want: &str) {
    let parser = TextParser::new(xml, Input::message(), "");
    assert_eq!(parsed(&parser, text.as_bytes()), want, "{text}");
}

#[test]
fn elements_and_attributes_are_values() {
    let rows = [
        ("<a>x</a>", "a=x"),
        ("<a><b>x</b><c/></a>", "a.b=x"),
        ("<a one='1' two = \"&lt;2&gt;\">x</a>", "a._one=1|a._two=<2>|a=x"),
        ("<a>x<b>y</b>z</a>", "a.b=y|a=xz"),
        ("<a><b>1</b><b>2, 3</b><b>4</b></a>", "a.b:List=1,\"2, 3\",4"),
        ("<?xml version=\"1.0\"?><!-- <no> --><a>x</a> ", "a=x"),
        ("<!DOCTYPE a [<!ENTITY e \"x\"> <!ELEMENT a (b)>]><a>y</a>", "a=y"),
        ("<a>&amp;&#65;&#x42;&apos;</a>", "a=&AB'"),
        ("<a>&quot;&gt;&lt;</a>", "a=\"><"),
        ("<a><![CDATA[<b>&no</b>]]></a>", "a=<b>&no</b>"),
        ("<n:a b:c='>'>x</n:a>", "n:a._b:c=>|n:a=x"),
        ("<a>\n <b>x</b>\n</a>", "a.b=x|a=\n \n"),
        ("<é>x</é>", "é=x"),
    ];
    rows.iter().for_each(|(text, want)| check(lists(), text, want));
}

#[test]
fn invalid_xml_is_stopped() {
    for text in [
        "",
        "x",
        "<a>",
        "<a></b>",
        "</a>",
        "<a",
        "<a b>x</a>",
        "<a b=c>x</a>",
        "<a b='c>x</a>",
        "x<a>y</a>",
        "<a>&e;</a>",
        "<a>&lt</a>",
        "<a>x</a>y",
        "<1>x</1>",
        "<a><![CDATA[x</a>",
        "<!-- x",
        "<a>&#xD800;</a>",
        "<a/><!",
        "<",
    ] {
        check(lists(), text, "stopped");
    }
    let lenient = Xml { drop_invalid: false, ..lists() };
    check(lenient.clone(), "no xml", "");
    check(lenient, "<a><b>x</b>", "a.b=x");
}

#[test]
fn options_choose_what_is_kept() {
    check(Xml { strip_whitespace: true, ..lists() }, "<a> x <b/> y\n</a>", "a=xy");
    check(Xml { lists: false, ..lists() }, "<a><b>1</b><b>2</b></a>", "a.b=12");
    let glob =
        |text: &str| Arc::new(Pattern::compile(text, PatternKind::Glob, PatternFlags::default()).unwrap());
    let without = Xml { excluded: vec![glob("b*"), glob("d")], ..lists() };
    check(without, "<a><b><x>1</x></b><bcd/><c>2</c><d y='1'>3</d></a>", "a.c=2");
    let event = Xml { named_data: true, ..lists() };
    check(
        event,
        "<Event><EventData><Data Name='User'>anna</Data><Data>x</Data></EventData></Event>",
        "Event.EventData.Data.User=anna|Event.EventData.Data=x",
    );
}

#[test]
fn elements_are_as_deep_as_they_may_be() {
    let glob = Pattern::compile("out", PatternKind::Glob, PatternFlags::default()).unwrap();
    let skipping = Xml { excluded: vec![Arc::new(glob)], ..lists() };
    let nested = |tag: &str, depth: usize| {
        let (open, close) = ("<x>".repeat(depth - 1), "</x>".repeat(depth - 1));
        format!("<{tag}>{open}{close}</{tag}>")
    };
    for (depth, want) in [(1, "a.b=1"), (256, "a.b=1"), (257, "stopped")] {
        check(skipping.clone(), &format!("<a>{}<b>1</b></a>", nested("out", depth)), want);
    }
    for (depth, want) in [(256, ""), (257, "stopped")] {
        check(lists(), &nested("a", depth), want);
    }
}

#[test]
fn hostile_texts_are_bounded() {
    check(lists(), &"<a>".repeat(100_000), "stopped");
    check(
        lists(),
        &("<a>".repeat(200) + "x" + &"</a>".repeat(200)),
        &format!("{} (cut)", "a.".repeat(64) + "=x"),
    );
    check(lists(), "<!DOCTYPE a [<!ENTITY x \"&y;&y;\">]><a>&x;</a>", "stopped");
    let parser = TextParser::new(lists(), Input::message(), "");
    let many: String = (0..5000).map(|n| format!("<t{n}>x</t{n}>")).collect();
    assert!(parsed(&parser, format!("<a>{many}</a>").as_bytes()).ends_with("a.t4095=x (cut)"));
    assert_eq!(parsed(&parser, b"<a>\xff</a>"), "a=\u{fffd}");
}
