//! Rows for patterns, names, types and errors; every pattern of the library compiles.

use super::*;
use crate::parser::{Input, Parser, TextParser};
use message::{Ack, Batch, Message, Origin, Selection, Stamp};
use std::sync::Arc;
use template::{RenderOptions, Renderer};

fn library() -> GrokLibrary {
    let mut library = GrokLibrary::of(GrokSet::Legacy);
    library.add_file("# ours\n\nDOOR  door-\\h+\nTWICE %{WORD:w} and %{WORD:w}\nLOOP %{LOOP}\n").unwrap();
    library
}

/// The values of a text, with the first letter of their type; `-` when it does not match.
#[track_caller]
fn check(pattern: &str, text: &str, want: &str) {
    let grok = Grok::compile(pattern, &library(), vec!["hit".into()]).unwrap();
    let parser = TextParser::new(GrokReader::new(vec![grok], Unmatched::Stops), Input::message(), "");
    let mut batch =
        Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    let mut message = Message::default();
    message.text = batch.add_extra(text.as_bytes());
    batch.messages.push(message);
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    let read = parser.parse(&mut batch, &Selection::all(1), &mut renderer);
    let mut shown: Vec<String> = batch
        .values(0)
        .iter()
        .map(|(name, value, kind)| {
            let letter = &format!("{kind:?}")[..1];
            format!("{}={}:{letter}", String::from_utf8_lossy(name), String::from_utf8_lossy(value))
        })
        .collect();
    shown.reverse();
    let shown = if read.is_empty() { "-".to_owned() } else { shown.join(" ") };
    assert_eq!((shown.as_str(), batch.has_tag(0, "hit")), (want, want != "-"), "{pattern} of {text:?}");
}

#[test]
fn names_and_types() {
    check("%{IP:a} %{WORD:[b][c]} %{INT:n:int}", "x 192.0.2.1 word +12", "a=192.0.2.1:S b.c=word:S n=12:I");
    check("%{NUMBER:n:float} %{NUMBER:m:int} %{WORD:w:int}", "1.5 -2.5 x", "n=1.5:D m=-2:I w=x:S");
    check("%{DATA:n:float}/%{DATA:m:float}$", "-1e3 and/1.e", "n=-1e3:D m=1:D");
    check("^%{DOOR:door}$", "door-00fF", "door=door-00fF:S");
    check("^%{DOOR:door}$", "door-00fg", "-");
    check("%{TWICE}", "one and two", "w=one,two:L");
    check("(?<first>\\w+) (?<[a][b]>\\w+)(?<=d)", "one word", "first=one:S a.b=word:S");
    check("a(?<x>b)?c(?<y>d*)e", "ace", "");
    check("a(?<x>b)?c(?<y>d*)e", "abcdde", "x=b:S y=dd:S");
    check("^b%{GREEDYDATA:rest}", "a\nbc\nd", "rest=c\nd:S");
    check("^b(?<w>\\w+)$", "a\nbc\nd", "w=c:S");
    check("(?<x>[^[:digit:][a-c]\\h]+)", "1b-z2", "x=-z:S");
    check("(?<x>[]a]+)%{WORD:y?}", "b]ac", "x=]:S y=ac:S");
    check("a.?*(?<x>c)", "abbc", "x=c:S");
    check("[%]%{WORD:w}", "%x", "w=x:S");
}

#[test]
fn types_and_sets_have_names() {
    check("%{WORD:w:boolean} %{WORD:v:string}", "true 7", "w=true:B v=7:S");
    check("%{WORD:w:boolean} %{WORD:v:boolean}", "false maybe", "w=false:B v=maybe:S");
    check("%{NOTSPACE:n:long} %{NOTSPACE:m:double}", "7x 2.5x", "n=7:I m=2.5:D");
    for (name, want) in [("ecs-v1", Some(GrokSet::EcsV1)), ("legacy", Some(GrokSet::Legacy)), ("ecs", None)] {
        assert_eq!(GrokSet::from_name(name), want, "{name}");
    }
    assert!(GrokSet::NAMES.iter().all(|name| GrokSet::from_name(name).is_some()));
}

#[test]
fn patterns_that_cannot_be() {
    let error = |pattern: &str| Grok::compile(pattern, &library(), Vec::new()).unwrap_err().to_string();
    assert_eq!(error("%{NOTHING:x}"), "there is no pattern NOTHING");
    assert!(error("%{LOOP}").contains("nested deeper than 64 levels at LOOP"));
    assert!(error("%{INT:x:number}").contains("unknown type number"));
    assert!(error("(%{INT}").contains("is wrong"));
    let mut library = GrokLibrary::default();
    library.add("A0", &"x".repeat(1000));
    (1..20).for_each(|level| library.add(&format!("A{level}"), &format!("%{{A{}}}", level - 1).repeat(10)));
    assert_eq!(Grok::compile("%{A19}", &library, Vec::new()).unwrap_err(), GrokError::Long);
    let read = |text: &str| GrokLibrary::default().add_file(text).unwrap_err().to_string();
    assert_eq!(read("A x\nB"), "2: a pattern is missing after the name B");
    assert_eq!(read("A!B x"), "1: A!B is no name: letters, digits and _ are");
}

#[test]
fn a_catastrophe_is_no_match() {
    check("^(?<x>(a+)+)$", &format!("{}b", "a".repeat(40)), "-");
}

#[test]
fn every_pattern_of_the_library_compiles() {
    for set in [GrokSet::EcsV1, GrokSet::Legacy] {
        let library = GrokLibrary::of(set);
        assert!(library.names().len() > 250, "{}", library.names().len());
        for name in library.names() {
            let compiled = Grok::compile(&format!("%{{{name}:x}}"), &library, Vec::new());
            assert!(compiled.is_ok(), "{name}: {}", compiled.unwrap_err());
        }
    }
}

#[test]
fn legacy_patterns_of_mcollective_are_known() {
    check(
        "%{MCOLLECTIVE}",
        "I, [2026-11-22T19:00:00.123 #77]  INFO",
        "timestamp=2026-11-22T19:00:00.123:S pid=77:S event_level=INFO:S",
    );
}
