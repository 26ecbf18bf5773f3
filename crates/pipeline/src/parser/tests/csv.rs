//! Rows for `csv-parser()`.

use super::parsed;
use crate::parser::{Csv, CsvDialect, Input, TextParser};

fn columns(names: &str) -> Csv {
    Csv {
        columns: names.split(' ').filter(|name| !name.is_empty()).map(String::from).collect(),
        ..Csv::default()
    }
}

#[track_caller]
fn check(csv: Csv, text: &str, want: &str) {
    let parser = TextParser::new(csv, Input::message(), "");
    assert_eq!(parsed(&parser, text.as_bytes()), want, "{text:?}");
}

#[test]
fn columns_have_types() {
    use template::{OnError, TypeHint};
    let typed = |on_type_error: OnError| {
        let types = ["int", "string", "double"].map(|name| TypeHint::from_name(name).unwrap()).to_vec();
        Csv { delimiters: b",".to_vec(), types, on_type_error, ..columns("a b c d") }
    };
    check(typed(OnError::DropMessage), "1,2,3.5,4", "a:Integer=1|b=2|c:Double=3.5|d=4");
    check(typed(OnError::DropMessage), "x,2,3.5,4", "stopped");
    check(typed(OnError::DropProperty), "x,2,,4", "b=2|d=4");
    check(typed(OnError::FallbackToString), "x,2,,4", "a=x|b=2|c=|d=4");
}

#[test]
fn columns_are_between_delimiters() {
    check(columns("a b c"), "one two three", "a=one|b=two|c=three");
    check(columns("a b c"), "one  three", "a=one|b=|c=three");
    check(columns("a b"), "one two three", "a=one|b=two");
    check(columns("a b c"), "one", "a=one");
    check(columns("a"), "", "");
    check(columns(""), "x y", "1=x|2=y");
    // Without names, columns are numbered like groups of a match: the last one is 255.
    let many = (1..=300).map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
    let want: Vec<String> = (1..=255).map(|number| format!("{number}={number}")).collect();
    check(columns(""), &many, &want.join("|"));
    let prefixed = TextParser::new(columns(""), Input::message(), ".p.");
    assert_eq!(parsed(&prefixed, b"x y"), "1=x|2=y");
    let several = Csv { delimiters: b",;".to_vec(), ..columns("a b c") };
    check(several, "1;2,3", "a=1|b=2|c=3");
    let strings = Csv {
        delimiters: b",".to_vec(),
        string_delimiters: vec![" :".into(), "--".into()],
        ..columns("a b c d")
    };
    check(strings, "1,2 :3--4", "a=1|b=2|c=3|d=4");
}

#[test]
fn quotes_hold_delimiters() {
    check(columns("a b c"), "\"one two\" 'three four' five", "a=one two|b=three four|c=five");
    check(columns("a b"), "\"one\"two three", "a=onetwo|b=three");
    check(columns("a b"), "\"one two", "a=one two");
    check(columns("a b"), "one\"two three\"", "a=one\"two|b=three\"");
    let brackets = Csv { quotes: Csv::pairs("[]<>"), ..columns("a b") };
    check(brackets, "[x y] <z>", "a=x y|b=z");
    check(Csv { quotes: Vec::new(), ..columns("a b") }, "\"x y\"", "a=\"x|b=y\"");
}

#[test]
fn dialects_escape_quotes() {
    let with = |dialect: CsvDialect| Csv { dialect, delimiters: b",".to_vec(), ..columns("a b") };
    check(with(CsvDialect::EscapeBackslash), r#""x\"y\n",z"#, "a=x\"yn|b=z");
    check(with(CsvDialect::EscapeDoubleChar), r#""x""y""",z"#, "a=x\"y\"|b=z");
    check(with(CsvDialect::EscapeBackslashWithSequences), r#""x\"\t\x41\xZ\q",z"#, "a=x\"\tAxZq|b=z");
    check(with(CsvDialect::EscapeBackslashWithSequences), r#""\a\n\r\v\\\x4",z"#, "a=\u{7}\n\r\u{b}\\x4|b=z");
    check(with(CsvDialect::EscapeNone), r#""x\"y",z"#, "a=x\\y\"|b=z");
    check(with(CsvDialect::EscapeBackslash), r#""x\"#, "a=x\\");
}

#[test]
fn dialects_have_names() {
    for (name, want) in [
        ("escape-none", Some(CsvDialect::EscapeNone)),
        ("escape-backslash", Some(CsvDialect::EscapeBackslash)),
        ("escape-backslash-with-sequences", Some(CsvDialect::EscapeBackslashWithSequences)),
        ("escape-double-char", Some(CsvDialect::EscapeDoubleChar)),
        ("escape", None),
    ] {
        assert_eq!(CsvDialect::from_name(name), want, "{name}");
    }
}

#[test]
fn flags_change_what_is_kept() {
    let comma = |names: &str| Csv { delimiters: b",".to_vec(), ..columns(names) };
    check(Csv { strip_whitespace: true, ..comma("a b") }, " one ,\" two \"", "a=one|b=two");
    check(Csv { greedy: true, ..comma("a b") }, "one,two,\"three\"", "a=one|b=two,\"three\"");
    check(
        Csv { greedy: true, strip_whitespace: true, ..comma("a b") },
        "one,  two, three ",
        "a=one|b=two, three",
    );
    check(Csv { greedy: true, drop_invalid: true, ..comma("a b") }, "one,", "a=one|b=");
    check(Csv { drop_invalid: true, ..comma("a b") }, "one,two", "a=one|b=two");
    check(Csv { drop_invalid: true, ..comma("a b") }, "one,two,three", "stopped");
    check(Csv { drop_invalid: true, ..comma("a b") }, "one", "stopped");
    check(Csv { null: Some("-".into()), ..comma("a b c") }, "-,--,\"-\"", "a=|b=--|c=");
}
