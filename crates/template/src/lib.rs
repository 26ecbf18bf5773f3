//! Templates, and what they are made with: patterns, facts about addresses, the version of the configuration.
//!
//! In: text with macros and functions, once; messages, often. Out: rendered text; whether and where a pattern matches.
//! Holds: what a configuration compiles to; a [`Renderer`] holds what one destination remembers between messages.
//! No socket, no clock, no file: time is an argument, and the machine answers through the trait [`Machine`]. What
//! belongs to a configuration, such as named templates and filters, comes through [`Surroundings`].
//! Limits: each module names its own.
//!
//! In reading order, the lowest last:
//! - `template`: the text of a template, its macros and functions, and rendering them.
//! - [`geo`]: databases of facts about addresses.
//! - [`pattern`]: regular expressions, strings and globs.
//! - `version`: what the version of a configuration decides.

pub mod geo;
pub mod pattern;
mod template;
mod version;

pub use template::{
    BACK_MAX, Condition, Context, DEPTH_MAX, Database, Escape, HINT_NAMES, Machine, Member, NameLookup,
    OnError, Rekey, RenderOptions, Renderer, Site, Surroundings, TEMPLATE_BYTES_MAX, TagOrder, Template,
    TemplateError, TypeHint, ValuePairs, append_gelf, header, is_macro, list_append, list_elements,
};
pub use version::Version;
