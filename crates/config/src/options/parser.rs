//! The table of parsers.
//!
//! In: nothing. Out: rows.

use super::ValueKind as V;
use super::row::{Driver, Plain, Row, driver, row};

pub(super) const DRIVERS: &[Driver] =
    &[driver("kv-parser", Plain::None, &[KV, PREFIX, INPUT], "reads pairs such as key=value")];

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
