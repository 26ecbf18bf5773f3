//! Comparison operators: `==`, `eq`, `===` and so on.
//!
//! In: two templates. Out: the result of the comparison. Holds nothing.
//! The operators decide how: `eq` and its group compare text; `==` and its group compare text before version 3.8,
//! numbers before
//! 4.0, and by type since then; `===` and `!==` require equal type and text.
//! Limits: numbers are doubles; whole numbers of 64 bits are compared exactly.

use message::{Batch, ValueKind};
use std::{cmp::Ordering, sync::Arc};
use template::{Renderer, Template};

/// An operator as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompareOp {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `===`
    Same,
    /// `!==`
    NotSame,
    /// `eq`
    TextEqual,
    /// `ne`
    TextNotEqual,
    /// `lt`
    TextLess,
    /// `le`
    TextLessOrEqual,
    /// `gt`
    TextGreater,
    /// `ge`
    TextGreaterOrEqual,
}

impl CompareOp {
    /// Returns the operator of a word or sign.
    pub fn from_text(text: &str) -> Option<CompareOp> {
        Some(match text {
            "==" => CompareOp::Equal,
            "!=" => CompareOp::NotEqual,
            "<" => CompareOp::Less,
            "<=" => CompareOp::LessOrEqual,
            ">" => CompareOp::Greater,
            ">=" => CompareOp::GreaterOrEqual,
            "===" => CompareOp::Same,
            "!==" => CompareOp::NotSame,
            "eq" => CompareOp::TextEqual,
            "ne" => CompareOp::TextNotEqual,
            "lt" => CompareOp::TextLess,
            "le" => CompareOp::TextLessOrEqual,
            "gt" => CompareOp::TextGreater,
            "ge" => CompareOp::TextGreaterOrEqual,
            _ => return None,
        })
    }

    /// Returns true when the operator holds for two values in this order; `None` is no order at all, as with NaN.
    fn holds(self, order: Option<Ordering>) -> bool {
        use CompareOp::*;
        match self {
            Equal | TextEqual | Same => order == Some(Ordering::Equal),
            NotEqual | TextNotEqual | NotSame => order != Some(Ordering::Equal),
            Less | TextLess => order == Some(Ordering::Less),
            LessOrEqual | TextLessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Greater | TextGreater => order == Some(Ordering::Greater),
            GreaterOrEqual | TextGreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }

    fn is_text(self) -> bool {
        use CompareOp::*;
        matches!(
            self,
            TextEqual | TextNotEqual | TextLess | TextLessOrEqual | TextGreater | TextGreaterOrEqual
        )
    }
}

/// Two templates and the operator between them.
#[derive(Debug)]
pub struct Comparison {
    left: Arc<Template>,
    operator: CompareOp,
    right: Arc<Template>,
    numbers: Numbers,
}

/// How `==` and the other operators without a type compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbers {
    /// Text alone: before version 3.8.
    Text,
    /// Numbers alone: before version 4.0.
    Whole,
    /// Types.
    Typed,
}

/// A rendered side.
struct Side {
    bytes: Vec<u8>,
    kind: ValueKind,
}

impl Comparison {
    /// Makes a comparison; the version of the configuration decides what `==` compares. If a type is written, it
    /// compares by type in every version.
    pub fn new(
        left: Arc<Template>,
        operator: CompareOp,
        right: Arc<Template>,
        version: template::Version,
    ) -> Comparison {
        let is_hinted = left.hint().is_some() || right.hint().is_some();
        let numbers = match version {
            version if version.is_typed() || is_hinted => Numbers::Typed,
            version if version.compares_numbers_as_text() => Numbers::Text,
            _ => Numbers::Whole,
        };
        Comparison { left, operator, right, numbers }
    }

    /// Returns the answer when no message can change it.
    pub(super) fn constant(&self) -> Option<bool> {
        let side = |template: &Template| {
            let bytes = template.constant()?.to_vec();
            let kind = template.hint().map_or(ValueKind::String, |hint| hint.kind());
            Some(Side { bytes, kind })
        };
        Some(self.answer(&side(&self.left)?, &side(&self.right)?))
    }

