//! Measures rewrites over 400-byte messages: nanoseconds of CPU per message, the median of several runs.

#![expect(clippy::disallowed_methods, reason = "it measures time")]

use message::{Ack, Batch, FieldName, Message, Origin, Selection, Span, Stamp};
use pipeline::{Definitions, Rewrite, rewrite::Operation};
use std::{fs, hint::black_box, sync::Arc};
use template::{
    RenderOptions, Renderer, Template,
    pattern::{PatternFlags, PatternKind},
};

const MESSAGES: usize = 640;
const ROUNDS: usize = 500;
const RUNS: usize = 9;

fn batch() -> Batch {
    let mut bytes = Vec::new();
    let mut messages = Vec::new();
    for number in 0..MESSAGES {
        let mut message = Message::default();
        message.program = Span::received(bytes.len(), 5);
        bytes.extend_from_slice(b"nginx");
        let text = format!("192.0.2.{} - - request {number} ", number % 250).repeat(14);
        message.text = Span::received(bytes.len(), text.len());
        bytes.extend_from_slice(text.as_bytes());
        messages.push(message);
    }
    let origins = vec![Arc::new(Origin::default())];
    let mut batch = Batch::new(Arc::new(bytes), origins, Stamp::default(), Ack::none());
    batch.messages = messages;
    batch
}

/// CPU time of this process in nanoseconds.
fn cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0)
}

fn measure(name: &str, rewrites: &[Rewrite]) {
    let batch = batch();
    let all = Selection::all(batch.len());
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    let mut runs: Vec<u64> = (0..RUNS)
        .map(|_| {
            let start = cpu_ns();
            for _ in 0..ROUNDS {
                let mut copy = batch.clone();
                for rewrite in rewrites {
                    rewrite.apply(&mut copy, &all, &mut renderer);
                }
                black_box(&copy);
            }
            (cpu_ns() - start) / (ROUNDS * MESSAGES) as u64
        })
        .collect();
    runs.sort_unstable();
    println!("{name:<40} {:>6} ns", runs[RUNS / 2]);
}

fn main() {
    let template = |text: &str| {
        let parsed = Template::parse(text, &Definitions::default());
        Arc::new(parsed.unwrap_or_else(|error| panic!("{error}")))
    };
    let set = |field: &str, text: &str| {
        Rewrite::new(Operation::Set { field: FieldName::parse(field), value: template(text) })
    };
    let subst = |pattern: &str, text: &str, global: bool| {
        let flags = PatternFlags { global, ..PatternFlags::default() };
        let field = FieldName::parse("MESSAGE");
        let operation = Operation::subst(field, pattern, PatternKind::Pcre, flags, template(text));
        Rewrite::new(operation.unwrap_or_else(|error| panic!("{error}")))
    };
    measure("nothing", &[]);
    measure("set a constant", &[set("site", "north")]);
    measure("set a template", &[set("site", "$PROGRAM/north")]);
    measure("subst one, constant", &[subst("request [0-9]+", "request", false)]);
    measure("subst one, with a group", &[subst("request ([0-9]+)", "r=$1", false)]);
    measure("subst all addresses", &[subst("[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+", "IP", true)]);
    measure(
        "set and subst",
        &[set("PROGRAM", "web-$PROGRAM"), subst("[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+", "IP", false)],
    );
}
