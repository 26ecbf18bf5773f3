//! `snmptrapd-parser()`: traps as Net-SNMP's snmptrapd writes them to its log.
//!
//! In: `DATE TIME HOST [TRANSPORT]:`, then for version 1 `ENTERPRISE` and a line `KIND (SUBTYPE) Uptime: TIME`, and
//! a line of variables, `NAME = TYPE: value`, with tabs between. Older versions of Net-SNMP wrote
//! `DATE TIME HOST(via TRANSPORT) TRAP, SNMP v1, community NAME` and the enterprise on the second line.
//! Out: a value for each, colons in its name as one `_`; the time; `snmptrapd` as program; the message becomes all of
//! them as `name='value'`, or is empty. A text that does not begin so is stopped.
//! Limits: those of [`Writer`].

use super::kv;
use crate::parser::{
    date::{DateFormat, read_time},
    reader::{Reader, Writer},
};
use jiff::tz::TimeZone;
use memchr::{memchr, memmem};
use message::ValueKind;
use std::{borrow::Cow, io::Write};

/// The format of the time in a header.
const TIME: &str = "%Y-%m-%d %H:%M:%S";

/// Reads traps.
#[derive(Clone, Debug)]
pub struct Snmptrapd {
    sets_message: bool,
    zone: TimeZone,
    time: Option<DateFormat>,
}

impl Snmptrapd {
    /// Makes a reader of headers with times in a zone. The text of the message is replaced by its values.
    pub fn new(zone: TimeZone) -> Snmptrapd {
        Snmptrapd { sets_message: true, zone, time: DateFormat::parse(TIME).ok() }
    }

    /// Leaves the message unchanged: `set-message-macro(no)`.
    pub fn without_message(self) -> Snmptrapd {
        Snmptrapd { sets_message: false, ..self }
    }
}

impl Reader for Snmptrapd {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        let Some(head) = TrapHeader::read(text) else { return false };
        let time = str::from_utf8(head.time).ok().zip(self.time.as_ref());
        let stamp = time.and_then(|(time, format)| read_time(format, time, out.received(), &self.zone));
        let Some(stamp) = stamp else { return false };
        out.set_event(stamp);
        out.set_unprefixed(b"PROGRAM", b"snmptrapd", ValueKind::String);
        let mut all = Vec::new();
        let mut give = |name: &[u8], value: &[u8]| {
            out.set(&normal(name), value, ValueKind::String);
            if self.sets_message {
                quote(name, value, &mut all);
            }
        };
        give(b"hostname", head.host);
        give(b"transport_info", head.transport);
        let mut rest = head.rest;
        if let Some((trap, behind)) = Trap::read(&head) {
            if !trap.enterprise.is_empty() {
                give(b"enterprise_oid", trap.enterprise);
            }
            give(b"type", trap.kind);
            give(b"subtype", trap.subtype);
            give(b"uptime", trap.uptime);
            rest = behind;
        }
        rest = rest.trim_ascii_start();
        while let Some((Variable { name, value }, behind)) = Variable::read(rest) {
            give(name, &value);
            rest = behind;
        }
        out.set_unprefixed(b"MESSAGE", &all, ValueKind::String);
        true
    }
}

/// Returns a name whose colons are one `_`.
fn normal(name: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b':', name).is_none() {
        return Cow::Borrowed(name);
    }
    let mut normal = Vec::with_capacity(name.len());
    for (at, byte) in name.iter().enumerate() {
        match byte {
            b':' if at > 0 && name[at - 1] == b':' => {}
            b':' => normal.push(b'_'),
            other => normal.push(*other),
        }
    }
    Cow::Owned(normal)
}

