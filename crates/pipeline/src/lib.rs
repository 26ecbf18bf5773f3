//! Processing of messages between a source and its destinations: filters, parsers, rewrites, log paths.
//!
//! In: batches of messages. Out: batches with a selection of their messages, delivered to outlets.
//! Holds: the compiled configuration; a [`Router`] is immutable, a reload makes a new one. No socket, no
//! clock, no file: time is an argument. No input makes a step fail.
//! Limits: each module names its own.
//!
//! Modules in reading order, the lowest last:
//! - [`route`]: log paths, and the router that runs batches through them.
//! - [`patterndb`]: pattern databases.
//! - [`correlation`]: messages that belong together, and messages made from them.
//! - [`grok`]: named regular expressions.
//! - [`parser`]: extracts values from messages.
//! - [`rewrite`]: changes of messages.
//! - [`definitions`]: the named templates and filters of a configuration.
//! - [`filter`]: decides which messages a log path lets through.
//! - `matches`: the groups of the last match, as values.

pub mod correlation;
pub mod definitions;
pub mod filter;
pub mod grok;
mod matches;
pub mod parser;
pub mod patterndb;
pub mod rewrite;
pub mod route;

pub use definitions::Definitions;
pub use filter::Filter;
pub use parser::Parser;
pub use rewrite::Rewrite;
pub use route::Router;
