//! Destinations of the language, turned into those of `delivery`.
//!
//! Begin with `drivers`, the list of all. Then the text: `lines`, `reshaping`, `sealed_lines`; the targets: `file`
//! and `network`, `brokers`, `s3`, `sql`, with `batches` of the last four; and the queue before it: `queueing`, `disk_buffer`.

pub(crate) mod batches;
pub(crate) mod brokers;
pub(crate) mod dead_letters;
pub(crate) mod disk_buffer;
pub(crate) mod drivers;
pub(crate) mod file;
pub(crate) mod lines;
pub(crate) mod network;
pub(crate) mod queueing;
pub(crate) mod reshaping;
pub(crate) mod s3;
pub(crate) mod sealed_lines;
pub(crate) mod sql;
