//! The last step: the text itself, its encoding and its line ends.
//!
//! In: where the text begins. Out: its span; made bytes when a flag changes it.
//! Limits: sanitising makes at most four times the bytes.

use super::{ParseFlags, scan::Scan};
use memchr::memchr3;
use message::{Mark, Span};

impl Scan<'_> {
    /// Sets the text, from `at` to the end of the line.
    #[inline]
    pub(super) fn text(&mut self, at: usize) {
        const RARE: ParseFlags = ParseFlags::NO_MULTI_LINE
            .with(ParseFlags::ASSUME_UTF8)
            .with(ParseFlags::VALIDATE_UTF8)
            .with(ParseFlags::SANITIZE_UTF8);
        self.message.text = self.span(at, self.line.len());
        if self.options.flags.0 & RARE.0 != 0 {
            self.treat_text(at);
        }
    }

    fn treat_text(&mut self, at: usize) {
        let text = &self.line[at.min(self.line.len())..];
        self.message.utf8 |= self.has(ParseFlags::ASSUME_UTF8);
        let sanitize = self.has(ParseFlags::SANITIZE_UTF8);
        let mut made = None;
        if (sanitize || self.has(ParseFlags::VALIDATE_UTF8)) && !self.message.utf8 {
            self.message.utf8 = simdutf8::basic::from_utf8(text).is_ok();
            if !self.message.utf8 && sanitize {
                made = Some(self.made.len());
                append_escaped(text, self.made);
                self.message.utf8 = true;
                self.mark(Mark::Utf8Sanitized);
            } else if !self.message.utf8 {
                self.mark(Mark::InvalidUtf8);
            }
        }
        let line_end = |text: &[u8]| memchr3(b'\r', b'\n', 0, text).is_some();
        if self.has(ParseFlags::NO_MULTI_LINE) && made.is_none() && line_end(text) {
            let start = self.made.len();
            let blank = |byte: &u8| if matches!(byte, b'\r' | b'\n' | 0) { b' ' } else { *byte };
            self.made.extend(text.iter().map(blank));
            made = Some(start);
        }
        if let Some(start) = made {
            self.message.text = Span::extra(self.extra_at + start, self.made.len() - start);
        }
    }
}

/// Appends a text: valid characters stay; bytes of invalid ones and control characters become `\xHH`, backslashes are
/// doubled, so that the received bytes can be distinguished from it.
fn append_escaped(text: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let hex = |byte: u8, out: &mut Vec<u8>| {
        out.extend_from_slice(&[b'\\', b'x', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
    };
    for chunk in text.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            match byte {
                8 => out.extend_from_slice(b"\\b"),
                12 => out.extend_from_slice(b"\\f"),
                b'\n' => out.extend_from_slice(b"\\n"),
                b'\r' => out.extend_from_slice(b"\\r"),
                b'\t' => out.extend_from_slice(b"\\t"),
                b'\\' => out.extend_from_slice(b"\\\\"),
                0..32 => hex(byte, out),
                _ => out.push(byte),
            }
        }
        chunk.invalid().iter().for_each(|byte| hex(*byte, out));
    }
}
