//! Messages of about 400 bytes that contain pairs: a firewall's `key=value` and an application's JSON.
//!
//! In: random numbers. Out: lines. Limits: none; two of three pairs differ from line to line.

use super::{Corpus, LINES, Random, USERS, WORDS};

/// The form of the pairs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `key=value key="two words"`.
    KeyValue,
    /// `{"key":"value","in":{"key":1}}`.
    Json,
}

impl Corpus {
    /// A corpus of pairs.
    pub(crate) fn of_pairs(form: Form) -> Corpus {
        let mut random = Random(0x2545_F491_4F6C_DD1D);
        let (mut text, mut ends) = (String::new(), Vec::with_capacity(LINES));
        for line in 0..LINES {
            let (host, second) = (random.below(200), line / 1000);
            let (program, body) = match form {
                Form::KeyValue => ("gate", key_value(&mut random)),
                Form::Json => ("app[812]", json(&mut random)),
            };
            text.push_str(&format!(
                "<134>Nov 20 11:{:02}:{:02} srv{host:03}.dc1 {program}: {body}\n",
                second / 60 % 60,
                second % 60
            ));
            ends.push(text.len());
        }
        Corpus { bytes: text.into_bytes(), ends }
    }
}

fn key_value(r: &mut Random) -> String {
    let (from, to, user, action) =
        (r.ip(), r.ip(), r.pick(USERS), r.pick(&["accept", "deny", "close", "timeout"]));
    let (policy, service) = (r.below(500), r.pick(&["HTTPS", "DNS", "SSH", "SMTP", "NTP"]));
    let (a, b) = (r.pick(WORDS), r.pick(WORDS));
    format!(
        "devname=gate-{:02} devid=FG{} logid=0000000013 type=traffic subtype=forward level=notice vd=root srcip={from} \
         srcport={} srcintf=\"port{}\" dstip={to} dstport={} dstintf=\"wan{}\" user={user} sessionid={} proto=6 \
         action={action} policyid={policy} service={service} msg=\"session of {a} and {b} {action}\" duration={} \
         sentbyte={} rcvdbyte={} sentpkt={} rcvdpkt={}",
        r.below(20),
        r.hex(12),
        1024 + r.below(64_000),
        r.below(8),
        r.pick(&["22", "25", "53", "443", "8080"]),
        r.below(3),
        r.below(90_000_000),
        r.below(4_000),
        r.below(9_000_000),
        r.below(9_000_000),
        r.below(9_000),
        r.below(9_000),
    )
}

fn json(r: &mut Random) -> String {
    let (user, ip, a, b) = (r.pick(USERS), r.ip(), r.pick(WORDS), r.pick(WORDS));
    format!(
        "{{\"timestamp\":\"2026-11-20T11:{:02}:{:02}.{:03}Z\",\"level\":\"{}\",\"logger\":\"com.example.{a}.{b}\",\
         \"thread\":\"worker-{}\",\"message\":\"request for \\\"{a}\\\" done\",\"http\":{{\"method\":\"GET\",\
         \"path\":\"/{a}/{b}?id={}\",\"status\":{},\"bytes\":{}}},\"user\":{{\"name\":\"{user}\",\"id\":{},\"ip\":\"{ip}\"}},\
         \"duration\":{}.{:02},\"cached\":{},\"trace\":\"{}\"}}",
        r.below(60),
        r.below(60),
        r.below(1000),
        r.pick(&["INFO", "INFO", "WARN", "ERROR"]),
        r.below(32),
        r.below(1_000_000),
        r.pick(&["200", "304", "404", "500"]),
        r.below(90_000),
        r.below(100_000),
        r.below(900),
        r.below(100),
        r.pick(&["true", "false"]),
        r.hex(32),
    )
}
