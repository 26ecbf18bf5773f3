//! The pieces of an XML text.
//!
//! In: a text. Out: its tags and the text between them; comments, instructions and document types are skipped.
//! `None`: it is not XML. Holds: the rest. Limits: none of its own; one pass, nothing is copied except text with
//! entities.

use memchr::{memchr, memchr2, memmem};
use std::borrow::Cow;

/// A piece of XML.
#[derive(Debug)]
pub(super) enum Piece<'t> {
    /// Text between tags, its entities as written.
    Text(&'t [u8]),
    /// Text that holds no entities.
    Cdata(&'t [u8]),
    /// `<tag attributes>` or `<tag attributes/>`.
    Start { tag: &'t [u8], attributes: &'t [u8], is_empty: bool },
    /// `</tag>`.
    End(&'t [u8]),
}

/// The unread part of a text.
pub(super) struct Scan<'t> {
    rest: &'t [u8],
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t [u8]) -> Scan<'t> {
        Scan { rest: text }
    }

    /// Reads the next piece; the inner `None` is the end.
    pub(super) fn next(&mut self) -> Option<Option<Piece<'t>>> {
        loop {
            let Some(first) = self.rest.first() else { return Some(None) };
            if *first != b'<' {
                let end = memchr(b'<', self.rest).unwrap_or(self.rest.len());
                return Some(Some(Piece::Text(self.take(end))));
            }
            if let Some(body) = self.rest.strip_prefix(b"<![CDATA[") {
                let end = memmem::find(body, b"]]>")?;
                self.rest = &body[end + 3..];
                return Some(Some(Piece::Cdata(&body[..end])));
            }
            match self.rest.get(1)? {
                b'?' => self.pass(b"?>")?,
                b'!' if self.rest.starts_with(b"<!--") => self.pass(b"-->")?,
                b'!' => self.pass_declaration()?,
                b'/' => {
                    let end = memchr(b'>', self.rest)?;
                    let tag = self.take(end + 1)[2..end].trim_ascii_end();
                    return is_name(tag).then_some(Some(Piece::End(tag)));
                }
                _ => return self.start().map(Some),
            }
        }
    }

    /// Skips to the end of an element whose start was read.
    pub(super) fn skip_element(&mut self, tag: &[u8], depth_max: usize) -> Option<()> {
        let mut open = vec![tag];
        loop {
            match self.next()?? {
                Piece::Start { tag, is_empty: false, .. } if open.len() < depth_max => open.push(tag),
                Piece::Start { is_empty: false, .. } => return None,
                Piece::End(tag) => {
                    open.pop().filter(|opened| *opened == tag)?;
                    if open.is_empty() {
                        return Some(());
                    }
                }
                _ => {}
            }
        }
    }

    fn take(&mut self, length: usize) -> &'t [u8] {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn pass(&mut self, end: &[u8]) -> Option<()> {
        let at = memmem::find(self.rest, end)?;
        self.rest = &self.rest[at + end.len()..];
        Some(())
    }

    /// Skips `<!DOCTYPE ...>`, with a part in brackets. Its declarations are not read.
    fn pass_declaration(&mut self) -> Option<()> {
        let mut depth = 0usize;
        for (at, byte) in self.rest.iter().enumerate() {
            match byte {
                b'<' | b'[' => depth += 1,
                b']' => depth = depth.saturating_sub(1),
                b'>' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.rest = &self.rest[at + 1..];
                        return Some(());
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn start(&mut self) -> Option<Piece<'t>> {
        let body = &self.rest[1..];
        let name = body.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))?;
        let tag = &body[..name];
        let mut at = name;
        // A quoted value may contain `>`.
        loop {
            at += body.get(at..)?.iter().position(|byte| matches!(byte, b'>' | b'"' | b'\''))?;
            match body[at] {
                b'>' => break,
                quote => at += 2 + memchr(quote, &body[at + 1..])?,
            }
        }
        let inner = &body[name..at];
        let (attributes, is_empty) = match inner.strip_suffix(b"/") {
            Some(attributes) => (attributes, true),
            None => (inner, false),
        };
        self.rest = &body[at + 1..];
        is_name(tag).then_some(Piece::Start { tag, attributes, is_empty })
    }
}

fn is_name(name: &[u8]) -> bool {
    let starts = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..);
    let is_later = |byte: &u8| starts(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    name.first().is_some_and(starts) && name.iter().all(is_later)
}

/// Splits the first attribute into name, value and the rest; the inner `None` is the end.
#[expect(clippy::type_complexity, reason = "three slices of one text")]
pub(super) fn attribute(text: &[u8]) -> Option<Option<(&[u8], &[u8], &[u8])>> {
    let text = text.trim_ascii_start();
    if text.is_empty() {
        return Some(None);
    }
    let equals = memchr(b'=', text)?;
    let name = text[..equals].trim_ascii_end();
    let value = text[equals + 1..].trim_ascii_start();
    let quote = *value.first().filter(|quote| matches!(quote, b'"' | b'\''))?;
    let end = memchr(quote, &value[1..])?;
    is_name(name).then(|| Some((name, &value[1..=end], &value[end + 2..])))
}

/// Replaces the entities of a text. `None`: XML does not have one of them.
pub(super) fn plain(raw: &[u8]) -> Option<Cow<'_, [u8]>> {
    if memchr2(b'&', b'<', raw).is_none() {
        return Some(Cow::Borrowed(raw));
    }
    let mut plain = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr2(b'&', b'<', rest) {
        if rest[at] == b'<' {
            return None;
        }
        plain.extend_from_slice(&rest[..at]);
        let length = memchr(b';', &rest[at..])?;
        let entity = str::from_utf8(&rest[at + 1..at + length]).ok()?;
        let character = match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let number = entity.strip_prefix('#')?;
                let code = match number.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16),
                    None => number.parse(),
                };
                char::from_u32(code.ok()?)?
            }
        };
        plain.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        rest = &rest[at + length + 1..];
    }
    plain.extend_from_slice(rest);
    Some(Cow::Owned(plain))
}
