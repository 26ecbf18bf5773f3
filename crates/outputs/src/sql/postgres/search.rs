//! The search for the rows that a server refuses, among those of one transaction.
//!
//! In: which rows of a request were accepted and refused. Out: the rows to try next, from left to right. Holds: the position, and how
//! many rows are tried at a time. Limits: a row is refused only when it was tried alone.
//!
//! As many rows are tried at a time as are accepted every second time: that costs the fewest statements. Of rows that are refused
//! the first half is tried, and so on; when all but one of them are accepted, that one is tried alone.

use std::ops::Range;

/// Most rows that are tried at a time.
const STEP_MAX: usize = 1 << 20;

/// A search among the rows of one request.
#[derive(Debug)]
pub(super) struct Search {
    rows: usize,
    at: usize,
    /// The rows before this place are refused together.
    refused_before: Option<usize>,
    /// How many rows are tried at a time where nothing is known of them.
    pub(super) step: usize,
}

/// The rows of a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refused {
    /// Some of several.
    Among,
    /// The only one.
    Alone,
}

impl Search {
    pub(super) fn new(rows: usize, step: usize) -> Search {
        Search { rows, at: 0, refused_before: None, step: step.max(1) }
    }

    /// Returns the rows to try next; `None` when all were tried.
    pub(super) fn next(&self) -> Option<Range<usize>> {
        let count = match self.refused_before {
            Some(end) => (end - self.at).div_ceil(2),
            None => self.step.min(self.rows - self.at),
        };
        (count > 0).then(|| self.at..self.at + count)
    }

    /// Notes that the rows that were tried are accepted.
    pub(super) fn accept(&mut self, tried: &Range<usize>) {
        self.at = tried.end;
        match self.refused_before {
            None => self.step = self.step.saturating_mul(2).min(STEP_MAX),
            // Together they were refused, but each part was accepted.
            Some(end) if end == self.at => self.refused_before = None,
            Some(_) => {}
        }
    }

    /// Notes that the rows that were tried are refused.
    pub(super) fn refuse(&mut self, tried: &Range<usize>) -> Refused {
        if self.refused_before.is_none() {
            self.step = (tried.len() / 2).max(1);
        }
        if tried.len() > 1 {
            self.refused_before = Some(tried.end);
            return Refused::Among;
        }
        self.at = tried.end;
        self.refused_before = None;
        Refused::Alone
    }
}

#[cfg(test)]
mod tests {
    //! Searches for rows that are refused, and what they cost.

    use super::*;

    #[track_caller]
    fn check(rows: usize, is_refused: impl Fn(usize) -> bool, tries_max: usize) {
        let mut search = Search::new(rows, rows);
        let (mut tries, mut accepted, mut dead) = (0, Vec::new(), Vec::new());
        while let Some(tried) = search.next() {
            tries += 1;
            if tried.clone().any(&is_refused) {
                match search.refuse(&tried) {
                    Refused::Among => assert!(tried.len() > 1),
                    Refused::Alone => dead.extend(tried),
                }
            } else {
                search.accept(&tried);
                accepted.extend(tried);
            }
        }
        assert_eq!(dead, (0..rows).filter(|row| is_refused(*row)).collect::<Vec<_>>());
        assert_eq!(accepted, (0..rows).filter(|row| !is_refused(*row)).collect::<Vec<_>>());
        assert!(tries <= tries_max, "{tries} tries");
    }

    #[test]
    fn all_rows_are_found_with_few_tries() {
        check(0, |_| false, 0);
        check(1, |_| false, 1);
        check(1, |_| true, 1);
        check(1_000, |_| false, 1);
        check(1_000, |row| row == 0, 21);
        check(1_000, |row| row == 999, 21);
        check(1_000, |row| row == 500, 23);
        check(1_000, |row| row % 100 == 99, 100);
        check(1_000, |row| row % 2 == 0, 1_600);
        check(1_000, |_| true, 1_060);
    }

    #[test]
    fn rows_that_are_refused_only_together_are_all_accepted() {
        let mut search = Search::new(8, 8);
        assert_eq!(search.refuse(&(0..8)), Refused::Among);
        for want in [0..4, 4..6, 6..7, 7..8] {
            assert_eq!(search.next(), Some(want.clone()));
            search.accept(&want);
        }
        assert_eq!((search.next(), search.refused_before), (None, None));
    }
}
