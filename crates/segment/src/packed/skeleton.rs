//! The common part of similar messages: their frame without the varying parts.
//!
//! In: a message. Out: its skeleton, which is literal bytes with marks for the varying parts, and those parts: a
//! value of a column, the event time, or a value of its own; the frame again.
//! Holds: the tokens that belong to skeletons. Limits: none; a skeleton of a single message is not worth storing,
//! which its owner decides.

use super::{
    time::{self, FORMS},
    values::Values,
};
use crate::{
    documents::text::TextLocation,
    format::{Damage, FileSlice},
    terms::frequent::Frequent,
};
use lookup::{
    Document,
    tokens::{Seed, Tokenizer},
};

/// Begins a mark. Followed by itself, it means the byte itself.
const MARK: u8 = 0x11;
/// A value of the row.
const VALUE: u8 = 1;
const HOST: u8 = 2;
const PROGRAM: u8 = 3;
const PID: u8 = 4;
const MSGID: u8 = 5;
const PRI: u8 = 6;
/// The frame ends here; a text that is not part of it follows.
const APART: u8 = 7;
/// The byte [`MARK`].
const ITSELF: u8 = 8;
/// The event time, in the form of the number above this.
const TIME: u8 = 32;

/// Splits frames into skeletons and values.
pub(crate) struct Splitter<'a> {
    frequent: &'a Frequent,
    seed: Seed,
    tokenizer: Tokenizer,
    buffer: Vec<u8>,
}

/// A message taken apart.
#[derive(Default)]
pub(super) struct Split {
    pub(super) skeleton: Vec<u8>,
    /// Bytes of the skeleton, number of values, and bytes of the frame, before the text.
    pub(super) header: (usize, usize, usize),
    /// Values of the row.
    pub(super) values: Values,
}

impl Splitter<'_> {
    pub(crate) fn new(frequent: &Frequent) -> Splitter<'_> {
        Splitter { frequent, seed: Seed::of_process(), tokenizer: Tokenizer::default(), buffer: Vec::new() }
    }

    /// Splits a message. `text` is where its text begins in the frame, if it is part of it.
    pub(super) fn split(&mut self, document: &Document, text: Option<usize>, out: &mut Split) {
        out.skeleton.clear();
        out.values.clear();
        let header = self.header(document, text.unwrap_or(document.raw.len()), out);
        out.header = (out.skeleton.len(), out.values.len(), header);
        self.body(&document.raw, header, out);
        if text.is_none() {
            out.skeleton.extend_from_slice(&[MARK, APART]);
            self.body(&document.text, 0, out);
        }
    }

    /// Splits the frame up to where the text begins; returns where it ended, because tokens are not cut.
    fn header(&mut self, document: &Document, text: usize, out: &mut Split) -> usize {
        let raw = document.raw.as_slice();
        let digits = document.pri.to_string();
        let mut at = 0;
        if let Some(rest) = raw.strip_prefix(b"<")
            && rest.starts_with(digits.as_bytes())
            && rest.get(digits.len()) == Some(&b'>')
        {
            out.skeleton.extend_from_slice(&[b'<', MARK, PRI, b'>']);
            at = digits.len() + 2;
        }
        self.tokenizer.read(raw);
        let mut columns = [
            (HOST, document.host.as_slice()),
            (PROGRAM, &document.program),
            (PID, &document.pid),
            (MSGID, &document.msgid),
        ];
        let mut has_time = false;
        for token in self.tokenizer.tokens() {
            let (start, end) = (token.start as usize, (token.start + token.length) as usize);
            if start < at {
                continue;
            }
            if end > text {
                break;
            }
            put_literal(&mut out.skeleton, &raw[at..start]);
            at = start;
            let rest = &raw[start..];
            if !has_time && let Some((form, size)) = time::recognise(rest, document.event, &mut self.buffer) {
                has_time = true;
                out.skeleton.extend_from_slice(&[MARK, TIME + form]);
                at += size;
                continue;
            }
            let is_here = |(_, value): &&mut (u8, &[u8])| {
                let ends = rest.get(value.len()).is_none_or(|byte| !byte.is_ascii_alphanumeric());
                !value.is_empty() && rest.starts_with(value) && ends
            };
            if let Some((mark, value)) = columns.iter_mut().find(is_here) {
                out.skeleton.extend_from_slice(&[MARK, *mark]);
                at += value.len();
                *value = b"";
                continue;
            }
            self.put_token(token, raw, out);
            at = end;
        }
        // The rest belongs to the header unless the beginning of the text cuts a token.
        let until = text.max(at).min(raw.len());
        let is_cut = self
            .tokenizer
            .tokens()
            .any(|token| (token.start as usize) < until && (token.start + token.length) as usize > until);
        if !is_cut {
            put_literal(&mut out.skeleton, &raw[at..until]);
            at = until;
        }
        at
    }

    fn body(&mut self, text: &[u8], from: usize, out: &mut Split) {
        let text = &text[from..];
        self.tokenizer.read(text);
        let mut at = 0;
        for token in self.tokenizer.tokens() {
            put_literal(&mut out.skeleton, &text[at..token.start as usize]);
            self.put_token(token, text, out);
            at = (token.start + token.length) as usize;
        }
        put_literal(&mut out.skeleton, &text[at..]);
    }

    fn put_token(&self, token: lookup::tokens::Token, text: &[u8], out: &mut Split) {
        let bytes = &text[token.start as usize..(token.start + token.length) as usize];
        let hash = self.tokenizer.hash(token, self.seed);
        if self.frequent.number(self.tokenizer.bytes(token), hash).is_some() {
            put_literal(&mut out.skeleton, bytes);
        } else {
            out.skeleton.extend_from_slice(&[MARK, VALUE]);
            out.values.push(bytes);
        }
    }
}

