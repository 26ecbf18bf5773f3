//! Clauses on the two clocks: `@received`, `@event`, and their difference `@skew`.
//!
//! In: a clause. Out: microseconds, from and before. A time means the whole period that it names: `2026-03-01` is a
//! day.

use super::{ClauseContext, Compiler, range::ends};
use crate::{
    condition::Condition,
    language::{
        error::QueryError,
        times,
        tree::{EndText, Test},
    },
};
use std::ops::Range;

impl Compiler<'_> {
    /// Returns the range of time that a clause selects.
    pub(super) fn moment(&self, asked: &ClauseContext<'_>, test: &Test) -> Result<(i64, i64), QueryError> {
        let whole = match test {
            Test::Term(text) => text.as_plain(),
            Test::Phrase(text, None) => Some(text.shown()),
            _ => None,
        };
        if let Some(text) = whole {
            let span = self.span(asked, &text)?;
            return Ok((span.start, span.end));
        }
        if !matches!(test, Test::Range { .. } | Test::Compare(..)) {
            let message = format!("{} takes a time or a range of times", asked.shown());
            return Err(asked.error(message, format!("write {}:[now-1h TO now]", asked.shown())));
        }
        let (lower, upper) = ends(test);
        let from = match lower {
            None => i64::MIN,
            Some((text, inclusive)) => {
                let span = self.span(asked, &text.text)?;
                if inclusive { span.start } else { span.end }
            }
        };
        let to = match upper {
            None => i64::MAX,
            Some((text, inclusive)) => {
                let span = self.span(asked, &text.text)?;
                if inclusive { span.end } else { span.start }
            }
        };
        if from >= to {
            return Err(asked.error("the range is empty", "put the earlier time first"));
        }
        Ok((from, to))
    }

    fn span(&self, asked: &ClauseContext<'_>, text: &str) -> Result<Range<i64>, QueryError> {
        times::time_span(text, self.now_us, self.offset_s).ok_or_else(|| {
            let remedy = "write 2026-03-01, 2026-03-01T10:00:00Z, seconds since 1970, now or now-15m";
            asked.error(format!("{text} is no time"), remedy)
        })
    }

    /// Resolves a clause on received minus event time.
    pub(super) fn skew(&self, asked: &ClauseContext<'_>, test: &Test) -> Result<Condition, QueryError> {
        if !matches!(test, Test::Range { .. } | Test::Compare(..)) {
            return Err(asked.error("@skew is asked by a range", "write @skew:>5m or @skew:[-1m TO 1m]"));
        }
        let (lower, upper) = ends(test);
        let read = |(text, inclusive): (&EndText, bool)| match times::parse_duration(&text.text) {
            Some(us) => Ok((us, inclusive)),
            None => Err(asked.error(format!("{} is no duration", text.text), "write 30s, 5m, 1h or -5m")),
        };
        let from = match lower.map(read).transpose()? {
            None => i64::MIN,
            Some((us, inclusive)) => us.saturating_add(i64::from(!inclusive)),
        };
        let to = match upper.map(read).transpose()? {
            None => i64::MAX,
            Some((us, inclusive)) => us.saturating_add(i64::from(inclusive)),
        };
        if from >= to {
            return Err(asked.error("the range is empty", "put the shorter duration first"));
        }
        Ok(Condition::Skew(from, to))
    }
}
