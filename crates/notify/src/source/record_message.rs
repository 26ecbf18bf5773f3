//! Records become messages.
//!
//! In: records of transitions. Out: messages of a batch. Holds: nothing. Limits: those of the records.

use crate::record::{Record, is_end};
use message::{Batch, Facility, Field, Message, Priority, Severity, Stamp, ValueKind};

/// The program of the messages.
const PROGRAM: &[u8] = b"duramen";

/// Appends a message to a batch: its text is the line that people get, its values are those of the record, with `alert.` before their names.
/// The end of an alert has the severity that RFC 5674 gives it, notice.
pub(super) fn push(record: &Record, offset_s: i32, batch: &mut Batch) {
    let index = batch.messages.len();
    let change = record.text("change");
    let severity = if is_end(change) { Severity::NOTICE } else { record.severity() };
    let mut message = Message::default();
    message.pri = Priority::new(Facility::SYSLOG, severity);
    message.event = Stamp::known(record.number("at_us").unwrap_or_default(), offset_s);
    batch.messages.push(message);
    for (field, text) in [
        (Field::Message, record.line().into_bytes()),
        (Field::Program, PROGRAM.to_vec()),
        (Field::Msgid, change.as_bytes().to_vec()),
    ] {
        let span = batch.add_extra(&text);
        batch.set_fixed(index, field, span);
    }
    let of_record = record.0.as_object().into_iter().flatten().filter(|(name, _)| *name != "key");
    for (name, value) in of_record {
        let (text, kind) = match value {
            serde_json::Value::Null => continue,
            serde_json::Value::String(text) => (text.clone(), ValueKind::String),
            serde_json::Value::Number(number) if number.is_f64() => (number.to_string(), ValueKind::Double),
            other => (other.to_string(), ValueKind::Integer),
        };
        push_value(index, &format!("alert.{name}"), (&text, kind), batch);
    }
    for (name, value) in record.key() {
        push_value(index, &format!("alert.key.{name}"), (value, ValueKind::String), batch);
    }
}

fn push_value(index: usize, name: &str, (text, kind): (&str, ValueKind), batch: &mut Batch) {
    let name = batch.add_extra(name.as_bytes());
    let value = batch.add_extra(text.as_bytes());
    batch.push_value(index, name, value, kind);
}
