//! `alerts()` as a source: the transitions of alerts as messages.
//!
//! In: the table of transitions. Out: a message for each, in their order, each at least once. Holds: a thread.
//! Begin with `reader`; `record_message` makes the messages.

mod reader;
mod record_message;

pub use reader::AlertsSource;
