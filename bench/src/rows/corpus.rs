//! The messages that are sent: BSD syslog of a mixed site, generated from a seed, the same on every machine.
//!
//! In: a seed. Out: [`LINES`] lines of 150 to 200 bytes, about 168 on average; those with pairs have about
//! 400.

mod pairs;

pub(crate) use pairs::Form;

use std::{fmt::Write, fs, io, path::Path};

/// Lines of a corpus; senders repeat it.
pub(crate) const LINES: usize = 100_000;

const WORDS: &[&str] = &[
    "alpha", "bravo", "cache", "delta", "engine", "flush", "gateway", "handler", "index", "journal",
    "kernel", "lookup", "module", "node", "object", "packet", "queue", "router", "socket", "thread",
    "update", "vector", "worker", "yield", "zone", "backup", "client", "daemon", "event", "filter", "group",
];
const USERS: &[&str] =
    &["root", "admin", "alice", "bob", "carol", "dave", "oracle", "git", "www-data", "test", "guest"];

/// Framed lines in memory.
pub(crate) struct Corpus {
    /// All lines, each with its newline.
    pub(crate) bytes: Vec<u8>,
    /// Offset of the end of each line, after its newline.
    pub(crate) ends: Vec<usize>,
}

impl Corpus {
    /// The corpus; its times are within one hour of the current year, so no server has to guess the year.
    pub(crate) fn bsd() -> Corpus {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let (mut text, mut ends) = (String::new(), Vec::with_capacity(LINES));
        for line in 0..LINES {
            let message = message(&mut random, line / 1000);
            text.push_str(&message);
            text.push('\n');
            ends.push(text.len());
        }
        Corpus { bytes: text.into_bytes(), ends }
    }

    /// The same messages in RFC 5424 format, with octet counts: about 270 bytes on average.
    pub(crate) fn ietf() -> Corpus {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let (mut text, mut ends) = (String::new(), Vec::with_capacity(LINES));
        for line in 0..LINES {
            let message = rfc5424(&mut random, line / 1000);
            // Writing to a string cannot fail.
            let _ = write!(text, "{} {message}", message.len());
            ends.push(text.len());
        }
        Corpus { bytes: text.into_bytes(), ends }
    }

    /// The lines without their newlines.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len()).map(|line| {
            let start = line.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.bytes[start..self.ends[line] - 1]
        })
    }

    /// Average bytes of a line without its newline.
    pub(crate) fn average(&self) -> f64 {
        self.bytes.len() as f64 / self.ends.len() as f64 - 1.0
    }

    /// Writes the lines for a generator that reads a file.
    pub(crate) fn save(&self, path: &Path) -> io::Result<()> {
        fs::write(path, &self.bytes)
    }
}

/// A small random number generator (xorshift64*), good enough to choose words.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn ip(&mut self) -> String {
        let (a, b, c, d) =
            (self.pick(&["10", "172", "192", "198"]), self.below(256), self.below(256), self.below(256));
        format!("{a}.{b}.{c}.{d}")
    }

    fn hex(&mut self, digits: usize) -> String {
        (0..digits).map(|_| char::from(b"0123456789abcdef"[self.below(16)])).collect()
    }
}

fn message(random: &mut Random, second: usize) -> String {
    let (facility, severity, program, pid, text) = body(random);
    let pid = if pid { format!("[{}]", 100 + random.below(32_000)) } else { String::new() };
    let (host, pri) = (random.below(200), facility * 8 + severity);
    let mut line = format!(
        "<{pri}>Nov 20 11:{:02}:{:02} srv{host:03}.dc1 {program}{pid}: {text}",
        second / 60 % 60,
        second % 60
    );
    let wanted = 150 + random.below(30);
    while line.len() < wanted {
        // Writing to a string cannot fail.
        let _ = write!(line, " {}={}", random.pick(WORDS), random.hex(4));
    }
    line.truncate(200);
    line
}

fn rfc5424(random: &mut Random, second: usize) -> String {
    let (facility, severity, program, pid, text) = body(random);
    let pid = if pid { (100 + random.below(32_000)).to_string() } else { "-".to_owned() };
    let (host, pri) = (random.below(200), facility * 8 + severity);
    let (iut, number) = (1 + random.below(9), random.below(100_000));
    let mut line = format!(
        "<{pri}>1 2026-11-20T11:{:02}:{:02}.{:06}+01:00 srv{host:03}.dc1.example.net {program} {pid} - \
         [exampleSDID@32473 iut=\"{iut}\" eventID=\"{number}\"] {text}",
        second / 60 % 60,
        second % 60,
        random.below(1_000_000)
    );
    let wanted = 250 + random.below(30);
    while line.len() < wanted {
        // Writing to a string cannot fail.
        let _ = write!(line, " {}={}", random.pick(WORDS), random.hex(4));
    }
    line.truncate(300);
    line
}

