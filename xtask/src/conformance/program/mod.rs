//! Families that run configurations with the built program.
//!
//! In: the samples' folder. Out: a row for each set of samples.

pub(super) mod applications;
pub(super) mod configs;
mod executable;
pub(super) mod light;
pub(super) mod rsyslog;
mod started;
