//! Reads the text of a template.
//!
//! In: text as written. Out: parts, neighbouring text joined. Holds: the place being read.
//! Limits: [`super::TEMPLATE_BYTES_MAX`], [`super::DEPTH_MAX`].

use super::{
    BACK_MAX, DEPTH_MAX, Escape, Surroundings, TEMPLATE_BYTES_MAX, Template, TypeHint, arguments,
    call::{self, Call},
    macros::{self, Macro, Named},
    nearest::nearest,
};
use crate::Version;
use message::{Field, FieldName};
use std::fmt;

/// One part of a template.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Text as it is.
    Text(Box<[u8]>),
    /// A field that every message has: the common case, one slice to copy.
    Fixed(Field),
    /// A field, and its default when it is empty. Bytes are printed only where a hint asks for them.
    Field { name: FieldName, default: Option<Box<[u8]>>, bytes: bool },
    /// A computed macro, and its default when it is empty.
    Macro { id: Macro, default: Option<Box<[u8]>> },
    /// `$_`: the element that a function of lists is at.
    Item { default: Option<Box<[u8]>> },
    /// A function.
    Call(Box<Call>),
    /// A part seen from another message of the correlation: `@1` is the one before.
    Back { back: usize, part: Box<Part> },
}

/// Error in a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateError {
    /// Byte of the template at which it is wrong.
    pub offset: usize,
    /// The fault at that place.
    pub reason: String,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "template is wrong at byte {}: {}", self.offset, self.reason)
    }
}

impl std::error::Error for TemplateError {}

impl TemplateError {
    pub(super) fn at(offset: usize, reason: impl Into<String>) -> TemplateError {
        TemplateError { offset, reason: reason.into() }
    }

    /// Makes an error about a name that does not exist, with the nearest one that does.
    pub(super) fn unknown<'a>(
        offset: usize,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> TemplateError {
        let hint = match nearest(name, known) {
            Some(near) => format!(", did you mean {near}?"),
            None => String::new(),
        };
        TemplateError::at(offset, format!("unknown {what} {name}{hint}"))
    }

    /// Returns the same error with offsets of a text in which this one starts at `by`.
    pub(super) fn shifted(mut self, by: usize) -> TemplateError {
        self.offset += by;
        self
    }
}

/// Compiles a template.
pub(super) fn template(text: &str, around: &dyn Surroundings) -> Result<Template, TemplateError> {
    nested(text, around, 0)
}

/// Compiles the argument of a function, `depth` levels deep.
pub(super) fn nested(text: &str, around: &dyn Surroundings, depth: usize) -> Result<Template, TemplateError> {
    if text.len() > TEMPLATE_BYTES_MAX {
        let reason = format!("template of {} bytes is longer than {TEMPLATE_BYTES_MAX}", text.len());
        return Err(TemplateError::at(0, reason));
    }
    if depth > DEPTH_MAX {
        return Err(TemplateError::at(0, format!("functions nested deeper than {DEPTH_MAX} levels")));
    }
    let mut reader = Reader { text, at: 0, parts: Vec::new(), plain: Vec::new(), around, depth };
    while reader.at < text.len() {
        reader.step()?;
    }
    reader.flush();
    Ok(Template {
        text: text.to_owned(),
        parts: reader.parts,
        hint: None,
        escape: Escape::None,
        typed: around.version().is_typed(),
    })
}

/// Compiles `text`, or `hint(text)` where `hint` is the name of a type.
pub(super) fn maybe_hinted(
    text: &str,
    around: &dyn Surroundings,
    depth: usize,
) -> Result<Template, TemplateError> {
    let hinted = text.strip_suffix(')').and_then(|body| {
        let (name, inner) = body.split_once('(')?;
        Some((TypeHint::from_name(name)?, inner, name.len() + 1))
    });
    match hinted {
        Some((hint, inner, skipped)) => {
            let template = nested(inner, around, depth).map_err(|error| error.shifted(skipped))?;
            Ok(template.hinted(hint))
        }
        None => nested(text, around, depth),
    }
}

/// Returns the parts of a text without macros.
pub(super) fn text_part(text: &[u8]) -> Vec<Part> {
    if text.is_empty() { Vec::new() } else { vec![Part::Text(text.into())] }
}

/// Returns the part of a computed macro; `None` for names of values.
pub(super) fn macro_part(name: &str) -> Option<Part> {
    match macros::resolve(name, Version::CURRENT) {
        Named::Macro(id) => Some(Part::Macro { id, default: None }),
        Named::Field(_) => None,
    }
}

/// Returns true when a template prints only text, fields and times of the message, and its tag.
pub(super) fn is_simple(parts: &[Part]) -> bool {
    parts.iter().all(|part| match part {
        Part::Text(_) | Part::Fixed(_) => true,
        Part::Macro { id, .. } => matches!(id, Macro::Date(..) | Macro::Msghdr),
        _ => false,
    })
}

/// Returns the text when there is no macro.
pub(super) fn constant(parts: &[Part]) -> Option<&[u8]> {
    match parts {
        [] => Some(b""),
        [Part::Text(text)] => Some(text),
        _ => None,
    }
}

