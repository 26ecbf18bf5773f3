//! Reads the text of a template.
//!
//! In: text as written. Out: parts, neighbouring text joined. Holds: the position in the text.
//! Limits: [`TEMPLATE_BYTES_MAX`] bytes, [`DEPTH_MAX`] levels of functions, [`BACK_MAX`] messages back.

use super::{arguments, call, error::TemplateError};
use crate::{
    macros::{self, Macro, Variable},
    template::{Surroundings, Template, TemplatePart},
    value::{Escape, TypeHint},
};
use message::FieldName;

/// Longest template.
pub const TEMPLATE_BYTES_MAX: usize = 256 << 10;
/// Deepest nesting of functions in arguments.
pub const DEPTH_MAX: usize = 32;
/// Largest number after `@`.
pub const BACK_MAX: usize = 1_000_000;

impl Template {
    /// Compiles the text of a template.
    pub fn parse(text: &str, around: &dyn Surroundings) -> Result<Template, TemplateError> {
        Template::nested(text, around, 0)
    }

    /// Compiles the argument of a function, `depth` levels deep.
    pub(super) fn nested(
        text: &str,
        around: &dyn Surroundings,
        depth: usize,
    ) -> Result<Template, TemplateError> {
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
                let template =
                    Template::nested(inner, around, depth).map_err(|error| error.shifted(skipped))?;
                Ok(template.hinted(hint))
            }
            None => Template::nested(text, around, depth),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    parts: Vec<TemplatePart>,
    plain: Vec<u8>,
    around: &'a dyn Surroundings,
    depth: usize,
}

impl Reader<'_> {
    fn flush(&mut self) {
        if !self.plain.is_empty() {
            self.parts.push(TemplatePart::Text(std::mem::take(&mut self.plain).into()));
        }
    }

    fn push(&mut self, part: TemplatePart) {
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
            self.push(referring(back, TemplatePart::Macro { id: Macro::Msghdr, default: None }));
        }
        let part = match macros::resolve(name, self.around.version()) {
            _ if name == "_" => TemplatePart::Item { default },
            Variable::Macro(id) => TemplatePart::Macro { id, default },
            Variable::Field(FieldName::Fixed(field)) if default.is_none() => TemplatePart::Fixed(field),
            Variable::Field(name) => TemplatePart::Field { name, default, bytes: false },
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
        self.push(referring(back, TemplatePart::Call(Box::new(call))));
        Ok(())
    }
}

fn referring(back: Option<usize>, part: TemplatePart) -> TemplatePart {
    match back {
        Some(back) => TemplatePart::Back { back, part: Box::new(part) },
        None => part,
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
