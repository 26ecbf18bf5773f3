//! Rights as words of the command line.
//!
//! In: words. Out: rights, lines of lists. Holds nothing.

use accounts::{Grant, RIGHTS, Right};
use std::fmt;

/// Returns the rights that are granted when these are named.
pub(super) fn granted(rights: &[Right]) -> Vec<Right> {
    if rights.is_empty() { vec![Right::Search] } else { with_search(rights) }
}

/// Returns the rights that are revoked when these are named: without search there is nothing to export or administer.
pub(super) fn revoked(rights: &[Right]) -> Vec<Right> {
    if rights.is_empty() || rights.contains(&Right::Search) { RIGHTS.to_vec() } else { rights.to_vec() }
}

/// Returns the rights with `search` added: exporting or administering a logspace needs it.
fn with_search(rights: &[Right]) -> Vec<Right> {
    RIGHTS.into_iter().filter(|right| *right == Right::Search || rights.contains(right)).collect()
}

/// A word of the command line that is no right.
#[derive(Debug)]
pub(super) struct UnknownRight;

impl fmt::Display for UnknownRight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one of search, export, administer")
    }
}

impl std::error::Error for UnknownRight {}

/// Returns the right that a word of the command line means.
pub(super) fn parse(text: &str) -> Result<Right, UnknownRight> {
    Right::parse(text).ok_or(UnknownRight)
}

/// Returns the line of a list for a grant, with tabs between its fields.
pub(super) fn line(name: &str, grant: &Grant) -> String {
    let rights: Vec<&str> = grant.may.iter().map(|right| right.name()).collect();
    format!("{name}\t{}\t{}", grant.logspace, rights.join(","))
}
