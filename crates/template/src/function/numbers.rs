//! Functions of numbers: `+`, `-`, `*`, `/`, `%`, `sum`, `min`, `max`, `average`, `round`, `ceil`, `floor`.
//!
//! In: rendered arguments. Out: a number, or `NaN` when one of them is not a number. Holds nothing.
//! Limits: whole numbers of 64 bits; operations wrap around at the ends of that range, a sum or an average beyond
//! it is null. Numbers in hex count as numbers with a fraction, as in syslog-ng.

use super::action::{Action, CompiledFunction, fixed, integer};
use message::ValueKind;

pub(super) const NAMES: &[&str] =
    &["+", "-", "*", "/", "%", "sum", "min", "max", "average", "round", "ceil", "floor"];

/// Digits that syslog-ng prints after the point.
const DIGITS: usize = 20;

#[derive(Clone, Copy)]
enum Number {
    Whole(i64),
    Real(f64),
}

impl Number {
    fn read(text: &[u8]) -> Option<Number> {
        let text = std::str::from_utf8(text).ok()?.trim_start();
        if let Some(hex) = text.strip_prefix("0x") {
            return u64::from_str_radix(hex, 16).ok().map(|number| Number::Real(number as f64));
        }
        match text.parse() {
            Ok(number) => Some(Number::Whole(number)),
            Err(_) => text.parse().ok().filter(|number: &f64| number.is_finite()).map(Number::Real),
        }
    }

    fn real(self) -> f64 {
        match self {
            Number::Whole(number) => number as f64,
            Number::Real(number) => number,
        }
    }
}

pub(super) fn compile(name: &str, words: &[&str]) -> Option<CompiledFunction> {
    let operator = match name {
        "+" | "-" | "*" | "/" | "%" => name.as_bytes()[0],
        "sum" | "min" | "max" | "average" => {
            let fold = match name {
                "sum" => sum,
                "min" => |numbers: &[i64]| numbers.iter().min().copied(),
                "max" => |numbers: &[i64]| numbers.iter().max().copied(),
                _ => average,
            };
            return Some(fixed(words, 1, usize::MAX, Action::typed(move |args, out| over(args, fold, out))));
        }
        "round" => {
            return Some(fixed(words, 1, 2, Action::typed(|args, out| to_digits(args, f64::round, out))));
        }
        "ceil" => return Some(fixed(words, 1, 2, Action::typed(|args, out| to_whole(args, f64::ceil, out)))),
        "floor" => {
            return Some(fixed(words, 1, 2, Action::typed(|args, out| to_whole(args, f64::floor, out))));
        }
        _ => return None,
    };
    Some(fixed(words, 2, 2, Action::typed(move |args, out| rule(operator, args, out))))
}

fn rule(operator: u8, args: &[&[u8]], out: &mut Vec<u8>) -> ValueKind {
    let [left, right] = args else { return nan(out) };
    let (Some(left), Some(right)) = (Number::read(left), Number::read(right)) else { return nan(out) };
    match (left, right) {
        (Number::Whole(left), Number::Whole(right)) => {
            let result = match operator {
                b'+' => Some(left.wrapping_add(right)),
                b'-' => Some(left.wrapping_sub(right)),
                b'*' => Some(left.wrapping_mul(right)),
                b'/' => left.checked_div(right),
                _ => left.checked_rem(right),
            };
            match result {
                Some(number) => whole(number, out),
                None => nan(out),
            }
        }
        _ => {
            let (left, right) = (left.real(), right.real());
            let result = match operator {
                b'+' => left + right,
                b'-' => left - right,
                b'*' => left * right,
                b'/' => left / right,
                _ => left % right,
            };
            real(result, DIGITS, out)
        }
    }
}

fn sum(numbers: &[i64]) -> Option<i64> {
    numbers.iter().try_fold(0i64, |sum, number| sum.checked_add(*number))
}

fn average(numbers: &[i64]) -> Option<i64> {
    sum(numbers)?.checked_div(numbers.len() as i64)
}

/// Folds the arguments that are numbers. Without any number the result is null.
fn over(args: &[&[u8]], fold: fn(&[i64]) -> Option<i64>, out: &mut Vec<u8>) -> ValueKind {
    let numbers: Vec<i64> = args.iter().filter_map(|arg| integer(arg)).collect();
    match fold(&numbers) {
        Some(number) if !numbers.is_empty() => whole(number, out),
        _ => ValueKind::Null,
    }
}

/// Rounds to a whole number: `ceil` and `floor` take no digits, and never return a negative zero.
fn to_whole(args: &[&[u8]], change: fn(f64) -> f64, out: &mut Vec<u8>) -> ValueKind {
    if args.len() > 1 { nan(out) } else { to_digits(args, |number| change(number) + 0.0, out) }
}

fn to_digits(args: &[&[u8]], change: impl Fn(f64) -> f64, out: &mut Vec<u8>) -> ValueKind {
    let digits = match args.get(1) {
        None => Some(0),
        Some(text) => integer(text).filter(|digits| (0..=DIGITS as i64).contains(digits)),
    };
    let number = args.first().and_then(|text| Number::read(text));
    let (Some(digits), Some(number)) = (digits, number) else { return nan(out) };
    let scale = 10f64.powi(digits as i32);
    // A scale beyond the digits of a double would only add errors.
    let changed = if digits > 15 { number.real() } else { change(number.real() * scale) / scale };
    real(changed, digits as usize, out)
}

fn whole(number: i64, out: &mut Vec<u8>) -> ValueKind {
    out.extend_from_slice(number.to_string().as_bytes());
    ValueKind::Integer
}

fn real(number: f64, digits: usize, out: &mut Vec<u8>) -> ValueKind {
    if !number.is_finite() {
        return nan(out);
    }
    out.extend_from_slice(format!("{number:.digits$}").as_bytes());
    ValueKind::Double
}

fn nan(out: &mut Vec<u8>) -> ValueKind {
    out.extend_from_slice(b"NaN");
    ValueKind::String
}