    /// Returns true when the comparison is true for a message.
    pub(super) fn holds(&self, batch: &Batch, index: usize, renderer: &mut Renderer) -> bool {
        // Texts need no types: fields are compared in place, without rendering.
        if self.operator.is_text() {
            let order = {
                let left = self.left.value(batch, index, renderer).into_owned();
                let right = self.right.value(batch, index, renderer);
                left.as_slice().cmp(&right)
            };
            return self.operator.holds(Some(order));
        }
        let mut side = |template: &Template| {
            let mut bytes = Vec::new();
            let kind = template.render_typed(batch, index, renderer, &mut bytes);
            Side { bytes, kind }
        };
        let (left, right) = (side(&self.left), side(&self.right));
        self.answer(&left, &right)
    }

    fn answer(&self, left: &Side, right: &Side) -> bool {
        use CompareOp::*;
        let text = || left.bytes.as_slice().cmp(&right.bytes);
        let order = match self.operator {
            operator if operator.is_text() => Some(text()),
            Same | NotSame => return self.same(left, right) == (self.operator == Same),
            operator => match self.numbers {
                Numbers::Text => Some(text()),
                Numbers::Whole => compare_leading_numbers(left, right),
                Numbers::Typed => typed_order(operator, left, right),
            },
        };
        self.operator.holds(order)
    }

    fn same(&self, left: &Side, right: &Side) -> bool {
        if left.kind != right.kind {
            return false;
        }
        match left.kind {
            ValueKind::Integer | ValueKind::Double => compare_numbers(left, right) == Some(Ordering::Equal),
            _ => left.bytes == right.bytes,
        }
    }
}

/// Returns the order of two values as in version 4.
fn typed_order(operator: CompareOp, left: &Side, right: &Side) -> Option<Ordering> {
    use ValueKind::*;
    let text = || Some(left.bytes.as_slice().cmp(&right.bytes));
    let equality = matches!(operator, CompareOp::Equal | CompareOp::NotEqual);
    match (left.kind, right.kind) {
        (Null, Null) if equality => Some(Ordering::Equal),
        (Null, _) | (_, Null) if equality => None,
        (String | Bytes, String | Bytes) => text(),
        (List, List) | (Json, Json) => text(),
        _ => compare_numbers(left, right),
    }
}

/// Returns the order before version 4: both sides are numbers, and other texts count as 0.
fn compare_leading_numbers(left: &Side, right: &Side) -> Option<Ordering> {
    leading_number(&left.bytes).partial_cmp(&leading_number(&right.bytes))
}

fn compare_numbers(left: &Side, right: &Side) -> Option<Ordering> {
    if let (Some(left), Some(right)) = (whole(left), whole(right)) {
        return Some(left.cmp(&right));
    }
    real(left)?.partial_cmp(&real(right)?)
}

fn whole(side: &Side) -> Option<i64> {
    match side.kind {
        ValueKind::Integer | ValueKind::String => std::str::from_utf8(&side.bytes).ok()?.trim().parse().ok(),
        ValueKind::Boolean => Some(i64::from(truth(&side.bytes)?)),
        ValueKind::Null => Some(0),
        _ => None,
    }
}

/// Returns the value as a number; `None` is not a number and compares with nothing.
fn real(side: &Side) -> Option<f64> {
    let text = || std::str::from_utf8(&side.bytes).ok().map(str::trim);
    match side.kind {
        ValueKind::Integer | ValueKind::Double | ValueKind::String => text()?.parse().ok(),
        ValueKind::Boolean => truth(&side.bytes).map(|truth| f64::from(u8::from(truth))),
        // Times are compared in milliseconds.
        ValueKind::Datetime => text()?.parse::<f64>().ok().map(|seconds| (seconds * 1000.0).round()),
        ValueKind::Null => Some(0.0),
        _ => None,
    }
}

fn truth(bytes: &[u8]) -> Option<bool> {
    match bytes.to_ascii_lowercase().as_slice() {
        b"true" | b"t" | b"1" | b"yes" | b"y" | b"on" => Some(true),
        b"false" | b"f" | b"0" | b"no" | b"n" | b"off" => Some(false),
        _ => None,
    }
}

/// Returns the whole number at the start of a text, as C's `atoi` reads it.
fn leading_number(bytes: &[u8]) -> f64 {
    let text = bytes.trim_ascii_start();
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let digits = text[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..sign + digits]).ok().and_then(|text| text.parse::<i64>().ok()).unwrap_or(0)
        as f64
}
