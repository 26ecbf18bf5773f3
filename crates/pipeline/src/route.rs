//! Log paths: where messages go, and which steps they pass.
//!
//! In: batches of a source. Out: deliveries at outlets. Holds: the paths of one configuration and counters.
//! Copy-on-write: a path that changes messages changes its own copy of the batch, made once.
//! Limits: [`DEPTH_MAX`] levels of nesting.

mod compile;
mod counters;
mod flow;
mod lanes;
mod parallel;
mod plan;
mod run;
mod tap;
mod threads;
mod tracer;

pub use counters::{CountedParser, FilterCounters, ParserCounters, PathCounters, RouterCounters};
pub use lanes::{Job, Lanes, PathThread};
pub use plan::{
    Channel, DEPTH_MAX, FilterStep, OutletStep, Parallel, Path, Plan, PlanError, Router, Step, StepFlags,
};
pub use tap::{TapPoint, Viewer};
pub use threads::Entrance;
pub use tracer::{Event, Label, Refusal, Tracer};

#[cfg(test)]
mod tests;
