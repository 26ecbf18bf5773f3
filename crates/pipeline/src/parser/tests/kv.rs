//! Rows for `kv-parser()`.

use super::parsed;
use crate::parser::{Input, Kv, TextParser};

#[track_caller]
fn check(value_separator: u8, pair_separator: &str, text: &str, want: &str) {
    let parser = TextParser::new(Kv::new(value_separator, pair_separator, None), Input::message(), "");
    assert_eq!(parsed(&parser, text.as_bytes()), want, "{text:?}");
}

#[test]
fn pairs_are_separated_by_the_keys_that_follow() {
    let rows = [
        ("", ""),
        ("plain words only", ""),
        ("user=anna", "user=anna"),
        ("user=", "user="),
        ("login user=anna at=home", "user=anna|at=home"),
        ("user=anna of pest host=h1 and more ", "user=anna of pest|host=h1 and more"),
        ("a= b=2 c=", "a=|b=2|c="),
        ("a=1, b=2 ,  c=3", "a=1|b=2|c=3"),
        ("a=1,b=2", "a=1,b=2"),
        ("a = 1   b   =  2", "a=1|b=2"),
        ("x.y-z_0=1 /path/k=v", "x.y-z_0=1 /path/k=v"),
        ("*k=v", "k=v"),
        ("=v", ""),
        ("k==w=v", "k==w=v"),
        ("k= =v", "k==v"),
        ("k=v\tl=w m=x", "k=v\tl=w|m=x"),
        ("k=v, ", "k=v"),
        ("k=v,", "k=v,"),
    ];
    rows.iter().for_each(|(text, want)| check(b'=', ", ", text, want));
}

#[test]
fn quoted_values_are_one_piece() {
    let rows = [
        (r#"m="two words" n='x=y, z=1' o=2"#, "m=two words|n=x=y, z=1|o=2"),
        (r#"m="a\"b\\c\td\q" n=1"#, "m=a\"b\\c\td\\q|n=1"),
        (r#"m='it\'s'"#, "m=it's"),
        (r#"m="\b\f\n\r\t\x\'""#, "m=\u{8}\u{c}\n\r\t\\x\\'"),
        (r#"m="one" stray n=2"#, "m=one|n=2"),
        (r#"m="open n=2"#, "m=\"open |n=2"),
        (r#"m="two",n=2 o="x=y"#, "m=\"two\",n=2 |n=2|o=\"x=y|x=y"),
        (r#"m="open\"#, "m=\"open\\"),
        (r#"m=say "hi" n=2"#, "m=say \"hi\"|n=2"),
        (r#"m="""#, "m="),
    ];
    rows.iter().for_each(|(text, want)| check(b'=', ", ", text, want));
}

#[test]
fn separators_are_chosen() {
    check(b'=', ";", "a=1; b=2 two ;c=3;", "a=1|b=2 two|c=3");
    check(b'=', " ", "a=1 lost b=2", "a=1|b=2");
    check(b'=', "   ", "a=1 one   b=2  ", "a=1 one|b=2");
    check(b':', ", ", "a: \"1\" b : 2 c :3", "a=1|b=2|c=3");
    check(b'-', ", ", "a--b", "a=-b");
    check(b'=', "and", "a=1andb=2", "a=1|b=2");
}

#[test]
fn stray_words_are_collected() {
    let check = |pair_separator: &str, text: &str, want: &str| {
        let kv = Kv::new(b'=', pair_separator, Some("rest".into()));
        let parser = TextParser::new(kv, Input::message(), ".kv.");
        assert_eq!(parsed(&parser, text.as_bytes()), want, "{text:?}");
    };
    check(", ", "a=1", ".kv.a=1|rest=");
    check(", ", "see a=1, also b=2, end", ".kv.a=1|.kv.b=2|rest=see,also,end");
    check(";", "a=1; some text; b=2;", ".kv.a=1|.kv.b=2|rest=\"some text;\"");
    check(";", "who : a=1 ;b=2;", ".kv.a=1|.kv.b=2|rest=\"who :\"");
}

#[test]
fn hostile_texts_take_one_walk() {
    let parser = TextParser::new(Kv::new(b'=', ", ", None), Input::message(), "");
    let many = "k=v ".repeat(5000);
    assert!(parsed(&parser, many.as_bytes()).ends_with("(cut)"));
    for text in
        ["a=".to_owned() + &" ".repeat(1 << 20), "a=".to_owned() + &"b ".repeat(1 << 19), "=".repeat(1 << 20)]
    {
        parsed(&parser, text.as_bytes());
    }
    assert_eq!(parsed(&parser, b"k=\xff\xfe j=\xc3"), "k=\u{fffd}\u{fffd}|j=\u{fffd}");
}
