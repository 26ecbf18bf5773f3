//! Destinations.

pub(crate) mod disk_buffer;
pub(crate) mod drivers;
pub(crate) mod lines;
pub(crate) mod network;
pub(crate) mod sealed_lines;
