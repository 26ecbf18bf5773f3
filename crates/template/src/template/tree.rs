//! The tree that the text of a template compiles to: parts, calls of functions, selections of pairs.
//!
//! In: the parts that compiling found in a text. Out: the parts that rendering walks through. Holds: the
//! tree; an argument of a call is a template again, and so is a pair of a selection, which is why all of them
//! are defined in one file.
//! Limits: [`crate::DEPTH_MAX`] levels.

use super::{
    condition::Condition,
    json_form::JsonForm,
    rekey::Rekey,
    selection::{Choice, KeyDelimiter, PairScope, SelectedMacro},
};
use crate::{
    function::Action,
    geo::GeoDatabase,
    macros::{self, Macro, Variable},
    pattern::Pattern,
    renderer::{Database, NameLookup},
    value::{Escape, TypeHint},
    version::Version,
};
use jiff::tz::TimeZone;
use message::{Field, FieldName, ValueKind};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock},
};

/// A compiled template.
#[derive(Clone, Debug)]
pub struct Template {
    pub(crate) text: String,
    pub(crate) parts: Vec<TemplatePart>,
    pub(crate) hint: Option<TypeHint>,
    pub(crate) escape: Escape,
    /// True when values keep their types, which depends on the version.
    pub(crate) typed: bool,
}

impl Template {
    /// Makes a template that is only text.
    pub fn literal(text: &str) -> Template {
        let parts =
            if text.is_empty() { Vec::new() } else { vec![TemplatePart::Text(text.as_bytes().into())] };
        Template { text: text.to_owned(), parts, hint: None, escape: Escape::None, typed: true }
    }

    /// Makes the template of one macro; `None` when the name is that of a value.
    pub fn of_macro(name: &str) -> Option<Template> {
        match macros::resolve(name, Version::CURRENT) {
            Variable::Macro(id) => {
                let part = TemplatePart::Macro { id, default: None };
                Some(Template { parts: vec![part], ..Template::literal("") })
            }
            Variable::Field(_) => None,
        }
    }

    /// Returns the same template with `template-escape(yes)`: quotes and backslashes in values are escaped.
    pub fn escaped(mut self) -> Template {
        self.escape = Escape::Quotes;
        self
    }

    /// Returns the same template with a type hint, as in `int64("$PID")`.
    pub fn hinted(mut self, hint: TypeHint) -> Template {
        self.hint = Some(hint);
        for part in &mut self.parts {
            if let TemplatePart::Field { bytes, .. } = part {
                *bytes = hint == TypeHint::Kind(ValueKind::Bytes);
            }
        }
        self
    }

    /// Returns the template as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its type hint.
    pub fn hint(&self) -> Option<TypeHint> {
        self.hint
    }

    /// Returns the field that it is, when it is nothing but one field.
    pub fn only_field(&self) -> Option<FieldName> {
        let field = match self.parts.as_slice() {
            [TemplatePart::Fixed(field)] => FieldName::Fixed(*field),
            [TemplatePart::Field { name, default: None, .. }] => name.clone(),
            _ => return None,
        };
        Some(field).filter(|_| self.escape == Escape::None && self.hint.is_none())
    }

    /// Returns true when it consists of texts, fields, times and the tag alone, as most templates do.
    pub fn is_simple(&self) -> bool {
        self.parts.iter().all(|part| match part {
            TemplatePart::Text(_) | TemplatePart::Fixed(_) => true,
            TemplatePart::Macro { id, .. } => matches!(id, Macro::Date(..) | Macro::Msghdr),
            _ => false,
        })
    }