/// Adds `name='value'` to what the message becomes, on one line.
fn quote(name: &[u8], value: &[u8], all: &mut Vec<u8>) {
    if !all.is_empty() {
        all.extend_from_slice(b", ");
    }
    all.extend_from_slice(name);
    all.extend_from_slice(b"='");
    for byte in value {
        let escape = match byte {
            b'\'' | b'\\' => *byte,
            8 => b'b',
            12 => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0..32 => {
                // Writing to a vector cannot fail.
                let _ = write!(all, "\\x{byte:02x}");
                continue;
            }
            plain => {
                all.push(*plain);
                continue;
            }
        };
        all.extend_from_slice(&[b'\\', escape]);
    }
    all.push(b'\'');
}

/// The header of a trap: its time, its sender, its transport, and the rest of the line.
struct TrapHeader<'a> {
    time: &'a [u8],
    host: &'a [u8],
    transport: &'a [u8],
    rest: &'a [u8],
    /// True when the enterprise is on the line of the header, and not in front of the kind.
    is_current: bool,
}

impl<'a> TrapHeader<'a> {
    fn read(text: &'a [u8]) -> Option<TrapHeader<'a>> {
        let text = text.trim_ascii_start();
        let date = memchr(b' ', text)?;
        let time = date + 1 + memchr(b' ', &text[date + 1..])?;
        let (time, behind) = text.split_at(time);
        let behind = behind.trim_ascii_start();
        let line = &behind[..memchr(b'\n', behind).unwrap_or(behind.len())];
        if let Some(via) = memmem::find(line, b"(via ") {
            let end = memmem::find(line, b") TRAP")?;
            let transport = line.get(via + b"(via ".len()..end)?;
            let host = line[..via].trim_ascii_end();
            return Some(TrapHeader {
                time,
                host,
                transport,
                rest: &behind[line.len()..],
                is_current: false,
            });
        }
        let host = line.iter().position(u8::is_ascii_whitespace)?;
        let open = host + line[host..].iter().position(|byte| !byte.is_ascii_whitespace())?;
        let (end, colon) = end_of_transport(line, open)?;
        Some(TrapHeader {
            time,
            host: &line[..host],
            transport: line.get(open + 1..end)?.trim_ascii_start(),
            rest: &behind[colon + 1..],
            is_current: true,
        })
    }
}

/// Returns the end of the brackets of a transport, and of the colon after them. It has brackets of its own, and
/// variables may follow on the same line: `[UDP: [::1]:1->[::1]:162]: A = STRING: "[x]:"`.
fn end_of_transport(line: &[u8], open: usize) -> Option<(usize, usize)> {
    if line[open] != b'[' {
        return None;
    }
    let equals = memmem::find(&line[open..], b" = ").map_or(line.len(), |at| open + at);
    (open..equals).rev().filter(|at| line[*at] == b']').find_map(|end| {
        let colon = end + 1 + line[end + 1..].iter().position(|byte| *byte != b' ')?;
        (line[colon] == b':').then_some((end, colon))
    })
}

/// The values of a trap of version 1 besides its variables: `Enterprise Specific Trap (.17) Uptime: 18:41:07.83`.
struct Trap<'a> {
    enterprise: &'a [u8],
    kind: &'a [u8],
    subtype: &'a [u8],
    uptime: &'a [u8],
}

