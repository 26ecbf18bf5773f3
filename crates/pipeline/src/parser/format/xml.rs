//! `xml()` and `windows-eventlog-xml-parser()`: the elements of an XML text.
//!
//! In: a text. Out: a value for each element that holds text, under the joined names of the elements around it, and for
//! each attribute, under `_` and its name. Elements of one name become a list, or one text.
//! Entities are the five of XML and characters by number: a text cannot define others.
//! Limits: [`DEPTH_MAX`] levels, a deeper text is not read; those of [`Writer`].

mod scan;

use crate::parser::reader::{JoinedName, Reader, VALUES_MAX, Writer};
use message::ValueKind;
use scan::{Piece, Scan, plain};
use std::{borrow::Cow, collections::HashMap, sync::Arc};
use template::{list_append, pattern::Pattern};

/// Deepest nesting of elements.
const DEPTH_MAX: usize = 256;

/// Reads XML.
#[derive(Clone, Debug, Default)]
pub struct Xml {
    /// `strip-whitespaces()`.
    pub strip_whitespace: bool,
    /// `exclude-tags()`: elements that are left out with all that is in them.
    pub excluded: Vec<Arc<Pattern>>,
    /// `create-lists()`.
    pub lists: bool,
    /// `drop-invalid()`: messages without XML are stopped.
    pub drop_invalid: bool,
    /// True when `<Data Name="x">` counts as an element `x` in `Data`, as in event logs of Windows.
    pub named_data: bool,
}

/// The values found so far.
#[derive(Default)]
struct Values<'t> {
    values: Vec<Value<'t>>,
    by_name: HashMap<Vec<u8>, usize>,
    is_cut: bool,
}

struct Value<'t> {
    name: Vec<u8>,
    texts: Vec<Cow<'t, [u8]>>,
}

/// The form of a text: with references to characters, or as it is, in a CDATA section.
#[derive(Clone, Copy)]
enum Text {
    Escaped,
    Verbatim,
}

/// An element that is open.
struct OpenElement<'t> {
    tag: &'t [u8],
    /// Length of the joined name without it.
    name_before: usize,
    text: Option<Cow<'t, [u8]>>,
}

impl<'t> Values<'t> {
    fn add(&mut self, name: &[u8], text: Cow<'t, [u8]>) {
        if let Some(at) = self.by_name.get(name) {
            self.values[*at].texts.push(text);
        } else if self.values.len() < VALUES_MAX {
            self.by_name.insert(name.to_vec(), self.values.len());
            self.values.push(Value { name: name.to_vec(), texts: vec![text] });
        } else {
            self.is_cut = true;
        }
    }
}

impl Xml {
    /// Reads all elements. `None`: it is not XML; values found before are kept.
    fn walk<'t>(&self, text: &'t [u8], found: &mut Values<'t>) -> Option<()> {
        let mut scan = Scan::new(text);
        let mut open: Vec<OpenElement<'t>> = Vec::new();
        let mut name = JoinedName::new(b'.');
        let mut seen = false;
        while let Some(piece) = scan.next()? {
            match piece {
                Piece::Text(raw) => self.text(raw, Text::Escaped, open.last_mut())?,
                Piece::Cdata(raw) => self.text(raw, Text::Verbatim, open.last_mut())?,
                Piece::Start { tag, attributes, is_empty } => {
                    seen = true;
                    if self.excluded.iter().any(|glob| glob.is_match(tag)) {
                        if !is_empty {
                            scan.skip_element(tag, DEPTH_MAX)?;
                        }
                        continue;
                    }
                    if open.len() >= DEPTH_MAX {
                        return None;
                    }
                    let name_before = name.push(tag);
                    self.attributes(tag, attributes, &mut name, found)?;
                    if is_empty {
                        name.pop_to(name_before);
                    } else {
                        open.push(OpenElement { tag, name_before, text: None });
                    }
                }
                Piece::End(tag) => {
                    let element = open.pop().filter(|element| element.tag == tag)?;
                    if let Some(text) = element.text.filter(|text| !text.is_empty()) {
                        found.add(name.joined(), text);
                    }
                    name.pop_to(element.name_before);
                }
            }
        }
        (seen && open.is_empty()).then_some(())
    }

    fn text<'t>(&self, raw: &'t [u8], form: Text, open: Option<&mut OpenElement<'t>>) -> Option<()> {
        // Only blanks may be outside elements.
        let Some(open) = open else { return raw.trim_ascii().is_empty().then_some(()) };
        let raw = if self.strip_whitespace { raw.trim_ascii() } else { raw };
        let text = match form {
            Text::Escaped => plain(raw)?,
            Text::Verbatim => Cow::Borrowed(raw),
        };
        match &mut open.text {
            Some(before) => before.to_mut().extend_from_slice(&text),
            None => open.text = Some(text),
        }
        Some(())
    }

    fn attributes<'t>(
        &self,
        tag: &[u8],
        attributes: &'t [u8],
        name: &mut JoinedName,
        found: &mut Values<'t>,
    ) -> Option<()> {
        let mut rest = attributes;
        while let Some((attribute, value, after)) = scan::attribute(rest)? {
            rest = after;
            let value = plain(value)?;
            if self.named_data && tag == b"Data" && attribute == b"Name" {
                name.push(&value);
                continue;
            }
            let mut key = Vec::with_capacity(attribute.len() + 1);
            key.push(b'_');
            key.extend_from_slice(attribute);
            let before = name.push(&key);
            found.add(name.joined(), value);
            name.pop_to(before);
        }
        Some(())
    }

    fn give(&self, value: &Value<'_>, out: &mut Writer<'_>) {
        match value.texts.as_slice() {
            [text] => out.set(&value.name, text, ValueKind::String),
            texts if self.lists => out.set_made(&value.name, ValueKind::List, |made| {
                let start = made.len();
                texts.iter().for_each(|text| list_append(text, start, made));
            }),
            texts => out.set_made(&value.name, ValueKind::String, |made| {
                texts.iter().for_each(|text| made.extend_from_slice(text));
            }),
        }
    }
}

impl Reader for Xml {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        let mut found = Values::default();
        let read = self.walk(text, &mut found);
        found.values.iter().for_each(|value| self.give(value, out));
        if found.is_cut {
            out.cut();
        }
        read.is_some() || !self.drop_invalid
    }
}
