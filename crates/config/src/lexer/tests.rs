//! Rows for tokens: characters in, tokens and errors out.

use std::path::Path;

use super::token::Kind;
use super::{Lexer, is_bare, place_inside, reads_as};
use crate::Memory;
use crate::text::{Origin, Span, Texts};

fn shown(kind: &Kind) -> String {
    match kind {
        Kind::Word(word) => word.clone(),
        Kind::Text(text) => format!("{text:?}"),
        Kind::Number(number) => format!("#{number}"),
        Kind::Float(number) => format!("~{number}"),
        Kind::Mark(mark) => mark.to_string(),
        Kind::Range => "<range>".to_owned(),
        Kind::Arrow => "<arrow>".to_owned(),
        Kind::Bad => "<bad>".to_owned(),
        Kind::End => "<end>".to_owned(),
    }
}

/// Reads everything; errors and warnings follow the tokens, each after a `!`.
fn tokens(mut lexer: Lexer<'_>) -> String {
    let mut out = Vec::new();
    loop {
        let token = lexer.next();
        if token.kind == Kind::End {
            break;
        }
        out.push(shown(&token.kind));
    }
    out.extend(lexer.report.findings().iter().map(|finding| format!("! {}", finding.message)));
    out.join(" ")
}

#[track_caller]
fn reads(text: &str, want: &str) {
    let files = Memory::default().file("main.conf", text).with_variable("HOME", "/root");
    let mut lexer = Lexer::new(&files);
    assert!(lexer.open(Path::new("main.conf")));
    assert_eq!(tokens(lexer), want, "{text}");
}

#[track_caller]
fn reads_alone(text: &str, want: &str) {
    let nothing = Memory::default();
    let mut lexer = Lexer::new(&nothing);
    lexer.open_expression(text);
    assert_eq!(tokens(lexer), want, "{text}");
}

#[test]
fn reads_numbers() {
    reads("0 -7 +7 007 08 0x1F 0xG 0X10", "#0 #-7 #7 #7 #8 #31 0xG #16");
    reads(
        "1k 1K 1kb 1Kib 1m 1Mi 1g 1GiB 1t 1b",
        "#1000 #1000 #1000 #1024 #1000000 #1048576 #1000000000 #1073741824 1t 1b",
    );
    reads("1.5 -1.5 1e3 1.2.3 1.2.3.4/8", "~1.5 ~-1.5 ~1000 1.2.3 1.2.3.4/8");
    reads("9223372036854775807", "#9223372036854775807");
    reads("9223372036854775808", "<bad> ! number is too large");
    reads("9223372036854775807K", "<bad> ! number is too large");
    reads("0xFFFFFFFFFFFFFFFFF", "<bad> ! number is too large");
}

#[test]
fn reads_words_and_marks() {
    reads("a-b_c /var/log/x.log a,b;c|d:e", "a-b_c /var/log/x.log a , b ; c | d : e");
    reads(".SDATA.a.b .. ... a..b a.", ".SDATA.a.b <range> ... a <range> b a .");
    reads("a=>b => == >=", "a=>b <arrow> == >=");
    reads("a # b\nc#d\n", "a c");
    reads("a\\b", "a <bad> b ! unexpected character `\\`");
    reads("é \u{a0}x", "é \u{a0}x");
    reads("", "");
}

