//! Parsers of text formats: syslog headers, patterns, XML.
//!
//! In: calls. Out: parsers. Limits: a pattern that cannot be used is an error at its place.

use super::calls::ParserCall;
use crate::assemble::{expressions::decoding::default_priority, lowering::Lowering};
use config::tree::{Arg, MatchFlag, MatchType, Name};
use pipeline::{
    Parser,
    parser::{Regexp, Syslog, Unreadable, Xml},
};
use std::sync::Arc;
use template::pattern::Pattern;
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

    pub(crate) fn regexp_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let flags: Vec<MatchFlag> = parser
            .options
            .flags()
            .iter()
            .filter_map(|word| MatchFlag::ALL.iter().find(|(known, _)| known == word).map(|(_, flag)| *flag))
            .collect();
        let patterns = self.patterns(parser, "patterns", MatchType::Pcre, &flags)?;
        self.text_parser(parser, Regexp::new(patterns), "")
    }

    /// Compiles all patterns of an option and reports every wrong one.
    fn patterns(
        &mut self,
        parser: ParserCall<'t>,
        option: &str,
        kind: MatchType,
        flags: &[MatchFlag],
    ) -> Option<Vec<Arc<Pattern>>> {
        let args = parser.options.all(option).flat_map(|option| option.args.iter());
        let name = |arg: &Arg| Some(Name { text: arg.text()?.to_owned(), span: arg.span() });
        let names: Vec<Name> = args.filter_map(name).collect();
        let patterns: Vec<_> = names.iter().map(|name| self.pattern(name, kind, flags)).collect();
        patterns.into_iter().collect()
    }

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
