//! How far a table was read.
//!
//! In: the value of the column that orders rows, and which of the rows with that value were read. Out: the same as text, over a
//! restart. Holds: a fingerprint of each such row. Limits: those of a page.

use super::rows::fingerprint;
use transport::sql::Value;

/// The beginning of a table, as text.
const START: &str = "start";

/// How far a table was read.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Position {
    /// Nothing was.
    Start,
    /// All rows with lower values, and some with this one.
    At {
        /// The value.
        uid: Value,
        /// The fingerprints of those with this value that were read.
        seen: Vec<u64>,
    },
    /// All rows with lower values, and with this one.
    Behind {
        /// The value.
        uid: Value,
    },
}

impl Position {
    /// Returns the value of the column up to which rows were read.
    pub(super) fn uid(&self) -> Option<&Value> {
        match self {
            Position::Start => None,
            Position::At { uid, .. } | Position::Behind { uid } => Some(uid),
        }
    }

    /// Returns the rows that were read of those with its value.
    pub(super) fn seen(&self) -> &[u64] {
        match self {
            Position::At { seen, .. } => seen,
            Position::Start | Position::Behind { .. } => &[],
        }
    }

    /// Returns whether a row was read, and takes note that it was found again.
    pub(super) fn take_seen(
        &self,
        uid: &Value,
        (columns, row): (&[String], &[Value]),
        left: &mut Vec<u64>,
    ) -> bool {
        if self.uid() != Some(uid) {
            return false;
        }
        let found = fingerprint(columns, row);
        let place = left.iter().position(|seen| *seen == found);
        place.map(|place| left.swap_remove(place)).is_some()
    }

    pub(super) fn to_text(&self) -> String {
        let (uid, bound) = match self {
            Position::Start => return START.to_owned(),
            Position::At { uid, seen } => {
                let seen: Vec<String> = seen.iter().map(|seen| format!("{seen:x}")).collect();
                (uid, format!("={}", seen.join(",")))
            }
            Position::Behind { uid } => (uid, ">".to_owned()),
        };
        let (kind, text) = match uid {
            Value::Null => ('n', String::new()),
            Value::Integer(number) => ('i', number.to_string()),
            Value::Double(number) => ('d', format!("{number:?}")),
            Value::Boolean(truth) => ('b', truth.to_string()),
            Value::Text(text) => ('t', text.clone()),
            Value::Bytes(bytes) => ('x', bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        };
        format!("{bound} {kind} {text}")
    }

    /// Reads the text of a position; `None` when it is none.
    pub(super) fn from_text(text: &str) -> Option<Position> {
        if text == START {
            return Some(Position::Start);
        }
        let (bound, rest) = text.split_once(' ')?;
        let (kind, value) = rest.split_once(' ')?;
        let uid = match kind {
            "i" => Value::Integer(value.parse().ok()?),
            "d" => Value::Double(value.parse().ok()?),
            "b" => Value::Boolean(value.parse().ok()?),
            "t" => Value::Text(value.to_owned()),
            "x" => Value::Bytes(bytes(value)?),
            _ => return None,
        };
        match bound.split_at_checked(1)? {
            (">", "") => Some(Position::Behind { uid }),
            ("=", "") => Some(Position::At { uid, seen: Vec::new() }),
            ("=", seen) => {
                let seen = seen.split(',').map(|seen| u64::from_str_radix(seen, 16).ok());
                Some(Position::At { uid, seen: seen.collect::<Option<Vec<u64>>>()? })
            }
            _ => None,
        }
    }
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.as_bytes().chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    //! Positions over a restart.

    use super::*;

    #[test]
    fn positions_come_back() {
        let uids = [
            Value::Integer(-5),
            Value::Integer(u64::MAX.into()),
            Value::Double(0.1),
            Value::Boolean(true),
            Value::Text("a b\n'=,\u{e4}".to_owned()),
            Value::Text(String::new()),
            Value::Bytes(vec![0, 0xff]),
        ];
        let mut rows = vec![Position::Start];
        for uid in uids {
            rows.push(Position::Behind { uid: uid.clone() });
            rows.push(Position::At { uid: uid.clone(), seen: Vec::new() });
            rows.push(Position::At { uid, seen: vec![1, u64::MAX] });
        }
        for position in rows {
            assert_eq!(Position::from_text(&position.to_text()), Some(position.clone()), "{position:?}");
        }
        for text in ["", "=1", "=1 i", "=1 i x", "? i 1", "=g i 1", ">1 i 1", "=1 q 1"] {
            assert_eq!(Position::from_text(text), None, "{text:?}");
        }
    }
}
