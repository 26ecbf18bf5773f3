//! The walk over a JSON object: a value for each member.
//!
//! In: the rest of a text. Out: values, in order. `None`: it is not JSON.
//! Holds nothing else. Limits: [`DEPTH_MAX`] levels.

use super::{
    scan::{DEPTH_MAX, Scan, parsed},
    text::{self, Quoted},
};
use crate::parser::reader::{JoinedName, Writer};
use message::ValueKind;
use template::{list_append, pattern::GROUPS_MAX};

/// A text being walked, and the receiver of its values.
pub(super) struct Walk<'t, 'o, 'w> {
    pub(super) scan: Scan<'t>,
    pub(super) out: &'o mut Writer<'w>,
}

impl Walk<'_, '_, '_> {
    /// Reads an object: a value for each member.
    pub(super) fn object(&mut self, names: &mut JoinedName, depth: usize) -> Option<()> {
        self.scan.take(b'{')?;
        if depth >= DEPTH_MAX {
            return None;
        }
        while self.scan.take(b'}').is_none() {
            let name = self.scan.name()?;
            // A name without escapes needs no copy.
            if names.is_empty() && !name.escaped && self.scan.rest.first() != Some(&b'{') {
                self.value(name.raw)?;
            } else {
                let before = push(names, name);
                match self.scan.rest.first()? {
                    b'{' => self.object(names, depth + 1)?,
                    _ => self.value(names.joined())?,
                }
                names.pop_to(before);
            }
            self.scan.between(b'}')?;
        }
        Some(())
    }

    /// Reads an array at the top: its elements become `1`, `2` and so on, as many as a match may have results.
    pub(super) fn elements(&mut self) -> Option<()> {
        self.scan.take(b'[')?;
        self.out.begin_numbers();
        let mut count = 0usize;
        while self.scan.take(b']').is_none() {
            count += 1;
            let name = count.to_string();
            match self.scan.rest.first()? {
                _ if count >= GROUPS_MAX => self.scan.skip(None)?,
                b'{' | b'[' => self.as_json(name.as_bytes())?,
                _ => self.value(name.as_bytes())?,
            }
            self.scan.between(b']')?;
        }
        Some(())
    }

    /// Reads a value that is not an object.
    #[inline]
    fn value(&mut self, name: &[u8]) -> Option<()> {
        match self.scan.rest.first()? {
            b'"' | b'\'' => {
                let text = self.scan.quoted()?;
                if text.escaped {
                    self.out.set_made(name, ValueKind::String, |made| text::unescape(text.raw, made));
                } else {
                    self.out.set(name, text.raw, ValueKind::String);
                }
            }
            b'[' => self.array(name)?,
            b'-' | b'0'..=b'9' => self.number(name)?,
            _ => {
                let (word, kind) = self.scan.word()?;
                self.out.set(name, word, kind);
            }
        }
        Some(())
    }

    fn number(&mut self, name: &[u8]) -> Option<()> {
        let (number, kind) = self.scan.number()?;
        let has_fraction = number.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
        if has_fraction && let Some(value) = parsed::<f64>(number) {
            let mut fixed = FixedPoint::default();
            // Six digits of fraction, as with printf, unless digits would be lost.
            if let Some(text) = fixed.print(value).filter(|text| text.parse() == Ok(value)) {
                self.out.set(name, text.as_bytes(), kind);
                return Some(());
            }
        }
        self.out.set(name, number, kind);
        Some(())
    }

    /// Reads an array: one of texts becomes a list, any other one stays JSON.
    fn array(&mut self, name: &[u8]) -> Option<()> {
        let start = self.scan.rest;
        self.scan.take(b'[')?;
        while self.scan.take(b']').is_none() {
            if !matches!(self.scan.rest.first()?, b'"' | b'\'') {
                self.scan.rest = start;
                return self.as_json(name);
            }
            self.scan.quoted()?;
            self.scan.between(b']')?;
        }
        let mut again = Scan::new(&start[1..]);
        self.out.set_made(name, ValueKind::List, |made| {
            let from = made.len();
            let mut plain = Vec::new();
            while again.take(b']').is_none() {
                let Some(text) = again.quoted() else { return };
                if text.escaped {
                    plain.clear();
                    text::unescape(text.raw, &mut plain);
                }
                list_append(if text.escaped { &plain } else { text.raw }, from, made);
                again.between(b']');
            }
        });
        Some(())
    }

    fn as_json(&mut self, name: &[u8]) -> Option<()> {
        let start = self.scan.rest;
        self.scan.has_slack = false;
        self.scan.skip(None)?;
        let written = &start[..start.len() - self.scan.rest.len()];
        if self.scan.has_slack {
            self.out.set_made(name, ValueKind::Json, |made| {
                Scan::new(written).skip(Some(made));
            });
        } else {
            self.out.set(name, written, ValueKind::Json);
        }
        Some(())
    }
}

fn push(names: &mut JoinedName, name: Quoted<'_>) -> usize {
    if !name.escaped {
        return names.push(name.raw);
    }
    let mut plain = Vec::with_capacity(name.raw.len());
    text::unescape(name.raw, &mut plain);
    names.push(&plain)
}

/// A number with six digits of fraction, on the stack.
struct FixedPoint {
    bytes: [u8; 40],
    length: usize,
}

impl Default for FixedPoint {
    fn default() -> FixedPoint {
        FixedPoint { bytes: [0; 40], length: 0 }
    }
}

impl FixedPoint {
    /// Prints a number. `None` when it does not fit.
    fn print(&mut self, value: f64) -> Option<&str> {
        std::fmt::write(self, format_args!("{value:.6}")).ok()?;
        str::from_utf8(&self.bytes[..self.length]).ok()
    }
}

impl std::fmt::Write for FixedPoint {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.length + text.len();
        self.bytes.get_mut(self.length..end).ok_or(std::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}
