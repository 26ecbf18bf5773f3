//! The examples of the RFCs themselves.
//!
//! In: `syslog/rfc-examples.jsonl`; of GELF and CEE only the header fields are compared here.
//! Out: one row; a case passes when every field that the example names is equal.

use super::decoded::{Decoded, compare};
use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::Row,
};
use message::Field;
use serde_json::Value;
use std::path::Path;
use wire::{DecodeOptions, ParseFlags};

const NOW_S: i64 = 1_795_233_547;

pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let cases = records(&folder.join("syslog/rfc-examples.jsonl"))?;
    let syslog =
        |case: &&Value| !text(case, "ref").starts_with("GELF") && case["expect"]["framing"].is_null();
    let cases = cases.iter().filter(syslog);
    Ok(vec![Row::of("rfc-examples", 100.0, cases, "input", differences)])
}

fn differences(case: &Value) -> Vec<String> {
    let flags = ParseFlags::default().with(ParseFlags::SYSLOG_PROTOCOL);
    let options = DecodeOptions { flags, ..DecodeOptions::default() };
    let got = Decoded::of(text(case, "input").as_bytes(), options, NOW_S);
    let want = &case["expect"];
    let mut found = Vec::new();
    if want["pri"].is_u64() {
        compare("pri", &got.message().pri.0.to_string(), &want["pri"].to_string(), &mut found);
    }
    let fields = [
        ("host", Field::Host),
        ("program", Field::Program),
        ("message", Field::Message),
        ("pid", Field::Pid),
        ("msgid", Field::Msgid),
    ];
    for (name, field) in fields {
        if !want[name].is_null() {
            compare(name, &got.field(field), text(want, name), &mut found);
        }
    }
    for (id, params) in want["sdata"].as_object().into_iter().flatten() {
        for (name, value) in params.as_object().into_iter().flatten() {
            let name = format!(".SDATA.{id}.{name}");
            compare(&name, &got.value(&name), value.as_str().unwrap_or_default(), &mut found);
        }
    }
    if let Some(valid) = want["sdata_valid"].as_bool() {
        compare("readable", &got.is_readable().to_string(), &valid.to_string(), &mut found);
    }
    found
}
