//! The values of a key, from the answer of a server.
//!
//! In: names and values, or a document of JSON. Out: values with the names that messages get. Holds: nothing between two.
//! What a server answers is data: no template, no macro, nothing of it is interpreted any further.
//! Limits: [`VALUES_MAX`] values of [`VALUES_BYTES_MAX`] bytes in all, names of [`FIELD_NAME_BYTES_MAX`] bytes: what is beyond is left out, and
//! so is a name that is empty, not UTF-8, or has control characters.

use message::{FIELD_NAME_BYTES_MAX, FieldName, ValueKind};
use serde_json::Value;

/// Most values of a key.
pub(crate) const VALUES_MAX: usize = 256;
/// Most bytes of the names and values of a key.
pub(crate) const VALUES_BYTES_MAX: usize = 64 << 10;
/// Bytes that a value takes beside its own.
const VALUE_OVERHEAD_BYTES: usize = 64;

/// The names of values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Naming {
    /// `prefix()`: stands before all of them.
    pub prefix: String,
    /// `value-name()`: the name of a value that comes without one.
    pub single: String,
}

/// A value with its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NamedValue {
    pub(crate) name: FieldName,
    pub(crate) value: Vec<u8>,
    pub(crate) kind: ValueKind,
}

/// The values of a key.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Values {
    pub(crate) list: Vec<NamedValue>,
    bytes: usize,
}

impl Values {
    /// Returns the bytes that they take in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.list.len() * VALUE_OVERHEAD_BYTES
    }
}

/// Gathers the values of a key.
pub(crate) struct Gathering<'a> {
    naming: &'a Naming,
    values: Values,
}

impl<'a> Gathering<'a> {
    pub(crate) fn new(naming: &'a Naming) -> Gathering<'a> {
        Gathering { naming, values: Values::default() }
    }

    /// Adds a value.
    pub(crate) fn set(&mut self, name: &[u8], value: &[u8], kind: ValueKind) {
        let Ok(name) = std::str::from_utf8(name) else { return };
        let bytes = self.naming.prefix.len() + name.len() + value.len();
        let is_name = !name.is_empty() && !name.chars().any(char::is_control);
        let fits = self.naming.prefix.len() + name.len() <= FIELD_NAME_BYTES_MAX
            && self.values.list.len() < VALUES_MAX
            && self.values.bytes + bytes <= VALUES_BYTES_MAX;
        if is_name && fits {
            self.values.bytes += bytes;
            let name = FieldName::parse(&format!("{}{name}", self.naming.prefix));
            self.values.list.push(NamedValue { name, value: value.to_vec(), kind });
        }
    }

    /// Adds a value that comes without a name: the members of an object of JSON have their own, anything else is one value.
    pub(crate) fn set_single(&mut self, text: &[u8]) {
        match serde_json::from_slice(text) {
            Ok(Value::Object(members)) => self.set_members("", &members),
            Ok(value) => {
                let single = self.naming.single.clone();
                self.set_json(&single, &value);
            }
            Err(_) => {
                let single = self.naming.single.clone();
                self.set(single.as_bytes(), text, ValueKind::String);
            }
        }
    }

    /// Returns the values.
    pub(crate) fn finish(self) -> Values {
        self.values
    }

    /// Adds the members of an object. The library has read no more than 128 levels.
    fn set_members(&mut self, outer: &str, members: &serde_json::Map<String, Value>) {
        for (name, value) in members {
            match outer {
                "" => self.set_json(name, value),
                outer => self.set_json(&format!("{outer}.{name}"), value),
            }
        }
    }

    fn set_json(&mut self, name: &str, value: &Value) {
        let mut set = |text: &str, kind| self.set(name.as_bytes(), text.as_bytes(), kind);
        match value {
            Value::Null => {}
            Value::Bool(truth) => set(if *truth { "true" } else { "false" }, ValueKind::Boolean),
            Value::Number(number) if number.is_f64() => set(&number.to_string(), ValueKind::Double),
            Value::Number(number) => set(&number.to_string(), ValueKind::Integer),
            Value::String(text) => set(text, ValueKind::String),
            Value::Array(_) => set(&value.to_string(), ValueKind::Json),
            // A name that is too long already gets no longer ones.
            Value::Object(members) if name.len() <= FIELD_NAME_BYTES_MAX => self.set_members(name, members),
            Value::Object(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
