//! One compiled grok pattern.
//!
//! In: a pattern and the library, once; texts, often. Out: the values of a text that matches. Holds: the expression and
//! the names of its groups.
//! Limits: [`STEPS_MAX`] steps of a match.

use super::{error::GrokError, expand, kind::Kind, library::GrokLibrary};
use crate::parser::Writer;
use message::ValueKind;
use pcre2::bytes::{Regex, RegexBuilder};
use template::list_append;

/// Most backtracking steps of one match. Patterns of the library with a dozen `.*` need some millions for a line that
/// matches; a crafted line costs 50 ms and does not match.
pub const STEPS_MAX: u32 = 5_000_000;
/// Largest stack of the compiled form.
const JIT_STACK_BYTES_MAX: usize = 1 << 20;

/// A value that a pattern sets.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Field {
    name: String,
    kind: Kind,
    /// Numbers of the groups that set it, ascending.
    groups: Vec<usize>,
}

/// One compiled pattern.
#[derive(Debug)]
pub struct Grok {
    regex: Regex,
    fields: Vec<Field>,
    /// Tags of messages that it matches.
    tags: Vec<String>,
}

impl Grok {
    /// Compiles a pattern.
    pub fn compile(pattern: &str, library: &GrokLibrary, tags: Vec<String>) -> Result<Grok, GrokError> {
        let expanded = expand::expand(pattern, library)?;
        let text = format!("(*LIMIT_MATCH={STEPS_MAX}){}", expanded.text);
        let regex = RegexBuilder::new()
            .multi_line(true)
            .dotall(true)
            .jit_if_available(true)
            .max_jit_stack_size(Some(JIT_STACK_BYTES_MAX))
            .build(&text)
            .map_err(|error| GrokError::Syntax { reason: error.to_string() })?;
        let mut fields: Vec<Field> = Vec::new();
        for (group, name) in regex.capture_names().iter().enumerate() {
            let number =
                name.as_ref().and_then(|name| name.strip_prefix(expand::GROUP)?.parse::<usize>().ok());
            let Some((name, kind)) = number.and_then(|number| expanded.names.get(number)) else { continue };
            match fields.iter_mut().find(|field| field.name == *name) {
                Some(field) => field.groups.push(group),
                None => fields.push(Field { name: name.clone(), kind: *kind, groups: vec![group] }),
            }
        }
        Ok(Grok { regex, fields, tags })
    }

    /// Reads a text; false when it does not match.
    pub(super) fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        let mut places = self.regex.capture_locations();
        // An error is the limit of steps.
        if !matches!(self.regex.captures_read(&mut places, text), Ok(Some(_))) {
            return false;
        }
        for field in &self.fields {
            let mut values = field.groups.iter().filter_map(|group| {
                let (start, end) = places.get(*group)?;
                Some(&text[start..end]).filter(|value| !value.is_empty())
            });
            let Some(first) = values.next() else { continue };
            match values.next() {
                None => field.kind.give(field.name.as_bytes(), first, out),
                Some(second) => out.set_made(field.name.as_bytes(), ValueKind::List, |list| {
                    let start = list.len();
                    for value in [first, second].into_iter().chain(values) {
                        list_append(value, start, list);
                    }
                }),
            }
        }
        self.tags.iter().for_each(|tag| out.add_tag(tag));
        true
    }
}
