//! `python()`: each message is shown to a class of the configuration, which runs in a process of its own.
//!
//! In: messages. Out: calls of the class, and what it answers. Holds: a process for each connection, of which there is one.
//! Limits: see [`PythonTarget`] and [`::python`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | messages, packed until they are shown |
//! | `connection` | batches, shown to the class |
//! | `verdict` | what answers, crashes and hangs mean |
//! | `options` | what a configuration says |

mod connection;
mod options;
mod receiver;
mod verdict;

pub use options::PythonTarget;
pub use receiver::PythonReceiver;
