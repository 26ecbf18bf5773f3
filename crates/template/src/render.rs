//! Prints templates for messages.
//!
//! In: a compiled template, a message, a renderer. Out: bytes, appended. Holds nothing.
//! Limits: none of its own.

mod call;
mod context;
mod fact;
mod format;
mod items;
mod json;
mod lines;
mod machine;
mod moment;
mod pairs;
mod part;
mod typed;
