//! Notifications: who learns of alerts, over what, and how often.
//!
//! In: the transitions that crate `alerts` keeps; channels and routes of a file; silences of users. Out: requests and mails,
//! each at least once, with an id that is the same at every attempt; a record of what became of each transition.
//! Holds: a thread that decides, and one for each channel. Limits: see [`outbox`] and [`dispatch`].
//!
//! The table of transitions is the queue: a transaction reads what was not routed yet, writes what each route makes of it,
//! and moves on. So whatever happens in between, each transition has been decided on once, or will be. What is due is sent
//! until the receiver says that it has it; a crash between its answer and our note of it sends it again, with the same id.
//!
//! In reading order: `notifier` starts and ends the threads; `setup` is the file in force; `dispatch` decides;
//! `outbox` is what is on its way, and its thread for each channel; `channel` sends; `record` is an alert as receivers and
//! queries see it; `notice` is what they get; `source` makes messages of the same records. `silence` and `history` are
//! for people.

mod channel;
mod dispatch;
mod history;
mod letter;
mod notice;
mod notifier;
mod options;
mod outbox;
mod record;
mod setup;
mod silence;
mod source;
#[cfg(test)]
mod tests;

pub use history::{Decision, DecisionFilter, Sent, TestError, Tried, decisions, notification, test_channel};
pub use notifier::Notifier;
pub use options::{NotifierOptions, WallClock};
pub use setup::{SetupProblem, read_setup};
pub use silence::{NewSilence, Silence, SilenceError, end_silence, silence_alerts, silences};
pub use source::AlertsSource;