#[test]
fn reads_strings() {
    reads(r#""a\n\t\r\a\v\x41\o101\q\"b""#, r#""a\n\t\r\u{7}\u{b}AAq\"b""#);
    reads(r#""\x4" "\xG1" "\o18""#, r#""x4" "xG1" "o18""#);
    reads(r"'a\n' '' 'a''b'", r#""a\\n" "" "a" "b""#);
    reads("\"a\nb\"", "\"a\\nb\"");
    reads("'a", "<bad> ! string is not terminated");
    reads("\"a\\", "<bad> ! string is not terminated");
}

#[test]
fn replaces_backticks() {
    reads("@define a b\n`a` x`a`y \"-`a`-\" '`a`'", "b xby \"-b-\" \"b\"");
    reads("`HOME`/x \"`HOME`\"", "/root/x \"/root\"");
    reads("@define a 'x \"y'\n\"`a`\"", "\"x \\\"y\"");
    reads("@define a 1.5\n`a`", "~1.5");
    reads("a``b \"``\"", "ab \"`\"");
    reads("`b`", "! `b` is not defined; it is replaced by nothing");
    reads("`b` `b`", "! `b` is not defined; it is replaced by nothing");
    reads("`b\nc", "b c ! backtick is not closed");
    reads("@define a \"`b`\"\n@define b c\n`a`", "! `b` is not defined; it is replaced by nothing");
}

#[test]
fn reads_pragmas() {
    reads("@version: 4.8\na", "a");
    reads("@version: x\n", "! `x` is not a version number");
    reads("@version: 2.1\n", "! configurations of version 2.1 are not supported");
    reads("@version: 7.0\na", "a");
    reads("@version: 9.9\n", "! version 9.9 is newer than this program knows");
    reads("@version:\n", "! `@version:` without a number");
    reads("@define a\n", "! `@define` needs a name and a value");
    reads("@define a b c\n`a`", "b ! `@define` takes one value");
    reads("@define 1 b\n", "! expected the name to define");
    reads("@include\n", "! `@include` needs a file, a folder or a pattern");
    reads("@include a b\n", "! `@include` takes one file, folder or pattern in quotes");
    reads("@include \"no.conf\"\na", "a ! included file `no.conf` does not exist");
    reads("@include \"no*.conf\"\na", "a");
    reads("@module\n", "! `@module` needs the name of a module");
    reads(
        "@requires json-plugin\n@requires no \"why\"\n",
        "! module `no` is required but not supported yet: why",
    );
    reads("@line x\n@\n@what\n", "! `@` without a pragma ! unknown pragma `what`");
}

#[test]
fn parses_standalone_expressions() {
    reads_alone("$PID==1 and${a b}<=\"x\"", "$PID == #1 and${a b} <= \"x\"");
    reads_alone("a:b x@y a|b [x] #c a.b .a", "a:b x@y a|b [x] #c a.b .a");
    reads_alone("fe80::/10 10.0.0.0/8 kern..mail", "fe80::/10 10.0.0.0/8 kern <range> mail");
    reads_alone("=== !== != ! = => < >=", "=== !== != ! = = > < >=");
    reads_alone("007 0x10 8K -3 6.50 1e3", "#7 0x10 8K #-3 ~6.5 ~1000");
    reads_alone("`HOME` '`x`'", "`HOME` \"`x`\"");
    reads_alone("@include \"/etc/passwd\"", "@include \"/etc/passwd\"");
    reads_alone("{a", "{a");
    reads_alone("'a", "<bad> ! string is not terminated");
    reads_alone("é(\"é\")", "é ( \"é\" )");
}

#[test]
fn knows_which_texts_are_one_word() {
    for text in ["a", "a-b", "a.b", "10.0.0.1", "$HOST", "/a/b"] {
        assert!(is_bare(text), "{text}");
    }
    for text in ["", "a b", ".a", "a.", "a..b", "a(", "a\"", "=>", "a:b", "`a`"] {
        assert!(!is_bare(text), "{text}");
    }
    assert!(reads_as("8Ki", &Kind::Number(8192)) && !reads_as("8Ki", &Kind::Number(8)));
    assert!(!reads_as("a b", &Kind::Word("a b".to_owned())));
}

#[test]
fn finds_the_place_inside_a_literal() {
    let check = |literal: &str, offset: usize, want: &str| {
        let mut texts = Texts::default();
        let text = texts.add("t", literal.to_owned(), Origin::Root).unwrap();
        let whole = Span { text, start: 0, end: literal.len() as u32 };
        assert_eq!(texts.slice(place_inside(&texts, whole, offset)), want, "{literal} {offset}");
    };
    check("\"abc\"", 0, "a");
    check("\"abc\"", 2, "c");
    check("\"a\\nc\"", 1, "\\n");
    check("\"a\\x41c\"", 1, "\\x41");
    check("\"a\\x41c\"", 2, "c");
    check("'a\\nc'", 2, "n");
    check("abc", 1, "b");
    check("\"aéc\"", 1, "é");
    check("\"aéc\"", 3, "c");
    check("\"a`x`c\"", 1, "\"a`x`c\"");
}
