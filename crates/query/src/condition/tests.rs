//! Rows for the cost of conditions, and for the way they are combined.

use super::{Condition, ValueTest, explain::show};
use crate::language::tree::Text;
use lookup::{Bound, Column, Pattern, Phrase};
use regex::bytes::Regex;

fn regex() -> Regex {
    Regex::new("x").unwrap()
}

fn exact(text: &str) -> Pattern {
    Pattern::Exact(text.into())
}

fn word(text: &str) -> Condition {
    Condition::Word(exact(text))
}

fn case_exact(text: &str) -> Condition {
    Condition::Word(Pattern::CaseExact(text.into()))
}

fn prefix(text: &str) -> Condition {
    Condition::Word(Pattern::Prefix(text.into()))
}

fn wild(text: &str) -> Condition {
    Condition::Word(Pattern::Wildcard(text.into()))
}

fn fuzzy(text: &str) -> Pattern {
    Pattern::Fuzzy { text: text.into(), distance: 1 }
}

/// One condition of every cost, the cheapest first.
fn cheapest_first() -> Vec<Condition> {
    let host = |test| Condition::Value(Column::Host, test);
    let any = |test| Condition::Values(Text::plain("sd.x"), test);
    vec![
        Condition::Received(0, 1),
        Condition::Word(Pattern::Any),
        word("exact"),
        case_exact("Case"),
        prefix("pre"),
        host(ValueTest::Pattern(Pattern::Range { lower: Bound::Open, upper: Bound::Open })),
        wild("w*d"),
        host(ValueTest::Pattern(fuzzy("near"))),
        any(ValueTest::Pattern(exact("v"))),
        Condition::Phrase(Phrase { words: vec![exact("a"), fuzzy("b")], slop: 0 }),
        Condition::Event(0, 1),
        host(ValueTest::Regex(regex())),
        any(ValueTest::Regex(regex())),
        Condition::CasePhrase {
            words: Phrase { words: vec![exact("a")], slop: 0 },
            exact: vec![b"A".to_vec()],
        },
        Condition::Skew(0, 1),
        Condition::TextHas { bytes: b"t".to_vec(), tokens: Vec::new() },
        Condition::RawHas(b"r".to_vec()),
        Condition::TextRegex { regex: regex(), tokens: Vec::new() },
        Condition::RawRegex(regex()),
        Condition::not(Condition::RawRegex(regex())),
    ]
}

fn shown(members: &[Condition]) -> Vec<String> {
    members.iter().map(show).collect()
}

#[test]
fn the_cheapest_is_asked_first() {
    let want = shown(&cheapest_first());
    let mut reversed = cheapest_first();
    reversed.reverse();
    let (Condition::And(all), Condition::Or(any)) =
        (Condition::and(reversed.clone()), Condition::or(reversed))
    else {
        panic!("not a chain")
    };
    assert_eq!((shown(&all), shown(&any)), (want.clone(), want));
}

#[track_caller]
fn check(condition: &Condition, want: &str) {
    assert_eq!(show(condition), want);
}

#[test]
fn kinds_of_one_cost_keep_their_order() {
    let network = || Condition::Word(Pattern::Network { address: [0; 16], bits: 128 });
    let number = || Condition::Word(Pattern::Number(1.0));
    check(
        &Condition::and(vec![network(), number(), wild("w*"), prefix("p")]),
        "(word p* AND word ::/128 AND word the number 1 AND word ~w*)",
    );
    check(
        &Condition::and(vec![number(), network(), wild("w*")]),
        "(word the number 1 AND word ::/128 AND word ~w*)",
    );
}

#[test]
fn a_chain_costs_what_decides_it() {
    let both = || Condition::and(vec![word("a"), Condition::RawHas(b"r".to_vec())]);
    let either = || Condition::or(vec![word("a"), wild("w*")]);
    let (both_shown, either_shown) = ("(word a AND raw has r)", "(word a OR word ~w*)");
    // All of several: the others only decide about the documents that the first leaves.
    check(&Condition::or(vec![prefix("p"), both()]), &format!("({both_shown} OR word p*)"));
    check(&Condition::or(vec![case_exact("C"), both()]), &format!("(word exactly C OR {both_shown})"));
    // One of several: the most expensive one has to be evaluated, too.
    check(&Condition::and(vec![either(), wild("v*")]), &format!("(word ~v* AND {either_shown})"));
    check(
        &Condition::and(vec![Condition::Word(fuzzy("f")), either()]),
        &format!("(word fuzzy1 f AND {either_shown})"),
    );
    let not = || Condition::not(word("a"));
    check(&Condition::and(vec![case_exact("C"), not()]), "(word exactly C AND NOT word a)");
    check(&Condition::and(vec![prefix("p"), not()]), "(NOT word a AND word p*)");
}

#[test]
fn constants_and_nested_chains_are_folded() {
    let (a, b) = (|| word("a"), || word("b"));
    check(&Condition::and(Vec::new()), "all");
    check(&Condition::or(Vec::new()), "never");
    check(&Condition::and(vec![Condition::All, a()]), "word a");
    check(&Condition::and(vec![a(), Condition::Never, b()]), "never");
    check(&Condition::or(vec![Condition::Never, a()]), "word a");
    check(&Condition::or(vec![a(), Condition::All, b()]), "all");
    let inner = Condition::and(vec![a(), b()]);
    check(&Condition::and(vec![word("c"), inner]), "(word c AND word a AND word b)");
    let inner = Condition::or(vec![a(), b()]);
    check(&Condition::or(vec![word("c"), inner]), "(word c OR word a OR word b)");
    check(&Condition::not(Condition::All), "never");
    check(&Condition::not(Condition::Never), "all");
    check(&Condition::not(Condition::not(a())), "word a");
    check(&Condition::not(a()), "NOT word a");
}
