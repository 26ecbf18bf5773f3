//! `duramen search`, `duramen tail`, `duramen export`, `duramen objects`, `duramen alerts`, `duramen silence`, `duramen channel`:
//! query and change a running server over its HTTP API.
//!
//! In: a query. Out: lines on standard output. Holds a session for the length of the command.
//! Limits: those of the API. Exit status: 0, 1 for an error, 3 when something could not be read and is
//! missing from the answer. The verbs first, then their shared code.

mod alerts;
mod search;

mod explain;
mod export;
mod objects;
mod tail;

mod piped;
mod rows;

mod api;
mod coverage;
mod error;
mod format;
mod options;

pub(crate) use alerts::{AlertsOptions, ChannelOptions, SilenceOptions, alerts, channel, silence};
pub(crate) use export::export;
pub(crate) use objects::objects;
pub(crate) use options::{ExportOptions, ObjectsOptions, SearchOptions, TailOptions};
pub(crate) use search::search;
pub(crate) use tail::tail;
