//! Sum, mean, smallest and largest of numbers.
//!
//! In: numbers. Out: figures. Holds: 32 bytes. Limits: those of floating-point numbers; sums are rounded as they grow.

use crate::{
    rule::Aggregate,
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
};

/// The figures of numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Figure {
    count: u64,
    sum: f64,
    min: f64,
    max: f64,
}

impl Default for Figure {
    fn default() -> Figure {
        Figure { count: 0, sum: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }
}

impl Figure {
    pub(super) fn add(&mut self, number: f64) {
        self.merge(&Figure { count: 1, sum: number, min: number, max: number });
    }

    pub(super) fn merge(&mut self, other: &Figure) {
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Returns a figure; none without numbers.
    pub(super) fn value(&self, aggregate: Aggregate) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        Some(match aggregate {
            Aggregate::Sum => self.sum,
            Aggregate::Avg => self.sum / self.count as f64,
            Aggregate::Min => self.min,
            Aggregate::Max => self.max,
        })
    }

    pub(super) fn save(&self, out: &mut SnapshotWriter) {
        out.number(self.count);
        [self.sum, self.min, self.max].into_iter().for_each(|number| out.float(number));
    }

    pub(super) fn load(from: &mut SnapshotReader<'_>) -> Result<Figure, RestoreError> {
        Ok(Figure { count: from.number()?, sum: from.float()?, min: from.float()?, max: from.float()? })
    }
}
