//! A trace of messages through the paths, printed by `duramen explain`.
//!
//! In: events, step by step. Out: the same, passed to a [`Tracer`]. Holds: labels, which name steps.
//! A running server has neither: its paths are made without labels and have no tracer.
//! Limits: none of its own.

use crate::filter::Anatomy;
use message::{Batch, Selection};

/// The name of a path or a step in the configuration.
#[derive(Clone, Debug, Default)]
pub struct Label {
    /// Its words: `filter(f_ssh)`, `rewrite r_host: set("x" value("HOST"))`.
    pub what: String,
    /// File, line and column: `duramen.conf:12:5`.
    pub place: String,
    /// The parts of its filter or condition.
    pub test: Option<Anatomy>,
}

/// The reason why messages did not enter a branch that takes messages of their source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A branch before it has `flags(final)`, or is the branch of an `if` that was taken.
    Final,
    /// It has `flags(fallback)`, and another branch took them.
    Fallback,
}

/// An event of some messages of a batch.
pub enum Event<'a> {
    /// The messages enter a path, a channel or a branch; events up to [`Event::Leave`] happen in it.
    Enter {
        /// The branch.
        label: &'a Label,
        /// The batch.
        batch: &'a Batch,
        /// The messages that enter.
        input: &'a Selection,
        /// True when destinations in it may not drop.
        controlled: bool,
    },
    /// The messages do not enter it.
    Refuse {
        /// The branch.
        label: &'a Label,
        /// Why.
        why: Refusal,
    },
    /// The condition of a branch is evaluated.
    Ask {
        /// The branch.
        label: &'a Label,
        /// The batch as it was before.
        batch: &'a Batch,
        /// The messages that were tested.
        input: &'a Selection,
        /// The messages for which it holds.
        held: &'a Selection,
    },
    /// The messages leave a branch.
    Leave {
        /// The messages that it counts as taken.
        matched: &'a Selection,
        /// True when the branches after it do not get these messages.
        last: bool,
    },
    /// A step begins.
    Begin {
        /// The step.
        label: &'a Label,
        /// The batch before it.
        batch: &'a Batch,
        /// The messages that reach it.
        input: &'a Selection,
    },
    /// The step that began last has ended.
    End {
        /// The batch after it.
        batch: &'a Batch,
        /// The messages that remain.
        left: &'a Selection,
    },
    /// A parser made messages; what follows until [`Event::Gone`] happens to these.
    Made {
        /// The messages that were made.
        batch: &'a Batch,
    },
    /// The messages that were made are through.
    Gone,
    /// A destination gets them.
    Deliver {
        /// Its driver: `d_file#0`.
        name: &'a str,
        /// The batch.
        batch: &'a Batch,
        /// The messages that it gets.
        selection: &'a Selection,
        /// True when it may not drop them.
        controlled: bool,
    },
}

/// A receiver of events.
pub trait Tracer {
    /// Takes the next event.
    fn record(&mut self, event: Event<'_>);
}
