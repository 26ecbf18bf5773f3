//! `date-parser()` and the event formats of security products.
//!
//! In: calls. Out: parsers. Limits: a format that cannot be read is an error with its position.

use super::calls::ParserCall;
use crate::assemble::lowering::Lowering;
use config::Diagnostic;
use message::FieldName;
use pipeline::{
    Parser,
    parser::{Cef, Date, DateFormat, DateTarget, Json, Leef, Reader},
};
use std::sync::Arc;

/// The default format of `date-parser()`.
const ISO: &str = "%FT%T%z";

impl<'t> Lowering<'t> {
    pub(crate) fn date_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let mut formats = Vec::new();
        let args: Vec<_> = options.all("format").flat_map(|option| option.args.iter()).collect();
        for arg in &args {
            match DateFormat::parse(arg.text().unwrap_or_default()) {
                Ok(format) => formats.push(format),
                Err(error) => self.report.push(Diagnostic::error(arg.span(), error.to_string())),
            }
        }
        let are_all_read = formats.len() == args.len();
        if args.is_empty() {
            formats.extend(DateFormat::parse(ISO));
        }
        let zone = self.zone(options.own("time-zone")).unwrap_or_else(|| self.environment.zone.clone());
        let date = Date {
            input: self.parser_input(parser)?,
            zone,
            guesses_zone: options.flags().iter().any(|flag| flag == "guess-timezone"),
            into: match (options.own_text("value"), options.word("time-stamp").as_deref()) {
                (Some(name), _) => DateTarget::Value(FieldName::parse(&name)),
                (None, Some("recvd")) => DateTarget::Received,
                (None, _) => DateTarget::Event,
            },
            formats,
        };
        are_all_read.then(|| Arc::new(date) as Arc<dyn Parser>)
    }

    pub(crate) fn cef_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        self.event_parser(parser, Cef, ".cef.")
    }

    pub(crate) fn leef_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        self.event_parser(parser, Leef, ".leef.")
    }

    /// Makes a parser of events. A source takes the marker of an event for a program, so the header is read
    /// too, unless a template is given.
    fn event_parser<R: Reader + 'static>(
        &mut self,
        parser: ParserCall<'t>,
        reader: R,
        prefix: &str,
    ) -> Option<Arc<dyn Parser>> {
        let prefix = parser.options.own_text("prefix").unwrap_or_else(|| prefix.to_owned());
        let input = match parser.options.own("template") {
            Some(_) => self.parser_input(parser)?,
            None => self.header_and_message()?,
        };
        Some(Arc::new(pipeline::parser::TextParser::new(reader, input, prefix)))
    }

    /// Makes the parser of `@cee:` and an object of JSON.
    pub(crate) fn cee_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let json = Json { marker: "@cee:".to_owned(), ..Json::default() };
        self.text_parser(parser, json, ".cee.")
    }
}
