//! The statements of rsyslog, and the configuration that they become.
//!
//! In: the tree. Out: sources, destinations, steps of log paths, global options, and a finding for every statement.

mod action;
pub(super) mod converter;
mod directive;
mod forward;
mod input;
mod output;
mod state;
