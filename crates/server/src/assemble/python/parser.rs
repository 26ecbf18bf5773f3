//! The parser `python()`.
//!
//! In: its options. Out: a step of a log path. Holds: nothing. Limits: none of its own.

use super::values::MessageValues;
use crate::assemble::{lowering::Lowering, parsers::calls::ParserCall};
use pipeline::Parser;
use python::{PythonParser, Role};
use std::sync::Arc;

impl<'t> Lowering<'t> {
    /// Makes the parser `python()`. All uses of the same one share its process.
    pub(crate) fn python_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let address = std::ptr::from_ref(parser.options.call);
        if let Some(known) = self.waiting_parsers.get(&address) {
            return Some(known.clone());
        }
        let program = self.python_program(Role::Parser, &parser.options)?;
        let pairs = MessageValues::all(self.definitions.version);
        let values = MessageValues::new(pairs, self.render_options(&parser.options), self);
        let (log, patience) = (self.environment.log.clone(), self.patience.clone());
        let made: Arc<dyn Parser> = Arc::new(PythonParser::new(Arc::new(program), &values, log, patience));
        self.waiting_parsers.insert(address, made.clone());
        Some(made)
    }
}
