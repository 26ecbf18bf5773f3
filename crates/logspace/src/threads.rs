//! The threads of a logspace.
//!
//! In: deliveries that wait, the time. Out: the journal, the active segment, sealed files, records, time-stamps.
//! Limits: each has its own; they share only [`super::shared`], and pass work on through its queues.

pub(crate) mod builder;
mod moving;
pub(crate) mod recoder;
pub(crate) mod scrub;
pub(crate) mod sealer;
pub(crate) mod stamper;
pub(crate) mod writer;
