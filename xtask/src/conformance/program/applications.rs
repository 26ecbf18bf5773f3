//! Parses real lines with `app-parser(topic(syslog))` of the ready-made blocks and compares with syslog-ng's
//! values.
//!
//! In: `golden/app-parser-topic-syslog.jsonl`. Out: one row; a case passes when every recorded value of the message and
//! of its application is equal. Times without a year depend on the day of the recording and are not compared.

use super::executable::Program;
use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::Row,
};
use serde_json::Value;
use std::{fs, path::Path};

/// Recorded fields that the family of headers compares already.
const OF_THE_HEADER: &[&str] = &["S_ISODATE", "SEVERITY", "FACILITY", "PRI", "MSGFORMAT"];

const CONFIG: &str = r#"@version: 4.8
@include "scl.conf"
log {
    source { file("in.log" flags(no-parse)); };
    parser { syslog-parser(time-zone("UTC")); app-parser(topic(syslog)); };
    destination {
        file("out.log" template("$(format-json --scope none --key .* --pair HOST=${HOST} --pair PROGRAM=${PROGRAM}
            --pair PID=${PID} --pair MESSAGE=${MESSAGE} --pair LEGACY_MSGHDR=${LEGACY_MSGHDR} --pair zero=${0})\n"));
    };
};
"#;

pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let program = Program::find()?;
    let cases = records(&folder.join("golden/app-parser-topic-syslog.jsonl"))?;
    let scratch = tempfile::tempdir().map_err(RunError::io("make a folder"))?;
    let here = scratch.path();
    let write = |name: &str, content: &str| {
        let path = here.join(name);
        fs::write(&path, content).map_err(RunError::write(&path))
    };
    let lines: String = cases.iter().map(|case| format!("{}\n", text(case, "input"))).collect();
    write("in.log", &lines)?;
    // The template is one line, split in two here.
    write("app.conf", &CONFIG.replace("\n            ", " "))?;
    let output = || fs::read_to_string(here.join("out.log")).unwrap_or_default();
    program.run(here, &here.join("app.conf"), || output().lines().count() >= cases.len())?;
    let got: Vec<Value> = output().lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut row = Row::empty("applications", 100.0);
    for case in &cases {
        let expect = &case["expect"];
        let same =
            got.iter().find(|one| one["MESSAGE"] == expect["MESSAGE"] && one["HOST"] == expect["HOST"]);
        row.count(
            text(case, "input"),
            same.map_or(Some("no application claims it".to_owned()), |one| differences(one, expect)),
        );
    }
    Ok(vec![row])
}

fn differences(got: &Value, want: &Value) -> Option<String> {
    let fields = want.as_object().into_iter().flatten();
    let compared = fields.filter(|(name, _)| !OF_THE_HEADER.contains(&name.as_str()) && *name != "TAGS");
    let different: Vec<String> = compared
        .filter_map(|(name, value)| {
            let found = &got[if name == "0" { "zero" } else { name.as_str() }];
            (found != value).then(|| format!("{name} is {found}, wanted {value}"))
        })
        .collect();
    (!different.is_empty()).then(|| different.join("; "))
}
