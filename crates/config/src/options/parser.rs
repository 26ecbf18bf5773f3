//! The table of parsers.
//!
//! In: nothing. Out: rows.

use super::ValueKind as V;
use super::row::{Driver, Plain, Row, driver, row};

pub(super) const DRIVERS: &[Driver] = &[
    driver("map-value-pairs", Plain::None, &[super::shared::PAIRS], "gives values other names"),
    driver("kv-parser", Plain::None, &[KV, PREFIX, INPUT], "reads pairs such as key=value"),
    driver("csv-parser", Plain::None, &[CSV, PREFIX, INPUT], "reads columns between delimiters"),
    driver("json-parser", Plain::None, &[JSON, PREFIX, INPUT], "reads the members of a JSON object"),
];

/// What a parser reads.
const INPUT: &[Row] = &[row("template", V::Template, "${MESSAGE}", "the text that is read")];

const PREFIX: &[Row] = &[row("prefix", V::Text, "", "stands before the names of all values")];

const KV: &[Row] = &[
    row("value-separator", V::Text, "=", "the character between a key and its value"),
    row("pair-separator", V::Text, "\", \"", "what stands between pairs, besides blanks"),
    row("extract-stray-words-into", V::Text, "", "value for the words that belong to no pair"),
    row("allow-pair-separator-in-value", V::YesNo, "yes", "values without quotes go on to the next key")
        .no_effect("they always do"),
];

const CSV: &[Row] = &[
    row("columns", V::Texts, "", "names of the columns; without names they are 1, 2 and so on"),
    row("delimiters", V::TextOr(DELIMITERS), "\" \"", "characters that end a column"),
    row("quotes", V::Text, "", "characters that open and close a quoted column"),
    row("quote-pairs", V::Text, "\"\"''", "opening and closing quotes in pairs"),
    row("dialect", V::Word(CSV_DIALECTS), "escape-none", "how a quote is written inside of quotes"),
    row("flags", V::Words(CSV_FLAGS), "", "how columns are read"),
    row("null", V::Text, "", "a value that stands for an empty one"),
    row("drop-invalid", V::YesNo, "no", "stop messages with more or fewer columns"),
];

const DELIMITERS: &[Row] = &[
    row("chars", V::Text, "", "characters that end a column"),
    row("strings", V::Texts, "", "texts that end a column"),
];

const CSV_DIALECTS: &[&str] =
    &["escape-none", "escape-backslash", "escape-double-char", "escape-backslash-with-sequences"];

const CSV_FLAGS: &[&str] =
    &["escape-none", "escape-backslash", "escape-double-char", "strip-whitespace", "greedy", "drop-invalid"];

const JSON: &[Row] = &[
    row("marker", V::Text, "", "what must stand before the JSON"),
    row("extract-prefix", V::Text, "", "the member to read, such as name.other[0]"),
    row("key-delimiter", V::Text, ".", "the character between the names of nested members"),
];
