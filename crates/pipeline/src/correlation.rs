//! Correlation: messages that belong together, and messages made from them.
//!
//! In: messages with a key each. Out: contexts of messages with equal keys; when one is complete or its time has
//! passed, a message made from it. Time is that of the messages, see `clock.rs`; the owner of the router reports the
//! passing of time once a second.
//! Holds: contexts in shards, so that all cores work at once. They survive a reload, not a restart.
//! Limits: [`Limits`]; a context that ends early because of them is counted.

mod clock;
mod contexts;
mod grouping;
mod key;
mod lines;
mod made;
mod synthetic;

pub(crate) use clock::Clock;
pub(crate) use contexts::{ContextState, Contexts, EndedContext};
pub(crate) use key::Key;
pub(crate) use made::{MadeBatches, context_message};

pub use contexts::Limits;
pub use grouping::{GroupOptions, GroupState, GroupingBy};
pub use key::Scope;
pub use lines::{GroupLines, LinesOptions, LinesState};
pub use made::{Inject, Sink};
pub use synthetic::{Inherit, Synthetic};

#[cfg(test)]
mod tests;
