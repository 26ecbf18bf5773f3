//! The part of a JSON text that is read: `extract-prefix("a.b[2]")`.
//!
//! In: names and positions as JavaScript writes them, once; a text, often. Out: the text from that member on.
//! Limits: names hold no `.`, `[` or `]`.

use super::{scan::Scan, text};
use std::fmt;

/// A path into a JSON text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtractPath(Vec<PathStep>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum PathStep {
    Member(String),
    Element(usize),
}

/// Error in a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtractPathError(String);

impl fmt::Display for ExtractPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no member of JSON: write it like name.other[0]", self.0)
    }
}

impl std::error::Error for ExtractPathError {}

impl ExtractPath {
    /// Reads `name.other[0]`.
    pub fn parse(text: &str) -> Result<ExtractPath, ExtractPathError> {
        let error = || ExtractPathError(text.to_owned());
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let (position, after) = inner.split_once(']').ok_or_else(error)?;
                parts.push(PathStep::Element(position.trim().parse().map_err(|_| error())?));
                rest = after;
                continue;
            }
            if !parts.is_empty() {
                rest = rest.strip_prefix('.').ok_or_else(error)?;
            }
            let end = rest.find(['.', '[', ']']).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() || after.starts_with(']') {
                return Err(error());
            }
            parts.push(PathStep::Member(name.to_owned()));
            rest = after;
        }
        Ok(ExtractPath(parts))
    }

    /// Returns the text from the member on.
    pub(super) fn find<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        let mut rest = text;
        for part in &self.0 {
            let mut scan = Scan::new(rest);
            rest = match part {
                PathStep::Member(name) => member(&mut scan, name.as_bytes())?,
                PathStep::Element(position) => element(&mut scan, *position)?,
            };
        }
        Some(rest)
    }
}

fn member<'t>(scan: &mut Scan<'t>, wanted: &[u8]) -> Option<&'t [u8]> {
    scan.take(b'{')?;
    let mut plain = Vec::new();
    while scan.take(b'}').is_none() {
        let name = scan.name()?;
        plain.clear();
        text::unescape(name.raw, &mut plain);
        if plain == wanted {
            return Some(scan.rest);
        }
        scan.skip(None)?;
        scan.between(b'}')?;
    }
    None
}

fn element<'t>(scan: &mut Scan<'t>, wanted: usize) -> Option<&'t [u8]> {
    scan.take(b'[')?;
    for _ in 0..wanted {
        scan.skip(None)?;
        scan.between(b']')?;
    }
    scan.blanks();
    (*scan.rest.first()? != b']').then_some(scan.rest)
}
