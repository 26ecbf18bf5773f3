//! Mails (RFC 5322) with their envelopes, as they are sent to a mail server.
//!
//! In: addresses, header fields and a text, of which any part may come from a message. Out: `MAIL FROM` and `RCPT TO`
//! lines, an empty line, and the mail with its last line, a dot.
//! Holds: nothing. Limits: no value can begin a line of its own: in addresses control characters, blanks and angle
//! brackets are left out, in header fields control characters become blanks. Addresses are cut at
//! [`ADDRESS_BYTES_MAX`], names at [`NAME_BYTES_MAX`], values of header fields at [`VALUE_BYTES_MAX`].

mod header;

use base64::{Engine, engine::general_purpose::STANDARD};
use header::{append_field, phrase};
use std::ops::Range;

/// Longest address that RFC 5321 allows.
pub const ADDRESS_BYTES_MAX: usize = 254;
/// Longest name before an address.
pub const NAME_BYTES_MAX: usize = 256;
/// Longest value of a header field.
pub const VALUE_BYTES_MAX: usize = 16 << 10;
/// Longest line of a text that is sent unchanged (RFC 5322, section 2.1.1).
const LINE_BYTES_MAX: usize = 998;
/// Bytes that make one line of base64.
const PACKED_BYTES: usize = 57;

/// Someone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mailbox {
    /// The name to show; may be empty.
    pub name: Vec<u8>,
    /// `user@host`
    pub address: Vec<u8>,
}

/// Header fields that hold mailboxes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// `From`, which is also the return address.
    From,
    /// `Sender`
    Sender,
    /// `Reply-To`
    ReplyTo,
    /// `To`
    To,
    /// `Cc`
    Cc,
    /// In the envelope only.
    Bcc,
}

/// One mail.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mail {
    /// Sender and recipients, each with the role that it has.
    pub people: Vec<(Role, Mailbox)>,
    /// Names and values of other header fields.
    pub fields: Vec<(String, Vec<u8>)>,
    /// Text of the mail; bytes that are not UTF-8 are replaced.
    pub text: Vec<u8>,
}

/// An envelope and its contents, as [`Mail::append`] wrote them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Envelope<'b> {
    /// Address of the sender.
    pub from: &'b [u8],
    /// Addresses of the recipients; may be empty.
    pub to: Vec<&'b [u8]>,
    /// The mail, up to and with the dot that ends it.
    pub data: Range<usize>,
}

impl Mail {
    /// Appends the envelope and the mail.
    pub fn append(&self, out: &mut Vec<u8>) {
        let people: Vec<(Role, Vec<u8>, &[u8])> =
            self.people.iter().map(|(role, person)| (*role, clean(&person.address), &*person.name)).collect();
        let from = people.iter().find(|(role, ..)| *role == Role::From);
        append_line(out, &[b"MAIL FROM:<", from.map_or(b"", |(_, address, _)| address), b">"]);
        for (role, address, _) in &people {
            if matches!(role, Role::To | Role::Cc | Role::Bcc) && !address.is_empty() {
                append_line(out, &[b"RCPT TO:<", address, b">"]);
            }
        }
        append_line(out, &[]);
        for (role, name) in [
            (Role::From, "From"),
            (Role::Sender, "Sender"),
            (Role::ReplyTo, "Reply-To"),
            (Role::To, "To"),
            (Role::Cc, "Cc"),
        ] {
            append_people(
                out,
                name,
                people.iter().filter(|(other, address, _)| *other == role && !address.is_empty()),
            );
        }
        for (name, value) in &self.fields {
            append_field(out, name, &value[..value.len().min(VALUE_BYTES_MAX)]);
        }
        self.append_text(out);
    }

