//! The sources `python()` and `python-fetcher()`.
//!
//! In: their options. Out: a [`PythonSource`]. Holds: nothing. Limits: none of its own.

use super::values::MessageValues;
use crate::assemble::{lowering::Lowering, options::driver::Options};
use inputs::PythonSource;
use python::Role;
use std::sync::Arc;

impl<'t> Lowering<'t> {
    /// Makes the source that the options describe. `None` after an error, which is in the report.
    pub(crate) fn python_source(&mut self, role: Role, options: &Options<'t>) -> Option<PythonSource> {
        let program = self.python_program(role, options)?;
        let pairs = MessageValues::all(self.definitions.version);
        let values = MessageValues::new(pairs, self.render_options(options), self);
        Some(PythonSource { program: Arc::new(program), values: Arc::new(values) })
    }
}
