//! Templates: text with macros and functions, rendered for a message.
//!
//! In: `$HOST`, `${NAME:-default}`, `$(function arguments)` once; messages, often. Out: bytes, appended.
//! Holds: the parts of the text; a [`Renderer`] holds what one destination remembers between messages: printed
//! times, its sequence number. Rendering never fails: what is unknown is empty.
//! Limits: [`TEMPLATE_BYTES_MAX`] bytes, [`DEPTH_MAX`] levels of functions.

mod arguments;
mod call;
mod clock;
mod context;
mod escape;
mod format;
mod function;
mod gelf;
mod json;
mod lines;
mod list;
mod machine;
mod macros;
mod nearest;
mod options;
mod pairs;
mod parse;
mod render;
mod typed;

pub use context::{BACK_MAX, Context, Member};
pub use escape::Escape;
pub use gelf::append_gelf;
pub use list::{append_after as list_append, elements as list_elements};
pub use machine::{Database, Machine, NameLookup};
pub use macros::{TagOrder, header};
pub use pairs::{Rekey, ValuePairs};
pub use parse::TemplateError;
pub use render::{OnError, RenderOptions, Renderer, Site};
pub use typed::{HINT_NAMES, TypeHint};

use crate::{Version, geo::GeoDatabase};
use message::{Batch, FieldName};
use std::{collections::HashMap, sync::Arc};

/// Longest template.
pub const TEMPLATE_BYTES_MAX: usize = 256 << 10;
/// Deepest nesting of functions in arguments.
pub const DEPTH_MAX: usize = 32;

/// Returns true when a name is that of a macro that is computed, and so cannot be set.
pub fn is_macro(name: &str) -> bool {
    parse::macro_part(name).is_some()
}

/// The definitions that a template may refer to.
pub trait Surroundings {
    /// Returns the version of the configuration.
    fn version(&self) -> Version;
    /// Returns the template of a name.
    fn template(&self, name: &str) -> Option<Arc<Template>>;
    /// Returns all templates that have a name: for `$(template ...)` whose name is a macro.
    fn templates(&self) -> Arc<HashMap<String, Arc<Template>>>;
    /// Returns the compiled `template-function` of a name.
    fn function(&self, name: &str) -> Option<Arc<Template>>;
    /// Returns the database that `$(geoip2 --database ...)` names. It may be empty still, and filled later.
    fn geo_database(&self, path: &str) -> Arc<GeoDatabase>;
    /// Returns the filter expression of `$(if ...)` and `$(grep ...)`.
    fn condition(&self, expression: &str) -> Result<Arc<dyn Condition>, String>;
}

/// A compiled filter expression, seen from a template.
pub trait Condition: Send + Sync + std::fmt::Debug {
    /// Returns true when the condition holds for a message.
    fn holds(&self, batch: &Batch, index: usize, renderer: &mut Renderer) -> bool;
}

/// A compiled template.
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    parts: Vec<parse::Part>,
    hint: Option<TypeHint>,
    escape: Escape,
    typed: bool,
}

impl Template {
    /// Compiles the text of a template.
    pub fn parse(text: &str, around: &dyn Surroundings) -> Result<Template, TemplateError> {
        parse::template(text, around)
    }

    /// Makes a template that is only text.
    pub fn literal(text: &str) -> Template {
        Template {
            text: text.to_owned(),
            parts: parse::text_part(text.as_bytes()),
            hint: None,
            escape: Escape::None,
            typed: true,
        }
    }

    /// Makes the template of one macro; `None` when the name is that of a value.
    pub fn of_macro(name: &str) -> Option<Template> {
        let part = parse::macro_part(name)?;
        Some(Template { parts: vec![part], ..Template::literal("") })
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
            if let parse::Part::Field { bytes, .. } = part {
                *bytes = hint == TypeHint::Kind(message::ValueKind::Bytes);
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
        parse::only_field(&self.parts).filter(|_| self.escape == Escape::None && self.hint.is_none())
    }

    /// Returns true when it consists of texts, fields, times and the tag alone, as most templates do.
    pub fn is_simple(&self) -> bool {
        parse::is_simple(&self.parts)
    }

    /// Returns the text when no message can change it.
    pub fn constant(&self) -> Option<&[u8]> {
        parse::constant(&self.parts)
    }
}

#[cfg(test)]
mod tests;
