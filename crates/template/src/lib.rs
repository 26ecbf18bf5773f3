//! Templates and their building blocks: patterns, facts about addresses, the version of the configuration.
//!
//! In: text with macros and functions, once; messages, often. Out: rendered text; whether and where a pattern matches.
//! Holds: compiled templates; a [`Renderer`] holds the state of one destination between messages. No socket,
//! no clock, no file: time is an argument, and the machine answers through the trait [`Machine`]. What
//! belongs to a configuration, such as named templates and filters, comes through [`Surroundings`].
//! Limits: each module names its own.
//!
//! Modules in reading order, the lowest last:
//! - `compile`: reads the text of a template into a tree.
//! - `render`: prints such a tree for a message.
//! - `gelf`: a whole message as one JSON object.
//! - `template`: the tree, and the definitions of the configuration that it uses.
//! - `function`: functions that depend only on the text of their arguments.
//! - `macros`: `$NAME`, computed from a message.
//! - `renderer`: the state of a destination between messages, and options.
//! - [`pattern`]: regular expressions, strings and globs.
//! - [`geo`]: databases of facts about addresses.
//! - `value`: forms of values: lists, types, JSON strings, escapes.
//! - `version`: the effects of the version of a configuration.

mod compile;
mod function;
mod gelf;
pub mod geo;
mod macros;
pub mod pattern;
mod render;
mod renderer;
mod template;
mod value;
mod version;

pub use compile::{BACK_MAX, DEPTH_MAX, TEMPLATE_BYTES_MAX, TemplateError};
pub use gelf::append_gelf;
pub use macros::{header, is_macro};
pub use renderer::{
    Context, ContextMessage, Database, Machine, NameLookup, OnError, RenderOptions, Renderer, Site, TagOrder,
};
pub use template::{Condition, ConditionError, Rekey, Surroundings, Template, ValuePairs};
pub use value::{Escape, HINT_NAMES, TypeHint, list_append, list_elements};
pub use version::Version;

#[cfg(test)]
mod tests;
