//! Rows become messages.
//!
//! In: rows. Out: a batch. Holds: nothing. Limits: a text is cut at `log-msg-size()`; a value is as long as the database has it.

use super::{options::SqlSource, times};
use aws_lc_rs::digest::{Context, SHA256};
use intake::{BatchReader, Completion};
use message::{Batch, Field, Message, Origin, Priority, ValueKind};
use std::{fmt::Write as _, sync::Arc};
use transport::{
    sql::{Rows, Value},
    stats,
};

/// Returns a short form of a row, by which it is known again, also when columns without a value were added. Nobody can make a row
/// that is taken for another.
pub(super) fn fingerprint(columns: &[String], row: &[Value]) -> u64 {
    let mut context = Context::new(&SHA256);
    for (name, value) in columns.iter().zip(row) {
        let kind = match value {
            Value::Null => continue,
            Value::Integer(_) => 1,
            Value::Double(_) => 2,
            Value::Boolean(_) => 3,
            Value::Text(_) => 4,
            Value::Bytes(_) => 5,
        };
        let bytes = value.to_bytes();
        context.update(&(name.len() as u64).to_le_bytes());
        context.update(name.as_bytes());
        context.update(&[kind]);
        context.update(&(bytes.len() as u64).to_le_bytes());
        context.update(&bytes);
    }
    let digest = context.finish();
    digest.as_ref().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Forwards rows.
pub(super) fn forward(
    options: &SqlSource,
    rows: &Rows,
    (reader, origin): (&mut BatchReader, &Arc<Origin>),
    completion: Option<Box<dyn Completion>>,
) {
    let mut batch = reader.batch(Arc::default(), origin);
    let names: Vec<_> = rows.columns.iter().map(|name| format!("{}{name}", options.prefix)).collect();
    let names: Vec<_> = names.iter().map(|name| batch.add_extra(name.as_bytes())).collect();
    let place = |name: &Option<String>| {
        let name = name.as_ref()?;
        rows.columns.iter().position(|column| column.eq_ignore_ascii_case(name))
    };
    let columns = &options.columns;
    let [text, host, program, time] =
        [&columns.message, &columns.host, &columns.program, &columns.time].map(place);
    let settings = reader.settings().clone();
    let decode = &settings.options.decode;
    let (now, priority) = (reader.clock().now(), decode.default_pri.unwrap_or(Priority::DEFAULT));
    let mut odd = 0;
    for (index, row) in rows.rows.iter().enumerate() {
        let mut message = Message::default();
        (message.event, message.pri) = (now, priority);
        let written = time.and_then(|place| row.get(place)).filter(|value| **value != Value::Null);
        if let Some(value) = written.filter(|_| decode.keep_timestamp) {
            match times::stamp(value, &decode.zone) {
                Some(stamp) => message.event = stamp,
                None => odd += 1,
            }
        }
        batch.messages.push(message);
        for (name, value) in names.iter().zip(row) {
            let span = batch.add_extra(&value.to_bytes());
            batch.push_value(index, *name, span, kind(value));
        }
        for (field, place) in [(Field::Host, host), (Field::Program, program)] {
            set(&mut batch, (index, field), place.and_then(|place| row.get(place)));
        }
        let bytes = match text.and_then(|place| row.get(place)) {
            Some(value) => value.to_bytes(),
            None => json(&rows.columns, row).into_bytes(),
        };
        let span = batch.add_extra(&bytes);
        batch.set_fixed(index, Field::Message, span);
    }
    if odd > 0 {
        stats::add(&settings.counters.frame_errors, odd);
    }
    reader.forward_decoded(batch, origin, completion);
}

fn set(batch: &mut Batch, (index, field): (usize, Field), value: Option<&Value>) {
    let bytes = value.map(Value::to_bytes).unwrap_or_default();
    if !bytes.is_empty() {
        let span = batch.add_extra(&bytes);
        batch.set_fixed(index, field, span);
    }
}

fn kind(value: &Value) -> ValueKind {
    match value {
        Value::Null => ValueKind::Null,
        // Others would not fit where whole numbers are counted with.
        Value::Integer(number) if i64::try_from(*number).is_ok() => ValueKind::Integer,
        Value::Double(_) => ValueKind::Double,
        Value::Boolean(_) => ValueKind::Boolean,
        Value::Integer(_) | Value::Text(_) => ValueKind::String,
        Value::Bytes(_) => ValueKind::Bytes,
    }
}

/// Returns a row as an object of JSON, with its columns in their order; bytes are hexadecimal digits behind `\x`.
fn json(columns: &[String], row: &[Value]) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut object = String::from("{");
    for (name, value) in columns.iter().zip(row) {
        if object.len() > 1 {
            object.push(',');
        }
        object.push_str(&quoted(name));
        object.push(':');
        match value {
            Value::Null => object.push_str("null"),
            Value::Integer(number) => object.push_str(&number.to_string()),
            Value::Double(number) => object.push_str(&serde_json::Value::from(*number).to_string()),
            Value::Boolean(truth) => object.push_str(&truth.to_string()),
            Value::Text(text) => object.push_str(&quoted(text)),
            Value::Bytes(bytes) => {
                let mut digits = String::from("\\x");
                for byte in bytes {
                    let _ = write!(digits, "{byte:02x}");
                }
                object.push_str(&quoted(&digits));
            }
        }
    }
    object.push('}');
    object
}

#[cfg(test)]
mod tests {
    //! Rows as text, and known again.

    use super::*;

    #[test]
    fn a_row_is_an_object() {
        let columns = ["id", "a\"b", "c", "d", "e"].map(str::to_owned);
        let row = [
            Value::Integer(u64::MAX.into()),
            Value::Text("x\n\"\u{e4}".to_owned()),
            Value::Bytes(vec![0, 255]),
            Value::Null,
            Value::Double(0.5),
        ];
        let want = "{\"id\":18446744073709551615,\"a\\\"b\":\"x\\n\\\"\u{e4}\",\"c\":\"\\\\x00ff\",\"d\":null,\"e\":0.5}";
        assert_eq!(json(&columns, &row), want);
    }

    #[test]
    fn rows_are_known_again() {
        let text = |text: &str| Value::Text(text.to_owned());
        let known = |columns: &[&str], row: &[Value]| {
            fingerprint(&columns.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), row)
        };
        let rows = [
            (["a", "b"], [text("a"), text("b")]),
            (["a", "b"], [text("ab"), text("")]),
            (["a", "b"], [text("a"), Value::Null]),
            (["a", "b"], [Value::Null, text("a")]),
            (["a", "b"], [Value::Bytes(b"a".to_vec()), text("b")]),
            (["a", "b"], [Value::Integer(1), text("b")]),
            (["a", "b"], [text("1"), text("b")]),
            (["a", "c"], [text("1"), text("b")]),
        ];
        let mut found: Vec<u64> = rows.iter().map(|(columns, row)| known(columns, row)).collect();
        let again: Vec<u64> = rows.iter().map(|(columns, row)| known(columns, row)).collect();
        assert_eq!(found, again);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), rows.len());
        let before = known(&["id", "text"], &[Value::Integer(1), text("x")]);
        assert_eq!(before, known(&["new", "id", "text"], &[Value::Null, Value::Integer(1), text("x")]));
    }
}
