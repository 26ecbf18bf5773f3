//! `snmptrapd-parser()`: what snmptrapd of Net-SNMP writes to its log.
//!
//! In: `DATE TIME HOST [TRANSPORT]:` or, for version 1, `DATE TIME HOST(via TRANSPORT) TRAP, SNMP v1, community NAME`, and
//! behind it variables, `NAME = TYPE: value`, with tabs between. Out: a value for each; the message becomes all of them
//! as `name='value'`. A text that does not begin so is stopped.
//! Limits: those of [`super::Writer`].

use super::{Reader, Writer};
use message::ValueKind;
use std::borrow::Cow;

/// Reads traps.
#[derive(Clone, Debug)]
pub struct Snmptrapd {
    /// `set-message-macro()`: whether the message becomes its values.
    pub sets_message: bool,
}

impl Reader for Snmptrapd {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        let Some((head, rest)) = Head::read(text) else { return false };
        let mut all = Vec::new();
        let mut give = |name: &[u8], value: &[u8]| {
            out.set(name, value, ValueKind::String);
            if self.sets_message {
                quote(name, value, &mut all);
            }
        };
        give(b"hostname", head.host);
        give(b"transport_info", head.transport);
        let mut rest = rest;
        if let Some((trap, behind)) = head.is_first_version.then(|| Trap::read(rest)).flatten() {
            give(b"enterprise_oid", trap.enterprise);
            give(b"type", trap.kind);
            give(b"subtype", trap.subtype);
            give(b"uptime", trap.uptime);
            rest = behind;
        }
        while let Some((Variable { name, value }, behind)) = Variable::read(rest) {
            give(name, &value);
            rest = behind;
        }
        if self.sets_message {
            out.set_unprefixed(b"MESSAGE", &all, ValueKind::String);
        }
        true
    }
}

/// Adds `name='value'` to what the message becomes.
fn quote(name: &[u8], value: &[u8], all: &mut Vec<u8>) {
    if !all.is_empty() {
        all.extend_from_slice(b", ");
    }
    all.extend_from_slice(name);
    all.extend_from_slice(b"='");
    for byte in value {
        if *byte == b'\'' {
            all.push(b'\\');
        }
        all.push(*byte);
    }
    all.push(b'\'');
}

/// Who sent a trap, and by which way.
struct Head<'a> {
    host: &'a [u8],
    transport: &'a [u8],
    is_first_version: bool,
}

impl<'a> Head<'a> {
    fn read(text: &'a [u8]) -> Option<(Head<'a>, &'a [u8])> {
        let rest = without_time(text)?;
        let line = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let (head, behind) = rest.split_at(line);
        if let Some(via) = find(head, b"(via ") {
            let end = find(head, b") TRAP")?;
            let transport = head.get(via + b"(via ".len()..end)?;
            return Some((
                Head { host: head[..via].trim_ascii(), transport, is_first_version: true },
                behind,
            ));
        }
        let open = find(head, b" [")?;
        // The header may have its variables on the same line.
        let end = open + find(&head[open..], b"]:")? + b"]".len();
        let end = last_bracket(head, end);
        let transport = head.get(open + b" [".len()..end - 1)?;
        let host = head[..open].trim_ascii();
        Some((Head { host, transport, is_first_version: false }, &rest[end + 1..]))
    }
}

/// The end of the transport, which has brackets of its own: `[UDP: [::1]:1->[::1]:162]:`.
fn last_bracket(head: &[u8], first: usize) -> usize {
    let mut end = first;
    while let Some(next) = head.get(end + 1..).and_then(|rest| find(rest, b"]:")) {
        let candidate = end + 1 + next + 1;
        if head[end..candidate].contains(&b'\t') || head[end..candidate].contains(&b'=') {
            break;
        }
        end = candidate;
    }
    end
}

/// What stands behind the date and the time of the line.
fn without_time(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii_start();
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let is_date = (0..4).all(is_digit) && text.get(4) == Some(&b'-') && text.get(10) == Some(&b' ');
    let is_time = is_digit(11) && text.get(13) == Some(&b':') && text.get(19) == Some(&b' ');
    (is_date && is_time).then(|| &text[20..])
}

/// The second line of a trap of version 1: `OID Kind of Trap (.17) Uptime: 18:41:07.83`.
struct Trap<'a> {
    enterprise: &'a [u8],
    kind: &'a [u8],
    subtype: &'a [u8],
    uptime: &'a [u8],
}

impl<'a> Trap<'a> {
    fn read(text: &'a [u8]) -> Option<(Trap<'a>, &'a [u8])> {
        let text = text.trim_ascii_start();
        let line = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
        let (line, behind) = text.split_at(line);
        let blank = line.iter().position(|byte| *byte == b' ')?;
        let open = find(line, b" (")?;
        let close = open + find(&line[open..], b")")?;
        let uptime = find(line, b"Uptime: ")? + b"Uptime: ".len();
        let trap = Trap {
            enterprise: &line[..blank],
            kind: line.get(blank + 1..open)?,
            subtype: line.get(open + b" (".len()..close)?,
            uptime: line[uptime..].trim_ascii(),
        };
        Some((trap, behind))
    }
}

/// A variable of a trap, its value without type and quotes.
struct Variable<'a> {
    name: &'a [u8],
    value: Cow<'a, [u8]>,
}

impl<'a> Variable<'a> {
    /// The next one, and what follows it.
    fn read(text: &'a [u8]) -> Option<(Variable<'a>, &'a [u8])> {
        let text = text.trim_ascii_start();
        let equals = find(text, b" = ")?;
        let name = &text[..equals];
        let mut value = &text[equals + b" = ".len()..];
        while let Some(inner) = without_type(value) {
            value = inner;
        }
        if value.first() == Some(&b'"') {
            let (quoted, behind) = unquoted(&value[1..]);
            return Some((Variable { name, value: quoted.into() }, behind));
        }
        let end = value.iter().position(|byte| matches!(byte, b'\t' | b'\n')).unwrap_or(value.len());
        Some((Variable { name, value: value[..end].trim_ascii().into() }, &value[end..]))
    }
}

/// What stands behind `STRING: `, `Gauge32: `, `Wrong Type (should be OID): `.
fn without_type(value: &[u8]) -> Option<&[u8]> {
    let colon = find(value, b": ")?;
    let word = &value[..colon];
    let is_type = word.iter().all(|byte| byte.is_ascii_alphanumeric() || b"- ()".contains(byte));
    (is_type && word.first().is_some_and(u8::is_ascii_alphabetic)).then(|| &value[colon + 2..])
}

/// Text up to the closing quote, and what follows it.
fn unquoted(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match (byte, text.get(at + 1)) {
            (b'"', _) => return (out, &text[at + 1..]),
            (b'\\', Some(next @ (b'"' | b'\\'))) => {
                out.push(*next);
                at += 1;
            }
            _ => out.push(*byte),
        }
        at += 1;
    }
    (out, &[])
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, wanted)
}
