//! Rows of syslog-ng's unit tests of its parsers: XML, quoted values, ways into JSON.
//!
//! In: `syslogng-unit/parsers.jsonl`, of which only the rows with an input and a result are run. Out: one
//! row.
//! Limits: rows of scanners that do not parse messages are left out.

use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::{Difference, Row},
};
use message::{Ack, Batch, FieldName, Message, Origin, Selection, Span, Stamp};
use pipeline::{
    Parser,
    parser::{ExtractPath, Input, Json, Kv, TextParser, Xml},
};
use serde_json::Value;
use std::{path::Path, sync::Arc};
use template::{RenderOptions, Renderer, Site};

pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let records = records(&folder.join("syslogng-unit/parsers.jsonl"))?;
    let mut row =
        Row { family: "parsers".into(), cases: 0, passed: 0, floor: 100.0, differences: Vec::new() };
    for record in &records {
        let Some(result) = check(record) else { continue };
        row.cases += 1;
        match result {
            Ok(()) => row.passed += 1,
            Err(difference) => row.differences.push(difference.to_string()),
        }
    }
    Ok(vec![row])
}

/// `None`: the row cannot be run.
fn check(record: &Value) -> Option<Result<(), Difference>> {
    let args = record["args"].as_array()?;
    let arg = |index: usize| args.get(index).and_then(Value::as_str);
    match (text(record, "test"), text(record, "name")) {
        ("xmlparser,valid_inputs", _) => Some(value(&xml(".xml."), arg(0)?, arg(1)?, arg(2)?)),
        ("xmlparser,test_prefix", _) => {
            let prefix = match arg(1) {
                Some(prefix) if prefix.is_empty() || prefix.ends_with('.') => prefix.to_owned(),
                Some(prefix) => format!("{prefix}."),
                None => ".xml.".to_owned(),
            };
            Some(value(&xml(&prefix), arg(0)?, arg(2)?, arg(3)?))
        }
        (_, "assert_decode_equals" | "assert_decode_equals_and_fails") => {
            let kv = TextParser::new(Kv::new(b'=', ", ", None), Input::message(), "");
            Some(value(&kv, &format!("k={}", arg(0)?), "k", arg(1)?))
        }
        (_, "assert_dot_notation_eval_fails") => {
            let Ok(path) = ExtractPath::parse(arg(1)?) else { return Some(Ok(())) };
            let json = Json { extract: Some(path), ..Json::default() };
            let (read, _) = parse(&TextParser::new(json, Input::message(), ""), arg(0)?, "");
            Some(if read { Err(Difference::of(format!("{} is read", arg(0)?))) } else { Ok(()) })
        }
        _ => None,
    }
}

fn xml(prefix: &str) -> TextParser<Xml> {
    TextParser::new(Xml { lists: true, ..Xml::default() }, Input::message(), prefix)
}

fn value(parser: &dyn Parser, input: &str, name: &str, want: &str) -> Result<(), Difference> {
    match parse(parser, input, name) {
        (true, Some(got)) if got == want => Ok(()),
        (read, got) => {
            Err(Difference::of(format!("{input:?}: {name} is {got:?}, wanted {want:?}; read: {read}")))
        }
    }
}

/// Parses a text. Returns whether it was accepted, and the value of a name.
fn parse(parser: &dyn Parser, input: &str, name: &str) -> (bool, Option<String>) {
    let bytes = Arc::new(input.as_bytes().to_vec());
    let mut batch = Batch::new(bytes, vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    let whole = Span::received(0, input.len());
    let mut message = Message::default();
    (message.raw, message.text) = (whole, whole);
    batch.messages.push(message);
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::new(Site::default()));
    let read = parser.parse(&mut batch, &Selection::all(1), &mut renderer);
    let value = batch.field(0, &FieldName::parse(name));
    (read.has(0), value.map(|value| String::from_utf8_lossy(&value).into_owned()))
}
