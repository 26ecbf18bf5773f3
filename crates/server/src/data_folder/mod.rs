//! The verbs about what a server keeps in its data folder: `logspace`, `ledger`, `queue` and `user`. They work with and
//! without a running server, except where they say otherwise.

pub(crate) mod author;
pub(crate) mod dead_letters;
pub(crate) mod layout;
pub(crate) mod ledger;
pub(crate) mod logspace;
pub(crate) mod queue;
pub(crate) mod user;
