//! Rules that watch the messages of a logspace: a query, a condition over time, and the transitions that follow.
//!
//! In: rules as text; messages in the order of their sequence numbers, marks of time. Out: [`Transition`]s: something
//! occurred, an instance fired, it was resolved, a rule could no longer track every key.
//! Holds: the windows of every rule, which [`Evaluator::snapshot`] writes and [`Evaluator::restore`] reads.
//! Reads no clock, opens no file, starts no thread. Limits: [`Limits`]; see [`Rule`].
//!
//! The transitions are a pure function of the versions of the rules, of the messages, and of the marks. Batches,
//! snapshots and restarts change nothing: a tick, such as the end of a window, stands after the last message received
//! before it, whenever it is computed, and nothing is ever late, because received times never decrease.
//!
//! A server runs it in crate `alerts`: one thread for each logspace gives its messages and, while none arrive, marks of
//! time to an evaluator. Crate `notify` sends notifications of what is in its database.
//!
//! Modules in reading order, the lowest last:
//! - `sigma`: rules of the Sigma project as queries.
//! - `read`: rules, channels and routes from YAML or JSON, with the place of every error.
//! - `history`: what a rule would have reported over stored messages.
//! - `evaluator`: messages to transitions; `candidates` chooses the rules that a message may concern.
//! - `snapshot`: the state of an evaluator as bytes.
//! - `state`: the window of each kind of rule.
//! - `transition`: what an evaluator reports.
//! - `key_table`: the keys of a rule in the order in which they were last seen.
//! - `key`: the values that messages are grouped by, as bytes.
//! - `rule`: a rule, checked.

mod candidates;
mod evaluator;
mod history;
mod key;
mod key_table;
mod read;
mod rule;
mod sigma;
mod snapshot;
mod state;
#[cfg(test)]
mod tests;
mod transition;

pub use evaluator::{Evaluator, Input, Limits, RuleCounters, Selecting};

pub use history::{BARS_MAX, BYTES_MAX as HISTORY_BYTES_MAX, History, HistoryRange, history};
pub use read::{
    Channel, ChannelKind, HttpChannel, MailChannel, MailEncryption, NotificationFault, Notifications,
    RULES_BYTES_MAX, RULES_MAX, Reach, Route, RuleError, RuleFault, Service, Setting, read,
    read_notifications,
};
pub use rule::{Aggregate, KEYS_MAX, Kind, Rule, RuleVersion, Threshold, WINDOW_US_MAX, Window};
pub use sigma::{SigmaRefusal, SigmaRule, import as import_sigma};
pub use snapshot::RestoreError;
pub use transition::{Cause, Change, Transition, TransitionId};
