//! Measures five filters of a log host, each over every message, and the router that uses them:
//! nanoseconds of CPU per message, the median of several runs.

#![expect(clippy::disallowed_methods, reason = "it measures time")]

use message::{
    Ack, Batch, Delivery, Intake, Message, Origin, Outlet, Priority, Selection, Span, Stamp, WriteBudget,
};
use pipeline::{
    Definitions, Filter, Router,
    filter::parse,
    route::{FilterStep, OutletStep, Path, Plan, Step},
};
use std::{fs, hint::black_box, sync::Arc};
use template::{RenderOptions, Renderer};

const MESSAGES: usize = 1500;
const ROUNDS: usize = 500;
const RUNS: usize = 9;

const FILTERS: [&str; 5] = [
    "program('^(sshd|sudo)$') and match('Failed (password|none) for (invalid user )?[^ ]+ from [0-9.]+' value('MESSAGE'))",
    "facility(mail) and program('^postfix/') and match('status=(bounced|deferred)' value('MESSAGE'))",
    "facility(kern) and match('IN=[a-z0-9]+ .*DPT=(22|23|3389|445) ' value('MESSAGE'))",
    "level(warning..emerg) and match('([Ee]rror|ERROR|[Ff]ail(ed|ure)|denied|refused|timed? ?out)' value('MESSAGE'))",
    "program('^(named|dhcpd|dovecot)$') and match('[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+#[0-9]+' value('MESSAGE'))",
];

const LINES: [(u16, &str, &str); 8] = [
    (
        38,
        "sshd",
        "Failed password for invalid user admin from 203.0.113.77 port 40222 ssh2 on the outer gateway",
    ),
    (
        86,
        "sshd",
        "pam_unix(sshd:session): session opened for user deploy(uid=1000) by (uid=0) from the jump host",
    ),
    (
        22,
        "postfix/smtp",
        "4F1A22B0C1: to=<anna@example.org>, relay=mx.example.org[198.51.100.7]:25, delay=1.2, status=bounced (no such user)",
    ),
    (
        4,
        "kernel",
        "IN=eth0 OUT= MAC=00:16:3e SRC=192.0.2.44 DST=192.0.2.1 LEN=60 TTL=64 PROTO=TCP SPT=51122 DPT=443 WINDOW=1024",
    ),
    (
        30,
        "systemd",
        "Started Session 1042 of User deploy; unit entered the running state after 12 ms of activation time",
    ),
    (
        27,
        "app",
        "connection to upstream 10.20.30.40:8443 refused after 3 attempts, giving up until the next health check",
    ),
    (
        30,
        "named",
        "client @0x7f10 198.51.100.99#53211 (www.example.net): query: www.example.net IN A +E(0)K (192.0.2.53)",
    ),
    (
        142,
        "nginx",
        "192.0.2.17 - - [21/Nov/2026:09:43:33 +0000] \"GET /api/v1/items?page=7 HTTP/1.1\" 200 5123 \"-\" \"curl/8.5\"",
    ),
];

fn batch() -> Batch {
    let mut bytes = Vec::new();
    let mut messages = Vec::new();
    for number in 0..MESSAGES {
        let (pri, program, text) = LINES[(number * 5 + number / 7) % LINES.len()];
        let mut message = Message::default();
        message.pri = Priority(pri);
        message.program = Span::received(bytes.len(), program.len());
        bytes.extend_from_slice(program.as_bytes());
        message.text = Span::received(bytes.len(), text.len());
        bytes.extend_from_slice(text.as_bytes());
        messages.push(message);
    }
    let origins = vec![Arc::new(Origin { source: "s".into(), ..Origin::default() })];
    let mut batch = Batch::new(Arc::new(bytes), origins, Stamp::known(0, 0), Ack::none());
    batch.messages = messages;
    batch
}

fn measure(name: &str, mut work: impl FnMut() -> usize) {
    let mut found = 0;
    let mut runs: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = cpu_ns();
            for _ in 0..ROUNDS {
                found = black_box(work());
            }
            (cpu_ns() - start) as f64 / (ROUNDS * MESSAGES) as f64
        })
        .collect();
    runs.sort_by(f64::total_cmp);
    println!("{:>7.1} ns  {found:>5} of {MESSAGES}  {name}", runs[RUNS / 2]);
}

struct Sink;

impl Outlet for Sink {
    fn deliver(&self, delivery: Delivery, _budget: &WriteBudget) {
        black_box(delivery.selection.count());
    }
}

/// CPU time of this thread, so that a busy machine does not change the figures much.
fn cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn main() {
    let batch = batch();
    let definitions = Definitions::default();
    let filters: Vec<Arc<Filter>> = FILTERS
        .iter()
        .filter_map(|text| Some(Arc::new(Filter::new(parse(text, &definitions).ok()?))))
        .collect();
    assert_eq!(filters.len(), FILTERS.len(), "all filters compile");
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    let all = Selection::all(batch.len());
    for (filter, text) in filters.iter().zip(FILTERS) {
        measure(text, || filter.select(&batch, &all, &mut renderer).count());
    }
    measure("all five", || {
        filters.iter().map(|filter| filter.select(&batch, &all, &mut renderer).count()).sum()
    });
    let path = |filter: &Arc<Filter>| Path {
        sources: vec!["s".into()],
        steps: vec![
            Step::Filter(FilterStep::new(filter.clone())),
            Step::Outlet(OutletStep { name: "d".into(), outlet: Arc::new(Sink) }),
        ],
        ..Path::default()
    };
    let plan = Plan { paths: filters.iter().map(path).collect(), ..Plan::default() };
    let Ok(router) = Router::new(plan) else { return };
    measure("router with five paths (a copy of the batch included)", || {
        router.take(batch.clone(), &WriteBudget::none());
        batch.len()
    });
    measure("the copy alone", || black_box(batch.clone()).len());
}
