//! Streams of telegraf's syslog input: how many messages they hold, and their priorities.
//!
//! In: `syslog/telegraf-transport.jsonl`. Out: one row; a case passes when framing gives the same number of
//! messages and decoding the same facility and severity. Cases in which telegraf refuses a message are judged
//! by the priority alone, because our decoder refuses nothing.

use super::decoded::{Decoded, compare};
use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::Row,
};
use serde_json::Value;
use std::path::Path;
use wire::{DecodeOptions, Framer, Framing, Oversize, ParseFlags};

const NOW_S: i64 = 1_795_233_547;
const LIMIT: usize = 65_536;

pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let cases = records(&folder.join("syslog/telegraf-transport.jsonl"))?;
    Ok(vec![Row::of("telegraf", 100.0, &cases, "source", differences)])
}

fn differences(case: &Value) -> Vec<String> {
    let stream = text(case, "input_txt").as_bytes();
    let wanted: Vec<u64> = text(case, "expected_out").lines().filter_map(priority).collect();
    let (mut framer, mut frames) =
        (Framer::new(framing(text(case, "telegraf_conf")), LIMIT, Oversize::Cut), Vec::new());
    let used = framer.split(stream, &mut frames);
    let last = frames.len();
    framer.finish(&stream[used..], &mut frames);
    for frame in &mut frames[last..] {
        frame.start += used;
        frame.end += used;
    }
    let mut found = Vec::new();
    if wanted.is_empty() && case["expected_err"].is_string() {
        return found;
    }
    compare("messages", &frames.len().to_string(), &wanted.len().to_string(), &mut found);
    for (frame, wanted) in frames.iter().zip(wanted) {
        let flags = ParseFlags::default().with(ParseFlags::SYSLOG_PROTOCOL);
        let options = DecodeOptions { flags, ..DecodeOptions::default() };
        let got = Decoded::of(&stream[frame.start..frame.end], options, NOW_S);
        compare("pri", &got.message().pri.0.to_string(), &wanted.to_string(), &mut found);
    }
    found
}

/// The framing of a telegraf configuration: octet counting unless it says otherwise.
fn framing(configuration: &str) -> Framing {
    if configuration.contains("udp://") {
        Framing::Datagram
    } else if configuration.contains("non-transparent") {
        Framing::Newline
    } else {
        Framing::OctetCounted
    }
}

/// Facility and severity of a line of telegraf's output.
fn priority(line: &str) -> Option<u64> {
    let number = |name: &str| {
        let rest = &line[line.find(name)? + name.len()..];
        rest[..rest.find('i')?].parse::<u64>().ok()
    };
    Some(number("facility_code=")? * 8 + number("severity_code=")?)
}
