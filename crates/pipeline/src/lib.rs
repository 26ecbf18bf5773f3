//! What happens to messages between a source and its destinations: templates, filters, rewrites, log paths.
//!
//! In: batches of messages. Out: batches with a selection of their messages, handed to outlets; rendered text.
//! Holds: what a configuration compiles to; a [`Router`] is immutable, a reload makes a new one.
//! No socket, no clock, no file: time is an argument. No input makes a step fail.
//! Limits: each module names its own.

mod matches;
mod version;

pub mod pattern;

pub mod template;

pub mod filter;

pub mod geo;

pub mod definitions;

pub mod rewrite;

pub mod parser;

pub mod correlation;

pub mod patterndb;

pub mod grok;

pub mod route;

pub use definitions::Definitions;
pub use filter::Filter;
pub use geo::GeoDatabase;
pub use parser::Parser;
pub use pattern::Pattern;
pub use rewrite::Rewrite;
pub use route::Router;
pub use template::Template;
pub use version::Version;
