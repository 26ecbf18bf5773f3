//! Times framing and decoding: `cargo run --release -p wire --example decode_speed`.
//!
//! In: nothing. Out: nanoseconds per message, medians of several rounds over a 256 KiB buffer.
//! Holds one buffer. Limits: one thread; the numbers of a noisy machine vary by a tenth.
#![allow(clippy::print_stdout)]
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use message::{Ack, Batch, Origin, Stamp};
use std::{hint::black_box, sync::Arc, time::Instant};
use wire::{
    DecodeOptions, Decoder, Dialect, EncodeOptions, Encoder, Frame, Framer, Framing, Oversize, ParseFlags,
};

const BUFFER_BYTES: usize = 256 << 10;
const ROUNDS: usize = 400;
const PASSES: usize = 5;

fn main() {
    let bsd = "<38>Nov 21 09:00:07 web-17.example.net sshd[48213]: Accepted publickey for deploy from 192.0.2.44 \
               port 52814 ssh2: ED25519 SHA256:h1W4uPq9cVYxj0kVbZ3tQeG8rLmN2sDfA7iK";
    let rfc5424 = "<165>1 2026-11-21T09:00:07.123456+01:00 gateway.example.org evntslog 8710 ID47 \
                   [exampleSDID@32473 iut=\"3\" eventSource=\"Application\" eventID=\"1011\"]\
                   [origin ip=\"192.0.2.9\" software=\"probe\"] An application event log entry of ordinary length, \
                   as they come by the million";
    run("RFC 3164", &|_| bsd.to_owned(), ParseFlags::default(), Dialect::Rfc3164);
    run("mixed RFC 3164", &mixed, ParseFlags::default(), Dialect::Rfc3164);
    let flags = ParseFlags::default().with(ParseFlags::SYSLOG_PROTOCOL);
    run("RFC 5424", &|_| rfc5424.to_owned(), flags, Dialect::Rfc5424);
}

/// Returns lines in which every field differs in length from that of the previous line, so that no branch can be
/// predicted.
fn mixed(number: usize) -> String {
    let noise = number.wrapping_mul(0x9e37_79b9) >> 7;
    let hosts = ["db", "web-17.example.net", "fw1", "mail.example.org", "192.0.2.14", "node-a-3"];
    let programs = ["sshd", "postfix/smtpd", "kernel", "cron", "nginx", "systemd-logind", "dhcpd"];
    let (host, program) = (hosts[noise % 6], programs[noise / 6 % 7]);
    let pid = if noise.is_multiple_of(3) { String::new() } else { format!("[{}]", noise % 70_000) };
    let text = &"connection from 192.0.2.7 port 50022 closed by the remote side after 3 of 12 attempts, no reason \
                 was given"[..40 + noise % 60];
    format!(
        "<{}>Nov 21 09:{:02}:{:02} {host} {program}{pid}: {text}",
        noise % 192,
        number / 900,
        number / 15 % 60
    )
}

fn run(name: &str, line: &dyn Fn(usize) -> String, flags: ParseFlags, dialect: Dialect) {
    let mut bytes = Vec::with_capacity(BUFFER_BYTES);
    let mut count = 0;
    while bytes.len() + 1_024 < BUFFER_BYTES {
        bytes.extend_from_slice(line(count).as_bytes());
        bytes.push(b'\n');
        count += 1;
    }
    let mean_bytes = bytes.len() / count - 1;
    let bytes = Arc::new(bytes);
    let received = Stamp::known(1_795_251_607_000_000, 0);
    let origins = vec![Arc::new(Origin::default())];
    let mut decoder = Decoder::new(DecodeOptions { flags, ..DecodeOptions::default() });
    let mut encoder = Encoder::new(EncodeOptions::new(dialect, Framing::Newline));
    let mut frames: Vec<Frame> = Vec::new();
    let mut out = Vec::with_capacity(2 * BUFFER_BYTES);
    let mut batch = Batch::new(bytes.clone(), origins, received, Ack::none());
    let mut medians = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..PASSES * ROUNDS {
        let start = Instant::now();
        frames.clear();
        Framer::new(Framing::Newline, 65_536, Oversize::Cut).split(black_box(&bytes), &mut frames);
        let framed = Instant::now();
        batch.messages.clear();
        decoder.decode_frames(&mut batch, black_box(&frames), 0);
        let decoded = Instant::now();
        out.clear();
        (0..batch.len()).for_each(|index| encoder.append(black_box(&batch), index, &mut out));
        let encoded = Instant::now();
        black_box(&out);
        for (times, time) in medians.iter_mut().zip([framed - start, decoded - framed, encoded - decoded]) {
            times.push(time.as_nanos() as f64 / frames.len() as f64);
        }
    }
    print!("{name} ({mean_bytes} bytes):");
    for (step, times) in ["frame", "decode", "encode"].iter().zip(&mut medians) {
        times.sort_by(f64::total_cmp);
        print!("  {step} {:.1} ns", times[times.len() / 2]);
    }
    println!();
}
