//! Destinations of the language, turned into those of `delivery`.
//!
//! `drivers` has the list of all; the other files have what they write, where to, and the queue before it.

pub(crate) mod disk_buffer;
pub(crate) mod drivers;
pub(crate) mod file;
pub(crate) mod lines;
pub(crate) mod network;
pub(crate) mod queueing;
pub(crate) mod reshaping;
pub(crate) mod sealed_lines;
