//! Judgements over rows, one after the other.
//!
//! In: a verdict for each row. Out: judgements, each over all rows next to each other that share it. Holds: them. Limits: none
//! of its own.

use crate::{
    contract::{Judgement, Verdict},
    failure::Failure,
};

/// Verdicts over the rows of a request, in their order.
#[derive(Default)]
pub struct Verdicts {
    judgements: Vec<Judgement>,
    judged: usize,
}

impl Verdicts {
    /// Judges the next row.
    pub fn push(&mut self, verdict: Verdict, answer: &str) {
        self.push_many(1, verdict, answer);
    }

    /// Judges the next rows alike.
    pub fn push_many(&mut self, rows: usize, verdict: Verdict, answer: &str) {
        self.judged += rows;
        match self.judgements.last_mut() {
            Some(last) if last.verdict == verdict && last.answer == answer => last.rows += rows,
            _ => self.judgements.push(Judgement { rows, verdict, answer: answer.to_owned() }),
        }
    }

    /// Returns the judgements over so many rows; a failure is that of all which have none of their own.
    pub fn finish(mut self, rows: usize, failure: Option<&Failure>) -> Vec<Judgement> {
        if let Some(failure) = failure
            && self.judged < rows
        {
            self.push_many(rows - self.judged, failure.verdict, &failure.answer);
        }
        self.judgements
    }
}