    /// Returns the text when no message can change it.
    pub fn constant(&self) -> Option<&[u8]> {
        match self.parts.as_slice() {
            [] => Some(b""),
            [TemplatePart::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// One part of a template.
#[derive(Clone, Debug)]
pub(crate) enum TemplatePart {
    /// Text as it is.
    Text(Box<[u8]>),
    /// A field that every message has: the common case, one slice to copy.
    Fixed(Field),
    /// A field, and its default when it is empty. Values of type bytes are printed only with a hint for them.
    Field { name: FieldName, default: Option<Box<[u8]>>, bytes: bool },
    /// A computed macro, and its default when it is empty.
    Macro { id: Macro, default: Option<Box<[u8]>> },
    /// `$_`: the element that a function of lists is at.
    Item { default: Option<Box<[u8]>> },
    /// A function.
    Call(Box<Call>),
    /// A part evaluated for another message of the correlation: `@1` is the previous one.
    Back { back: usize, part: Box<TemplatePart> },
}

/// A compiled call.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    /// A function of the text of its arguments.
    Text { arguments: Vec<Template>, action: Action },
    /// A function over the arguments of every message of the correlation: `sum` and its kin.
    Fold { arguments: Vec<Template>, action: Action },
    /// `if`: condition, text when it holds, text when not.
    If { condition: Arc<dyn Condition>, branches: [Template; 2] },
    /// `grep` and `context-lookup`: the list of the arguments of those messages for which the condition holds.
    Grep { condition: Arc<dyn Condition>, arguments: Vec<Template>, most: usize },
    /// `context-length`: how many messages the correlation has.
    ContextLength,
    /// `context-values`: the list of the arguments of all messages.
    ContextValues(Vec<Template>),
    /// `template`: a named template.
    Template(Arc<Template>),
    /// `template` of a name that does not exist: the text given instead.
    Fallback(Template),
    /// `tag`: whether the message has a tag, and the texts for both answers.
    Tag { name: Template, answers: Option<[Template; 2]> },
    /// `tags-head`: the first of some tags that the message has.
    TagsHead(Vec<Template>),
    /// `env`.
    Environment(Template),
    /// `names` and `values`.
    Listing { pairs: ValuePairs, listed: Listed },
    /// `format-json`, `format-welf`, `graphite-output` and their kin.
    Format { pairs: ValuePairs, style: PairsFormat },
    /// `map`, `filter`, `iterate`.
    ListFunction(ListFunction),
    /// `format-date`, `stardate`.
    TimeFunction(TimeFunction),
    /// `uuid`, `dns-resolve-ip`, `getent`.
    Machine(MachineFunction),
    /// `geoip2`.
    Fact(AddressFact),
    /// `template` whose name is a macro: the templates it may name, and the text for others.
    Dynamic { name: Template, templates: Arc<HashMap<String, Arc<Template>>>, fallback: Template },
}

/// The half of each pair that a list is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Listed {
    Names,
    Values,
}

/// A function over elements.
#[derive(Clone, Debug)]
pub(crate) enum ListFunction {
    /// `map`: the template's result for each element.
    Map { template: Template, lists: Vec<Template> },
    /// `filter`: the elements for which the condition holds.
    Filter { condition: Arc<dyn Condition>, lists: Vec<Template> },
    /// `iterate`: a series that starts with a value, each one computed from the previous one.
    Iterate { template: Template, first: Template, next: Arc<Mutex<Option<Vec<u8>>>> },
}

/// A function that prints a time.
#[derive(Clone, Debug)]
pub(crate) enum TimeFunction {
    /// `format-date`: without a time of its own it shows the message's.
    Form { form: String, zone: Option<TimeZone>, time: Option<Template> },
    /// `stardate`: the year, and how much of it has passed.
    Stardate { digits: usize, time: Template },
}

/// A question to the machine.
#[derive(Clone, Debug)]
pub(crate) enum MachineFunction {
    /// `uuid`
    Uuid,
    /// `dns-resolve-ip`; without a lookup the address stays.
    HostName { lookup: Option<NameLookup>, address: Template },
    /// `getent`
    Entry { database: Database, key: Template, member: String },
}

/// A question to a database of addresses.
#[derive(Clone, Debug)]
pub(crate) struct AddressFact {
    pub(crate) database: Arc<GeoDatabase>,
    pub(crate) field: Vec<String>,
    pub(crate) address: Template,
}

/// The form of the output.
#[derive(Clone, Debug)]
pub(crate) enum PairsFormat {
    /// JSON; names with dots are objects in objects.
    Nested,
    /// JSON; names as they are.
    Flat,
    /// `name=value name="other value"`
    Welf,
    /// `name=value name=other value`, the extension of a CEF line.
    Cef,
    /// `name value seconds`, one line each; the seconds are the received time unless a text sets them.
    Graphite(Option<Template>),
}

impl PairsFormat {
    /// Returns the type of the output.
    pub(crate) fn kind(&self) -> ValueKind {
        match self {
            PairsFormat::Nested | PairsFormat::Flat => ValueKind::Json,
            _ => ValueKind::String,
        }
    }
}

/// A selection of names and values.
#[derive(Clone, Debug, Default)]
pub struct ValuePairs {
    pub(crate) scopes: Vec<PairScope>,
    /// Globs of names to include or leave out: the last one that matches a name decides.
    pub(crate) globs: Vec<(Arc<Pattern>, Choice)>,
    pub(crate) explicit: Vec<(String, Template)>,
    pub(crate) rekeys: Vec<(Arc<Pattern>, Vec<Rekey>)>,
    /// The glob of the names that the next change applies to.
    pub(crate) rekeyed: Option<Arc<Pattern>>,
    pub(crate) omit_empty: bool,
    pub(crate) cast_to_strings: bool,
    pub(crate) include_bytes: bool,
    pub(crate) leave_dot: bool,
    /// `--key-delimiter` of JSON.
    pub(crate) key_delimiter: KeyDelimiter,
    pub(crate) version: Version,
    /// The macros that it selects, computed once.
    pub(crate) macros: OnceLock<Vec<SelectedMacro>>,
    /// The form of the JSON objects that it makes, found once.
    pub(crate) json_form: OnceLock<JsonForm>,
}

#[cfg(test)]
mod tests;
