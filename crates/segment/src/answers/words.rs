//! Queries that active and sealed segments answer in the same way.
//!
//! In: columns, stored lists. Out: documents whose host or program has a matching word; the columns as a query sees
//! them; values in the order of documents. Holds nothing. Limits: none.

use super::column::{self, Fixed, Source};
use crate::format::list::{self, Entry};
use lookup::{
    Bitmap, CancelToken, Column, ColumnUse, Pattern, ReadError, pattern::Matcher, tokens::Tokenizer,
};
use message::ValueKind;
use std::collections::BTreeMap;

/// A name-value pair of a document.
pub(crate) type Pair = (String, Vec<u8>, ValueKind);

/// Adds the documents whose value in one of the columns has a token that matches one of the patterns.
pub(crate) fn add_columns<'a>(
    columns: impl Iterator<Item = &'a dyn Source>,
    patterns: &[&Pattern],
    cancel: &CancelToken,
    found: &mut Bitmap,
) -> Result<(), ReadError> {
    let mut matchers: Vec<Matcher> = patterns.iter().map(|pattern| Matcher::new(pattern)).collect();
    let mut tokenizer = Tokenizer::default();
    for source in columns {
        let mut hits: Vec<u32> = Vec::new();
        for matcher in &mut matchers {
            let needle = matcher.needle();
            let is_of_tokens = source.is_of_tokens(cancel)?;
            let prefixes = if is_of_tokens { matcher.prefixes() } else { vec![Vec::new()] };
            source.values(&prefixes, cancel, &mut |value_id, value| {
                if holds(value, &needle) {
                    tokenizer.read(value);
                    let mut tokens = tokenizer.tokens();
                    if tokens.any(|token| matcher.matches_token(tokenizer.bytes(token))) {
                        hits.push(value_id);
                    }
                }
                Ok(())
            })?;
        }
        hits.sort_unstable();
        hits.dedup();
        column::add_hits(source, &hits, cancel, found)?;
    }
    Ok(())
}

/// Returns true when a value holds a lower-cased text, whatever its own case.
fn holds(value: &[u8], needle: &[u8]) -> bool {
    let Some(first) = needle.first() else { return true };
    let starts = (value.len() + 1).saturating_sub(needle.len());
    let mut starts = value[..starts].iter().enumerate();
    starts.any(|(at, byte)| {
        byte.to_ascii_lowercase() == *first && value[at..at + needle.len()].eq_ignore_ascii_case(needle)
    })
}

/// Returns the columns of a segment under the names used in queries.
pub(crate) fn column_uses<'a>(
    fixed: impl Iterator<Item = (Fixed, u64, bool)>,
    named: impl Iterator<Item = (&'a str, u64, bool)>,
) -> Vec<ColumnUse> {
    let mut uses = Vec::new();
    for (fixed, documents, numeric) in fixed.filter(|(_, documents, _)| *documents > 0) {
        let column = match fixed {
            Fixed::Host => Column::Host,
            Fixed::Program => Column::Program,
            Fixed::Pid => Column::Pid,
            Fixed::Msgid => Column::Msgid,
            Fixed::Source => Column::Source,
            Fixed::Peer => Column::Peer,
            Fixed::Tags => Column::Tags,
            Fixed::Rest => continue,
            Fixed::Pri => {
                uses.push(ColumnUse { column: Column::Facility, documents, numeric: false });
                Column::Severity
            }
        };
        let numeric = numeric && !matches!(fixed, Fixed::Pri | Fixed::Tags);
        uses.push(ColumnUse { column, documents, numeric });
    }
    let mut by_name: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    for (name, documents, numeric) in named.filter(|(_, documents, _)| *documents > 0) {
        let (sum, all) = by_name.entry(name).or_insert((0, true));
        *sum += documents;
        *all &= numeric;
    }
    uses.extend(by_name.into_iter().map(|(name, (documents, numeric))| ColumnUse {
        column: Column::Named(name.to_owned()),
        documents,
        numeric,
    }));
    uses
}

/// Returns the tags of a stored list.
pub(crate) fn tags(kept: &[u8]) -> impl Iterator<Item = String> {
    list::entries(kept).flatten().map(|entry| String::from_utf8_lossy(entry.name).into_owned())
}

/// An entry of a list as a document has it.
pub(crate) fn owned(entry: Entry<'_>) -> Pair {
    (String::from_utf8_lossy(entry.name).into_owned(), entry.value.to_vec(), entry.kind)
}

/// Sorts a document's pairs by name.
pub(crate) fn sort_values(values: &mut [Pair]) {
    values.sort_by(|a, b| a.0.cmp(&b.0));
}
