//! The numbers at which a rule fires.
//!
//! In: a number. Out: whether it is among them. Holds nothing. Limits: numbers that are no numbers are among none.

/// Numbers at which a rule fires or is resolved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Threshold {
    /// This or more.
    AtLeast(f64),
    /// More than this.
    MoreThan(f64),
    /// This or less.
    AtMost(f64),
    /// Less than this.
    LessThan(f64),
    /// Exactly this.
    Exactly(f64),
    /// Not below the first and not above the second.
    Between(f64, f64),
}

impl Threshold {
    /// Returns true if the number is one of them.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Threshold::AtLeast(limit) => value >= limit,
            Threshold::MoreThan(limit) => value > limit,
            Threshold::AtMost(limit) => value <= limit,
            Threshold::LessThan(limit) => value < limit,
            Threshold::Exactly(limit) => value == limit,
            Threshold::Between(from, to) => (from..=to).contains(&value),
        }
    }

    /// Returns the count from which on it holds, when it holds for every larger one as well.
    pub(crate) fn count_from(self) -> Option<u64> {
        match self {
            Threshold::AtLeast(limit) => Some(limit.max(0.0).ceil() as u64),
            Threshold::MoreThan(limit) => Some((limit.floor() + 1.0).max(0.0) as u64),
            _ => None,
        }
    }

    /// Returns a count above which counts are not told apart.
    pub(crate) fn count_cap(self) -> u64 {
        match self {
            Threshold::AtLeast(limit)
            | Threshold::MoreThan(limit)
            | Threshold::AtMost(limit)
            | Threshold::LessThan(limit)
            | Threshold::Exactly(limit)
            | Threshold::Between(_, limit) => limit.max(0.0) as u64 + 1,
        }
    }

    /// Returns true if a larger number can only help it to hold.
    pub(crate) fn is_upward(self) -> bool {
        matches!(self, Threshold::AtLeast(_) | Threshold::MoreThan(_))
    }

    /// Returns true if a smaller number can only help it to hold.
    pub(crate) fn is_downward(self) -> bool {
        matches!(self, Threshold::AtMost(_) | Threshold::LessThan(_))
    }

    /// Its numbers, with a sign for each kind.
    pub(crate) fn parts(self) -> (&'static str, f64, f64) {
        match self {
            Threshold::AtLeast(limit) => ("at-least", limit, 0.0),
            Threshold::MoreThan(limit) => ("more-than", limit, 0.0),
            Threshold::AtMost(limit) => ("at-most", limit, 0.0),
            Threshold::LessThan(limit) => ("less-than", limit, 0.0),
            Threshold::Exactly(limit) => ("exactly", limit, 0.0),
            Threshold::Between(from, to) => ("between", from, to),
        }
    }
}
