//! Fuzz targets: one for each decoder of hostile bytes.
//!
//! In: any bytes. Out: nothing; a target panics when a promise of its decoder is broken.
//! Holds: nothing. Limits: a target ends for any input; inputs are small (64 KiB from the fuzzer). The fuzzer
//! beside this crate runs them with bytes that it generates; `tests/replay.rs` runs them with those of
//! `fuzz/corpus`.

mod files;
mod languages;
mod messages;
mod peers;
mod registry;
mod servers;

pub use registry::{TARGETS, Target, target};
