//! The rows of the benchmark table.
//!
//! In: nothing. Out: the messages, the number of connections, and the expected output.

use super::corpus::{Corpus, Form};
use regex::bytes::Regex;

/// Receive buffer of every server in the row of UDP, bytes.
pub(crate) const RECEIVE_BUFFER_BYTES: usize = 32 << 20;

/// One measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Row {
    /// One TCP connection, BSD syslog, one file.
    Bsd,
    /// One TLS connection, RFC 5424 with octet counts, one file.
    Tls,
    /// Five TCP connections, five filters with regular expressions, five files.
    Filter,
    /// One TCP connection, messages of `key=value`, one file with one of the values.
    Kv,
    /// One TCP connection, messages of JSON, one file with one of the values.
    Json,
    /// One TCP connection, a pattern database of which a tenth of the messages match, one file.
    Patterndb,
    /// One TCP connection, a value set and an address in the text replaced by a regular expression, one file.
    Rewrite,
    /// Ten TCP connections, messages of 400 bytes, one file.
    Connections10,
    /// The same with fifty.
    Connections50,
    /// The same with a hundred.
    Connections100,
    /// The same with two hundred.
    Connections200,
    /// Ten TCP connections, messages of 400 bytes, a file for each of two hundred hosts.
    Hosts,
    /// One TCP connection in, one out, messages of 400 bytes.
    Relay,
    /// The same through a disk buffer whose records are written, but not synced, before the source is
    /// answered.
    RelayNormal,
    /// The same through a disk buffer whose records are synced before the source is answered.
    RelayReliable,
    /// UDP: the highest rate with hardly any loss, one file.
    Udp,
    /// The same with datagrams of one size in runs, which cost the sender little.
    UdpRuns,
    /// Five thousand TCP connections held open, of which a tenth sends; one file.
    Held5000,
    /// A thousand TLS connections held open, of which a tenth sends; one file.
    HeldTls1000,
}

/// One filter of the filter row: all of its conditions must hold.
pub(crate) struct FilterRule {
    /// Name of the filter and of its file.
    pub(crate) name: &'static str,
    /// Regular expression on the program.
    pub(crate) program: Option<&'static str>,
    /// Regular expression on the text.
    pub(crate) text: &'static str,
    /// Facility code and name.
    pub(crate) facility: Option<(u16, &'static str)>,
    /// Code and name of the least severe level that passes.
    pub(crate) severity: Option<(u16, &'static str)>,
}

/// The filters of the filter row.
pub(crate) const FILTERS: &[FilterRule] = &[
    FilterRule {
        name: "ssh",
        program: Some("^(sshd|sudo)$"),
        text: "Failed (password|none) for (invalid user )?[^ ]+ from [0-9.]+",
        facility: None,
        severity: None,
    },
    FilterRule {
        name: "mail",
        program: Some("^postfix/"),
        text: "status=(bounced|deferred)",
        facility: Some((2, "mail")),
        severity: None,
    },
    FilterRule {
        name: "firewall",
        program: None,
        text: "IN=[a-z0-9]+ .*DPT=(22|23|3389|445) ",
        facility: Some((0, "kern")),
        severity: None,
    },
    FilterRule {
        name: "errors",
        program: None,
        text: "([Ee]rror|ERROR|[Ff]ail(ed|ure)|denied|refused|timed? ?out)",
        facility: None,
        severity: Some((4, "warning")),
    },
    FilterRule {
        name: "names",
        program: Some("^(named|dhcpd|dovecot)$"),
        text: r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+#[0-9]+",
        facility: None,
        severity: None,
    },
];

impl Row {
    pub(crate) const ALL: &'static [Row] = &[
        Row::Bsd,
        Row::Tls,
        Row::Filter,
        Row::Connections10,
        Row::Connections50,
        Row::Connections100,
        Row::Connections200,
        Row::Hosts,
        Row::Kv,
        Row::Json,
        Row::Rewrite,
        Row::Patterndb,
        Row::Relay,
        Row::RelayNormal,
        Row::RelayReliable,
        Row::Udp,
        Row::UdpRuns,
        Row::Held5000,
        Row::HeldTls1000,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Row::Bsd => "bsd",
            Row::Tls => "tls",
            Row::Filter => "filter",
            Row::Kv => "kv",
            Row::Json => "json",
            Row::Patterndb => "patterndb",
            Row::Rewrite => "rewrite",
            Row::Connections10 => "connections-10",
            Row::Connections50 => "connections-50",
            Row::Connections100 => "connections-100",
            Row::Connections200 => "connections-200",
            Row::Hosts => "hosts",
            Row::Relay => "relay",
            Row::RelayNormal => "relay-normal",
            Row::RelayReliable => "relay-reliable",
            Row::Udp => "udp",
            Row::UdpRuns => "udp-runs",
            Row::Held5000 => "held-5000",
            Row::HeldTls1000 => "held-tls-1000",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Row::Bsd => "BSD-Throughput: 1 TCP connection, RFC 3164 messages, 1 file",
            Row::Tls => "IETF-Throughput: 1 TLS connection, RFC 5424 messages, 1 file",
            Row::Filter => {
                "Filter-Throughput: 5 TCP connections, RFC 3164 messages, 5 filters with regular expressions, 5 files"
            }
            Row::Kv => {
                "Pairs: 1 TCP connection, messages of key=value, all pairs read, 1 file with one of them"
            }
            Row::Json => {
                "JSON: 1 TCP connection, messages of JSON, all members read, 1 file with one of them"
            }
            Row::Patterndb => {
                "PatternDB: 1 TCP connection, RFC 3164 messages, a pattern database of which 10 % match, 1 file"
            }
            Row::Rewrite => {
                "Rewrite: 1 TCP connection, 400-byte messages, 1 value set, 1 regular expression replaced, 1 file"
            }
            Row::Connections10 => "10 TCP connections, 400-byte messages, 1 file",
            Row::Connections50 => "50 TCP connections, 400-byte messages, 1 file",
            Row::Connections100 => "100 TCP connections, 400-byte messages, 1 file",
            Row::Connections200 => "200 TCP connections, 400-byte messages, 1 file",
            Row::Hosts => "Files by ${HOST}: 10 TCP connections, 400-byte messages, 200 files",
            Row::Relay => "Relay: 1 TCP connection in, 1 TCP connection out, 400-byte messages",
            Row::RelayNormal => {
                "Relay with a disk buffer: the same, reliable(no); rsyslog: a disk-assisted queue"
            }
            Row::RelayReliable => {
                "Relay with a reliable disk buffer: the same, reliable(yes); rsyslog: a disk queue that is synced"
            }
            Row::Udp => {
                "UDP: highest rate with less than 0.1 % loss, so-rcvbuf 32 MiB, RFC 3164 messages, 1 file"
            }
            Row::UdpRuns => "UDP in runs: the same, datagrams of one size sent 64 at a time (UDP_SEGMENT)",
            Row::Held5000 => "5,000 TCP connections held open, 400-byte messages on a tenth of them, 1 file",
            Row::HeldTls1000 => {
                "1,000 TLS connections held open, RFC 5424 messages on a tenth of them, 1 file"
            }
        }
    }

