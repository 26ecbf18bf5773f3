//! Expressions on columns, and columns whose names have wildcards.
//!
//! In: a column and a test. Out: the documents that the index knows. The expression is tested on the distinct
//! values, then those that match are looked up. Limits: [`VALUES_BYTES_MAX`], [`LOOKUPS_MAX`]; beyond them,
//! documents are read.

use super::{Plan, known::Known, named};
use crate::{
    condition::{Condition, ValueTest},
    language::{tree::Text, words},
};
use lookup::{Bitmap, Column, Pattern, ReadError};
use regex::bytes::Regex;

/// Most memory for the distinct values that match an expression.
const VALUES_BYTES_MAX: usize = 8 << 20;
/// Most values looked up one by one; beyond that, reading the documents costs about as much.
const LOOKUPS_MAX: usize = 256;

impl Plan<'_> {
    pub(super) fn column_regex<'c>(
        &self,
        condition: &'c Condition,
        column: &Column,
        regex: &Regex,
        within: Option<&Bitmap>,
    ) -> Result<Known<'c>, ReadError> {
        match self.matching_values(column, regex, within)? {
            Some(found) => Ok(Known::exact(found)),
            None => {
                let upper = self.view.values(column, &Pattern::Any, self.cancel)?;
                Ok(Known::undecided(upper, None, condition))
            }
        }
    }

    /// Returns the documents with a value that matches the expression; none when there are too many values.
    fn matching_values(
        &self,
        column: &Column,
        regex: &Regex,
        within: Option<&Bitmap>,
    ) -> Result<Option<Bitmap>, ReadError> {
        let all;
        let documents = match within {
            Some(within) => within,
            None => {
                all = self.all();
                &all
            }
        };
        let mut values: Vec<Vec<u8>> = Vec::new();
        let (mut bytes, mut matching) = (0, 0);
        self.view.count_values(column, documents, self.cancel, &mut |value, _| {
            if regex.is_match(value) {
                matching += 1;
                bytes += value.len();
                if matching <= LOOKUPS_MAX && bytes <= VALUES_BYTES_MAX {
                    values.push(value.to_vec());
                }
            }
        })?;
        if matching > values.len() {
            return Ok(None);
        }
        let mut found = self.none();
        for value in values {
            found.or(&self.view.values(column, &Pattern::CaseExact(value), self.cancel)?);
        }
        Ok(Some(found))
    }

    pub(super) fn columns<'c>(
        &self,
        condition: &'c Condition,
        names: &Text,
        test: &ValueTest,
        within: Option<&Bitmap>,
    ) -> Result<Known<'c>, ReadError> {
        let name = words::pattern(&names.glyphs);
        let mut found = self.none();
        let mut in_doubt = self.none();
        for used in self.view.columns().iter().filter(|used| named(&used.column, &name)) {
            self.cancel.check()?;
            match test {
                ValueTest::Pattern(pattern) => {
                    found.or(&self.view.values(&used.column, pattern, self.cancel)?);
                }
                ValueTest::Regex(regex) => match self.matching_values(&used.column, regex, within)? {
                    Some(documents) => found.or(&documents),
                    None => in_doubt.or(&self.view.values(&used.column, &Pattern::Any, self.cancel)?),
                },
            }
        }
        if in_doubt.is_empty() {
            return Ok(Known::exact(found));
        }
        in_doubt.or(&found);
        Ok(Known::undecided(in_doubt, Some(found), condition))
    }
}
