//! Clauses on columns: whole values, compared by their meaning.
//!
//! In: a clause and its column. Out: a condition on values. Severities and facilities are ordered by their codes:
//! `severity:<=warning` is a warning or worse.

use super::{ClauseContext, Compiler, network::network, text::edits};
use crate::{
    condition::{Condition, ValueTest},
    language::{
        error::QueryError,
        tree::{EndText, Test, Text},
        words,
    },
};
use lookup::{Column, Pattern};
use message::{Facility, Severity};
use std::net::IpAddr;

impl Compiler<'_> {
    pub(super) fn column(
        &mut self,
        asked: &ClauseContext<'_>,
        column: &Column,
        test: &Test,
    ) -> Result<Condition, QueryError> {
        if matches!(column, Column::Severity | Column::Facility)
            && let Some(codes) = self.codes(asked, column, test)?
        {
            let names = codes.map(|code| code_name(column, code));
            let tests = names.map(|name| value(column, Pattern::Exact(words::lower(&name))));
            return Ok(Condition::or(tests.collect()));
        }
        let mut tests = self.value_tests(asked, test)?;
        if !matches!(column, Column::Named(_)) {
            // The fixed columns are text.
            tests.retain(|test| !matches!(test, ValueTest::Pattern(Pattern::Number(_))));
        }
        Ok(Condition::or(tests.into_iter().map(|test| Condition::Value(column.clone(), test)).collect()))
    }

    pub(super) fn columns(
        &mut self,
        asked: &ClauseContext<'_>,
        names: &Text,
        test: &Test,
    ) -> Result<Condition, QueryError> {
        let tests = self.value_tests(asked, test)?;
        Ok(Condition::or(tests.into_iter().map(|test| Condition::Values(names.clone(), test)).collect()))
    }

    /// Returns the tests, one of which must match the value.
    fn value_tests(&mut self, asked: &ClauseContext<'_>, test: &Test) -> Result<Vec<ValueTest>, QueryError> {
        let one = |pattern| Ok(vec![ValueTest::Pattern(pattern)]);
        match test {
            Test::Term(text) => match text.as_plain() {
                Some(plain) => Ok(plain_tests(&plain)),
                None => one(words::pattern(&text.glyphs)),
            },
            Test::Phrase(text, None) => Ok(plain_tests(&text.shown())),
            Test::Phrase(_, Some(_)) => {
                let message = format!("{} holds whole values, not words that can move", asked.shown());
                Err(asked.error(message, "leave out the ~, or search in message"))
            }
            Test::Fuzzy(text, distance) => {
                let text = words::lower(&text.shown());
                let distance = edits(distance, text.len());
                one(Pattern::Fuzzy { text, distance })
            }
            Test::Regex { pattern, case } => Ok(vec![ValueTest::Regex(self.regex(asked, pattern, *case)?)]),
            Test::Range { .. } | Test::Compare(..) => self.value_ranges(asked, test),
            Test::CaseExact(text) => one(Pattern::CaseExact(text.text.clone().into_bytes())),
            Test::Exact(_) => {
                let name = asked.shown();
                let remedy = format!(
                    "write {name}:==value for the whole value with case, {name}:/expression/ for a part"
                );
                Err(asked.error(":= searches the bytes of message and raw only", remedy))
            }
            Test::Exists(_) => one(Pattern::Any),
        }
    }

    /// The codes that a clause on severity or facility allows; none when it has wildcards or similar.
    fn codes(
        &self,
        asked: &ClauseContext<'_>,
        column: &Column,
        test: &Test,
    ) -> Result<Option<std::ops::RangeInclusive<u16>>, QueryError> {
        let last = if *column == Column::Severity { 7 } else { 127 };
        let read = |text: &str| code(asked, column, text, last);
        let (from, to) = match test {
            Test::Term(text) => match text.as_plain() {
                Some(name) => (read(&name)?, read(&name)?),
                None => return Ok(None),
            },
            Test::Phrase(text, None) => (read(&text.shown())?, read(&text.shown())?),
            Test::CaseExact(text) => (read(&text.text)?, read(&text.text)?),
            Test::Range { .. } | Test::Compare(..) => {
                let (lower, upper) = super::range::ends(test);
                let end = |end: &Option<(&EndText, bool)>| match end {
                    Some((text, inclusive)) => read(&text.text).map(|code| Some((code, *inclusive))),
                    None => Ok(None),
                };
                let from = match end(&lower)? {
                    Some((code, inclusive)) => code + u16::from(!inclusive),
                    None => 0,
                };
                let to = match end(&upper)? {
                    Some((0, false)) => return Err(empty(asked)),
                    Some((code, inclusive)) => code - u16::from(!inclusive),
                    None => last,
                };
                if from > to {
                    return Err(empty(asked));
                }
                (from, to)
            }
            _ => return Ok(None),
        };
        Ok(Some(from..=to))
    }
}

fn empty(asked: &ClauseContext<'_>) -> QueryError {
    asked.error(
        "the range is empty",
        "the order is emerg, alert, crit, err, warning, notice, info, debug; facilities go by their numbers",
    )
}

fn value(column: &Column, pattern: Pattern) -> Condition {
    Condition::Value(column.clone(), ValueTest::Pattern(pattern))
}

/// Returns the tests for a plain text, one of which must match: the text itself, a number or an address in any
/// notation, a network.
fn plain_tests(text: &str) -> Vec<ValueTest> {
    let exact = ValueTest::Pattern(words::exact(text));
    if let Some((address, bits)) = network(text) {
        return vec![ValueTest::Pattern(Pattern::Network { address, bits }), exact];
    }
    if let Ok(address @ IpAddr::V6(_)) = text.parse::<IpAddr>() {
        let address = words::address_bytes(address);
        return vec![exact, ValueTest::Pattern(Pattern::Network { address, bits: 128 })];
    }
    if let Some(number) = words::number(text.as_bytes()) {
        return vec![exact, ValueTest::Pattern(Pattern::Number(number))];
    }
    vec![exact]
}

fn code(asked: &ClauseContext<'_>, column: &Column, text: &str, last: u16) -> Result<u16, QueryError> {
    let (named, what, known) = if *column == Column::Severity {
        let names = "emerg, alert, crit, err, warning, notice, info, debug";
        (Severity::from_name(text).map(|severity| u16::from(severity.0)), "severity", names)
    } else {
        (
            Facility::from_name(text).map(|facility| facility.0),
            "facility",
            "kern, user, mail, daemon, auth, ..., local7",
        )
    };
    let number = || text.parse::<u16>().ok().filter(|code| *code <= last);
    named.or_else(number).ok_or_else(|| {
        asked.error(format!("no {what} is called {text}"), format!("write one of {known}, or its number"))
    })
}

fn code_name(column: &Column, code: u16) -> String {
    if *column == Column::Severity {
        return Severity(code as u8).name().to_owned();
    }
    Facility(code).name().map_or_else(|| code.to_string(), str::to_owned)
}
