//! The result of a family of samples.
//!
//! In: the result of each case. Out: counts and differences.

use super::records::text;
use std::fmt;

/// A result that is not the expected one: a readable description of the difference.
#[derive(Clone, Debug)]
pub(crate) struct Difference(String);

impl Difference {
    /// Makes a difference from its description: a text, or the error of an operation that should have worked.
    pub(crate) fn of(description: impl fmt::Display) -> Difference {
        Difference(description.to_string())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The result of one family of samples.
pub(crate) struct Row {
    /// Name of the family.
    pub(crate) family: String,
    /// Samples run.
    pub(crate) cases: usize,
    /// Samples whose result was right in every field.
    pub(crate) passed: usize,
    /// Lowest percentage that counts as passed.
    pub(crate) floor: f64,
    /// One text for each difference, shown on demand.
    pub(crate) differences: Vec<String>,
}

impl Row {
    /// A family without cases yet.
    pub(crate) fn empty(family: impl Into<String>, floor: f64) -> Row {
        Row { family: family.into(), cases: 0, passed: 0, floor, differences: Vec::new() }
    }

    /// Counts one case; `difference` describes what was wrong with it, if anything.
    pub(crate) fn count(&mut self, name: &str, difference: Option<String>) {
        self.cases += 1;
        match difference {
            None => self.passed += 1,
            Some(difference) => self.differences.push(format!("{name}: {difference}")),
        }
    }

    /// Runs `check` on every case; it returns the differences, field by field. `name` returns the input of a
    /// case.
    pub(crate) fn of<'a>(
        family: impl Into<String>,
        floor: f64,
        cases: impl IntoIterator<Item = &'a serde_json::Value>,
        name: &str,
        check: impl Fn(&serde_json::Value) -> Vec<String>,
    ) -> Row {
        let mut row = Row::empty(family, floor);
        for case in cases {
            let found = check(case);
            let difference = (!found.is_empty()).then(|| format!("\n    {}", found.join("\n    ")));
            row.count(text(case, name), difference);
        }
        row
    }
}
