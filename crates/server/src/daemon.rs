//! The running server: assembles the configuration, reloads, and shuts down in order.
//!
//! In reading order: `serve` has the loop, which takes [`event`]s from [`signals`] and from the [`commands`] of the
//! control socket, and owns what is [`running`]. The [`page`] and the [`ledger`] have threads of their own; both,
//! and the commands, read [`figures`] and the state that the loop has published.

mod serve;

mod event;
mod settings;
mod signals;

mod commands;
mod page;

mod figures;
mod ledger;
mod running;

mod certificate;
mod console;
mod descriptors;
mod memory;
mod notify;

pub(crate) use console::{Level, Levels};
pub(crate) use serve::run;
#[cfg(test)]
pub(crate) use serve::run_without_signals;
pub(crate) use settings::Settings;
