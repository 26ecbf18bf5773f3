//! Checks the structured data of RFC 5424, section 6.3, and keeps it as received.
//!
//! In: the line from its `[` on. Out: its span and end, or the position of the syntax error.
//! A value without quotes is accepted, marked, and quoted in a copy, so that readers need only one form.
//! Limits: names of an element and a parameter together up to [`NAME_BYTES_MAX`] bytes.

use super::scan::Scan;
use message::{Mark, Span};

/// Longest `.SDATA.<id>.<param>`, as in syslog-ng.
const NAME_BYTES_MAX: usize = 255;
const PREFIX_BYTES: usize = ".SDATA.".len();

impl Scan<'_> {
    /// Reads the elements at `at`; returns the offset after them.
    pub(super) fn sdata(&mut self, start: usize) -> Result<usize, usize> {
        let mut check = Check { line: self.line, at: start, unquoted: Vec::new() };
        while check.peek() == Some(b'[') {
            check.at += 1;
            check.element()?;
        }
        let end = check.at;
        self.message.sdata = self.span(start, end);
        if !check.unquoted.is_empty() {
            let unquoted = check.unquoted;
            self.message.sdata = self.quoted(start, end, &unquoted);
            self.mark(Mark::UnquotedSdata);
        }
        Ok(end)
    }

    /// Makes a copy with quotes around some values.
    fn quoted(&mut self, start: usize, end: usize, values: &[(usize, usize)]) -> Span {
        let first = self.made.len();
        let mut at = start;
        for &(from, to) in values {
            self.made.extend_from_slice(&self.line[at..from]);
            self.made.push(b'"');
            for byte in &self.line[from..to] {
                if matches!(byte, b'"' | b'\\' | b']') {
                    self.made.push(b'\\');
                }
                self.made.push(*byte);
            }
            self.made.push(b'"');
            at = to;
        }
        self.made.extend_from_slice(&self.line[at..end]);
        Span::extra(self.extra_at + first, self.made.len() - first)
    }
}

/// Bytes of SD-NAME: ASCII but `=`, blank, `]` and `"`.
const IS_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = !matches!(byte as u8, b'=' | b' ' | b']' | b'"');
        byte += 1;
    }
    table
};

/// Bytes that mean something within a quoted value.
const ENDS_VALUE: [bool; 256] = {
    let mut table = [false; 256];
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table[b']' as usize] = true;
    table
};

struct Check<'a> {
    line: &'a [u8],
    at: usize,
    /// Values without quotes.
    unquoted: Vec<(usize, usize)>,
}

impl Check<'_> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    /// Reads the rest of an element after its `[`: the id, the parameters and `]`. An error is the offset of the first
    /// bad byte.
    fn element(&mut self) -> Result<(), usize> {
        let id = self.name(|byte| matches!(byte, b' ' | b']'), NAME_BYTES_MAX - PREFIX_BYTES)?;
        loop {
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b' ') => self.at += 1,
                _ => return Err(self.at),
            }
            self.param(NAME_BYTES_MAX - PREFIX_BYTES - id)?;
        }
    }

    #[inline(always)]
    fn param(&mut self, name_bytes_max: usize) -> Result<(), usize> {
        self.name(|byte| byte == b'=', name_bytes_max)?;
        if self.peek() != Some(b'=') {
            return Err(self.at);
        }
        self.at += 1;
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                self.quoted_value()
            }
            Some(_) => {
                let rest = &self.line[self.at..];
                let length = rest.iter().position(|byte| matches!(byte, b' ' | b']')).unwrap_or(rest.len());
                self.unquoted.push((self.at, self.at + length));
                self.at += length;
                Ok(())
            }
            None => Err(self.at),
        }
    }

    /// Reads a name of at least one byte up to one that ends it; returns its length.
    #[inline(always)]
    fn name(&mut self, ends: impl Fn(u8) -> bool, bytes_max: usize) -> Result<usize, usize> {
        let rest = self.line.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| !IS_NAME[usize::from(*byte)]).unwrap_or(rest.len());
        if length == 0 || length > bytes_max {
            return Err(self.at + length.min(bytes_max));
        }
        self.at += length;
        match rest.get(length) {
            Some(byte) if !ends(*byte) => Err(self.at),
            _ => Ok(length),
        }
    }

    /// Reads up to the closing quote; `]` must be escaped.
    #[inline(always)]
    fn quoted_value(&mut self) -> Result<(), usize> {
        loop {
            let rest = self.line.get(self.at..).unwrap_or_default();
            let found = rest.iter().position(|byte| ENDS_VALUE[usize::from(*byte)]);
            let Some(found) = found else { return Err(self.line.len()) };
            let byte = rest[found];
            self.at += found + 1;
            match byte {
                b'"' => return Ok(()),
                b']' => return Err(self.at),
                _ => self.at += 1,
            }
        }
    }
}
