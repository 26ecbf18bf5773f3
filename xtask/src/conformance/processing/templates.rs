//! Template vectors: the text and type that a template has for one known message.
//!
//! In: `syslogng-unit/curated-templates.jsonl`. Out: one row. Holds the message they were made with.
//! Limits: a vector does not name the `on-error()` it ran with: one of the three must give its result.

use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::{Difference, Row},
};
use message::{Ack, Batch, FieldName, Message, Origin, Span, Stamp, ValueKind};
use pipeline::Definitions;
use serde_json::Value;
use std::{net::IpAddr, path::Path, sync::Arc};
use template::{
    ContextMessage, Database, Machine, NameLookup, OnError, RenderOptions, Renderer, Site, Template, Version,
};
use wire::{DecodeOptions, Decoder};

const LINE: &str = "<155>2006-02-11T10:34:56+01:00 bzorp syslog-ng[23323]:árvíztűrőtükörfúrógép";
/// A machine with one user name, like the one on which the vectors were made.
#[derive(Debug)]
struct OneName;

impl Machine for OneName {
    fn fill_random(&self, bytes: &mut [u8]) {
        bytes.fill(1);
    }

    fn host_name(&self, _: IpAddr, _: NameLookup) -> Option<String> {
        Some("resolved-TEST-host".to_owned())
    }

    fn entry(&self, _: Database, _: &str, _: &str) -> Option<String> {
        None
    }
}

const RECEIVED_US: i64 = 1_139_684_315_639_000;

/// The message that all vectors are about, with the values they name.
pub(super) fn sample() -> Batch {
    let origin = Origin {
        source: "s_net".into(),
        peer: "10.11.12.13:1010".parse().ok(),
        local: "127.0.0.5:6514".parse().ok(),
        host_from: "kismacska".into(),
        tags: ["alma", "korte", "citrom", "tag,containing,comma"].map(String::from).to_vec(),
        ..Origin::default()
    };
    let received = Stamp::known(RECEIVED_US, 3600);
    let mut batch =
        Batch::new(Arc::new(LINE.as_bytes().to_vec()), vec![Arc::new(origin)], received, Ack::none());
    batch.rcptid = 555;
    let raw = Span::received(0, LINE.len());
    Decoder::new(DecodeOptions::default()).decode(&mut batch, raw, Default::default(), 0);
    let mut set = |name: &str, value: &[u8], kind: ValueKind| {
        batch.set_field(0, &FieldName::parse(name), value, kind);
    };
    for name in ["", "2", "3", "4", "5", "6", "7"] {
        set(&format!("APP.VALUE{name}"), b"value", ValueKind::String);
    }
    for (name, value) in [
        ("APP.STRIP1", "     value"),
        ("APP.STRIP2", "value     "),
        ("APP.STRIP3", "     value     "),
        ("APP.STRIP4", "value"),
        ("APP.STRIP5", ""),
        ("APP.QVALUE", "\"value\""),
        (".unix.uid", "1000"),
        (".unix.gid", "1000"),
        (".unix.cmd", "command"),
        ("comma_value", "value,with,a,comma"),
        ("template_name", "dummy"),
        ("0", "whole-match"),
        ("1", "first-match"),
    ] {
        set(name, value.as_bytes(), ValueKind::String);
    }
    set("number1", b"123", ValueKind::Integer);
    set("escaping", b"binary stuff follows \"\xad \xc3\xa1rv\xc3\xadzt\xc5\xb1r\xc5\x91t\xc3\xbck\xc3\xb6rf\xc3\xbar\xc3\xb3g\xc3\xa9p", ValueKind::String);
    set("escaping2", b"\xc3", ValueKind::String);
    batch
}

/// The message of vectors that specify their own: an empty one with some values.
fn own_sample(test: &str) -> Batch {
    let received = Stamp::known(RECEIVED_US, 3600);
    let mut batch = Batch::new(Arc::default(), vec![Arc::new(Origin::default())], received, Ack::none());
    batch.messages.push(Message::default());
    let texts = [("UTF8-C2", "¿ ¶ © ±"), ("UTF8-C3", "È Ð"), ("1", "foo"), ("2", "bar"), ("3", "baz")];
    for (name, value) in texts.into_iter().filter(|_| !test.contains("bytes")) {
        batch.set_field(0, &FieldName::parse(name), value.as_bytes(), ValueKind::String);
    }
    batch.set_field(0, &FieldName::parse("bytes"), &[0, 1, 2, 3], ValueKind::Bytes);
    batch.set_field(0, &FieldName::parse("protobuf"), &[4, 5, 6, 7], ValueKind::Bytes);
    batch
}

