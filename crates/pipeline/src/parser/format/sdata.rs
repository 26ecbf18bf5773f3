//! `sdata-parser()`: structured data as RFC 5424 writes it, in any text.
//!
//! In: `[id name="value" other=value][...]`. Out: a value for each parameter, under `id.name`. Values may
//! lack quotes, as some senders write them. Other texts are stopped.
//! Limits: those of [`Writer`].

use crate::parser::reader::{JoinedName, Reader, Writer};
use memchr::memchr2;
use message::ValueKind;

/// Reads structured data.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sdata;

impl Reader for Sdata {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        let mut rest = text.trim_ascii();
        let mut found = false;
        while let Some(body) = rest.strip_prefix(b"[") {
            let Some(after) = element(body, out) else { return false };
            found = true;
            rest = after;
        }
        found && rest.is_empty()
    }
}

/// Reads an element after its opening bracket. Returns the text that follows it.
fn element<'t>(body: &'t [u8], out: &mut Writer<'_>) -> Option<&'t [u8]> {
    let end = body.iter().position(|byte| matches!(byte, b' ' | b']'))?;
    let (id, mut rest) = body.split_at(end);
    if id.is_empty() {
        return None;
    }
    let mut name = JoinedName::new(b'.');
    name.push(id);
    loop {
        rest = rest.trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b"]") {
            return Some(after);
        }
        let equals = rest.iter().position(|byte| matches!(byte, b'=' | b' ' | b']' | b'"'))?;
        let (parameter, value) = rest.split_at(equals);
        let value = value.strip_prefix(b"=").filter(|_| !parameter.is_empty())?;
        let before = name.push(parameter);
        rest = match value.strip_prefix(b"\"") {
            Some(quoted) => give_quoted(name.joined(), quoted, out)?,
            None => {
                let end = value.iter().position(|byte| matches!(byte, b' ' | b']'))?;
                out.set(name.joined(), &value[..end], ValueKind::String);
                &value[end..]
            }
        };
        name.pop_to(before);
    }
}

fn give_quoted<'t>(name: &[u8], quoted: &'t [u8], out: &mut Writer<'_>) -> Option<&'t [u8]> {
    let mut at = 0;
    let mut escaped = false;
    loop {
        at += memchr2(b'"', b'\\', quoted.get(at..)?)?;
        if quoted[at] == b'"' {
            break;
        }
        escaped = true;
        at += 2;
    }
    let value = &quoted[..at];
    if escaped {
        out.set_made(name, ValueKind::String, |made| unescape(value, made));
    } else {
        out.set(name, value, ValueKind::String);
    }
    Some(&quoted[at + 1..])
}

/// Removes escapes: only quotes, backslashes and brackets are escaped (RFC 5424, section 6.3.3).
fn unescape(value: &[u8], out: &mut Vec<u8>) {
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match bytes.peek() {
            Some(&next @ (b'"' | b'\\' | b']')) if byte == b'\\' => {
                out.push(next);
                bytes.next();
            }
            _ => out.push(byte),
        }
    }
}