/// Facility, severity, program, whether it names its process, text.
type Body = (usize, usize, &'static str, bool, String);

fn body(r: &mut Random) -> Body {
    match r.below(100) {
        kind @ 0..70 => infrastructure(r, kind),
        kind => services(r, kind),
    }
}

/// Logins, mail, firewall, names, jobs.
fn infrastructure(r: &mut Random, kind: usize) -> Body {
    match kind {
        0..14 => {
            let (who, user, ip, port) =
                (r.pick(&["", "invalid user "]), r.pick(USERS), r.ip(), 1024 + r.below(64_000));
            (10, 6, "sshd", true, format!("Failed password for {who}{user} from {ip} port {port} ssh2"))
        }
        14..24 => {
            let (user, ip, port, key) = (r.pick(USERS), r.ip(), 1024 + r.below(64_000), r.hex(24));
            (
                10,
                6,
                "sshd",
                true,
                format!("Accepted publickey for {user} from {ip} port {port} ssh2: RSA SHA256:{key}"),
            )
        }
        24..36 => {
            let end = ["sent (250 2.0.0 Ok: queued)", "deferred (connect refused)", "bounced (user unknown)"];
            let end = end[r.below(10).saturating_sub(7)];
            let (id, user, ip) = (r.hex(10), r.pick(USERS), r.ip());
            let text = format!("{id}: to=<{user}@example.org>, relay=mx[{ip}]:25, dsn=2.0.0, status={end}");
            (2, 6, "postfix/smtp", true, text)
        }
        36..50 => {
            let (from, to, length, port) = (r.ip(), r.ip(), 40 + r.below(1460), 1024 + r.below(64_000));
            let target = r.pick(&["22", "23", "80", "443", "445", "3389", "8080", "5060"]);
            let severity = [4, 6, 6][r.below(3)];
            let text = format!(
                "[{}.{:06}] FW-DROP IN=eth{} OUT= SRC={from} DST={to} LEN={length} PROTO=TCP SPT={port} DPT={target} SYN",
                r.below(1_000_000),
                r.below(1_000_000),
                r.below(3)
            );
            (0, severity, "kernel", false, text)
        }
        50..60 => {
            let (id, ip, port, name) = (r.hex(12), r.ip(), 1024 + r.below(64_000), r.below(99));
            (
                3,
                6,
                "named",
                true,
                format!(
                    "client @0x{id} {ip}#{port} (www{name}.example.com): query: www{name}.example.com IN A +E(0)K"
                ),
            )
        }
        60..66 => {
            let (user, a, b) = (r.pick(USERS), r.pick(WORDS), r.pick(WORDS));
            (9, 6, "CRON", true, format!("({user}) CMD (/usr/local/bin/{a}-{b}.sh --quiet >/dev/null 2>&1)"))
        }
        _ => {
            let (user, unit) = (r.pick(USERS), r.pick(WORDS));
            (
                10,
                5,
                "sudo",
                false,
                format!(
                    "{user} : TTY=pts/3 ; PWD=/srv ; USER=root ; COMMAND=/usr/bin/systemctl restart {unit}.service"
                ),
            )
        }
    }
}

/// Web, addresses, mailboxes, units, applications.
fn services(r: &mut Random, kind: usize) -> Body {
    match kind {
        70..80 => {
            let (ip, a, b, id) = (r.ip(), r.pick(WORDS), r.pick(WORDS), r.below(1_000_000));
            let (status, size) = (r.pick(&["200", "200", "200", "304", "404", "502"]), 100 + r.below(90_000));
            (
                23,
                6,
                "nginx",
                true,
                format!("{ip} - - \"GET /{a}/{b}?id={id} HTTP/1.1\" {status} {size} \"-\" \"Mozilla/5.0\""),
            )
        }
        80..86 => {
            let (ip, a, b, pc) = (r.ip(), r.hex(2), r.hex(2), r.below(999));
            (3, 6, "dhcpd", true, format!("DHCPACK on {ip} to 52:54:00:{a}:{b}:01 (pc{pc}) via eth0"))
        }
        86..91 => {
            let what = r.pick(&["Login", "Login", "Aborted login (auth failed, 2 attempts)"]);
            let (severity, user, ip, id) = ([6, 6, 4][r.below(3)], r.pick(USERS), r.ip(), r.hex(12));
            (
                2,
                severity,
                "dovecot",
                true,
                format!("imap-login: {what}: user=<{user}@example.org>, rip={ip}, TLS, session=<{id}>"),
            )
        }
        91..96 => {
            let (what, a, b) = (r.pick(&["Started", "Stopped", "Reloading"]), r.pick(WORDS), r.pick(WORDS));
            (3, 6, "systemd", true, format!("{what} {a}-{b}.service - {a} {b} daemon."))
        }
        _ => {
            let what = r.pick(&[
                "ERROR connection refused by upstream",
                "WARN request timed out after 3000 ms",
                "INFO job done",
                "ERROR permission denied for table",
            ]);
            let (severity, id, module) = ([3, 4, 6][r.below(3)], r.hex(16), r.pick(WORDS));
            (17, severity, "app", true, format!("{what} request={id} module={module}"))
        }
    }
}
