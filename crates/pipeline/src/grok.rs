//! Grok: values out of text by named regular expressions, `%{IP:client}`.
//!
//! In: patterns, once; texts, often. Out: the values of the first pattern that matches. A name may be written
//! `[source][ip]`, which is the value `source.ip`, and may have a type: `%{INT:bytes:int}`. Values that are empty or
//! took no part are not given; a name that a pattern gives several times becomes a list.
//! Holds: the compiled patterns. `^` and `$` are those of lines and `.` is any byte, as in Logstash.
//! Limits: [`DEPTH_MAX`] levels of patterns in patterns, [`EXPANDED_BYTES_MAX`] bytes of a pattern with all that it
//! names; a match that needs more than [`STEPS_MAX`] steps is none.

mod expand;
mod library;

pub use library::{GrokLibrary, GrokSet, LibraryError};

use crate::parser::{Reader, Writer};
use message::ValueKind;
use pcre2::bytes::{CaptureLocations, Regex, RegexBuilder};
use std::fmt;
use template::list_append;

/// Deepest nesting of patterns.
pub const DEPTH_MAX: usize = 64;
/// Longest pattern with all that it names: the largest of the library has 30 KiB.
pub const EXPANDED_BYTES_MAX: usize = 512 << 10;
/// Most backtracking steps of one match. Patterns of the library with a dozen `.*` need some millions for a line that
/// matches; a crafted line costs 50 ms and does not match.
pub const STEPS_MAX: u32 = 5_000_000;
/// Largest stack of the compiled form.
const JIT_STACK_BYTES_MAX: usize = 1 << 20;

/// Error in a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GrokError {
    /// A pattern of that name does not exist.
    Unknown {
        /// Its name.
        name: String,
    },
    /// Patterns are nested deeper than [`DEPTH_MAX`], or one names itself.
    Depth {
        /// The one that is too deep.
        name: String,
    },
    /// It is longer than [`EXPANDED_BYTES_MAX`].
    Long,
    /// A type that does not exist.
    Kind {
        /// Its name.
        name: String,
    },
    /// It is not a regular expression.
    Syntax {
        /// The error of PCRE2.
        reason: String,
    },
}

impl fmt::Display for GrokError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GrokError::Unknown { name } => write!(f, "there is no pattern {name}"),
            GrokError::Depth { name } => {
                write!(
                    f,
                    "patterns are nested deeper than {DEPTH_MAX} levels at {name}, which may name itself"
                )
            }
            GrokError::Long => {
                write!(f, "with all that it names it is longer than {EXPANDED_BYTES_MAX} bytes")
            }
            GrokError::Kind { name } => {
                write!(f, "unknown type {name}: known are int, long, float, double, boolean and string")
            }
            GrokError::Syntax { reason } => write!(f, "with all that it names it is wrong: {reason}"),
        }
    }
}

impl std::error::Error for GrokError {}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Text,
    Integer,
    Real,
    Truth,
}

/// A value that a pattern gives.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Field {
    name: String,
    kind: Kind,
    /// Numbers of the groups that give it, ascending.
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

    /// Returns memory that can hold the groups of a match.
    pub fn places(&self) -> CaptureLocations {
        self.regex.capture_locations()
    }

    /// Reads a text; false when it does not match.
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
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

impl Kind {
    fn from_name(name: &str) -> Option<Kind> {
        Some(match name {
            "int" | "integer" | "long" => Kind::Integer,
            "float" | "double" => Kind::Real,
            "boolean" => Kind::Truth,
            "string" => Kind::Text,
            _ => return None,
        })
    }

    /// Gives a value. Of a number the start counts: `2.5` is the whole number 2; what starts with none stays text.
    fn give(self, name: &[u8], value: &[u8], out: &mut Writer<'_>) {
        let bare = value.strip_prefix(b"+").unwrap_or(value);
        let (length, kind) = match self {
            Kind::Text => (0, ValueKind::String),
            Kind::Integer => (whole(bare), ValueKind::Integer),
            Kind::Real => (real(bare), ValueKind::Double),
            Kind::Truth => {
                (if matches!(bare, b"true" | b"false") { bare.len() } else { 0 }, ValueKind::Boolean)
            }
        };
        match length {
            0 => out.set(name, value, ValueKind::String),
            _ => out.set(name, &bare[..length], kind),
        }
    }
}

/// Returns the length of a whole number of 64 bits at the start.
fn whole(text: &[u8]) -> usize {
    let sign = usize::from(text.starts_with(b"-"));
    let digits = text[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[..sign + digits]).unwrap_or_default();
    if number.parse::<i64>().is_ok() { sign + digits } else { 0 }
}

/// Returns the length of a number with an optional fraction and exponent at the start.
fn real(text: &[u8]) -> usize {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(text.starts_with(b"-"));
    let mut end = sign + digits(sign);
    if text.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if end == sign {
        return 0;
    }
    if let Some(b'e' | b'E') = text.get(end) {
        let signed = end + 1 + usize::from(matches!(text.get(end + 1), Some(b'-' | b'+')));
        let exponent = if signed <= text.len() { digits(signed) } else { 0 };
        end = if exponent > 0 { signed + exponent } else { end };
    }
    end
}

/// Several patterns: the first one that matches gives the values.
#[derive(Debug)]
pub struct GrokReader {
    patterns: Vec<Grok>,
    /// True when a text that no pattern matches passes.
    keeps_unmatched: bool,
}

impl GrokReader {
    /// Makes a reader with its patterns in order.
    pub fn new(patterns: Vec<Grok>, keeps_unmatched: bool) -> GrokReader {
        GrokReader { patterns, keeps_unmatched }
    }
}

impl Reader for GrokReader {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        self.patterns.iter().any(|pattern| pattern.read(text, out)) || self.keeps_unmatched
    }
}

#[cfg(test)]
mod tests;
