//! The answers of an engine, and their times.
//!
//! In: an engine and a query. Out: the count and the times of several answers.

use super::{
    engine::{Engine, Intake},
    questions::Question,
};
use crate::median::median;
use std::io;

/// An engine after all queries.
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) is_ours: bool,
    pub(super) is_encrypted: bool,
    /// None if it has the corpus from an earlier run.
    pub(super) intake: Option<Intake>,
    /// Peak memory after the queries.
    pub(super) memory_mib: Option<f64>,
    /// In the order of the queries.
    pub(super) answers: Vec<QuestionResult>,
}

/// The result of one query.
pub(super) struct QuestionResult {
    pub(super) expected: u64,
    pub(super) timing: Option<Timing>,
    pub(super) cold_ms: Option<f64>,
}

/// The count in the answer, and how long the first answer and the median of the others took.
#[derive(Clone, Copy)]
pub(super) struct Timing {
    pub(super) total: u64,
    pub(super) first_ms: f64,
    pub(super) median_ms: f64,
}

/// Runs a query once and then `repeats` times; returns nothing if the engine cannot answer it.
pub(super) fn ask(
    engine: &mut dyn Engine,
    question: &'static Question,
    repeats: usize,
) -> io::Result<Option<Timing>> {
    let Some(first) = engine.ask(question)? else { return Ok(None) };
    let mut times = Vec::new();
    for _ in 0..repeats {
        times.extend(engine.ask(question)?.map(|answer| answer.ms));
    }
    let median_ms = if times.is_empty() { first.ms } else { median(times) };
    Ok(Some(Timing { total: first.total, first_ms: first.ms, median_ms }))
}
