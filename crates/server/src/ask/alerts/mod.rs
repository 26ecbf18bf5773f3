//! `duramen alerts`, `duramen silence`, `duramen channel`: alerts of a running server, and who is notified of them.

mod options;
mod shown;
mod verbs;

pub(crate) use options::{AlertsOptions, ChannelOptions, SilenceOptions};
pub(crate) use verbs::{alerts, channel, silence};
