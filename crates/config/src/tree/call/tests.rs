//! Rows for the values of options, as the parts of the program ask for them.

use super::*;
use crate::{Memory, parse, tree::Statement};
use std::path::Path;

/// Shows an option with these arguments as text, number, decimal, age, truth value and list.
#[track_caller]
fn check(arguments: &str, want: &str) {
    let files = Memory::default().file("c.conf", format!("@version: 4.8\noptions {{ x({arguments}); }};"));
    let (tree, report) = parse(Path::new("c.conf"), &files);
    assert!(report.is_usable(), "{arguments}: {}", report.render_plain(&tree.texts));
    let [Statement::Options(calls)] = tree.statements.as_slice() else { panic!("{arguments}") };
    let call = &calls[0];
    fn show<T: std::fmt::Display>(value: Option<T>) -> String {
        value.map_or("-".to_owned(), |value| value.to_string())
    }
    let got = [
        show(call.text()),
        show(call.number()),
        show(call.decimal()),
        show(call.age_s()),
        show(call.truth()),
        call.texts().join(","),
        call.plain().count().to_string(),
        call.options().map(Call::key).collect::<Vec<_>>().join(","),
    ];
    assert_eq!(got.join(" | "), want, "{arguments}");
}

#[test]
fn values_are_read_as_they_are_wanted() {
    check("", "- | - | - | - | - |  | 0 | ");
    check("word", "word | - | - | - | - | word | 1 | ");
    check("7", "- | 7 | 7 | 7 | true | 7 | 1 | ");
    check("0", "- | 0 | 0 | 0 | false | 0 | 1 | ");
    check("-3", "- | -3 | -3 | - | true | -3 | 1 | ");
    check("2.5", "- | 2 | 2.5 | - | - | 2.5 | 1 | ");
    check("\" 42 \"", " 42  | 42 | 42 | - | - |  42  | 1 | ");
    check("\"2.5\"", "2.5 | - | 2.5 | - | - | 2.5 | 1 | ");
    check("\"90d\"", "90d | - | - | 7776000 | - | 90d | 1 | ");
    check("2h", "2h | - | - | 7200 | - | 2h | 1 | ");
    check("yes", "yes | - | - | - | true | yes | 1 | ");
    check("\"off\"", "off | - | - | - | false | off | 1 | ");
    check("a b 5", "a | - | - | - | - | a,b,5 | 3 | ");
    check("Level_A(1) b", "- | - | - | - | - | b | 1 | Level-A");
}

#[test]
fn options_are_found_by_their_names() {
    let files = Memory::default().file("c.conf", "@version: 4.8\noptions { x(in_ner(1) other(2)); };");
    let (tree, _) = parse(Path::new("c.conf"), &files);
    let [Statement::Options(calls)] = tree.statements.as_slice() else { panic!("one statement") };
    assert_eq!(calls[0].option("in-ner").and_then(Call::number), Some(1));
    assert_eq!(calls[0].option("other").and_then(Call::number), Some(2));
    assert!(calls[0].option("none").is_none());
}
