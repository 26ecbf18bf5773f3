//! Records of `/dev/kmsg`: the kernel's log, with its own numbers, times and pairs.
//!
//! In: one record, `PRI,SEQUENCE,MICROSECONDS,FLAGS[,...];TEXT LF [ KEY=VALUE LF]...`. Out: a message in the batch, and
//! its sequence number. Holds: nothing. Limits: total: a record that is not of this form becomes the text of a message,
//! which is marked; names in overlong continuation lines are cut at the batch's limit.

use message::{
    Batch, FIELD_NAME_BYTES_MAX, Facility, Format, Mark, Message, Priority, Severity, Span, Stamp, ValueKind,
};
use std::borrow::Cow;

/// Bits of a priority that are the severity.
const SEVERITY_BITS: u32 = 7;
/// Names of the fields that the kernel adds to a record.
const PREFIX: &str = ".linux.";
/// The program of the kernel's messages.
const PROGRAM: &[u8] = b"kernel";

/// The four numbers before a record's text.
struct Head {
    pri: u32,
    sequence: u64,
    micros: u64,
}

/// Adds a record that lies in the received bytes of the batch, and returns its sequence number. `boot_us` is when the
/// kernel began to count, in microseconds since 1970; without it the record has the time of its receipt.
pub fn push_kmsg(batch: &mut Batch, raw: Span, boot_us: Option<i64>, origin: u16) -> Option<u64> {
    let bytes = batch.received_bytes.clone();
    let record = bytes.get(raw.start()..raw.start() + raw.len()).unwrap_or_default();
    let mut message = Message::default();
    message.raw = raw;
    message.text = raw;
    message.origin = origin;
    message.format = Format::DevKmsg;
    message.event = batch.received;
    message.pri = Priority::new(Facility::KERNEL, Severity::NOTICE);
    message.program = batch.add_extra(PROGRAM);
    let split = memchr::memchr(b';', record);
    let Some((semicolon, head)) = split.and_then(|at| Some((at, head(&record[..at])?))) else {
        message.marks.add(Mark::ParseError);
        batch.messages.push(message);
        return None;
    };
    let body = &record[semicolon + 1..];
    let end = memchr::memchr(b'\n', body).unwrap_or(body.len());
    message.pri = priority(head.pri);
    message.text = plain(batch, raw, semicolon + 1..semicolon + 1 + end, &body[..end]);
    if let Some(boot_us) = boot_us {
        let event = boot_us.saturating_add(i64::try_from(head.micros).unwrap_or(i64::MAX));
        message.event = Stamp::known(event, batch.received.offset_s);
    }
    let index = batch.len();
    batch.messages.push(message);
    set(batch, index, "timestamp", head.micros.to_string().as_bytes(), ValueKind::Integer);
    for line in body.get(end + 1..).unwrap_or_default().split(|byte| *byte == b'\n') {
        let Some(pair) = line.strip_prefix(b" ") else { continue };
        let Some(equals) = memchr::memchr(b'=', pair) else { continue };
        let (name, value) = (String::from_utf8_lossy(&pair[..equals]), unescape(&pair[equals + 1..]));
        if name == "DEVICE" {
            device(batch, index, &value);
        } else {
            set(batch, index, &name, &value, ValueKind::String);
        }
    }
    Some(head.sequence)
}

fn head(bytes: &[u8]) -> Option<Head> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut parts = text.split(',');
    Some(Head {
        pri: parts.next()?.parse().ok()?,
        sequence: parts.next()?.parse().ok()?,
        micros: parts.next()?.parse().ok()?,
    })
}

fn priority(pri: u32) -> Priority {
    let facility = u16::try_from(pri >> 3).ok().filter(|facility| *facility < 24).unwrap_or(0);
    Priority::new(Facility(facility), Severity((pri & SEVERITY_BITS) as u8))
}

/// Returns the text as a slice of the record, or, where the kernel escaped bytes, as a copy without escapes.
fn plain(batch: &mut Batch, raw: Span, range: std::ops::Range<usize>, text: &[u8]) -> Span {
    match unescape(text) {
        Cow::Borrowed(_) => raw.part(range.start, range.end),
        Cow::Owned(text) => batch.add_extra(&text),
    }
}

/// Takes back `\xNN`, as the kernel writes control characters and backslashes.
fn unescape(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let hex = rest.get(at + 2..at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
        match hex.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if rest.get(at + 1) == Some(&b'x') => {
                out.push(byte);
                rest = &rest[at + 4..];
            }
            _ => {
                out.push(b'\\');
                rest = &rest[at + 1..];
            }
        }
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

fn set(batch: &mut Batch, index: usize, name: &str, value: &[u8], kind: ValueKind) {
    let mut name = format!("{PREFIX}{name}");
    let mut end = name.len().min(FIELD_NAME_BYTES_MAX);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.truncate(end);
    let value = batch.add_extra(value);
    batch.set_value(index, &name, value, kind);
}

/// Sets the device of a record: `b8:0` block, `c4:64` character, `n2` network interface, `+SUBSYSTEM:NAME` anything.
fn device(batch: &mut Batch, index: usize, value: &[u8]) {
    let text = String::from_utf8_lossy(value);
    let mut part = |name: &str, value: &str| {
        set(batch, index, &format!("DEVICE.{name}"), value.as_bytes(), ValueKind::String);
    };
    let numbers =
        |rest: &str| rest.split_once(':').map(|(major, minor)| (major.to_owned(), minor.to_owned()));
    match (text.chars().next(), text.get(1..)) {
        (Some(kind @ ('b' | 'c')), Some(rest)) => {
            part("type", if kind == 'b' { "block" } else { "char" });
            if let Some((major, minor)) = numbers(rest) {
                part("major", &major);
                part("minor", &minor);
            }
        }
        (Some('n'), Some(rest)) => {
            part("type", "netdev");
            part("index", rest);
        }
        (Some('+'), Some(rest)) => {
            let (subsystem, name) = rest.split_once(':').unwrap_or(("", rest));
            part("type", subsystem);
            part("name", name);
        }
        _ => part("name", &text),
    }
}

#[cfg(test)]
mod tests;
