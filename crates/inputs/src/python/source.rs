//! `python()` as a source of the set of sources.
//!
//! In: its options. Out: a running reader. Holds: nothing. Limits: none.

use super::{options::PythonSource, reader::read_class};
use intake::{Input, InputTask};

impl Input for PythonSource {
    fn identity(&self) -> String {
        format!("{:?}", self.program)
    }

    fn instance(&self) -> String {
        self.program.name.clone()
    }

    fn start(&self, task: InputTask) {
        read_class(self.clone(), task);
    }
}
