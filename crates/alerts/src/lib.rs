//! Rules over the messages of logspaces: what happened is kept in a database.
//!
//! In: files of rules, rules that people keep on the server; the messages of each logspace that rules watch, in the order of
//! their sequence numbers, once they are durable. Out: transitions, alerts, coverage, each once. Holds: one thread for each logspace with rules, a SQLite
//! database, the state of the rules as files. Limits: [`LIMITS`] for each logspace; [`TRANSITIONS_KEPT`].
//!
//! The transitions are those that one evaluator without interruption would report over the same messages and the marks
//! of time in the database. A thread evaluates a batch, and writes its transitions, its marks, its gaps and the sequence
//! number reached in one transaction, in which the id of a transition is unique. The state of the rules is saved now
//! and then; after a crash the thread goes on from there and reads again what follows. Sealed segments can be read
//! again as well, so that neither sealing nor a source ever waits for rules. A logspace that is encrypted has no rules: the state
//! of rules would repeat parts of its messages, readable.
//!
//! In reading order: `watcher` starts and ends the threads; `folder` reads the rules; `follower` is one thread; `in_force`
//! lists what it evaluates; `store` is the database.

mod folder;
mod follower;
mod in_force;
mod status;
mod store;
#[cfg(test)]
mod tests;
mod watcher;

pub use folder::{
    FolderProblem, RuleSet, SavedRule, is_of_notifications, read_folder, read_notifications_text,
};
pub use follower::LIMITS;
pub use in_force::{LogspaceProgress, RuleInForce, RuleProgress, rule_progress, rules_in_force};
pub use status::{FollowerStatus, StallReason};
pub use store::{
    Alert, AlertFilter, AlertState, Coverage, DATABASE, Gap, GapReason, KeptTransition, Mark, MarkKind,
    StoppedRule, Store, StoreError, TRANSITIONS_KEPT, Watched, alert_numbered, alert_of, transitions_after,
};
pub use watcher::{SavedRules, Watcher};