/// Returns the field when there is nothing else.
pub(super) fn only_field(parts: &[Part]) -> Option<FieldName> {
    match parts {
        [Part::Fixed(field)] => Some(FieldName::Fixed(*field)),
        [Part::Field { name, default: None, .. }] => Some(name.clone()),
        _ => None,
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    parts: Vec<Part>,
    plain: Vec<u8>,
    around: &'a dyn Surroundings,
    depth: usize,
}

impl Reader<'_> {
    fn flush(&mut self) {
        if !self.plain.is_empty() {
            self.parts.push(Part::Text(std::mem::take(&mut self.plain).into()));
        }
    }

    fn push(&mut self, part: Part) {
        self.flush();
        self.parts.push(part);
    }

    /// Reads text up to the next `$`, or what follows a `$`.
    fn step(&mut self) -> Result<(), TemplateError> {
        let rest = &self.text[self.at..];
        let Some(dollar) = rest.find('$') else {
            self.plain.extend_from_slice(rest.as_bytes());
            self.at = self.text.len();
            return Ok(());
        };
        self.plain.extend_from_slice(&rest.as_bytes()[..dollar]);
        let start = self.at + dollar;
        self.at = start + 1;
        let after = &self.text[self.at..];
        match after.as_bytes().first() {
            Some(b'$') => {
                self.at += 1;
                self.plain.push(b'$');
                Ok(())
            }
            Some(b'{') => self.braces(start),
            Some(b'(') => self.function(start),
            Some(b'*') => self.named("*", self.at + 1, None, start),
            Some(byte) if is_name(*byte) => {
                let length = after.bytes().take_while(|byte| is_name(*byte)).count();
                let name = &self.text[self.at..self.at + length];
                self.named(name, self.at + length, None, start)
            }
            _ => {
                self.plain.push(b'$');
                Ok(())
            }
        }
    }

    fn braces(&mut self, start: usize) -> Result<(), TemplateError> {
        let body = &self.text[start + 2..];
        let Some(end) = body.find('}') else {
            return Err(TemplateError::at(start, "a macro starts with ${ here and its '}' is missing"));
        };
        let body = &body[..end];
        let (name, default) = match body.find(":") {
            None => (body, None),
            Some(colon) => match body[colon..].strip_prefix(":-") {
                Some(default) => (&body[..colon], Some(default)),
                None => {
                    let reason = "after a colon in a macro only - and a default value may follow";
                    return Err(TemplateError::at(start + 2 + colon, reason));
                }
            },
        };
        if name.is_empty() {
            return Err(TemplateError::at(start, "the name of the macro is missing"));
        }
        self.named(name, start + 2 + end + 1, default, start)
    }

    /// Adds the macro or field of a name; reading continues at `next`.
    fn named(
        &mut self,
        name: &str,
        next: usize,
        default: Option<&str>,
        start: usize,
    ) -> Result<(), TemplateError> {
        self.at = next;
        let back = self.reference(start)?;
        let default = default.map(|text| text.as_bytes().into());
        if self.around.version().has_tag_in_message() && matches!(name, "MSG" | "MESSAGE") {
            self.push(referring(back, Part::Macro { id: Macro::Msghdr, default: None }));
        }
        let part = match macros::resolve(name, self.around.version()) {
            _ if name == "_" => Part::Item { default },
            Named::Macro(id) => Part::Macro { id, default },
            Named::Field(FieldName::Fixed(field)) if default.is_none() => Part::Fixed(field),
            Named::Field(name) => Part::Field { name, default, bytes: false },
        };
        self.push(referring(back, part));
        Ok(())
    }

    /// Reads what may follow a macro: `@1`, a reference to an earlier message of a correlation, or `@@`, an at sign.
    fn reference(&mut self, start: usize) -> Result<Option<usize>, TemplateError> {
        let rest = &self.text[self.at..];
        let Some(after) = rest.strip_prefix('@') else { return Ok(None) };
        if after.starts_with('@') {
            // The first sign is an escape; the second one is read as text.
            self.at += 1;
            return Ok(None);
        }
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Ok(None);
        }
        let back = after[..digits].parse().ok().filter(|back| *back <= BACK_MAX);
        let Some(back) = back else {
            let reason = format!("no message is more than {BACK_MAX} places back");
            return Err(TemplateError::at(self.at.max(start), reason));
        };
        self.at += 1 + digits;
        Ok(Some(back))
    }

    fn function(&mut self, start: usize) -> Result<(), TemplateError> {
        let (arguments, length) =
            arguments::split(&self.text[start + 2..]).map_err(|error| error.shifted(start + 2))?;
        self.at = start + 2 + length;
        let back = self.reference(start)?;
        let call =
            call::compile(&arguments, self.around, self.depth).map_err(|error| error.shifted(start + 2))?;
        self.push(referring(back, Part::Call(Box::new(call))));
        Ok(())
    }
}

fn referring(back: Option<usize>, part: Part) -> Part {
    match back {
        Some(back) => Part::Back { back, part: Box::new(part) },
        None => part,
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
