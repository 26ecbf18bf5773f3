//! What talks to Riemann needs: events, and the messages that carry them.
//!
//! In: values of events; bytes of a server. Out: bytes; an answer. Holds: nothing. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `event` | events as bytes |
//! | `answer` | what a server says |

mod answer;
mod event;

pub use answer::{Answer, decode};
pub use event::{EventWriter, Metric, append_event, framed};

#[cfg(test)]
mod tests;