impl<'a> Trap<'a> {
    fn read(head: &TrapHeader<'a>) -> Option<(Trap<'a>, &'a [u8])> {
        let end = memchr(b'\n', head.rest)?;
        let first = head.rest[..end].trim_ascii();
        if memchr(b'=', first).is_some() {
            return None;
        }
        let second = head.rest[end + 1..].strip_prefix(b"\t")?;
        let end = memchr(b'\n', second).unwrap_or(second.len());
        let (line, behind) = second.split_at(end);
        let line = line.trim_ascii();
        let (enterprise, line) =
            if head.is_current { (first, line) } else { line.split_at(memchr(b' ', line)?) };
        let open = memchr(b'(', line)?;
        let close = open + memchr(b')', &line[open..])?;
        let uptime = line[close + 1..].trim_ascii_start().strip_prefix(b"Uptime:")?;
        let trap = Trap {
            enterprise,
            kind: line[..open].trim_ascii(),
            subtype: &line[open + 1..close],
            uptime: uptime.trim_ascii(),
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
    /// Reads the next variable of the line, and returns the rest. Words that are not names are skipped.
    fn read(text: &'a [u8]) -> Option<(Variable<'a>, &'a [u8])> {
        let mut start = 0;
        let (name, value) = loop {
            start += text[start..].iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
            if text[start] == b'\n' {
                return None;
            }
            if let Some(found) = name(text, start) {
                break found;
            }
            start += text[start..].iter().position(|byte| matches!(byte, b' ' | b'\t' | b'\n'))?;
        };
        let name = &text[start..name];
        let (kind, value) = without_type(&text[value..]);
        if let Some((quoted, behind)) = quoted(value) {
            return Some((Variable { name, value: quoted }, behind));
        }
        let end = end_of_value(value, kind);
        Some((Variable { name, value: Cow::Borrowed(value[..end].trim_ascii_end()) }, &value[end..]))
    }
}

/// Returns the end of the name that begins at an offset, and the start of its value. Parts of it may be in quotes: `A."b
/// c".1`.
fn name(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let mut end = start;
    while let Some(byte) = text.get(end) {
        end += match byte {
            quote @ (b'"' | b'\'') if end > start => {
                let close = memchr::memchr2(*quote, b'\n', &text[end + 1..])?;
                close + 2
            }
            byte if byte.is_ascii_alphanumeric() || b"_.-:".contains(byte) => 1,
            _ => break,
        };
    }
    let equals = end + text.get(end..)?.iter().position(|byte| *byte != b' ')?;
    (end > start && text[equals] == b'=').then_some((end, equals + 1))
}

/// Splits a value into its type and the rest: `STRING: `, `Hex-STRING: `.
fn without_type(value: &[u8]) -> (&[u8], &[u8]) {
    let value = trim_blanks(value);
    let length = value.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    match &value[length..] {
        [b':', rest @ ..] if length > 0 && rest.first().is_none_or(u8::is_ascii_whitespace) => {
            (&value[..length], trim_blanks(rest))
        }
        _ => (b"", value),
    }
}

/// Returns the plain form of a value in quotes, and the rest. `None`: it has no quotes, or text follows them.
fn quoted(value: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let quote = *value.first().filter(|quote| matches!(quote, b'"' | b'\''))?;
    let mut at = 1;
    loop {
        at += memchr::memchr2(quote, b'\\', value.get(at..)?)?;
        if value[at] == quote {
            break;
        }
        at += 2;
    }
    let (inner, rest) = (&value[1..at], &value[at + 1..]);
    if rest.first().is_some_and(|byte| !byte.is_ascii_whitespace()) {
        return None;
    }
    let mut plain = Vec::new();
    kv::unescape(inner, quote, &mut plain);
    Some((Cow::Owned(plain), rest))
}

/// Returns the end of a value without quotes: at a tab, at the end of the line, or before the blanks in front of a name. Long
/// hexadecimal values continue over several lines.
fn end_of_value(value: &[u8], kind: &[u8]) -> usize {
    let mut at = 0;
    while let Some(next) = value[at..].iter().position(|byte| matches!(byte, b' ' | b'\t' | b'\n')) {
        at += next;
        let behind = at + value[at..].iter().take_while(|byte| **byte == b' ').count();
        let continues = match value.get(behind) {
            Some(b'\n') => kind == b"Hex-STRING" && begins_with_hex(&value[behind + 1..]),
            Some(b'\t') | None => false,
            Some(_) => name(value, behind).is_none(),
        };
        if !continues {
            return at;
        }
        at = behind + 1;
    }
    value.len()
}

fn begins_with_hex(line: &[u8]) -> bool {
    let is_digit = |at: usize| line.get(at).is_some_and(u8::is_ascii_hexdigit);
    is_digit(0) && is_digit(1) && line.get(2).is_none_or(|byte| matches!(byte, b' ' | b'\n' | b'\t'))
}

fn trim_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &text[blanks..]
}
