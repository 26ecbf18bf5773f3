//! Filters: an expression over messages, evaluated for a batch at a time.
//!
//! In: a batch and the messages to test. Out: those for which the expression is true.
//! Holds: the compiled expression, its parts ordered by cost. No input makes a filter fail.
//! Limits: [`DEPTH_MAX`] levels of nesting.

mod anatomy;
mod compare;
mod evaluate;
mod expression;
mod lower;
mod netmask;
mod rate;
mod text;

pub use anatomy::{Anatomy, Verdict};
pub use compare::{CompareOp, Comparison};
pub use expression::{DEPTH_MAX, Expr, FacilitySet, Filter, SeveritySet, Subject, Test};
pub use lower::{FilterScope, lower, pattern_flags, pattern_kind};
pub use netmask::{Netmask, Netmask6, NetmaskError};
pub use rate::RateLimit;
pub use text::{FilterTextError, Names, parse};

#[cfg(test)]
mod tests;
