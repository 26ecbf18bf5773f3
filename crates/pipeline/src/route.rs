//! Log paths: which messages go where, and what happens to them on the way.
//!
//! In: batches of a source. Out: deliveries at outlets. Holds: the paths of one configuration and counters.
//! Copy-on-write: a path that changes messages changes its own copy of the batch, made once.
//! Limits: [`DEPTH_MAX`] levels of nesting.

mod counters;
mod flow;
mod parallel;
mod plan;
mod run;
mod tap;
mod watch;

pub use counters::{CountedParser, FilterCounters, ParserCounters, PathCounters, RouterCounters};
pub use parallel::{Job, Lanes, Parallel};
pub use plan::{Channel, FilterStep, OutletStep, Path, Plan, PlanError, Step, StepFlags};
pub use run::Router;
pub use tap::{TapPoint, Viewer};
pub use watch::{Event, Label, Refusal, Watch};

/// Deepest nesting of paths, junctions and channels.
pub const DEPTH_MAX: usize = 64;

#[cfg(test)]
mod tests;
