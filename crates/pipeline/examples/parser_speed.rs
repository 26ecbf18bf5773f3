//! Measures parsers over messages of about 400 bytes: nanoseconds of CPU per message, the median of several runs.

#![expect(clippy::disallowed_methods, reason = "it measures time")]

use message::{Ack, Batch, Message, Origin, Selection, Span, Stamp};
use pipeline::{
    Parser,
    parser::{Csv, Input, Json, Kv, TextParser, Xml},
};
use std::{fs, hint::black_box, sync::Arc};
use template::{RenderOptions, Renderer};

const MESSAGES: usize = 600;
const ROUNDS: usize = 200;
const RUNS: usize = 9;

/// Pairs of a request, with an empty, a long and a varying value.
fn pairs(number: usize) -> Vec<(&'static str, String)> {
    vec![
        ("time", format!("2026-11-21T09:43:{:02}Z", number % 60)),
        ("level", ["info", "warning", "error"][number % 3].to_owned()),
        ("service", "checkout".to_owned()),
        ("request_id", format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15))),
        ("method", "POST".to_owned()),
        ("path", format!("/api/v2/orders/{}/items", 10_000 + number)),
        ("status", ["200", "201", "503"][number % 3].to_owned()),
        ("duration_ms", (number % 977).to_string()),
        ("bytes", (number * 31 % 65_536).to_string()),
        ("client", format!("198.51.100.{}", number % 256)),
        ("user", "anna".to_owned()),
        ("region", "eu-central".to_owned()),
        ("cache", String::new()),
        ("agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0".to_owned()),
        ("trace", format!("{number:032x}")),
    ]
}

fn kv_line(number: usize) -> String {
    let quoted = |value: &str| if value.contains(' ') { format!("\"{value}\"") } else { value.to_owned() };
    pairs(number).iter().map(|(name, value)| format!("{name}={} ", quoted(value))).collect()
}

fn json_line(number: usize) -> String {
    let is_number =
        |value: &str| !value.is_empty() && value.len() < 6 && value.bytes().all(|byte| byte.is_ascii_digit());
    let member = |(name, value): &(&str, String)| match is_number(value) {
        true => format!("\"{name}\":{value}"),
        false => format!("\"{name}\":\"{value}\""),
    };
    let members: Vec<String> = pairs(number).iter().map(member).collect();
    format!("{{{},\"ok\":true}}", members.join(","))
}

fn csv_line(number: usize) -> String {
    pairs(number).iter().map(|(_, value)| value.clone()).collect::<Vec<_>>().join(",")
}

fn xml_line(number: usize) -> String {
    let elements: String =
        pairs(number).iter().map(|(name, value)| format!("<{name}>{value}</{name}>")).collect();
    format!("<event>{elements}</event>")
}

fn batch(line: fn(usize) -> String) -> Batch {
    let mut bytes = Vec::new();
    let mut messages = Vec::new();
    for number in 0..MESSAGES {
        let text = line(number);
        let span = Span::received(bytes.len(), text.len());
        bytes.extend_from_slice(text.as_bytes());
        let mut message = Message::default();
        (message.raw, message.text) = (span, span);
        messages.push(message);
    }
    let mut batch =
        Batch::new(Arc::new(bytes), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    batch.messages = messages;
    batch
}

fn cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn measure(name: &str, parser: &dyn Parser, batch: &Batch) {
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    let all = Selection::all(batch.len());
    let mut runs: Vec<u64> = (0..RUNS)
        .map(|_| {
            let start = cpu_ns();
            for _ in 0..ROUNDS {
                let mut batch = batch.clone();
                black_box(parser.parse(&mut batch, &all, &mut renderer));
                black_box(batch);
            }
            (cpu_ns() - start) / (ROUNDS * MESSAGES) as u64
        })
        .collect();
    runs.sort_unstable();
    let size = batch.received_bytes.len() / MESSAGES;
    println!(
        "{name:<24} {size:>4} bytes {:>6} ns a message, {} to {}",
        runs[RUNS / 2],
        runs[0],
        runs[RUNS - 1]
    );
}

fn main() {
    let kv = |prefix: &str| TextParser::new(Kv::new(b'=', ", ", None), Input::message(), prefix);
    let json = |prefix: &str| TextParser::new(Json::default(), Input::message(), prefix);
    measure("kv", &kv(""), &batch(kv_line));
    measure("kv, prefix", &kv(".kv."), &batch(kv_line));
    measure("json", &json(""), &batch(json_line));
    measure("json, prefix", &json(".json."), &batch(json_line));
    let columns = pairs(0).iter().map(|(name, _)| (*name).to_owned()).collect();
    let csv = Csv { columns, delimiters: b",".to_vec(), ..Csv::default() };
    measure("csv", &TextParser::new(csv, Input::message(), ""), &batch(csv_line));
    measure("xml", &TextParser::new(Xml::default(), Input::message(), ".xml."), &batch(xml_line));
}
