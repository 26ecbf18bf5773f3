//! `syslog-parser()`.
//!
//! In: a call. Out: a parser. Holds: nothing.

use super::calls::ParserCall;
use crate::assemble::{expressions::decoding::default_priority, lowering::Lowering};
use pipeline::{
    Parser,
    parser::{Syslog, Unreadable},
};
use std::sync::Arc;
use wire::{DecodeOptions, ParseFlags};

impl<'t> Lowering<'t> {
    pub(crate) fn syslog_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let mut decode = DecodeOptions::default();
        for word in options.flags() {
            // Flags that concern connections have no effect here.
            let _ = decode.flags.apply(&word);
        }
        if options.is_yes("check-hostname") {
            decode.flags = decode.flags.with(ParseFlags::CHECK_HOSTNAME);
        }
        decode.default_pri = default_priority(&options);
        let zone = options.own("time-zone").or_else(|| self.globals.get("recv-time-zone"));
        decode.zone = self.zone(zone).unwrap_or_else(|| self.environment.zone.clone());
        decode.keep_timestamp = !options.is_no("keep-timestamp");
        decode.bad_hostname = self.bad_hostname();
        decode.sdata_prefix = options.own_text("sdata-prefix").filter(|prefix| prefix != ".SDATA.");
        let input = self.parser_input(parser)?;
        let unreadable = if options.is_yes("drop-invalid") { Unreadable::Stops } else { Unreadable::Marks };
        Some(Arc::new(Syslog::new(decode, input, unreadable)))
    }
}
