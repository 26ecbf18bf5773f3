//! Messages that a strict RFC 5424 parser accepts, with the fields that it found.
//!
//! In: `syslog/go-syslog-rfc5424.jsonl`, the valid ones of version 1, because syslog-ng does not treat others
//! as RFC 5424.
//! Out: one row; a case passes when every field is equal.

use super::decoded::{Decoded, compare};
use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::Row,
};
use message::Field;
use serde_json::Value;
use std::path::Path;
use wire::{DecodeOptions, ParseFlags, StampFormat, StampText};

const NOW_S: i64 = 1_795_233_547;

pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let cases = records(&folder.join("syslog/go-syslog-rfc5424.jsonl"))?;
    let usable =
        |case: &&Value| case["valid"] == true && case["expect"]["Version"] == 1 && case["input"].is_string();
    let cases = cases.iter().filter(usable);
    Ok(vec![Row::of("go-syslog", 100.0, cases, "input", differences)])
}

fn differences(case: &Value) -> Vec<String> {
    let flags = ParseFlags::default().with(ParseFlags::SYSLOG_PROTOCOL);
    let options = DecodeOptions { flags, ..DecodeOptions::default() };
    let got = Decoded::of(text(case, "input").as_bytes(), options, NOW_S);
    let want = &case["expect"];
    let mut found = Vec::new();
    compare("Priority", &got.message().pri.0.to_string(), &want["Priority"].to_string(), &mut found);
    let fields = [
        ("Hostname", Field::Host),
        ("Appname", Field::Program),
        ("ProcID", Field::Pid),
        ("MsgID", Field::Msgid),
        ("Message", Field::Message),
    ];
    for (name, field) in fields {
        // The strict parser keeps a BOM in the text.
        let wanted = text(want, name).trim_start_matches('\u{feff}');
        compare(name, &got.field(field), wanted, &mut found);
    }
    if want["Timestamp"].is_string() {
        compare("Timestamp", &shown_time(&got), &plain_time(text(want, "Timestamp")), &mut found);
    }
    for (id, params) in want["StructuredData"].as_object().into_iter().flatten() {
        for (name, value) in params.as_object().into_iter().flatten() {
            let path = format!(".SDATA.{id}.{name}");
            compare(&path, &got.value(&path), value.as_str().unwrap_or_default(), &mut found);
        }
    }
    found
}

fn shown_time(got: &Decoded) -> String {
    let mut shown = Vec::new();
    StampText::new(StampFormat::Iso, 6, None).append(got.message().event, &mut shown);
    plain_time(&String::from_utf8_lossy(&shown))
}

/// A time with `Z` for offset zero and without zeros at the end of its fraction.
fn plain_time(time: &str) -> String {
    let time = time.strip_suffix('Z').map_or(time.to_owned(), |time| format!("{time}+00:00"));
    let Some(point) = time.find('.') else { return time };
    let zone = time[point..].find(['+', '-']).map_or(time.len(), |zone| point + zone);
    let digits = time[point + 1..zone].trim_end_matches('0');
    let fraction = if digits.is_empty() { String::new() } else { format!(".{digits}") };
    format!("{}{fraction}{}", &time[..point], &time[zone..])
}
