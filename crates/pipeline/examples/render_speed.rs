//! Measures templates: nanoseconds of CPU per message, the median of several runs.

#![expect(clippy::disallowed_methods, reason = "it measures time")]

use message::{Ack, Batch, Message, Origin, Span, Stamp};
use pipeline::Definitions;
use std::{fs, hint::black_box, sync::Arc};
use template::{RenderOptions, Renderer, Template};

const MESSAGES: usize = 1000;
const ROUNDS: usize = 2000;
const RUNS: usize = 9;

fn batch() -> Batch {
    let mut bytes = Vec::new();
    let mut messages = Vec::new();
    for number in 0..MESSAGES {
        let header =
            format!("<38>Nov 21 09:{:02}:{:02} web-{:02} ", number / 600, number / 10 % 60, number % 7);
        let start = bytes.len();
        bytes.extend_from_slice(header.as_bytes());
        let host = Span::received(start + 20, 6);
        let mut message = Message::default();
        message.host = host;
        let tag = bytes.len();
        bytes.extend_from_slice(b"sshd[4711]: ");
        message.msghdr = Span::received(tag, 12);
        let text = bytes.len();
        bytes.resize(start + 168, b'x');
        message.text = Span::received(text, bytes.len() - text);
        message.raw = Span::received(start, 168);
        message.event = Stamp::known((1_795_251_600 + number as i64 / 10) * 1_000_000, 0);
        messages.push(message);
    }
    let origins = vec![Arc::new(Origin::default())];
    let mut batch = Batch::new(Arc::new(bytes), origins, Stamp::known(0, 0), Ack::none());
    batch.messages = messages;
    batch
}

/// CPU time of this thread, so that a busy machine does not change the figures much.
fn cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn main() {
    let batch = batch();
    for text in [
        "$DATE $HOST $MSGHDR$MSG\n",
        "$ISODATE $HOST $MSGHDR$MSG\n",
        "$ISODATE $FACILITY.$SEVERITY $HOST $PROGRAM[$PID]: $MSG\n",
        "/var/log/$YEAR/$MONTH/$DAY/$HOST.log",
    ] {
        let Ok(template) = Template::parse(text, &Definitions::default()) else { continue };
        let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
        let mut out = Vec::with_capacity(256 * MESSAGES);
        let mut runs: Vec<f64> = (0..RUNS)
            .map(|_| {
                let start = cpu_ns();
                for _ in 0..ROUNDS {
                    out.clear();
                    for index in 0..batch.len() {
                        template.render(&batch, index, &mut renderer, &mut out);
                    }
                    black_box(&out);
                }
                (cpu_ns() - start) as f64 / (ROUNDS * MESSAGES) as f64
            })
            .collect();
        runs.sort_by(f64::total_cmp);
        println!("{:>7.1} ns  {}", runs[RUNS / 2], text.trim_end());
    }
}
