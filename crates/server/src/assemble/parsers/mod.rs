//! Parsers of the language to steps of the pipeline, one file a family.
//!
//! In: calls. Out: a step each. Holds: nothing. Limits: a parser that cannot be made is an error at its place, and left
//! out.

mod text;

use super::lower::Lowering;
use super::options::Options;
use config::Diagnostic;
use config::tree::{Call, Kind};
use pipeline::{
    Parser, Rewrite,
    parser::{Input, Reader, TextParser},
    rewrite::Operation,
    route::Step,
};
use std::sync::Arc;

/// A call of a parser, and its options.
#[derive(Clone, Copy)]
pub(super) struct ParserCall<'t> {
    pub(super) call: &'t Call,
    pub(super) options: Options<'t>,
}

impl<'t> Lowering<'t> {
    /// One parser as a step. None: it cannot be made; that has been told.
    pub(super) fn parser(&mut self, call: &'t Call) -> Option<Step> {
        let options = Options::new(Kind::Parser, call, self.globals);
        if call.key() == "map-value-pairs" {
            let pairs = Arc::new(self.value_pairs(call)?);
            return Some(Step::Rewrite(Arc::new(Rewrite::new(Operation::MapPairs { pairs }))));
        }
        let parser = ParserCall { call, options };
        let made: Arc<dyn Parser> = match call.key().as_str() {
            "kv-parser" => self.kv_parser(parser)?,
            "csv-parser" => self.csv_parser(parser)?,
            "json-parser" => self.json_parser(parser)?,
            _ => return None,
        };
        Some(Step::Parser(made))
    }

    /// A reader of texts with `template()` and `prefix()`.
    fn text_parser<R: Reader + 'static>(
        &mut self,
        parser: ParserCall<'t>,
        reader: R,
        prefix: &str,
    ) -> Option<Arc<dyn Parser>> {
        let input = self.parser_input(parser)?;
        let prefix = parser.options.own_text("prefix").unwrap_or_else(|| prefix.to_owned());
        Some(Arc::new(TextParser::new(reader, input, prefix)))
    }

    /// `template()`: the text that a parser reads; `${MESSAGE}` when it is not given.
    pub(super) fn parser_input(&mut self, parser: ParserCall<'t>) -> Option<Input> {
        match parser.options.own("template") {
            Some(_) => self.driver_template(&parser.options, "").map(Input::of),
            None => Some(Input::message()),
        }
    }

    /// Tells what is wrong with an option of a parser.
    fn wrong(&mut self, option: &Call, message: impl Into<String>) {
        self.report.push(Diagnostic::error(option.span, message.into()));
    }
}