/// Runs the family.
pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let records = records(&folder.join("syslogng-unit/curated-templates.jsonl"))?;
    let mut differences = Vec::new();
    for record in &records {
        if let Err(difference) = check(record) {
            differences.push(format!("{}: {difference}", text(record, "template").escape_debug()));
        }
    }
    let (cases, passed) = (records.len(), records.len() - differences.len());
    let row = Row { family: "templates".into(), cases, passed, floor: 99.0, differences };
    Ok(vec![row, raw(folder)?])
}

/// The arguments of a unit test's check, if they are a template and its text.
fn raw(folder: &Path) -> Result<Row, RunError> {
    let records = records(&folder.join("syslogng-unit/templates.jsonl"))?;
    let mut row =
        Row { family: "templates-raw".into(), cases: 0, passed: 0, floor: 100.0, differences: Vec::new() };
    for record in &records {
        let (name, test) = (text(record, "name"), text(record, "test"));
        let is_check = name.starts_with("assert_template_format")
            || name == "params" && !test.contains("key_and_exclude");
        let (Some(template), Some(want)) = (record["args"][0].as_str(), record["args"][1].as_str()) else {
            continue;
        };
        if !is_check {
            continue;
        }
        row.cases += 1;
        let asked = serde_json::json!({
            "template": template, "expect": want, "check": name, "test": test,
            "escaping": name.contains("escaping"),
        });
        match check(&asked) {
            Ok(()) => row.passed += 1,
            Err(difference) => row.differences.push(format!("{}: {difference}", template.escape_debug())),
        }
    }
    Ok(row)
}

fn check(record: &Value) -> Result<(), Difference> {
    let version =
        if text(record, "test").contains("v3x") { Version { major: 3, minor: 38 } } else { Version::CURRENT };
    let mut definitions = Definitions::new(version);
    let dummy = Template::parse("dummy template expanded $HOST", &definitions).map_err(Difference::of)?;
    definitions.templates.insert("dummy".into(), Arc::new(dummy));
    let parsed = Template::parse(text(record, "template"), &definitions);
    if record.get("expect_compile_error").is_some() {
        return parsed.map_or(Ok(()), |_| Err(Difference::of("it compiles")));
    }
    let mut template = parsed.map_err(Difference::of)?;
    if record.get("escaping") == Some(&Value::Bool(true)) {
        template = template.escaped();
    }
    let batch = if text(record, "check") == "assert_template_format_msg" {
        own_sample(text(record, "test"))
    } else {
        sample()
    };
    let mut seen = Vec::new();
    for on_error in [OnError::DropMessage, OnError::DropProperty, OnError::FallbackToString] {
        let options = RenderOptions { fraction_digits: 3, on_error, ..RenderOptions::default() };
        let site = Site {
            host_id: 0xcafe_babe,
            zone: wire::zone_of("CET"),
            machine: Some(Arc::new(OneName)),
            environment: vec![("TEST_ENV".to_owned(), "test-env".to_owned())],
            ..Site::default()
        };
        let mut renderer = Renderer::new(options, Arc::new(site));
        if text(record, "check").ends_with("_with_context") {
            renderer.context = vec![ContextMessage { batch: Arc::new(batch.clone()), index: 0 }];
        }
        renderer.now = batch.received;
        let mut out = Vec::new();
        let kind = template.render_typed(&batch, 0, &mut renderer, &mut out);
        let shown = String::from_utf8_lossy(&out).into_owned();
        let type_fits = record.get("type").and_then(Value::as_str).is_none_or(|want| want == type_name(kind));
        if shown == text(record, "expect") && type_fits {
            return Ok(());
        }
        seen.push(format!("{shown:?} {}", type_name(kind)));
    }
    seen.dedup();
    Err(Difference::of(format!(
        "want {:?} {}, got {}",
        text(record, "expect"),
        text(record, "type"),
        seen.join(" or ")
    )))
}

fn type_name(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::String => "LM_VT_STRING",
        ValueKind::Integer => "LM_VT_INTEGER",
        ValueKind::Double => "LM_VT_DOUBLE",
        ValueKind::Boolean => "LM_VT_BOOLEAN",
        ValueKind::Datetime => "LM_VT_DATETIME",
        ValueKind::List => "LM_VT_LIST",
        ValueKind::Json => "LM_VT_JSON",
        ValueKind::Null => "LM_VT_NULL",
        ValueKind::Bytes => "LM_VT_BYTES",
        ValueKind::Tag | ValueKind::Unset => "none",
    }
}
