//! The verbs about the contents of the data folder: `logspace`, `ledger`, `queue`, `rules` and `user`. They work with and
//! without a running server, unless documented otherwise.

pub(crate) mod author;
pub(crate) mod dead_letters;
pub(crate) mod families;
pub(crate) mod layout;
pub(crate) mod ledger;
pub(crate) mod logspace;
pub(crate) mod queue;
pub(crate) mod rules;
pub(crate) mod user;
