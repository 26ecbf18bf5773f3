//! The subjects: Duramen, the rivals, and the floor. Each rival is configured for speed as its own
//! documentation advises.

mod all;
pub(crate) mod copy;
mod database;
mod duramen;
mod rsyslog;
mod subject;
mod syslog_ng;

pub(super) use all::all;
pub(super) use subject::{RunFolder, Subject};
