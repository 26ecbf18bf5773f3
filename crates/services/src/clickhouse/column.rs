//! The value of a column, in the form for its type.
//!
//! In: rendered texts, the type that the configuration names. Out: JSON. Holds: nothing. Limits: [`TYPE_DEPTH_MAX`].
//!
//! The server casts: a value goes as text, in quotes, unless JSON has a form of its own for it that ClickHouse insists on. Whatever
//! a message says, it stays one value.

use message::Render;
use serde_json::Value;

/// How deep `Nullable` and `LowCardinality` are looked into.
const TYPE_DEPTH_MAX: usize = 4;
/// Names of types whose values are text, which may be empty.
const TEXTS: [&str; 10] = [
    "string",
    "fixedstring",
    "varchar",
    "char",
    "nchar",
    "text",
    "tinytext",
    "mediumtext",
    "longtext",
    "blob",
];
/// Beginnings of the names of types whose values are numbers.
const NUMBERS: [&str; 12] = [
    "int",
    "uint",
    "float",
    "decimal",
    "double",
    "real",
    "single",
    "tinyint",
    "smallint",
    "mediumint",
    "bigint",
    "bit",
];
/// Names of types whose values are JSON.
const STRUCTURES: [&str; 7] = ["array", "tuple", "map", "nested", "json", "object", "variant"];

/// The form of a value in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A text, also when it is empty.
    Text,
    /// A number; what is none is left to the server as text.
    Number,
    /// true, false or a number.
    Truth,
    /// An array or an object; what is none is left to the server as text.
    Structure,
    /// A text that the server reads: a time, an address, a word of a list.
    Other,
}

impl Form {
    /// Returns the form for a type; without a type a column has text.
    pub(super) fn of_type(kind: &str) -> Form {
        let kind = kind.trim().to_ascii_lowercase();
        let mut inner = kind.as_str();
        for _ in 0..TYPE_DEPTH_MAX {
            let around = ["nullable(", "lowcardinality("].iter().find_map(|name| inner.strip_prefix(name));
            let Some(rest) = around else { break };
            inner = rest.strip_suffix(')').unwrap_or(rest).trim();
        }
        let name = inner.split(['(', ' ']).next().unwrap_or_default();
        match name {
            "" => Form::Text,
            "bool" | "boolean" => Form::Truth,
            name if TEXTS.contains(&name) => Form::Text,
            name if STRUCTURES.contains(&name) => Form::Structure,
            // Not `interval`.
            name if NUMBERS.iter().any(|begin| is_sized(name, begin)) => Form::Number,
            _ => Form::Other,
        }
    }

    /// Appends a value as JSON. Returns false for an empty text that is no value of its type, and appends nothing.
    pub(super) fn push(self, text: &[u8], out: &mut Vec<u8>) -> bool {
        let bare = text.trim_ascii();
        if self != Form::Text && bare.is_empty() {
            return false;
        }
        let is_bare = match self {
            Form::Text | Form::Other => false,
            Form::Number => is_number(bare),
            Form::Truth => matches!(bare, b"true" | b"false") || is_number(bare),
            Form::Structure => is_structure(bare),
        };
        match is_bare {
            true => out.extend_from_slice(bare),
            false => push_text(text, out),
        }
        true
    }
}

/// Returns true for the name of a type, perhaps with the size behind it: `int`, `int64`, `integer`, `decimal128`.
fn is_sized(name: &str, begin: &str) -> bool {
    name.strip_prefix(begin)
        .is_some_and(|rest| rest == "eger" || rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns true for a number as JSON writes it: its digits go to the server as they are.
fn is_number(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'-' | b'0'..=b'9')) && is_json(text, Value::is_number)
}

fn is_structure(text: &[u8]) -> bool {
    is_json(text, |value| value.is_array() || value.is_object())
}

/// Returns true for one value in JSON, with nothing after it, that meets a condition.
pub(super) fn is_json(text: &[u8], condition: impl Fn(&Value) -> bool) -> bool {
    serde_json::from_slice(text).is_ok_and(|value| condition(&value))
}

/// Appends a text as JSON; bytes that are not UTF-8 become U+FFFD.
pub(super) fn push_text(text: &[u8], out: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(text);
    serde_json::to_writer(&mut *out, &text).expect("memory takes what is written to it");
}

/// A column with its template.
pub struct ClickhouseColumn {
    /// Its name.
    pub(super) name: String,
    /// The type that the configuration names.
    kind: String,
    pub(super) form: Form,
    pub(super) value: Box<dyn Render>,
}

impl ClickhouseColumn {
    /// Makes a column. The type says in which form its values are sent; an empty one is that of a text.
    pub fn new(name: String, kind: String, value: Box<dyn Render>) -> ClickhouseColumn {
        ClickhouseColumn { form: Form::of_type(&kind), name, kind, value }
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name and the type, for tests of how they are read.
    pub(super) fn shown(&self) -> String {
        format!("{} {} {:?}", self.name, self.kind, self.form)
    }
}
