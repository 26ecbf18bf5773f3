//! Who is measured: us, the rivals, and the floor. Each rival is set up as its own documents advise for speed.

mod all;
pub(crate) mod copy;
mod database;
mod duramen;
mod rsyslog;
mod subject;
mod syslog_ng;

pub(super) use all::all;
pub(super) use subject::{RunFolder, Subject};
