//! Commands that make a table from all rows.
//!
//! In: rows, or counts of an index. Out: the rows of the table. Holds: groups or patterns.
//! Limits: those of each table, and the memory of the search.

pub(super) mod aggregate;
pub(super) mod diff;
mod distinct;
pub(super) mod group;
pub(super) mod patterns;
mod sketch;

use super::step::HeldRows;
use crate::answer::SearchError;
use group::{Groups, KeptGroups};
use lookup::Document;
use patterns::Patterns;

/// A command that makes a table from all rows.
pub(super) enum Reducer {
    Groups(Groups),
    Patterns(Patterns, usize),
}

impl Reducer {
    pub(super) fn add(&mut self, row: &Document) -> Result<(), SearchError> {
        match self {
            Reducer::Groups(groups) => groups.add(row),
            Reducer::Patterns(patterns, _) => patterns.add(row),
        }
    }

    /// Fails if memory ran out while counting from an index.
    pub(super) fn check(&mut self) -> Result<(), SearchError> {
        match self {
            Reducer::Groups(groups) => groups.check(),
            Reducer::Patterns(..) => Ok(()),
        }
    }

    /// Adds groups that an earlier search made.
    pub(super) fn add_kept(&mut self, kept: &KeptGroups) {
        if let Reducer::Groups(groups) = self {
            groups.add_kept(kept);
        }
    }

    pub(super) fn merge(&mut self, other: Reducer) {
        match (self, other) {
            (Reducer::Groups(own), Reducer::Groups(other)) => own.merge(other),
            (Reducer::Patterns(own, _), Reducer::Patterns(other, _)) => own.merge(other),
            _ => {}
        }
    }

    pub(super) fn rows(self, notes: &mut Vec<String>) -> Result<HeldRows, SearchError> {
        match self {
            Reducer::Groups(groups) => groups.rows(notes),
            Reducer::Patterns(patterns, limit) => patterns.rows(limit, notes),
        }
    }
}
