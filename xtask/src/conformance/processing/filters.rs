//! Filter vectors: whether an expression holds for one known message; networks and peers.
//!
//! In: `syslogng-unit/curated-filter_exprs.jsonl` and `filters.jsonl`. Out: a row each.
//! Holds the message they were made with. Limits: of `filters.jsonl` only the rows about networks and the
//! calls that contain one expression are run; the others are arguments of test code and incomplete on their
//! own.

use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::{Difference, Row},
};
use message::{Ack, Batch, FieldName, Message, Origin, Priority, Span, Stamp, ValueKind};
use pipeline::{
    Definitions, Filter,
    filter::{self, Netmask, Netmask6},
};
use serde_json::Value;
use std::{
    fmt::Display,
    net::{IpAddr, SocketAddr},
    path::Path,
    sync::Arc,
};
use template::{Condition, RenderOptions, Renderer, Version};

fn sample() -> Batch {
    const TEXT: &str = "PTHREAD support initialized";
    const PROGRAM: &str = "software";
    let bytes = [TEXT, PROGRAM].concat().into_bytes();
    let mut batch =
        Batch::new(Arc::new(bytes), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    let mut message = Message::default();
    message.text = Span::received(0, TEXT.len());
    message.program = Span::received(TEXT.len(), PROGRAM.len());
    message.pri = Priority(15);
    batch.messages.push(message);
    for (name, value, kind) in [
        ("strvalue", "string", ValueKind::String),
        ("jsonvalue", "{\"foo\":\"foovalue\"}", ValueKind::Json),
        ("truevalue", "1", ValueKind::Boolean),
        ("falsevalue", "0", ValueKind::Boolean),
        ("int32value", "32", ValueKind::Integer),
        ("int64value", "4294967296", ValueKind::Integer),
        ("nanvalue", "nan", ValueKind::Double),
        ("dblvalue", "3.1415", ValueKind::Double),
        ("datevalue", "1653246684.123", ValueKind::Datetime),
        ("listvalue", "foo,bar,baz", ValueKind::List),
        ("nullvalue", "null", ValueKind::Null),
        ("bytesvalue", "bytes", ValueKind::Bytes),
        ("protobufvalue", "protobuf", ValueKind::Bytes),
    ] {
        batch.set_field(0, &FieldName::parse(name), value.as_bytes(), kind);
    }
    batch
}

/// Runs the family.
pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let curated = records(&folder.join("syslogng-unit/curated-filter_exprs.jsonl"))?;
    let raw = records(&folder.join("syslogng-unit/filters.jsonl"))?;
    let expressions = curated.iter().map(|record| {
        let want = record.get("expect").and_then(Value::as_bool).unwrap_or_default();
        (text(record, "filter").to_owned(), holds(record, text(record, "filter")).and_then(is(want)))
    });
    let calls = raw.iter().filter_map(|record| {
        let want = match text(record, "name") {
            "cr_assert" => true,
            "cr_assert_not" => false,
            _ => return None,
        };
        let filter = record.pointer("/args/0/args/0")?.as_str()?;
        Some((filter.to_owned(), holds(record, filter).and_then(is(want))))
    });
    let networks = raw.iter().filter(|record| text(record, "kind") == "row").map(|record| {
        let args = &record["args"];
        (text(args, "cidr").to_owned(), network(args, text(record, "test")))
    });
    Ok(vec![
        row("filters", expressions.collect()),
        row("filters-raw", calls.collect()),
        row("filters-netmask", networks.collect()),
    ])
}

fn row(family: &str, results: Vec<(String, Result<(), Difference>)>) -> Row {
    let differences: Vec<String> = results
        .iter()
        .filter_map(|(name, result)| Some(format!("{name}: {}", result.as_ref().err()?)))
        .collect();
    let (cases, passed) = (results.len(), results.len() - differences.len());
    Row { family: family.into(), cases, passed, floor: 98.0, differences }
}

/// Returns a check that a result is the expected one.
fn is<T: PartialEq + Display>(want: T) -> impl FnOnce(T) -> Result<(), Difference> {
    move |got| if got == want { Ok(()) } else { Err(Difference::of(format!("want {want}, got {got}"))) }
}

/// Returns true when the filter of a record holds for the sample.
fn holds(record: &Value, filter: &str) -> Result<bool, Difference> {
    let version = if text(record, "test").contains("compat_mode") {
        Version { major: 3, minor: 38 }
    } else {
        Version::CURRENT
    };
    let expr = filter::parse(filter, &Definitions::new(version)).map_err(Difference::of)?;
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    Ok(Filter::new(expr).holds(&sample(), 0, &mut renderer))
}

/// A text that is not a network matches nothing.
fn network(args: &Value, test: &str) -> Result<(), Difference> {
    let address: Option<IpAddr> = text(args, "sockaddr").parse().ok();
    let peer = address.map(|address| SocketAddr::new(address, 514));
    let cidr = text(args, "cidr");
    let got = if test.contains("netmask_ip6") {
        Netmask6::parse(cidr).is_ok_and(|network| network.has(peer))
    } else {
        Netmask::parse(cidr).is_ok_and(|network| network.has(peer))
    };
    let want = args.get("expected_result").and_then(Value::as_bool).unwrap_or_default();
    is(want)(got)
}
