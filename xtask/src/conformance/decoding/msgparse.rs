//! The cases of syslog-ng's own test of its message parser.
//!
//! In: `syslog/syslogng-msgparse.jsonl`. Out: one row; a case passes when every checked field is equal.
//! The zone is CET; a missing year is taken from 2019-02-08T09:37:49 CET.

use super::decoded::{Decoded, compare};
use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::Row,
};
use jiff::tz::TimeZone;
use message::Field;
use serde_json::Value;
use std::{path::Path, sync::Arc};
use wire::{DecodeOptions, ParseFlags};

const NOW_S: i64 = 1_549_615_069;
/// One case sets a limit of 255 bytes for values of structured data, which a configuration cannot set.
const FLOOR: f64 = 96.0;
/// The cases' own words for "some time of this year".
const SOME_TIME: i64 = 1;

pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let cases = records(&folder.join("syslog/syslogng-msgparse.jsonl"))?;
    let zone = TimeZone::get("Europe/Budapest").map_err(|error| RunError::failed("the time zone", error))?;
    Ok(vec![Row::of("msgparse", FLOOR, &cases, "input", |case| differences(case, &zone))])
}

fn differences(case: &Value, zone: &TimeZone) -> Vec<String> {
    let got = Decoded::of(text(case, "input").as_bytes(), options(case, zone), NOW_S);
    let mut found = Vec::new();
    compare("pri", &got.message().pri.0.to_string(), &case["pri"].to_string(), &mut found);
    let unix_s = case["ts_unix_sec"].as_i64().unwrap_or_default();
    if unix_s > SOME_TIME {
        let event = got.message().event;
        compare("time", &event.unix_s().to_string(), &unix_s.to_string(), &mut found);
        compare("microseconds", &event.micros().to_string(), &case["ts_usec"].to_string(), &mut found);
        compare("offset", &event.offset_s.to_string(), &case["ts_zone_offset"].to_string(), &mut found);
    }
    let fields = [
        ("host", Field::Host),
        ("program", Field::Program),
        ("message", Field::Message),
        ("pid", Field::Pid),
        ("msgid", Field::Msgid),
    ];
    for (name, field) in fields {
        if case[name].is_string() {
            compare(name, &got.field(field), text(case, name), &mut found);
        }
    }
    if case["sdata_str"].is_string() {
        compare("sdata", &got.sdata(), text(case, "sdata_str"), &mut found);
    }
    for pair in case["sdata_pairs"].as_array().into_iter().flatten() {
        let (name, value) = (pair[0].as_str().unwrap_or_default(), pair[1].as_str().unwrap_or_default());
        compare(name, &got.value(name), value, &mut found);
    }
    found
}

fn options(case: &Value, zone: &TimeZone) -> DecodeOptions {
    let flags = text(case, "parse_flags");
    let mut set = ParseFlags(0);
    let names = [
        ("LP_SYSLOG_PROTOCOL", ParseFlags::SYSLOG_PROTOCOL),
        ("LP_PIGGYBACK_ERRORS", ParseFlags::PIGGYBACK_ERRORS),
        ("LP_EXPECT_HOSTNAME", ParseFlags::EXPECT_HOSTNAME),
        ("LP_CHECK_HOSTNAME", ParseFlags::CHECK_HOSTNAME),
    ];
    for (name, flag) in names {
        if flags.contains(name) {
            set = set.with(flag);
        }
    }
    // The cases know patterns of the form `^text` only.
    let start = case["bad_hostname_re"].as_str().and_then(|pattern| pattern.strip_prefix('^'));
    let start = start.map(|start| start.as_bytes().to_vec());
    let bad_hostname =
        start.map(|start| -> wire::HostnameTest { Arc::new(move |name: &[u8]| name.starts_with(&start)) });
    DecodeOptions { flags: set, zone: zone.clone(), bad_hostname, ..DecodeOptions::default() }
}
