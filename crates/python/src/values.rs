//! The values of messages as user code asks for them; the server knows templates and macros.
//!
//! In: a message, a name or the text of a template. Out: values. Holds: nothing. Limits: those of the implementer.

use message::{Batch, Stamp, ValueKind};

/// The meaning of a name that a message does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Named {
    /// A macro, which is computed.
    Macro(Vec<u8>, ValueKind),
    /// Another name for a field.
    Alias(String),
    /// The name of a value, which this message does not have.
    Nothing,
}

/// A template that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateFault(pub String);

/// Values of messages.
pub trait Values: Send {
    /// Called before the messages of a batch. `now` is the time for `${C_...}` macros.
    fn begin(&mut self, now: Stamp);

    /// Calls `add` with the name, value and type of each value that user code gets with the message.
    fn pairs(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        add: &mut dyn FnMut(&str, &[u8], ValueKind),
    );

    /// Returns true for a name that is computed, and that user code cannot set.
    fn is_macro(&self, name: &str) -> bool;

    /// Looks up a name that is not among these values.
    fn named(&mut self, batch: &Batch, index: usize, sequence: u64, name: &str) -> Named;

    /// Fills in a template.
    fn template(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        text: &str,
    ) -> Result<Vec<u8>, TemplateFault>;
}

/// Makes the values for each process.
pub trait ValuesFactory: Send + Sync {
    /// Makes them.
    fn values(&self) -> Box<dyn Values>;
}
