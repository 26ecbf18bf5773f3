//! Parsers of pairs, columns and JSON.
//!
//! In: calls. Out: parsers. Limits: a separator that is not a single character is an error with its position.

use super::calls::ParserCall;
use crate::assemble::lowering::Lowering;
use config::tree::{Arg, Call};
use message::ValueKind;
use pipeline::{
    Parser,
    parser::{Csv, CsvDialect, ExtractPath, Json, Kv},
};
use std::sync::Arc;
use template::{OnError, TypeHint};

impl<'t> Lowering<'t> {
    pub(crate) fn kv_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let separator = options.own_text("value-separator").unwrap_or_else(|| "=".to_owned());
        let &[value_separator] = separator.as_bytes() else {
            if let Some(option) = options.own("value-separator") {
                self.report_option(option, "the separator of values is one character of ASCII");
            }
            return None;
        };
        let pairs = options.own_text("pair-separator").filter(|pairs| !pairs.is_empty());
        let stray = options.own_text("extract-stray-words-into");
        let kv = Kv::new(value_separator, pairs.as_deref().unwrap_or(", "), stray);
        self.text_parser(parser, kv, "")
    }

    pub(crate) fn csv_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let flags = options.flags();
        let has = |flag: &str| flags.iter().any(|known| known == flag);
        let columns: Vec<&Arg> = options.all("columns").flat_map(|option| &option.args).collect();
        let types: Option<Vec<TypeHint>> = columns.iter().map(|column| self.type_of(column)).collect();
        let types = types?;
        let name = |column: &&Arg| match column {
            Arg::Call(typed) => typed.texts().into_iter().next(),
            Arg::Number(number, _) => Some(number.to_string()),
            plain => plain.text().map(str::to_owned),
        };
        let on_error = options.word("on-type-error").and_then(|word| OnError::from_name(&word));
        let mut csv = Csv {
            columns: columns.iter().filter_map(name).collect(),
            types: if types.iter().all(|kind| kind.kind() == ValueKind::String) { Vec::new() } else { types },
            on_type_error: on_error.unwrap_or(OnError::DropMessage),
            null: options.own_text("null").filter(|null| !null.is_empty()),
            strip_whitespace: flags.is_empty() || has("strip-whitespace"),
            greedy: has("greedy"),
            drop_invalid: has("drop-invalid") || options.is_yes("drop-invalid"),
            ..Csv::default()
        };
        let dialect = options
            .word("dialect")
            .or_else(|| flags.iter().rfind(|flag| flag.starts_with("escape")).cloned());
        csv.dialect = dialect.and_then(|name| CsvDialect::from_name(&name)).unwrap_or_default();
        if let Some(delimiters) = options.own("delimiters") {
            let chars = delimiters.option("chars").map_or_else(|| delimiters.text(), Call::text);
            let strings = delimiters.option("strings").map(Call::texts).unwrap_or_default();
            if let Some(chars) = chars {
                csv.delimiters = chars.as_bytes().to_vec();
            }
            csv.string_delimiters = strings;
        }
        if let Some(pairs) = options.own_text("quote-pairs") {
            csv.quotes = Csv::pairs(&pairs);
        }
        if let Some(quotes) = options.own_text("quotes") {
            csv.quotes = quotes.bytes().map(|quote| (quote, quote)).collect();
        }
        self.text_parser(parser, csv, "")
    }

    /// Returns the type of a column, and reports an unknown one.
    fn type_of(&mut self, column: &Arg) -> Option<TypeHint> {
        let Arg::Call(typed) = column else { return Some(TypeHint::Kind(ValueKind::String)) };
        let hint = TypeHint::from_name(&typed.key());
        if hint.is_none() {
            self.report_option(typed, format!("there is no type `{}`", typed.name.text));
        }
        hint
    }

    pub(crate) fn json_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let mut json = Json { marker: options.own_text("marker").unwrap_or_default(), ..Json::default() };
        if let Some(option) = options.own("key-delimiter") {
            let &[delimiter] = option.text().unwrap_or_default().as_bytes() else {
                self.report_option(option, "the delimiter of names is one character of ASCII");
                return None;
            };
            json.key_delimiter = delimiter;
        }
        if let Some(option) = options.own("extract-prefix").filter(|option| option.text() != Some("")) {
            match ExtractPath::parse(option.text().unwrap_or_default()) {
                Ok(path) => json.extract = Some(path),
                Err(error) => {
                    self.report_option(option, error.to_string());
                    return None;
                }
            }
        }
        self.text_parser(parser, json, "")
    }
}
