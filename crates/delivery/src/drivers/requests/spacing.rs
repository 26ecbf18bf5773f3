//! How far apart refused rows are: it says how many rows a request holds, as long as one refused row costs the whole request.
//!
//! In: rows that were accepted, and rows that were refused. Out: the most rows of the next request. Holds: a mean, and a count.
//! Limits: what was long ago counts little, and a refused row counts only until many more were accepted since.
//!
//! Without hints, a refused row is found by halving, which is cheapest when about every second request has one. With hints, each
//! refused row costs two small requests, however large the request is: there, only the repeats of the others count.

/// The weight of the last distance between two refused rows in their mean.
const LAST_WEIGHT: f64 = 1.0 / 3.0;
/// Most refused rows that a request may be expected to have when its receiver names them.
const NAMED_IN_REQUEST: usize = 8;
/// Number of refused requests that are halved after a receiver has named a row that it then accepted.
const HALVED_AFTER_WRONG_NAME: u32 = 64;

/// The distance between refused rows.
#[derive(Default, Debug)]
pub(super) struct Spacing {
    /// The mean of the last distances.
    mean: Option<f64>,
    /// Rows that were accepted since the last refused one.
    accepted_since: usize,
    /// The receiver named the last refused row.
    is_named: bool,
    /// How many names are not believed.
    unbelieved: u32,
}

impl Spacing {
    /// Notes rows that were accepted.
    pub(super) fn accept(&mut self, rows: usize) {
        self.accepted_since = self.accepted_since.saturating_add(rows);
    }

    /// Notes a row that was refused alone.
    pub(super) fn refuse(&mut self) {
        let last = (self.accepted_since + 1) as f64;
        let mean = self.mean.unwrap_or(last);
        self.mean = Some(mean + (last - mean) * LAST_WEIGHT);
        self.accepted_since = 0;
    }

    /// Returns the most rows of a request; `None` when nothing was refused yet.
    pub(super) fn rows_max(&self) -> Option<usize> {
        let between = (self.mean? as usize).max(self.accepted_since);
        Some(match self.is_named {
            true => between.saturating_mul(NAMED_IN_REQUEST),
            false => (between / 3 * 2).max(1),
        })
    }

    /// Decides whether the rows that the receiver names in a refused request are tried first.
    pub(super) fn believes(&mut self, named: &[usize]) -> bool {
        self.is_named = self.unbelieved == 0 && !named.is_empty();
        self.unbelieved = self.unbelieved.saturating_sub(1);
        self.is_named
    }

    /// Notes that a row which the receiver had named was accepted.
    pub(super) fn doubt(&mut self) {
        self.unbelieved = HALVED_AFTER_WRONG_NAME;
    }
}

#[cfg(test)]
mod tests {
    //! Rows that are accepted and refused, and the sizes that follow.

    use super::*;

    /// Notes refused rows, each behind so many accepted ones, then accepted rows at the end.
    fn spacing(gaps: &[usize], then: usize) -> Spacing {
        let mut spacing = Spacing::default();
        for gap in gaps {
            spacing.accept(*gap);
            spacing.refuse();
        }
        spacing.accept(then);
        spacing
    }

    #[track_caller]
    fn check(gaps: &[usize], then: usize, want: Option<usize>) {
        assert_eq!(spacing(gaps, then).rows_max(), want, "{gaps:?}, {then}");
    }

    #[test]
    fn requests_shrink_with_refused_rows_and_grow_without() {
        check(&[], 500, None);
        check(&[99; 10], 0, Some(66));
        check(&[0; 10], 0, Some(1));
        check(&[99; 10], 300, Some(200));
        check(&[99; 10], 3_000, Some(2_000));
        // Refusals of long ago weigh less than recent ones.
        check(&[&[999; 10][..], &[9; 30][..]].concat(), 0, Some(6));
        check(&[&[20_000][..], &[0; 30][..]].concat(), 0, Some(1));
    }

    #[test]
    fn names_are_believed_until_one_is_wrong() {
        let mut spacing = spacing(&[99; 10], 0);
        assert!(spacing.believes(&[3]));
        assert_eq!(spacing.rows_max(), Some(800));
        assert!(!spacing.believes(&[]));
        assert_eq!(spacing.rows_max(), Some(66));
        spacing.doubt();
        for _ in 0..HALVED_AFTER_WRONG_NAME {
            assert!(!spacing.believes(&[3]));
        }
        assert!(spacing.believes(&[3]));
    }
}
