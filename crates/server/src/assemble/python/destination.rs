//! The destination `python()`.
//!
//! In: its options. Out: a receiver. Holds: nothing. Limits: none of its own.

use super::values::MessageValues;
use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::tree::Call;
use delivery::{Batches, DestinationDriver};
use message::Render;
use outputs::{PythonReceiver, PythonTarget};
use python::Role;
use std::sync::Arc;

/// Messages that a class gets before a flush.
const BATCH_LINES: usize = 100;
/// Most bytes of them.
const BATCH_BYTES: usize = 8 << 20;
/// Tries of a message, as in syslog-ng.
const RETRIES: u32 = 3;

impl<'t> Lowering<'t> {
    /// Makes the receiver of `python()`. The class renders by itself: the template beside it only shows the text of messages.
    pub(crate) fn python(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let program = self.python_program(Role::Destination, options)?;
        let pairs = match options.own("value-pairs") {
            Some(written) => self.value_pairs(written)?,
            None => MessageValues::all(self.definitions.version),
        };
        let values = MessageValues::new(pairs, self.render_options(options), self);
        let retries = options.own("retries").and_then(Call::number);
        let target = PythonTarget {
            program: Arc::new(program),
            values: Arc::new(values),
            batches: Batches { retries: None, ..batches(options, BATCH_LINES, BATCH_BYTES) },
            retries: retries.and_then(|count| u32::try_from(count).ok()).unwrap_or(RETRIES),
        };
        let shown = self.built_in_template("$MSG", options)?;
        let shown = self.template_renderer(shown, options);
        Some((DestinationDriver::Receiver(Box::new(PythonReceiver::new(target))), shown))
    }
}
