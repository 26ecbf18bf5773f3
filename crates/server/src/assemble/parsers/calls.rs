//! Calls of parsers, and code shared by the families of parsers.
//!
//! In: calls. Out: a step for each. Holds: nothing. Limits: a parser that cannot be made is an error with its
//! position, and left out.

use crate::assemble::lowering::Lowering;
use crate::assemble::options::driver::Options;
use config::Diagnostic;
use config::tree::{Arg, Call, Kind};
use pipeline::{
    Filter, Parser, Rewrite,
    correlation::Inject,
    parser::{Input, Kv, Reader, Sdata, Snmptrapd, Tags, TextParser},
    rewrite::Operation,
    route::Step,
};
use std::sync::Arc;
use template::Template;

/// A call of a parser, and its options.
#[derive(Clone, Copy)]
pub(crate) struct ParserCall<'t> {
    pub(crate) options: Options<'t>,
}

impl<'t> Lowering<'t> {
    /// Makes the step of a parser. None after an error, which is in the report.
    pub(crate) fn parser(&mut self, call: &'t Call) -> Option<Step> {
        let options = Options::new(Kind::Parser, call, self.globals);
        if call.key() == "map-value-pairs" {
            let pairs = Arc::new(self.value_pairs(call)?);
            return Some(Step::Rewrite(Arc::new(Rewrite::new(Operation::MapPairs { pairs }))));
        }
        let parser = ParserCall { options };
        let made: Arc<dyn Parser> = match call.key().as_str() {
            "kv-parser" => self.kv_parser(parser)?,
            "csv-parser" => self.csv_parser(parser)?,
            "db-parser" => self.db_parser(parser)?,
            "grok" => self.grok_parser(parser)?,
            "grouping-by" => self.grouping_by(parser)?,
            "group-lines" => self.group_lines(parser)?,
            "json-parser" => self.json_parser(parser)?,
            "xml" | "xml-parser" => self.xml_parser(parser)?,
            "windows-eventlog-xml-parser" => self.windows_eventlog_parser(parser)?,
            "regexp-parser" => self.regexp_parser(parser)?,
            "linux-audit-parser" => self.text_parser(parser, Kv::linux_audit(), "")?,
            "snmptrapd-parser" => {
                let traps = Snmptrapd::new(self.environment.zone.clone());
                let sets_message = !options.is_no("set-message-macro");
                let traps = if sets_message { traps } else { traps.without_message() };
                self.text_parser(parser, traps, ".snmp.")?
            }
            "sdata-parser" => self.text_parser(parser, Sdata, ".SDATA.")?,
            "tags-parser" => self.text_parser(parser, Tags, "")?,
            "syslog-parser" => self.syslog_parser(parser)?,
            "date-parser" => self.date_parser(parser)?,
            "cef-parser" => self.cef_parser(parser)?,
            "leef-parser" => self.leef_parser(parser)?,
            "cee" => self.cee_parser(parser)?,
            "metrics-probe" => self.metrics_probe(parser)?,
            "geoip2" => self.geoip_parser(parser)?,
            "python" => self.python_parser(parser)?,
            "kubernetes-metadata-parser" => self.pod_metadata(parser)?,
            "add-contextual-data" => self.contextual_data(parser)?,
            _ => return None,
        };
        Some(Step::Parser(made))
    }

    /// Makes a parser of texts with `template()` and `prefix()`.
    pub(crate) fn text_parser<R: Reader + 'static>(
        &mut self,
        parser: ParserCall<'t>,
        reader: R,
        prefix: &str,
    ) -> Option<Arc<dyn Parser>> {
        let prefix = parser.options.own_text("prefix").unwrap_or_else(|| prefix.to_owned());
        self.prefixed_parser(parser, reader, &prefix)
    }

    pub(crate) fn prefixed_parser<R: Reader + 'static>(
        &mut self,
        parser: ParserCall<'t>,
        reader: R,
        prefix: &str,
    ) -> Option<Arc<dyn Parser>> {
        let input = self.parser_input(parser)?;
        Some(Arc::new(TextParser::new(reader, input, prefix)))
    }

    /// Returns the text that a parser reads: `template()`, or `${MESSAGE}`.
    pub(crate) fn parser_input(&mut self, parser: ParserCall<'t>) -> Option<Input> {
        match parser.options.own("template") {
            Some(_) => self.driver_template(&parser.options, "").map(Input::of),
            None => Some(Input::message()),
        }
    }

    /// Returns the header as a program's tag, and the text: the two parts that a source split are joined
    /// again.
    pub(crate) fn header_and_message(&mut self) -> Option<Input> {
        let template = Template::parse("${MSGHDR}${MESSAGE}", &self.definitions).ok()?;
        Some(Input::of(Arc::new(template)))
    }

    /// Returns the template of another option; none when it is not given.
    pub(crate) fn option_template(
        &mut self,
        parser: ParserCall<'t>,
        name: &str,
    ) -> Option<Option<Arc<Template>>> {
        let Some(arg) = parser.options.own(name).and_then(|option| option.args.first()) else {
            return Some(None);
        };
        self.named_or_argument(arg).map(Some)
    }

    /// Returns the filter of an option; none when it is not given.
    pub(crate) fn option_filter(
        &mut self,
        parser: ParserCall<'t>,
        name: &str,
    ) -> Option<Option<Arc<Filter>>> {
        match parser.options.own(name).and_then(|option| option.args.first()) {
            Some(Arg::Filter(filter)) => self.unnamed_filter(filter).map(Some),
            _ => Some(None),
        }
    }

    /// Reads `inject-mode()`.
    pub(crate) fn inject_mode(&self, parser: ParserCall<'t>, default: Inject) -> Inject {
        match parser.options.word("inject-mode").as_deref() {
            Some("pass-through") => Inject::PassThrough,
            Some("internal") => Inject::Internal(self.environment.inject.clone()),
            Some("aggregate-only") => Inject::AggregateOnly,
            _ => default,
        }
    }

    /// Returns the state that a parser of the same name had before a reload, or a new one.
    pub(crate) fn reload_state<T: Default + Send + Sync + 'static>(
        &mut self,
        parser: ParserCall<'t>,
        what: &str,
    ) -> Arc<T> {
        let name = parser.options.own_text("persist-name");
        let name = name.unwrap_or_else(|| format!("{}({what})", parser.options.call.key()));
        let uses = self.state_names.entry(name.clone()).or_default();
        *uses += 1;
        self.environment.reload_state.get(&format!("{name}#{uses}"))
    }

    /// Reports an error in an option of a parser.
    pub(crate) fn report_option(&mut self, option: &Call, message: impl Into<String>) {
        self.report.push(Diagnostic::error(option.span, message.into()));
    }
}
