//! Grok vectors: the values that a pattern of the library extracts, as the library's own tests expect them.
//!
//! In: `grok/vectors.jsonl`. Out: a row for each set of names. Limits: none of its own.

use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::{Difference, Row},
};
use message::{Ack, Batch, Field, FieldName, Message, Origin, Selection, Stamp, ValueKind};
use pipeline::{
    grok::{Grok, GrokLibrary, GrokReader, GrokSet, Unmatched},
    parser::{Input, Parser, TextParser},
};
use serde_json::Value;
use std::{path::Path, sync::Arc};
use template::{RenderOptions, Renderer};

/// Runs the family.
pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let records = records(&folder.join("grok/vectors.jsonl"))?;
    let sets = [("grok-legacy", "legacy", GrokSet::Legacy), ("grok-ecs", "ecs-v1", GrokSet::EcsV1)];
    let row = |(family, name, set): (&str, &str, GrokSet)| {
        let library = GrokLibrary::of(set);
        let mut row =
            Row { family: family.into(), cases: 0, passed: 0, floor: 100.0, differences: Vec::new() };
        for record in records.iter().filter(|record| text(record, "patterns_set").contains(name)) {
            row.cases += 1;
            match vector(record, &library) {
                Ok(()) => row.passed += 1,
                Err(error) => {
                    let shown =
                        format!("{} of {:?}: {error}", text(record, "pattern"), text(record, "message"));
                    row.differences.push(shown);
                }
            }
        }
        row
    };
    Ok(sets.into_iter().map(row).collect())
}

fn vector(record: &Value, library: &GrokLibrary) -> Result<(), Difference> {
    let reference = format!("%{{{}}}", text(record, "pattern"));
    let anchored = record.get("anchored").and_then(Value::as_bool).unwrap_or_default();
    let pattern = if anchored { format!("^{reference}$") } else { reference };
    let grok = Grok::compile(&pattern, library, Vec::new()).map_err(Difference::of)?;
    let parser = TextParser::new(GrokReader::new(vec![grok], Unmatched::Stops), Input::message(), "");
    let mut batch =
        Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    let mut message = Message::default();
    message.text = batch.add_extra(text(record, "message").as_bytes());
    batch.messages.push(message);
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    let read = !parser.parse(&mut batch, &Selection::all(1), &mut renderer).is_empty();
    if read != record.get("match").and_then(Value::as_bool).unwrap_or_default() {
        return Err(Difference::of(format!("matches: {read}")));
    }
    if let Some(expect) = record.get("expect") {
        compare("", expect, &batch)?;
    }
    for absent in record.get("absent").and_then(Value::as_array).into_iter().flatten() {
        let name = absent.as_str().unwrap_or_default().trim_matches(['[', ']']).replace("][", ".");
        if let Some(value) = batch.field(0, &FieldName::parse(&name)) {
            return Err(Difference::of(format!(
                "{name} is {:?} and should not be",
                String::from_utf8_lossy(&value)
            )));
        }
    }
    Ok(())
}

/// Compares the values expected below a name with the actual ones.
fn compare(name: &str, want: &Value, batch: &Batch) -> Result<(), Difference> {
    if let (Value::Object(members), false) = (want, name == "message") {
        for (member, want) in members {
            // A matcher of the library's tests, which has only some of the members.
            if member == "hash_including" {
                want.as_array().into_iter().flatten().try_for_each(|want| compare(name, want, batch))?;
                continue;
            }
            let inner = if name.is_empty() { member.clone() } else { format!("{name}.{member}") };
            compare(&inner, want, batch)?;
        }
        return Ok(());
    }
    let field = FieldName::Named(name.to_owned());
    let value = batch.field(0, &field).map(|value| String::from_utf8_lossy(&value).into_owned());
    let kind = batch.kind(0, &field);
    if let (Value::Object(places), "message") = (want, name) {
        // Some elements of the list by index; the first is the parsed text.
        let own = String::from_utf8_lossy(batch.fixed(0, Field::Message)).into_owned();
        let all = [vec![own], value.map_or(Vec::new(), |value| elements(&value, kind))].concat();
        let differs = |(place, want): &(&String, &Value)| {
            place.parse().ok().and_then(|place: usize| all.get(place)).map(String::as_str) != want.as_str()
        };
        return match places.iter().find(differs) {
            Some((place, want)) => Err(Difference::of(format!("message {place}: want {want}, got {all:?}"))),
            None => Ok(()),
        };
    }
    let got = match (&value, want) {
        // For the library the parsed text is a value of that name, and captured values are appended to it.
        (value, Value::Array(_)) if name == "message" => {
            let own = String::from_utf8_lossy(batch.fixed(0, Field::Message)).into_owned();
            let more = value.clone().map_or(Vec::new(), |value| elements(&value, kind));
            Value::from([vec![own], more].concat())
        }
        (Some(value), Value::Array(_)) => Value::from(elements(value, kind)),
        (Some(value), Value::Number(_)) => serde_json::from_str(value).unwrap_or(Value::Null),
        (Some(value), _) => Value::from(value.as_str()),
        (None, Value::String(want)) if name == "message" => Value::from(want.as_str()),
        (None, _) => Value::Null,
    };
    let same = match (got.as_f64(), want.as_f64()) {
        (Some(got), Some(want)) => got == want,
        _ => got == *want,
    };
    if same { Ok(()) } else { Err(Difference::of(format!("{name}: want {want}, got {got}"))) }
}

/// The elements of a list as parsers write it; another value is one element.
fn elements(list: &str, kind: ValueKind) -> Vec<String> {
    if kind != ValueKind::List {
        return vec![list.to_owned()];
    }
    let mut found = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let (element, after) = match rest.strip_prefix('"') {
            None => rest.split_once(',').unwrap_or((rest, "")),
            Some(quoted) => {
                let mut end = 0;
                while let Some(at) = quoted[end..].find(['"', '\\']) {
                    end += at;
                    if quoted[end..].starts_with('"') {
                        break;
                    }
                    end += 2;
                }
                (&quoted[..end], quoted[end..].trim_start_matches('"').trim_start_matches(','))
            }
        };
        found.push(element.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\"));
        rest = after;
    }
    found
}
