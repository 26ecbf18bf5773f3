//! Measures the cost of rules for each message: with none, a hundred, a thousand and ten thousand of them.
//!
//! In: nothing. Out: microseconds of CPU a message, the median of several runs, with rules chosen by their words and values,
//! and, for as many as that is bearable, with every rule evaluated; then the speed of counting distinct values and the
//! memory of a million keys.
//! Run: `cargo run --release -p watch --example rules_speed`.

#![expect(clippy::disallowed_methods, reason = "it measures time")]

use lookup::Document;
use message::ValueKind;
use std::{fmt::Write, fs, hint::black_box, sync::Arc};
use watch::{Evaluator, Input, Limits, Rule, Selecting};

const MESSAGES: u64 = 20_000;
const RUNS: usize = 5;
/// Messages that are made before they are evaluated.
const CHUNK: usize = 10_000;
/// Most rules that are all evaluated for every message.
const ALL_MAX: usize = 1_000;

const LINES: [(&str, &str); 8] = [
    ("sshd", "Failed password for invalid user admin from 203.0.113.77 port 40222 ssh2"),
    ("sshd", "pam_unix(sshd:session): session opened for user deploy(uid=1000) by (uid=0)"),
    (
        "postfix/smtp",
        "4F1A22B0C1: to=<anna@example.org>, relay=mx.example.org[198.51.100.7]:25, status=bounced",
    ),
    ("kernel", "IN=eth0 OUT= MAC=00:16:3e SRC=192.0.2.44 DST=192.0.2.1 LEN=60 TTL=64 PROTO=TCP DPT=443"),
    ("systemd", "Started Session 1042 of User deploy; unit entered the running state after 12 ms"),
    (
        "app",
        "connection to upstream 10.20.30.40:8443 refused after 3 attempts, giving up until the next check",
    ),
    ("named", "client @0x7f 192.0.2.9#51011 (www.example.org): query: www.example.org IN AAAA +E(0)K"),
    ("nginx", "192.0.2.3 - - \"GET /static/app.js HTTP/1.1\" 200 41223 \"-\" \"Mozilla/5.0\" rt=0.004"),
];

/// A message; one in a thousand has a word that a rule requires.
fn document(sequence: u64) -> Document {
    let (program, text) = LINES[(sequence % 8) as usize];
    let hit =
        if sequence % 1_000 == 7 { format!(" signature{}", sequence / 1_000 % 64) } else { String::new() };
    let value = |name: &str, value: String| (name.to_owned(), value.into_bytes(), ValueKind::String);
    Document {
        sequence,
        received_us: sequence as i64 * 100,
        pri: 38,
        host: format!("host-{}", sequence % 50).into(),
        program: program.into(),
        text: format!("{text} id={sequence}{hit}").into(),
        values: vec![
            value("user", format!("user{}", sequence % 5_000)),
            value("image", "/usr/bin/python3.11".to_owned()),
        ],
        ..Document::default()
    }
}

/// Rules as people and public collections write them: words, values, parts of values, several of them.
fn rules(count: usize) -> Vec<Arc<Rule>> {
    let mut text = String::from("rules:\n");
    for n in 0..count {
        let query = match n % 5 {
            0 => format!("signature{n}"),
            1 => format!("program:app{n} AND (denied OR refused)"),
            2 => format!("image:*/tool{n}"),
            3 => format!("\"cannot open device{n}\""),
            _ => format!("user:intruder{n} failed"),
        };
        let kind = match n % 3 {
            0 => "kind: match",
            1 => "kind: count, by: host, at-least: 10, within: 5m",
            _ => "kind: distinct, by: host, field: user, at-least: 5, within: 5m",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {{id: r{n}, query: '{query}', {kind}}}");
    }
    if count == 0 { Vec::new() } else { read(&text) }
}

fn read(text: &str) -> Vec<Arc<Rule>> {
    watch::read(text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Returns microseconds a message, and the transitions of a run.
fn measure(rules: &[Arc<Rule>], documents: &[Document], selecting: Selecting) -> (f64, usize) {
    let mut times = Vec::new();
    let mut transitions = Vec::new();
    for _ in 0..RUNS {
        let Some(mut evaluator) = Evaluator::new(rules.to_vec(), Limits::default(), selecting) else {
            panic!("the rules are too many")
        };
        transitions.clear();
        let start = cpu_seconds();
        documents.iter().for_each(|document| evaluator.apply(Input::Message(document), &mut transitions));
        times.push((cpu_seconds() - start) * 1e6 / documents.len() as f64);
        black_box(&transitions);
    }
    times.sort_by(f64::total_cmp);
    (times[RUNS / 2], transitions.len())
}

/// Seconds that this thread has spent on a processor.
fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or_default() / 1e9
}

/// Evaluates one rule over messages of a host or a user each.
fn many(text: &str, count: u64, host: &dyn Fn(u64) -> String, user: &dyn Fn(u64) -> String) {
    let rules = read(text);
    let Some(mut evaluator) = Evaluator::new(rules, Limits::default(), Selecting::ByMarks) else {
        panic!("the rule is too large")
    };
    let mut transitions = Vec::new();
    let mut spent = 0.0;
    let document = |sequence| Document {
        sequence,
        received_us: sequence as i64,
        host: host(sequence).into(),
        values: vec![("user".to_owned(), user(sequence).into_bytes(), ValueKind::String)],
        ..Document::default()
    };
    for first in (0..count).step_by(CHUNK) {
        let documents: Vec<Document> = (first..first + CHUNK as u64).map(document).collect();
        let start = cpu_seconds();
        documents.iter().for_each(|document| evaluator.apply(Input::Message(document), &mut transitions));
        spent += cpu_seconds() - start;
    }
    let (keys, bytes) = evaluator
        .rules()
        .fold((0, 0), |(keys, bytes), (_, counters)| (keys + counters.keys, bytes + counters.bytes));
    println!(
        "{:.2} million messages a second, {keys} keys, {:.1} bytes a key, {} transitions",
        count as f64 / spent / 1e6,
        bytes as f64 / keys as f64,
        transitions.len()
    );
}

fn main() {
    let documents: Vec<Document> = (0..MESSAGES).map(document).collect();
    println!("| rules | us a message | all evaluated | transitions |\n|---|---|---|---|");
    for count in [0, 100, 1_000, 10_000] {
        let rules = rules(count);
        let (chosen, transitions) = measure(&rules, &documents, Selecting::ByMarks);
        let all = match count <= ALL_MAX {
            true => format!("{:.2}", measure(&rules, &documents[..2_000], Selecting::All).0),
            false => "-".to_owned(),
        };
        println!("| {count} | {chosen:.2} | {all} | {transitions} |");
    }
    print!("count to one, a million hosts: ");
    let count = "rules: [{id: r, kind: count, query: '*', by: host, at-least: 1, within: 1d}]";
    many(count, 1_000_000, &|n| format!("host-{n}"), &|_| "u".to_owned());
    print!("distinct >= 1,000 of 100,000 values: ");
    let distinct = "rules: [{id: r, kind: distinct, query: '*', field: user, at-least: 1000, within: 1d}]";
    many(distinct, 1_000_000, &|_| "h".to_owned(), &|n| format!("u{}", n.wrapping_mul(7_919) % 100_000));
}
