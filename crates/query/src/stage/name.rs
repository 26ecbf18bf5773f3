//! Names in pipes and their meaning in a row, which is a message or a row of a table.
//!
//! In: a name, a row. Out: its value. A row of a table is a message that has only values.

use crate::{
    condition::matcher,
    language::{
        fields::{self, Target, column_name},
        times,
        tree::Text,
        words,
    },
};
use lookup::{Column, Document};
use message::{Facility, Severity, ValueKind};
use std::borrow::Cow;

/// A field of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    shown: String,
    what: What,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum What {
    Column(Column),
    Message,
    Raw,
    Received,
    Event,
    Skew,
    Sequence,
}

impl Name {
    /// The meaning of a name as written.
    pub fn of(name: &str) -> Name {
        let what = match fields::resolve(Some(&Text::plain(name))) {
            _ if name == "@sequence" => What::Sequence,
            Target::Message => What::Message,
            Target::Raw => What::Raw,
            Target::Received => What::Received,
            Target::Event => What::Event,
            Target::Skew => What::Skew,
            Target::Column(column) => What::Column(column),
            Target::Everywhere | Target::Columns(_) => What::Column(fields::column(name)),
        };
        let shown = match &what {
            What::Column(column) => column_name(column).to_owned(),
            What::Message => "message".to_owned(),
            What::Raw => "raw".to_owned(),
            _ => name.to_owned(),
        };
        Name { shown, what }
    }

    /// Returns true if this is the sequence number.
    pub(crate) fn is_sequence(&self) -> bool {
        matches!(self.what, What::Sequence)
    }

    /// Makes a column of a table that is not a field of messages.
    pub(crate) fn made(shown: &str) -> Name {
        Name { shown: shown.to_owned(), what: What::Column(Column::Named(shown.to_owned())) }
    }

    /// Returns the column of a table that is grouped by this name: its rows have no time and no number of their own.
    pub(crate) fn in_table(&self) -> Name {
        match self.what {
            What::Received | What::Event | What::Skew | What::Sequence => Name::made(&self.shown),
            What::Column(_) | What::Message | What::Raw => self.clone(),
        }
    }

    /// The name as shown.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Returns the column of the index that holds its values, if any.
    pub(crate) fn column(&self) -> Option<&Column> {
        match &self.what {
            What::Column(column) => Some(column),
            _ => None,
        }
    }

    /// Calls `visit` with each value of a row; only tags have several.
    pub fn visit(&self, row: &Document, visit: &mut dyn FnMut(&[u8])) {
        let time = |us: i64| times::shown(us);
        match &self.what {
            What::Column(column) => {
                matcher::any_value(row, column, &mut |value| {
                    visit(value);
                    false
                });
            }
            What::Message => visit(&row.text),
            What::Raw => visit(&row.raw),
            What::Received => visit(time(row.received_us).as_bytes()),
            What::Event => visit(time(row.event.unix_us).as_bytes()),
            What::Skew => visit(number_text(self.number(row).unwrap_or_default()).as_bytes()),
            What::Sequence => visit(row.sequence.to_string().as_bytes()),
        }
    }

    /// The value of a row: its first one, or all tags with commas between them.
    pub fn value(&self, row: &Document) -> Option<(Vec<u8>, ValueKind)> {
        if let What::Column(Column::Named(name)) = &self.what {
            let found = row.values.iter().find(|(known, ..)| known == name);
            return found.map(|(_, value, kind)| (value.clone(), *kind));
        }
        let mut all: Option<Vec<u8>> = None;
        self.visit(row, &mut |value| match &mut all {
            Some(all) => {
                all.push(b',');
                all.extend_from_slice(value);
            }
            None => all = Some(value.to_vec()),
        });
        let kind = match &self.what {
            What::Skew => ValueKind::Double,
            What::Sequence => ValueKind::Integer,
            _ => ValueKind::String,
        };
        all.map(|value| (value, kind))
    }

    /// Returns the value of a row as a number; for times, seconds since 1970.
    pub fn number(&self, row: &Document) -> Option<f64> {
        let seconds = |us: i64| us as f64 / 1e6;
        match &self.what {
            What::Received => Some(seconds(row.received_us)),
            What::Event => Some(seconds(row.event.unix_us)),
            What::Skew => Some(seconds(row.received_us.saturating_sub(row.event.unix_us))),
            What::Sequence => Some(row.sequence as f64),
            _ => {
                let mut found = None;
                self.visit(row, &mut |value| found = found.or_else(|| words::number(value)));
                found
            }
        }
    }

    /// Stores a value where the [`Name::in_table`] of this one finds it.
    pub(crate) fn set(&self, row: &mut Document, value: Vec<u8>, kind: ValueKind) {
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        match &self.what {
            What::Column(Column::Host) => row.host = value,
            What::Column(Column::Program) => row.program = value,
            What::Column(Column::Pid) => row.pid = value,
            What::Column(Column::Msgid) => row.msgid = value,
            What::Column(Column::Source) => row.source = text(&value),
            What::Column(Column::Peer) => row.peer = text(&value),
            What::Column(Column::Tags) => row.tags = vec![text(&value)],
            What::Column(Column::Facility) => {
                row.pri = row.pri & 7 | facility(&text(&value)) << 3;
            }
            What::Column(Column::Severity) => {
                let severity = Severity::from_name(&text(&value)).map_or(0, |severity| severity.0);
                row.pri = row.pri & !7 | u16::from(severity);
            }
            What::Column(Column::Named(name)) => add_value(row, name, value, kind),
            What::Message => row.text = value,
            What::Raw => row.raw = value,
            What::Received | What::Event | What::Skew | What::Sequence => {
                add_value(row, &self.shown, value, kind);
            }
        }
    }
}

/// The code of a facility's name.
fn facility(text: &str) -> u16 {
    Facility::from_name(text).map(|facility| facility.0).or_else(|| text.parse().ok()).unwrap_or_default()
}

/// Sets a name-value pair of a row.
pub(crate) fn add_value(row: &mut Document, name: &str, value: Vec<u8>, kind: ValueKind) {
    match row.values.iter_mut().find(|(known, ..)| known == name) {
        Some(known) => (known.1, known.2) = (value, kind),
        None => row.values.push((name.to_owned(), value, kind)),
    }
}

/// Formats a number without a needless fraction.
pub(crate) fn number_text(number: f64) -> Cow<'static, str> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.fract() == 0.0 && number.abs() < EXACT {
        true => Cow::Owned((number as i64).to_string()),
        false => Cow::Owned(number.to_string()),
    }
}

/// The kind of a number's text.
pub(crate) fn number_kind(text: &str) -> ValueKind {
    match text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        true => ValueKind::Integer,
        false => ValueKind::Double,
    }
}
