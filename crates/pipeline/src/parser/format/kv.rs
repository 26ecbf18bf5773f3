//! `kv-parser()`: `key=value, key="other value"`.
//!
//! In: a text. Out: a value for each key; words that belong to no pair are left out or collected.
//! A key is letters, digits, `_`, `.` and `-` directly before the separator. A value without quotes continues across
//! blanks until the pair separator, or until a blank that another key and its separator follow; with a blank as
//! pair separator it ends at the first one. Quoted values know the escapes of C; a quote that is not closed is text, in
//! which keys are searched as well. Reading never fails. Limits: those of [`Writer`]; one walk over the text, besides
//! `OPEN_QUOTES_MAX` stretches.

use crate::parser::reader::{Reader, Writer};
use memchr::{memchr, memmem::Finder};
use message::ValueKind;
use template::list_append;

/// Values with a quote that is not closed that are read again for keys; after later ones reading continues.
const OPEN_QUOTES_MAX: usize = 64;

/// Reads pairs of keys and values.
#[derive(Clone, Debug)]
pub struct Kv {
    value_separator: u8,
    pair_separator: Finder<'static>,
    stray_words_into: Option<String>,
    /// Decodes values without quotes that have a special encoding: key, value, output.
    decode: Option<Decode>,
}

/// Appends the plain form of a value. Returns false when the value is plain already.
pub(super) type Decode = fn(&[u8], &[u8], &mut Vec<u8>) -> bool;

/// A key that was found, and where its value starts.
#[derive(Clone, Copy)]
struct Key {
    start: usize,
    end: usize,
    value_at: usize,
}

/// A value that was read.
struct PairValue<'t> {
    value: &'t [u8],
    /// The quote around it, whose escapes must be decoded.
    quote: Option<u8>,
    /// Offset at which reading continues.
    end: usize,
    /// The key after it, if it was seen.
    next: Option<Key>,
}

/// Offset of the next pair separator: searched for once, however many values come before it.
struct NextSeparator(Option<usize>);

impl NextSeparator {
    /// Returns the offset of the first separator at or after `start`; `usize::MAX` when there is none.
    #[inline]
    fn from(&mut self, separator: &Finder<'_>, text: &[u8], start: usize) -> usize {
        match self.0 {
            Some(known) if known >= start => known,
            _ if separator.needle().is_empty() => usize::MAX,
            _ => *self.0.insert(separator.find(&text[start..]).map_or(usize::MAX, |at| start + at)),
        }
    }
}

impl Kv {
    /// Makes a parser of pairs with a separator between key and value, and one between pairs.
    pub fn new(value_separator: u8, pair_separator: &str, stray_words_into: Option<String>) -> Kv {
        Kv {
            value_separator,
            pair_separator: Finder::new(pair_separator.as_bytes()).into_owned(),
            stray_words_into,
            decode: None,
        }
    }

    /// Sets the function that decodes values.
    pub(super) fn decoding(self, decode: Decode) -> Kv {
        Kv { decode: Some(decode), ..self }
    }

    /// Returns the first key from an offset on.
    fn key(&self, text: &[u8], from: usize) -> Option<Key> {
        let mut at = from;
        loop {
            let separator = at + memchr(self.value_separator, text.get(at..)?)?;
            let end = from
                + text[from..separator].iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
            let start = from
                + text[from..end].iter().rposition(|byte| !is_key_byte(*byte)).map_or(0, |last| last + 1);
            if start < end {
                return Some(Key { start, end, value_at: separator + 1 });
            }
            at = separator + 1;
        }
    }

    /// Returns the key that begins at an offset: its separator follows, with blanks in between or not.
    #[inline]
    fn key_at(&self, text: &[u8], start: usize) -> Option<Key> {
        let rest = &text[start..];
        // A key may hold the separator's byte, `-` say: it ends before the first one then.
        let length = rest.iter().position(|byte| !is_key_byte(*byte) || *byte == self.value_separator)?;
        let blanks = rest[length..].iter().position(|byte| *byte != b' ')?;
        let is_key = length > 0 && rest[length + blanks] == self.value_separator;
        is_key.then(|| Key { start, end: start + length, value_at: start + length + blanks + 1 })
    }

