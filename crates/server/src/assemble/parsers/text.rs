//! Parsers of pairs and columns.
//!
//! In: calls. Out: parsers. Limits: a separator that is no character is an error at its place.

use super::{Lowering, ParserCall};
use pipeline::{Parser, parser::Kv};
use std::sync::Arc;

impl<'t> Lowering<'t> {
    pub(super) fn kv_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let separator = options.own_text("value-separator").unwrap_or_else(|| "=".to_owned());
        let &[value_separator] = separator.as_bytes() else {
            if let Some(option) = options.own("value-separator") {
                self.wrong(option, "the separator of values is one character of ASCII");
            }
            return None;
        };
        let pairs = options.own_text("pair-separator").filter(|pairs| !pairs.is_empty());
        let stray = options.own_text("extract-stray-words-into");
        let kv = Kv::new(value_separator, pairs.as_deref().unwrap_or(", "), stray);
        self.text_parser(parser, kv, "")
    }
}
