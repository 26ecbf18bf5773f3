//! Rows for words that are looked up together.

use super::{all_words, any_words};
use crate::{
    condition::{Condition, compile::compile, explain::show},
    language::{parse::parse, tree::Operator},
};
use lookup::{Pattern, Together};

fn members(text: &str) -> Vec<Condition> {
    let tree = parse(text, Operator::And).unwrap().tree;
    match compile(&tree, 0, 0, &mut Vec::new()).unwrap() {
        Condition::And(members) | Condition::Or(members) => members,
        one => vec![one],
    }
}

fn words(words: &[&Pattern]) -> String {
    let words: Vec<String> =
        words.iter().map(|word| show(&Condition::Word((*word).clone())).replace("word ", "")).collect();
    words.join("|")
}

/// One of each group and none of those after the minus.
fn shown(together: Option<Together<'_>>) -> String {
    let Some(Together { any, none }) = together else { return "apart".to_owned() };
    let any: Vec<String> = any.iter().map(|group| words(group)).collect();
    format!("{} -{}", any.join(" "), words(&none))
}

#[track_caller]
fn check_all(text: &str, want: &str) {
    assert_eq!(shown(all_words(&members(text))), want, "{text}");
}

#[track_caller]
fn check_any(text: &str, want: &str) {
    assert_eq!(shown(any_words(&members(text))), want, "{text}");
}

#[test]
fn all_of_several() {
    check_all("red green", "red green -");
    check_all("red gre*", "red gre* -");
    check_all("red", "apart");
    check_all("red -green", "red -green");
    check_all("red -green -blue", "red -green|blue");
    check_all("-red -green", "apart");
    check_all("red (green OR blue)", "red green|blue -");
    check_all("red -(green OR blue)", "red -green|blue");
    // These scan the dictionary, so they wait for other parts to narrow the documents.
    check_all("red *een", "apart");
    check_all("red (green OR *ue)", "apart");
    check_all("red -(green OR *ue)", "apart");
    check_all("red green~1", "apart");
    check_all("red host:gw1", "apart");
    check_all("red green host:gw1", "red green -");
}

#[test]
fn one_of_several() {
    check_any("red OR green", "red|green -");
    check_any("red OR *een", "red|~*een -");
    check_any("red OR host:gw1", "apart");
    check_any("red OR green OR host:gw1", "red|green -");
    check_any("red", "apart");
}