    fn value<'t>(
        &self,
        text: &'t [u8],
        at: usize,
        ahead: &mut NextSeparator,
        quotes: &mut usize,
    ) -> PairValue<'t> {
        let blanks = text[at..].iter().take_while(|byte| **byte == b' ').count();
        let start = at + blanks;
        if blanks > 0
            && let Some(next) = self.key_at(text, start)
        {
            return PairValue { value: &text[at..at], quote: None, end: start, next: Some(next) };
        }
        let Some(quote @ (b'"' | b'\'')) = text.get(start) else { return self.unquoted(text, start, ahead) };
        if let Some(end) = self.closed(text, start + 1, *quote) {
            return PairValue { value: &text[start + 1..end], quote: Some(*quote), end: end + 1, next: None };
        }
        let found = self.unquoted(text, start, ahead);
        if *quotes == 0 {
            return found;
        }
        *quotes -= 1;
        let end = found.next.map_or(ahead.from(&self.pair_separator, text, start), |next| next.start);
        PairValue { value: &text[start..end.min(text.len())], end: start, next: None, ..found }
    }

    /// Returns the offset of the closing quote of a value. `None` when the pair does not end after it.
    fn closed(&self, text: &[u8], from: usize, quote: u8) -> Option<usize> {
        let mut at = from;
        loop {
            at += memchr::memchr2(quote, b'\\', text.get(at..)?)?;
            if text[at] == quote {
                let rest = &text[at + 1..];
                let ends =
                    rest.is_empty() || rest[0] == b' ' || rest.starts_with(self.pair_separator.needle());
                return ends.then_some(at);
            }
            at += 2;
        }
    }

    fn unquoted<'t>(&self, text: &'t [u8], start: usize, ahead: &mut NextSeparator) -> PairValue<'t> {
        let separator = ahead.from(&self.pair_separator, text, start);
        if let Some(next) = self.key_behind(text, start, separator) {
            return PairValue {
                value: trimmed(&text[start..next.start]),
                quote: None,
                end: next.start,
                next: Some(next),
            };
        }
        let value = trimmed(&text[start..separator.min(text.len())]);
        let end = separator.saturating_add(self.pair_separator.needle().len()).min(text.len());
        PairValue { value, quote: None, end, next: None }
    }

    /// Returns the next key after blanks; the blanks begin before the pair separator does.
    #[inline]
    fn key_behind(&self, text: &[u8], start: usize, separator: usize) -> Option<Key> {
        // A blank that separates a key from its value leaves no sign of the next key.
        let mut at = if self.value_separator == b' ' { text.len() } else { start };
        while at <= separator {
            let sign = at + memchr(self.value_separator, &text[at..])?;
            let word = trimmed(&text[start..sign]);
            let is_letter = |byte: &&u8| is_key_byte(**byte) && **byte != self.value_separator;
            let letters = word.iter().rev().take_while(is_letter).count();
            let before = &word[..word.len() - letters];
            if letters > 0 && before.last() == Some(&b' ') {
                let is_first = start + trimmed(before).len() < separator;
                let key = Key { start: start + before.len(), end: start + word.len(), value_at: sign + 1 };
                return is_first.then_some(key);
            }
            at = sign + 1;
        }
        None
    }

    #[inline]
    fn give(&self, name: &[u8], found: &PairValue<'_>, out: &mut Writer<'_>) {
        match (found.quote, self.decode) {
            (Some(quote), _) if memchr(b'\\', found.value).is_some() => {
                out.set_made(name, ValueKind::String, |made| unescape(found.value, quote, made));
            }
            (None, Some(decode)) => {
                let mut plain = Vec::new();
                let value = if decode(name, found.value, &mut plain) { &plain } else { found.value };
                out.set(name, value, ValueKind::String);
            }
            _ => out.set(name, found.value, ValueKind::String),
        }
    }

    /// Adds a stretch that belongs to no pair to the list of them.
    fn stray(&self, words: &[u8], into: &mut Vec<u8>) {
        let words = trimmed(words);
        let words = &words[words.iter().take_while(|byte| **byte == b' ').count()..];
        if !words.is_empty() && words != self.pair_separator.needle().trim_ascii() {
            list_append(words, 0, into);
        }
    }
}

impl Reader for Kv {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        let mut stray = Vec::new();
        let (mut at, mut next, mut ahead, mut quotes) = (0, None, NextSeparator(None), OPEN_QUOTES_MAX);
        while let Some(key) = next.take().or_else(|| self.key(text, at)) {
            if self.stray_words_into.is_some() {
                self.stray(&text[at..key.start], &mut stray);
            }
            let found = self.value(text, key.value_at, &mut ahead, &mut quotes);
            let name = &text[key.start..key.end];
            self.give(name, &found, out);
            (at, next) = (found.end, found.next);
        }
        if let Some(name) = &self.stray_words_into {
            self.stray(&text[at.min(text.len())..], &mut stray);
            out.set_unprefixed(name.as_bytes(), &stray, ValueKind::String);
        }
        true
    }
}

/// True for the bytes that a key may have.
const KEY_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'_' | b'.' | b'-');
        byte += 1;
    }
    table
};

#[inline]
fn is_key_byte(byte: u8) -> bool {
    KEY_BYTES[byte as usize]
}

fn trimmed(value: &[u8]) -> &[u8] {
    let end = value.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    &value[..end]
}

/// Reads the escapes of a quoted value; an unknown one stays as it is.
pub(super) fn unescape(value: &[u8], quote: u8, out: &mut Vec<u8>) {
    let mut rest = value;
    while let Some(at) = memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let plain = match rest.get(at + 1) {
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(&same) if same == b'\\' || same == quote => same,
            other => {
                out.push(b'\\');
                match other {
                    Some(other) => *other,
                    None => return,
                }
            }
        };
        out.push(plain);
        rest = &rest[at + 2..];
    }
    out.extend_from_slice(rest);
}
