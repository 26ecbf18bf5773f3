//! A connection to a server, as those who ask see it.
//!
//! In: keys. Out: an answer for each. Holds: nothing, this is the interface. Limits: who asks bounds the time.

use crate::{fault::Fault, key::Key, known::Answer};
use std::{future::Future, pin::Pin};

/// The answers to some keys, in their order.
pub(crate) type Answers = Vec<Result<Answer, Fault>>;

/// The future of answers. It stays on the thread that asks.
pub(crate) type Asking<'a> = Pin<Box<dyn Future<Output = Answers> + 'a>>;

/// A connection.
pub(crate) trait Lane: Send {
    /// Returns how many keys one exchange asks for.
    fn keys_max(&self) -> usize;

    /// Asks for keys, and waits for all answers.
    fn ask<'a>(&'a mut self, keys: &'a [Key]) -> Asking<'a>;

    /// Closes the connection: its answers would be those to other keys.
    fn close(&mut self);
}
