//! Ranges of numbers, texts and addresses.
//!
//! In: a range or a comparison. Out: patterns of which one must match the value.

use super::{ClauseContext, Compiler};
use crate::{
    condition::ValueTest,
    language::{
        error::QueryError,
        times,
        tree::{Comparison, EndText, Test},
        words,
    },
};
use lookup::{Bound, Pattern};
use std::net::{IpAddr, Ipv4Addr};

/// Lower and upper end of a range or a comparison, each with whether it is inclusive.
type Ends<'a> = (Option<(&'a EndText, bool)>, Option<(&'a EndText, bool)>);

pub(super) fn ends(test: &Test) -> Ends<'_> {
    match test {
        Test::Range { lower, upper } => (
            lower.text.as_ref().map(|text| (text, lower.inclusive)),
            upper.text.as_ref().map(|text| (text, upper.inclusive)),
        ),
        Test::Compare(Comparison::Less, text) => (None, Some((text, false))),
        Test::Compare(Comparison::LessOrEqual, text) => (None, Some((text, true))),
        Test::Compare(Comparison::Greater, text) => (Some((text, false)), None),
        Test::Compare(Comparison::GreaterOrEqual, text) => (Some((text, true)), None),
        _ => (None, None),
    }
}

impl Compiler<'_> {
    /// The range as one pattern on a token.
    pub(super) fn value_range(&self, asked: &ClauseContext<'_>, test: &Test) -> Result<Pattern, QueryError> {
        let (lower, upper) = ends(test);
        let numeric =
            lower.iter().chain(&upper).all(|(text, _)| words::number(text.text.as_bytes()).is_some());
        let bound = |end: Option<(&EndText, bool)>| match end {
            None => Bound::Open,
            Some((text, inclusive)) => match words::number(text.text.as_bytes()).filter(|_| numeric) {
                Some(value) => Bound::Number { value, inclusive },
                None => Bound::Text { value: words::lower(&text.text), inclusive },
            },
        };
        let (lower, upper) = (bound(lower), bound(upper));
        let empty = match (&lower, &upper) {
            (Bound::Number { value: a, inclusive: x }, Bound::Number { value: b, inclusive: y }) => {
                a > b || (a == b && !(*x && *y))
            }
            (Bound::Text { value: a, inclusive: x }, Bound::Text { value: b, inclusive: y }) => {
                a > b || (a == b && !(*x && *y))
            }
            (Bound::Open, Bound::Open) => return Ok(Pattern::Any),
            _ => false,
        };
        if empty {
            let remedy =
                "put the smaller end first; numbers compare as numbers, other texts by their letters";
            return Err(asked.error("the range is empty", remedy));
        }
        Ok(Pattern::Range { lower, upper })
    }

    /// The range as patterns on a value: networks when its ends are addresses, both spellings of a time when
    /// its ends are relative to now.
    pub(super) fn value_ranges(
        &self,
        asked: &ClauseContext<'_>,
        test: &Test,
    ) -> Result<Vec<ValueTest>, QueryError> {
        let (lower, upper) = ends(test);
        if let Some(networks) = networks(asked, lower, upper)? {
            let tests = networks.into_iter();
            return Ok(tests
                .map(|(address, bits)| ValueTest::Pattern(Pattern::Network { address, bits }))
                .collect());
        }
        let relative = lower.iter().chain(&upper).any(|(text, _)| self.relative(text).is_some());
        if !relative {
            return Ok(vec![ValueTest::Pattern(self.value_range(asked, test)?)]);
        }
        let seconds =
            |end: Option<(&EndText, bool)>| match end.and_then(|(text, i)| Some((self.time(text)?, i))) {
                Some((us, inclusive)) => Bound::Number { value: us as f64 / 1e6, inclusive },
                None => Bound::Open,
            };
        let written =
            |end: Option<(&EndText, bool)>| match end.and_then(|(text, i)| Some((self.time(text)?, i))) {
                Some((us, inclusive)) => Bound::Text { value: words::lower(&self.iso(us)), inclusive },
                None => Bound::Open,
            };
        let pattern = |lower, upper| ValueTest::Pattern(Pattern::Range { lower, upper });
        Ok(vec![pattern(seconds(lower), seconds(upper)), pattern(written(lower), written(upper))])
    }

    fn relative(&self, text: &EndText) -> Option<i64> {
        if text.text.starts_with("now") { self.time(text) } else { None }
    }

    fn time(&self, text: &EndText) -> Option<i64> {
        times::parse_time(&text.text, self.now_us, self.offset_s)
    }

    fn iso(&self, us: i64) -> String {
        jiff::Timestamp::from_microsecond(us).map(|time| time.to_string()).unwrap_or_default()
    }
}

/// The networks that make up a range of addresses; none when its ends are no addresses.
#[allow(clippy::type_complexity)]
fn networks(
    asked: &ClauseContext<'_>,
    lower: Option<(&EndText, bool)>,
    upper: Option<(&EndText, bool)>,
) -> Result<Option<Vec<([u8; 16], u8)>>, QueryError> {
    let read = |end: Option<(&EndText, bool)>| match end {
        None => Some(None),
        Some((text, inclusive)) => text.text.parse::<IpAddr>().ok().map(|address| Some((address, inclusive))),
    };
    let (Some(lower), Some(upper)) = (read(lower), read(upper)) else {
        return Ok(None);
    };
    let Some(kind) = lower.or(upper).map(|(address, _)| address.is_ipv4()) else {
        return Ok(None);
    };
    let number = |address: IpAddr| u128::from_be_bytes(words::address_bytes(address));
    let v4 = |address: [u8; 4]| number(IpAddr::V4(Ipv4Addr::from(address)));
    let (least, most) = if kind { (v4([0; 4]), v4([255; 4])) } else { (0, u128::MAX) };
    let empty = || asked.error("the range is empty", "put the lower address first");
    let from = match lower {
        None => least,
        Some((address, true)) => number(address),
        Some((address, false)) => number(address).checked_add(1).ok_or_else(empty)?,
    };
    let to = match upper {
        None => most,
        Some((address, true)) => number(address),
        Some((address, false)) => number(address).checked_sub(1).ok_or_else(empty)?,
    };
    if from > to { Err(empty()) } else { Ok(Some(split(from, to))) }
}

/// Returns the fewest networks that cover exactly a range: at each address the largest that starts there and fits.
fn split(mut from: u128, to: u128) -> Vec<([u8; 16], u8)> {
    let mut networks = Vec::new();
    loop {
        let mut free = from.trailing_zeros().min(128);
        while free > 0 && (free == 128 && to != u128::MAX || free < 128 && from | ((1u128 << free) - 1) > to)
        {
            free -= 1;
        }
        networks.push((from.to_be_bytes(), (128 - free) as u8));
        let last = if free == 128 { u128::MAX } else { from | ((1u128 << free) - 1) };
        if last >= to {
            return networks;
        }
        from = last + 1;
    }
}
