//! Parsers of XML.
//!
//! In: calls. Out: parsers. Limits: a pattern that cannot be used is an error with its position.

use super::calls::ParserCall;
use crate::assemble::lowering::Lowering;
use config::tree::MatchType;
use pipeline::{Parser, parser::Xml};
use std::sync::Arc;

impl<'t> Lowering<'t> {
    pub(crate) fn xml_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let xml = self.xml(parser)?;
        self.dotted_parser(parser, xml, ".xml.")
    }

    pub(crate) fn windows_eventlog_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let xml = Xml { named_data: true, ..self.xml(parser)? };
        self.dotted_parser(parser, xml, ".eventlog.")
    }

    /// Makes an XML parser; a prefix that does not end in a dot gets one.
    fn dotted_parser(&mut self, parser: ParserCall<'t>, xml: Xml, prefix: &str) -> Option<Arc<dyn Parser>> {
        let mut prefix = parser.options.own_text("prefix").unwrap_or_else(|| prefix.to_owned());
        if !prefix.is_empty() && !prefix.ends_with('.') {
            prefix.push('.');
        }
        self.prefixed_parser(parser, xml, &prefix)
    }

    fn xml(&mut self, parser: ParserCall<'t>) -> Option<Xml> {
        let options = parser.options;
        Some(Xml {
            strip_whitespace: options.is_yes("strip-whitespaces"),
            excluded: self.patterns(parser, "exclude-tags", MatchType::Glob, &[])?,
            lists: !options.is_no("create-lists"),
            drop_invalid: options.is_yes("drop-invalid"),
            named_data: false,
        })
    }
}