    fn append_text(&self, out: &mut Vec<u8>) {
        append_line(out, &[b"MIME-Version: 1.0"]);
        if !self.fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("Content-Type")) {
            append_line(out, &[b"Content-Type: text/plain; charset=UTF-8"]);
        }
        let text = with_line_ends(&self.text);
        if goes_as_it_is(&text) {
            append_line(out, &[b"Content-Transfer-Encoding: 7bit"]);
            append_line(out, &[]);
            for line in text.split_inclusive(|byte| *byte == b'\n') {
                if line.starts_with(b".") {
                    out.push(b'.');
                }
                out.extend_from_slice(line);
            }
        } else {
            append_line(out, &[b"Content-Transfer-Encoding: base64"]);
            append_line(out, &[]);
            let text = String::from_utf8_lossy(&text);
            for part in text.as_bytes().chunks(PACKED_BYTES) {
                append_line(out, &[STANDARD.encode(part).as_bytes()]);
            }
        }
        append_line(out, &[b"."]);
    }
}

/// Reads back an envelope that [`Mail::append`] wrote. `None` when it did not write these bytes.
pub fn envelope(bytes: &[u8]) -> Option<Envelope<'_>> {
    let mut at = 0;
    let mut line = || {
        let size = memchr::memchr(b'\n', &bytes[at..])?;
        let line = &bytes[at..at + size];
        at += size + 1;
        Some((line.strip_suffix(b"\r")?, at))
    };
    let inside = |line: &'_ [u8], start: &[u8]| -> Option<Range<usize>> {
        line.starts_with(start).then(|| start.len()..line.len().saturating_sub(1))
    };
    let (first, _) = line()?;
    let from = first.get(inside(first, b"MAIL FROM:<")?)?;
    let mut to = Vec::new();
    loop {
        let (next, end) = line()?;
        if next.is_empty() {
            return Some(Envelope { from, to, data: end..bytes.len() });
        }
        to.push(next.get(inside(next, b"RCPT TO:<")?)?);
    }
}

fn append_line(out: &mut Vec<u8>, parts: &[&[u8]]) {
    parts.iter().for_each(|part| out.extend_from_slice(part));
    out.extend_from_slice(b"\r\n");
}

fn append_people<'p>(
    out: &mut Vec<u8>,
    name: &str,
    people: impl Iterator<Item = &'p (Role, Vec<u8>, &'p [u8])>,
) {
    let mut lead = format!("{name}: ").into_bytes();
    let mut any = false;
    for (_, address, shown) in people {
        out.append(&mut lead);
        let shown = phrase(&shown[..shown.len().min(NAME_BYTES_MAX)]);
        if shown.is_empty() {
            out.extend_from_slice(address);
        } else {
            out.extend_from_slice(&shown);
            out.extend_from_slice(b"\r\n <");
            out.extend_from_slice(address);
            out.push(b'>');
        }
        lead.extend_from_slice(b",\r\n ");
        any = true;
    }
    if any {
        append_line(out, &[]);
    }
}

/// Returns an address without the characters that could end a line or a bracket.
fn clean(address: &[u8]) -> Vec<u8> {
    let address = String::from_utf8_lossy(address);
    let fits = |c: &char| !c.is_control() && !c.is_whitespace() && !matches!(c, '<' | '>');
    let mut text: String = address.chars().filter(fits).collect();
    let end = (0..=ADDRESS_BYTES_MAX.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.truncate(end.unwrap_or(0));
    text.into_bytes()
}

/// Returns a text in which every line ends with CR LF.
fn with_line_ends(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 64);
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' => {
                bytes.next_if_eq(&b'\n');
                out.extend_from_slice(b"\r\n");
            }
            b'\n' => out.extend_from_slice(b"\r\n"),
            byte => out.push(byte),
        }
    }
    if !out.is_empty() && !out.ends_with(b"\n") {
        out.extend_from_slice(b"\r\n");
    }
    out
}

/// Returns true when a text is ASCII without control characters, in lines that are not too long.
fn goes_as_it_is(text: &[u8]) -> bool {
    let is_plain = |byte: &u8| (b' '..=b'~').contains(byte) || matches!(byte, b'\t' | b'\r' | b'\n');
    text.iter().all(is_plain) && text.split(|byte| *byte == b'\n').all(|line| line.len() <= LINE_BYTES_MAX)
}

#[cfg(test)]
mod tests;
