//! Values that differ only in their numbers: addresses, times, counters, `web-17`.
//!
//! In: strings. Out: the text between the numbers, the same for all, and the numbers of each; the strings again.
//! Limits: [`RUNS_MAX`] numbers per string, each of at most [`DIGITS_MAX`] digits; other strings have no shape.

use super::values::Values;

/// Most numbers of a string: an IPv6 address with a port has fewer that are decimal.
pub(crate) const RUNS_MAX: usize = 12;
/// Most digits of a number: this many nines fit 63 bits, and differences have a sign.
const DIGITS_MAX: usize = 18;

/// The common text of strings, and their numbers.
#[derive(Default, Debug)]
pub(crate) struct Shape {
    /// Texts before, between and after the numbers: one more than there are numbers.
    pub(crate) literals: Values,
    /// For each number position, the digits that all have (they may begin with zeros), or 0: as few as it needs.
    pub(crate) pads: Vec<u8>,
    /// For each position the numbers, string by string.
    pub(crate) numbers: Vec<Vec<u64>>,
}

/// Splits strings into text and numbers; `None` when they do not have one shape with at least one number.
pub(crate) fn take_apart(values: &Values) -> Option<Shape> {
    let mut shape = Shape::default();
    let mut lengths: Vec<u8> = Vec::new();
    let mut is_short: Vec<bool> = Vec::new();
    let mut is_padded: Vec<bool> = Vec::new();
    for (row, value) in values.iter().enumerate() {
        let (mut run, mut at) = (0, 0);
        loop {
            let start = at;
            while at < value.len() && !value[at].is_ascii_digit() {
                at += 1;
            }
            let literal = &value[start..at];
            if row == 0 {
                shape.literals.push(literal);
            } else if run >= shape.literals.len() || shape.literals.at(run) != literal {
                return None;
            }
            if at == value.len() {
                break;
            }
            let digits = at;
            let mut number = 0u64;
            while at < value.len() && value[at].is_ascii_digit() {
                number = number.wrapping_mul(10).wrapping_add(u64::from(value[at] & 15));
                at += 1;
            }
            let length = at - digits;
            if length > DIGITS_MAX || run >= RUNS_MAX {
                return None;
            }
            if row == 0 {
                shape.numbers.push(Vec::with_capacity(values.len()));
                lengths.push(length as u8);
                is_short.push(true);
                is_padded.push(true);
            } else if run >= lengths.len() {
                return None;
            }
            is_short[run] &= length == 1 || value[digits] != b'0';
            is_padded[run] &= usize::from(lengths[run]) == length;
            shape.numbers[run].push(number);
            run += 1;
        }
        if run != lengths.len() {
            return None;
        }
    }
    for ((length, short), padded) in lengths.iter().zip(&is_short).zip(&is_padded) {
        match (short, padded) {
            (true, _) => shape.pads.push(0),
            (false, true) => shape.pads.push(*length),
            (false, false) => return None,
        }
    }
    (!shape.pads.is_empty()).then_some(shape)
}

/// Appends a number with at least `pad` digits.
#[inline]
pub(crate) fn put_decimal(out: &mut Vec<u8>, mut number: u64, pad: u8) {
    let mut digits = [b'0'; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start.min(digits.len() - usize::from(pad.min(20)))..]);
}
