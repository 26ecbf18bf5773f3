//! Decodes real lines and compares them with the fields that syslog-ng 4.8.1 read from them.
//!
//! In: `golden/syslog-parser*.jsonl`. Out: one row per file; a case passes when every recorded field is
//! equal. The recording ran on 2026-11-21 in UTC, so times without a year depend on that day; a message
//! without a time got the moment of the recording, which is not compared.

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

/// 2026-11-21T03:59:07Z, when the vectors were recorded.
const RECORDED_S: i64 = 1_795_233_547;
/// Placeholder for the name of the recording machine: the message had no host.
const NO_HOST: &str = "@LOCALHOST@";
const FLOOR: f64 = 100.0;

pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let files = [
        ("syslog-parser", ParseFlags::default()),
        ("syslog-parser-flags-syslog-protocol", ParseFlags::default().with(ParseFlags::SYSLOG_PROTOCOL)),
    ];
    files.into_iter().map(|(name, flags)| file(folder, name, flags)).collect()
}

fn file(folder: &Path, name: &str, flags: ParseFlags) -> Result<Row, RunError> {
    let cases = records(&folder.join(format!("golden/{name}.jsonl")))?;
    let check =
        |case: &Value| differences(text(case, "input"), case.get("expect").unwrap_or(&Value::Null), flags);
    Ok(Row::of(name, FLOOR, &cases, "input", check))
}

fn differences(input: &str, want: &Value, flags: ParseFlags) -> Vec<String> {
    let options = DecodeOptions { flags, ..DecodeOptions::default() };
    let got = Decoded::of(input.as_bytes(), options, RECORDED_S);
    let message = got.message();
    let mut found = Vec::new();
    let pri = message.pri;
    compare("PRI", &pri.0.to_string(), &want["PRI"].to_string(), &mut found);
    compare("FACILITY", pri.facility().name().unwrap_or_default(), text(want, "FACILITY"), &mut found);
    compare("SEVERITY", pri.severity().name(), text(want, "SEVERITY"), &mut found);
    compare("MSGFORMAT", message.format.name(), text(want, "MSGFORMAT"), &mut found);
    compare("HOST", &got.field(Field::Host), text(want, "HOST").trim_start_matches(NO_HOST), &mut found);
    let fields = [
        ("PROGRAM", Field::Program),
        ("PID", Field::Pid),
        ("MSGID", Field::Msgid),
        ("MESSAGE", Field::Message),
        ("LEGACY_MSGHDR", Field::LegacyMsghdr),
    ];
    for (name, field) in fields {
        compare(name, &got.field(field), text(want, name), &mut found);
    }
    if got.has_time() {
        compare("S_ISODATE", &got.isodate(), text(want, "S_ISODATE"), &mut found);
    }
    let sdata = got.sdata();
    compare("SDATA", &sdata, &without_sequence_number(text(want, "SDATA"), &sdata), &mut found);
    let tags: Vec<&str> = want["TAGS"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    compare("TAGS", &got.tags().join(","), &tags.join(","), &mut found);
    found
}

/// The recording's destination added its own `meta.sequenceId` to messages that had none.
fn without_sequence_number(recorded: &str, got: &str) -> String {
    const ADDED: &str = "[meta sequenceId=\"";
    let Some(start) =
        recorded.find(ADDED).filter(|_| !got.contains(ADDED) || recorded.contains("sequenceId=\"\""))
    else {
        return recorded.into();
    };
    let number = &recorded[start + ADDED.len()..];
    let end = number.find('"').map_or(number.len(), |end| end + 1);
    let rest = number[end..].trim_start_matches(' ');
    match rest.strip_prefix(']') {
        Some(after) => format!("{}{after}", &recorded[..start]),
        None => format!("{}[meta {rest}", &recorded[..start]),
    }
}
