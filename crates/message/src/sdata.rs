//! Reads the structured data of RFC 5424, section 6.3, element by element.
//!
//! In: `[id name="value" ...][...]` as received. Out: triples (id, name, escaped value), in order. Never fails:
//! reading stops at the first byte that does not fit. Limits: none; it walks once, without allocating.

use std::borrow::Cow;

/// One parameter of one element. An element without parameters yields one with an empty name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SdParam<'a> {
    /// SD-ID of the element, for instance `exampleSDID@32473`.
    pub id: &'a [u8],
    /// PARAM-NAME; empty for an element without parameters.
    pub name: &'a [u8],
    /// PARAM-VALUE as received, its escapes kept.
    pub escaped: &'a [u8],
}

impl<'a> SdParam<'a> {
    /// Returns the value with `\"`, `\\` and `\]` unescaped (RFC 5424, section 6.3.3: any other backslash is literal).
    pub fn value(&self) -> Cow<'a, [u8]> {
        if memchr::memchr(b'\\', self.escaped).is_none() {
            return Cow::Borrowed(self.escaped);
        }
        let mut plain = Vec::with_capacity(self.escaped.len());
        let mut bytes = self.escaped.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            match (byte, bytes.peek()) {
                (b'\\', Some(&next @ (b'"' | b'\\' | b']'))) => {
                    plain.push(next);
                    bytes.next();
                }
                _ => plain.push(byte),
            }
        }
        Cow::Owned(plain)
    }
}

/// Returns the parameters of structured data as received.
pub fn sd_params(sdata: &[u8]) -> impl Iterator<Item = SdParam<'_>> {
    Reader { rest: sdata, id: None, first: false }
}

struct Reader<'a> {
    rest: &'a [u8],
    /// The element being read.
    id: Option<&'a [u8]>,
    /// True until a parameter of the element was returned.
    first: bool,
}

impl<'a> Iterator for Reader<'a> {
    type Item = SdParam<'a>;

    fn next(&mut self) -> Option<SdParam<'a>> {
        loop {
            let Some(id) = self.id else {
                let body = self.rest.strip_prefix(b"[")?;
                let end = body.iter().position(|byte| matches!(byte, b' ' | b']'))?;
                self.id = Some(&body[..end]);
                self.first = true;
                self.rest = &body[end..];
                continue;
            };
            match self.rest.first()? {
                b']' => {
                    self.rest = &self.rest[1..];
                    self.id = None;
                    if self.first {
                        return Some(SdParam { id, name: b"", escaped: b"" });
                    }
                }
                b' ' => self.rest = &self.rest[1..],
                _ => return self.param(id),
            }
        }
    }
}

impl<'a> Reader<'a> {
    fn param(&mut self, id: &'a [u8]) -> Option<SdParam<'a>> {
        let equals = memchr::memchr(b'=', self.rest)?;
        let name = &self.rest[..equals];
        let quoted = self.rest[equals + 1..].strip_prefix(b"\"")?;
        let end = closing_quote(quoted)?;
        self.rest = &quoted[end + 1..];
        self.first = false;
        Some(SdParam { id, name, escaped: &quoted[..end] })
    }
}

/// Returns the position of the first quote that no backslash escapes.
fn closing_quote(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}
