//! The state of one function for one group.
//!
//! In: rows, or values with their counts. Out: its result. Numbers are compared as numbers, all else as text, and
//! numbers come before text.

use super::{distinct::Distinct, sketch::Sketch};
use crate::{
    language::{tree::FunctionKind, words},
    stage::{Of, number_kind, number_text},
};
use lookup::Document;
use message::ValueKind;
use std::cmp::Ordering;

#[derive(Clone, Debug)]
pub(in crate::pipe) enum Aggregate {
    Count(u64),
    Sum(f64, u64),
    Avg(f64, u64),
    Min(Option<Vec<u8>>),
    Max(Option<Vec<u8>>),
    Percentile(u8, Sketch),
    Distinct(Distinct),
}

impl Aggregate {
    pub(in crate::pipe) fn new(kind: FunctionKind) -> Aggregate {
        match kind {
            FunctionKind::Count => Aggregate::Count(0),
            FunctionKind::Sum => Aggregate::Sum(0.0, 0),
            FunctionKind::Avg => Aggregate::Avg(0.0, 0),
            FunctionKind::Min => Aggregate::Min(None),
            FunctionKind::Max => Aggregate::Max(None),
            FunctionKind::Percentile(rank) => Aggregate::Percentile(rank, Sketch::default()),
            FunctionKind::Distinct => Aggregate::Distinct(Distinct::default()),
        }
    }

    /// Adds a row.
    pub(in crate::pipe) fn add_row(&mut self, of: &Of, row: &Document) {
        match (&of.name, &mut *self) {
            (None, Aggregate::Count(count)) => *count += 1,
            (None, _) => {}
            (Some(name), Aggregate::Sum(..) | Aggregate::Avg(..) | Aggregate::Percentile(..))
                if name.column().is_none() =>
            {
                if let Some(number) = name.number(row) {
                    self.add_number(number, 1);
                }
            }
            (Some(name), _) => name.visit(row, &mut |value| self.add_value(value, 1)),
        }
    }

    /// Adds a value that occurs in `times` rows.
    pub(in crate::pipe) fn add_value(&mut self, value: &[u8], times: u64) {
        match self {
            Aggregate::Count(count) => *count += times,
            Aggregate::Min(known) => keep(known, value, Ordering::Less),
            Aggregate::Max(known) => keep(known, value, Ordering::Greater),
            Aggregate::Distinct(distinct) => distinct.add(value),
            Aggregate::Sum(..) | Aggregate::Avg(..) | Aggregate::Percentile(..) => {
                if let Some(number) = words::number(value) {
                    self.add_number(number, times);
                }
            }
        }
    }

    fn add_number(&mut self, number: f64, times: u64) {
        match self {
            Aggregate::Sum(sum, count) | Aggregate::Avg(sum, count) => {
                *sum += number * times as f64;
                *count += times;
            }
            Aggregate::Percentile(_, sketch) => sketch.add(number, times),
            _ => {}
        }
    }

    pub(in crate::pipe) fn merge(&mut self, other: Aggregate) {
        match (self, other) {
            (Aggregate::Count(own), Aggregate::Count(other)) => *own += other,
            (Aggregate::Sum(own, count), Aggregate::Sum(other, more))
            | (Aggregate::Avg(own, count), Aggregate::Avg(other, more)) => {
                *own += other;
                *count += more;
            }
            (Aggregate::Min(own), Aggregate::Min(Some(other))) => keep(own, &other, Ordering::Less),
            (Aggregate::Max(own), Aggregate::Max(Some(other))) => keep(own, &other, Ordering::Greater),
            (Aggregate::Percentile(_, own), Aggregate::Percentile(_, other)) => own.merge(&other),
            (Aggregate::Distinct(own), Aggregate::Distinct(other)) => own.merge(other),
            _ => {}
        }
    }

    /// The result; none when no row had a value.
    pub(in crate::pipe) fn result(&self) -> Option<(Vec<u8>, ValueKind)> {
        let number = |number: f64| {
            let text = number_text(number);
            (text.as_bytes().to_vec(), number_kind(&text))
        };
        let whole = |count: u64| (count.to_string().into_bytes(), ValueKind::Integer);
        match self {
            Aggregate::Count(count) => Some(whole(*count)),
            Aggregate::Sum(sum, count) => (*count > 0).then(|| number(*sum)),
            Aggregate::Avg(sum, count) => (*count > 0).then(|| number(sum / *count as f64)),
            Aggregate::Min(value) | Aggregate::Max(value) => value.as_ref().map(|value| {
                let kind = match words::number(value) {
                    Some(_) => number_kind(&String::from_utf8_lossy(value)),
                    None => ValueKind::String,
                };
                (value.clone(), kind)
            }),
            Aggregate::Percentile(rank, sketch) => {
                sketch.percentile(*rank).map(|value| number(rounded(value)))
            }
            Aggregate::Distinct(distinct) => Some(whole(distinct.count())),
        }
    }

    /// Returns the bytes that it holds on the heap.
    pub(in crate::pipe) fn heap_bytes(&self) -> usize {
        match self {
            Aggregate::Count(_) | Aggregate::Sum(..) | Aggregate::Avg(..) => 0,
            Aggregate::Min(value) | Aggregate::Max(value) => value.as_ref().map_or(0, Vec::len),
            Aggregate::Percentile(_, sketch) => sketch.heap_bytes(),
            Aggregate::Distinct(distinct) => distinct.heap_bytes(),
        }
    }

    /// Returns the count by which `top` sorts.
    pub(in crate::pipe) fn count(&self) -> u64 {
        match self {
            Aggregate::Count(count) => *count,
            _ => 0,
        }
    }
}

/// Four digits: more would pretend to be exact.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn keep(known: &mut Option<Vec<u8>>, value: &[u8], wanted: Ordering) {
    if known.as_ref().is_none_or(|known| compare(value, known) == wanted) {
        *known = Some(value.to_vec());
    }
}

/// Orders values: numbers by size, equal ones by their text; then texts, times among them by what they mean.
pub(in crate::pipe) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    match (words::number(a), words::number(b)) {
        (Some(one), Some(other)) => one.total_cmp(&other).then_with(|| a.cmp(b)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => words::compare_texts(a, b),
    }
}