fn put_literal(out: &mut Vec<u8>, bytes: &[u8]) {
    if memchr::memchr(MARK, bytes).is_none() {
        return out.extend_from_slice(bytes);
    }
    for byte in bytes {
        out.push(*byte);
        if *byte == MARK {
            out.push(ITSELF);
        }
    }
}

/// The skeleton of a message of which only the header has one, or not even that: the rest is one value.
pub(super) fn put_whole(out: &mut Vec<u8>) {
    out.extend_from_slice(&[MARK, VALUE]);
}

/// The mark of a text that is not part of the frame, and the text as one value.
pub(super) fn put_apart(out: &mut Vec<u8>) {
    out.extend_from_slice(&[MARK, APART, MARK, VALUE]);
}

/// Returns the number of values in a skeleton.
pub(super) fn slots(skeleton: &[u8]) -> usize {
    let marks = memchr::memchr_iter(MARK, skeleton);
    marks.filter(|at| skeleton.get(at + 1) == Some(&VALUE)).count()
}

/// Puts a message together again: into `raw`, and into `text` when the text is not part of it.
pub(super) fn join(
    skeleton: &[u8],
    values: &mut dyn Iterator<Item = &[u8]>,
    document: &mut Document,
) -> Result<TextLocation, Damage> {
    let damage = |what| FileSlice::loose(skeleton).damage(0, what);
    let mut out = std::mem::take(&mut document.raw);
    out.clear();
    let mut text = TextLocation::InFrame;
    let mut at = 0;
    for mark in memchr::memchr_iter(MARK, skeleton) {
        out.extend_from_slice(&skeleton[at..mark]);
        at = mark + 2;
        match *skeleton.get(mark + 1).ok_or_else(|| damage("a template ends in a mark"))? {
            VALUE => out.extend_from_slice(values.next().ok_or_else(|| damage("a value is missing"))?),
            HOST => out.extend_from_slice(&document.host),
            PROGRAM => out.extend_from_slice(&document.program),
            PID => out.extend_from_slice(&document.pid),
            MSGID => out.extend_from_slice(&document.msgid),
            PRI => super::shape::put_decimal(&mut out, u64::from(document.pri), 0),
            ITSELF => out.push(MARK),
            APART if text == TextLocation::InFrame => {
                text = TextLocation::Apart;
                document.raw = std::mem::replace(&mut out, std::mem::take(&mut document.text));
                out.clear();
            }
            form if (TIME..TIME + FORMS).contains(&form) => time::put(&mut out, form - TIME, document.event),
            _ => return Err(damage("an unknown mark in a template")),
        }
    }
    out.extend_from_slice(skeleton.get(at..).unwrap_or_default());
    match text {
        TextLocation::InFrame => document.raw = out,
        TextLocation::Apart => document.text = out,
    }
    Ok(text)
}
