//! `python-http-header()` of `http()`.
//!
//! In: its options. Out: a class that makes headers. Holds: nothing. Limits: one for each driver.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::Diagnostic;
use python::Role;
use services::{OnHeaderError, PythonHeader};
use std::sync::Arc;

impl<'t> Lowering<'t> {
    /// Reads `python-http-header()`. The outer `None` means an error, which is in the report.
    pub(crate) fn python_header(&mut self, options: &Options<'t>) -> Option<Option<PythonHeader>> {
        let mut all = options.all("python-http-header");
        let Some(first) = all.next() else { return Some(None) };
        if let Some(second) = all.next() {
            let message = "`python-http-header()` stands here twice: a request has one class";
            self.report.push(Diagnostic::error(second.span, message));
            return None;
        }
        let options = options.nested(first);
        if options.own_text("class").is_none_or(|class| class.is_empty()) {
            let error = Diagnostic::error(first.span, "`python-http-header()` needs class()");
            self.report
                .push(error.help("class(\"MODULE.NAME\"), or the name of one in a block python { ... }"));
            return None;
        }
        let program = Arc::new(self.python_program(Role::HttpHeader, &options)?);
        let on_error = match options.is_no("mark-errors-as-critical") {
            true => OnHeaderError::Send,
            false => OnHeaderError::Wait,
        };
        Some(Some(PythonHeader { program, on_error }))
    }
}