    pub(crate) fn connections(self) -> usize {
        match self {
            Row::Filter => 5,
            Row::Connections10 | Row::Hosts => 10,
            Row::Connections50 => 50,
            Row::Connections100 => 100,
            Row::Connections200 => 200,
            Row::Held5000 => 5000,
            Row::HeldTls1000 => 1000,
            _ => 1,
        }
    }

    /// Returns true for rows whose messages are sent to another server instead of files.
    pub(crate) fn is_relay(self) -> bool {
        matches!(self, Row::Relay | Row::RelayNormal | Row::RelayReliable)
    }

    /// Returns true when the connections use TLS.
    pub(crate) fn is_encrypted(self) -> bool {
        matches!(self, Row::Tls | Row::HeldTls1000)
    }

    /// Returns true when most connections are silent.
    pub(crate) fn is_held(self) -> bool {
        matches!(self, Row::Held5000 | Row::HeldTls1000)
    }

    /// Returns the corpus to send.
    pub(crate) fn corpus(self) -> Corpus {
        match self {
            Row::Bsd | Row::Filter | Row::Patterndb | Row::Udp | Row::UdpRuns => Corpus::bsd(),
            Row::Tls | Row::HeldTls1000 => Corpus::ietf(),
            Row::Json => Corpus::of_pairs(Form::Json),
            _ => Corpus::of_pairs(Form::KeyValue),
        }
    }

    /// Lines that must be in the files after `messages` of the corpus, counted independently of any server.
    pub(crate) fn expected(self, corpus: &Corpus, messages: u64) -> u64 {
        if self != Row::Filter {
            return messages;
        }
        let hits: Vec<u64> = corpus.lines().map(matches).collect();
        let total: u64 = hits.iter().sum();
        (0..self.connections())
            .map(|connection| {
                let share = share(messages, connection, self.connections());
                let (whole, rest) = (share / hits.len() as u64, (share % hits.len() as u64) as usize);
                whole * total + hits[..rest].iter().sum::<u64>()
            })
            .sum()
    }
}

/// Returns the number of `messages` that one connection sends.
pub(crate) fn share(messages: u64, connection: usize, connections: usize) -> u64 {
    let (connection, connections) = (connection as u64, connections as u64);
    messages / connections + u64::from(connection < messages % connections)
}

/// Returns the number of filters that a line passes.
fn matches(line: &[u8]) -> u64 {
    thread_local! {
        static SHAPE: Option<Regex> = Regex::new(r"(?s-u)^<(\d+)>.{15} \S+ ([^\[:]+)(?:\[\d+\])?: ?(.*)").ok();
        static RULES: Vec<(Option<Regex>, Option<Regex>)> = FILTERS.iter().map(|rule| {
            (rule.program.and_then(|program| Regex::new(program).ok()), Regex::new(rule.text).ok())
        }).collect();
    }
    SHAPE.with(|shape| {
        let Some(found) = shape.as_ref().and_then(|shape| shape.captures(line)) else { return 0 };
        let pri: u16 = std::str::from_utf8(&found[1]).ok().and_then(|text| text.parse().ok()).unwrap_or(13);
        RULES.with(|rules| {
            let holds = |(rule, (program, text)): (&FilterRule, &(Option<Regex>, Option<Regex>))| {
                rule.facility.is_none_or(|(code, _)| pri >> 3 == code)
                    && rule.severity.is_none_or(|(code, _)| pri & 7 <= code)
                    && program.as_ref().is_none_or(|program| program.is_match(&found[2]))
                    && text.as_ref().is_some_and(|text| text.is_match(&found[3]))
            };
            FILTERS.iter().zip(rules).filter(|pair| holds(*pair)).count() as u64
        })
    })
}
