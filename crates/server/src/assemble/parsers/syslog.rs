//! `syslog-parser()`.
//!
//! In: a call. Out: a parser. Holds: nothing.

use super::calls::ParserCall;
use crate::assemble::lowering::Lowering;
use pipeline::{
    Parser,
    parser::{Syslog, Unreadable},
};
use std::sync::Arc;
use wire::DecodeOptions;

impl<'t> Lowering<'t> {
    pub(crate) fn syslog_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let mut decode = DecodeOptions::default();
        for word in options.flags() {
            // Flags that concern connections have no effect here.
            let _ = decode.flags.apply(&word);
        }
        self.complete_decoding(&options, &mut decode);
        let input = self.parser_input(parser)?;
        let unreadable = if options.is_yes("drop-invalid") { Unreadable::Stops } else { Unreadable::Marks };
        Some(Arc::new(Syslog::new(decode, input, unreadable)))
    }
}
