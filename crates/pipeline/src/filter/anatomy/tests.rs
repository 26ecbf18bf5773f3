//! Rows for verdicts: which parts were evaluated, and with which results.

use super::*;
use crate::{
    Definitions,
    filter::{Expr, parse},
};
use message::{Ack, Message, Origin, Stamp};
use template::RenderOptions;

fn test(text: &str) -> Anatomy {
    let expr: Expr = parse(text, &Definitions::default()).unwrap();
    Anatomy::Test { text: text.to_owned(), filter: Arc::new(Filter::new(expr)) }
}

/// Prints a verdict: `+` matches, `-` does not, `?` was not evaluated.
fn shown(verdict: &Verdict) -> String {
    let answer = match verdict.holds {
        Some(true) => '+',
        Some(false) => '-',
        None => '?',
    };
    let parts: Vec<String> = verdict.parts.iter().map(shown).collect();
    let parts = if parts.is_empty() { String::new() } else { format!("({})", parts.join(" ")) };
    format!("{answer}{}{parts}", verdict.text)
}

#[track_caller]
fn check(anatomy: Anatomy, want: &str) {
    let mut batch =
        Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    for text in ["other", "text"] {
        let mut message = Message::default();
        message.text = batch.add_extra(text.as_bytes());
        batch.messages.push(message);
    }
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    assert_eq!(shown(&anatomy.judge(&mut batch, 1, &mut renderer)), want);
}

#[test]
fn parts_are_asked_until_one_decides() {
    let (yes, no) = (|| test("message(text)"), || test("message(other)"));
    check(yes(), "+message(text)");
    check(Anatomy::All(vec![yes(), yes()]), "+and(+message(text) +message(text))");
    check(Anatomy::All(vec![no(), yes()]), "-and(-message(other) ?message(text))");
    check(Anatomy::Any(vec![no(), yes(), no()]), "+or(-message(other) +message(text) ?message(other))");
    check(Anatomy::Any(vec![no(), no()]), "-or(-message(other) -message(other))");
    check(Anatomy::All(Vec::new()), "+and");
    check(Anatomy::Any(Vec::new()), "-or");
    check(Anatomy::Not(Box::new(no())), "+not(-message(other))");
    let named = Anatomy::Named { name: "f".into(), inside: Arc::new(yes()) };
    check(Anatomy::Not(Box::new(named.clone())), "-not(+filter(f)(+message(text)))");
    let rest = Anatomy::Any(vec![Anatomy::Not(Box::new(named.clone())), named]);
    check(Anatomy::All(vec![no(), rest]), "-and(-message(other) ?or(?not(?filter(f)) ?filter(f)))");
}

#[test]
fn a_later_test_reads_what_an_earlier_one_stored() {
    let stores = test("match('t(e)xt' value(MESSAGE) flags(store-matches))");
    check(
        Anatomy::All(vec![stores, test("'$1' eq 'e'")]),
        "+and(+match('t(e)xt' value(MESSAGE) flags(store-matches)) +'$1' eq 'e')",
    );
}
