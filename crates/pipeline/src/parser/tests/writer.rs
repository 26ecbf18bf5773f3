//! Rows for the way in which values get into a batch.

use super::{batch, parsed, renderer, shown};
use crate::{
    Definitions,
    parser::{Input, Json, Kv, Parser, TextParser},
};
use message::{Field, FieldName, Selection, ValueKind};
use std::sync::Arc;
use template::Template;

fn kv(prefix: &str) -> TextParser<Kv> {
    TextParser::new(Kv::new(b'=', ", ", None), Input::message(), prefix)
}

#[test]
fn values_stay_where_they_were_received() {
    let mut batch = batch(&[b"user=anna at=home", b"user=bela at=work"]);
    let read = kv("").parse(&mut batch, &Selection::all(2), &mut renderer());
    assert!(read.is_all());
    assert_eq!(
        (shown(&batch, 0).as_str(), shown(&batch, 1).as_str()),
        ("user=anna|at=home", "user=bela|at=work")
    );
    assert!(batch.extra.is_empty());
}

#[test]
fn a_prefixed_name_is_written_once() {
    let mut batch = batch(&[b"user=anna at=home", b"at=work user=bela"]);
    kv(".p.").parse(&mut batch, &Selection::all(2), &mut renderer());
    assert_eq!(shown(&batch, 1), ".p.at=work|.p.user=bela");
    assert_eq!(batch.extra, b".p.user.p.at");
}

#[test]
fn names_of_fields_set_the_fields() {
    let mut batch = batch(&[b"HOST=web PROGRAM=su MESSAGE=done user=anna"]);
    kv("").parse(&mut batch, &Selection::all(1), &mut renderer());
    assert_eq!(shown(&batch, 0), "user=anna");
    let fields = [Field::Host, Field::Program, Field::Message].map(|field| batch.fixed(0, field).to_vec());
    assert_eq!(fields, [b"web".to_vec(), b"su".to_vec(), b"done".to_vec()]);
}

#[test]
fn reads_what_the_template_says() {
    let check = |template: &str, want: &str| {
        let template = Arc::new(Template::parse(template, &Definitions::default()).unwrap());
        let parser = TextParser::new(Kv::new(b'=', ", ", None), Input::of(template), "");
        let mut batch = batch(&[b"a=1"]);
        batch.set_field(0, &FieldName::parse("x"), b"b=2", ValueKind::String);
        parser.parse(&mut batch, &Selection::all(1), &mut renderer());
        batch.unset_field(0, &FieldName::parse("x"));
        assert_eq!(shown(&batch, 0), want);
    };
    check("$MESSAGE", "a=1");
    check("$x", "b=2");
    check("$x c=$MESSAGE", "b=2|c=a=1");
    check("$nothing", "");
}

#[test]
fn long_names_are_cut() {
    let text = format!("{}=1", "é".repeat(3) + &"k".repeat(200));
    assert_eq!(parsed(&kv(".p."), text.as_bytes()), format!(".p.{}=1 (cut)", "k".repeat(125)));
    // With its prefix the longest name fits; one byte more does not.
    let fits = |length: usize| parsed(&kv(".p."), format!("{}=1", "k".repeat(length)).as_bytes());
    assert_eq!(fits(125), format!(".p.{}=1", "k".repeat(125)));
    assert_eq!(fits(126), format!(".p.{}=1 (cut)", "k".repeat(125)));
    // A character is not cut in two.
    let json = TextParser::new(Json::default(), Input::message(), ".p.");
    let text = format!("{{\"{}é\": 1}}", "k".repeat(124));
    assert_eq!(parsed(&json, text.as_bytes()), format!(".p.{}:Integer=1 (cut)", "k".repeat(124)));
}
