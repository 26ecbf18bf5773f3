//! Families that run messages through the decoder and the framer.
//!
//! In: the samples' folder. Out: a row for each set of samples.

mod decoded;
pub(super) mod go_syslog;
pub(super) mod golden;
pub(super) mod hostile;
pub(super) mod msgparse;
pub(super) mod rfc_examples;
pub(super) mod telegraf;
