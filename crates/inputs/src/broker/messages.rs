//! Publications become the frames of a batch, with what belongs to them as values.
//!
//! In: publications. Out: a batch of messages. Holds: them until they are forwarded. Limits: of a text no more is kept than a
//! message can have; an empty one is counted and makes no message.

use super::{Deliveries, Forwarder, Ticket};
use intake::Run;
use message::{Batch, Outcome, Span, ValueKind};
use std::{ops::Range, sync::Arc};
use transport::stats;

/// `store-metadata()`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Metadata {
    /// Messages have values that say where they come from.
    Stored,
    /// They have not.
    LeftOut,
}

/// The publications of a batch.
#[derive(Default)]
pub(crate) struct Messages {
    bytes: Vec<u8>,
    /// Names and values of `fields`.
    texts: Vec<u8>,
    fields: Vec<Field>,
    count: usize,
    tickets: Vec<Ticket>,
    /// Publications without a message, and those of which something was left out.
    odd: usize,
    is_last_empty: bool,
}

/// A value of a message.
struct Field {
    message: usize,
    name: Range<usize>,
    value: Range<usize>,
    kind: ValueKind,
}

impl Messages {
    /// Adds a publication.
    pub(crate) fn push(&mut self, feed: &mut Forwarder, text: &[u8]) {
        self.is_last_empty = !feed.reader.add_value(text, &mut self.bytes);
        match self.is_last_empty {
            true => self.odd += 1,
            false => self.count += 1,
        }
    }

    /// Adds a value to the last publication; its name is a prefix and the rest.
    pub(crate) fn add_value(&mut self, prefix: &str, name: &[u8], value: &[u8]) {
        let kind = if std::str::from_utf8(value).is_ok() { ValueKind::String } else { ValueKind::Bytes };
        self.add(prefix, name, value, kind);
    }

    /// Adds a number to the last publication.
    pub(crate) fn add_number(&mut self, name: &str, number: u64) {
        self.add(name, b"", number.to_string().as_bytes(), ValueKind::Integer);
    }

    fn add(&mut self, prefix: &str, name: &[u8], value: &[u8], kind: ValueKind) {
        if self.is_last_empty {
            return;
        }
        let start = self.texts.len();
        self.texts.extend_from_slice(prefix.as_bytes());
        self.texts.extend_from_slice(String::from_utf8_lossy(name).as_bytes());
        let middle = self.texts.len();
        self.texts.extend_from_slice(value);
        let (name, value) = (start..middle, middle..self.texts.len());
        self.fields.push(Field { message: self.count - 1, name, value, kind });
    }

    /// Adds a delivery that is acknowledged with the batch.
    pub(crate) fn add_ticket(&mut self, ticket: Ticket) {
        self.tickets.push(ticket);
    }

    /// Counts that something of a publication was left out.
    pub(crate) fn add_odd(&mut self) {
        self.odd += 1;
    }

    /// Forwards the messages, if there are any.
    pub(crate) fn forward(mut self, feed: &mut Forwarder, deliveries: &Deliveries) {
        if self.odd > 0 {
            stats::add(&feed.reader.settings().counters.frame_errors, self.odd);
        }
        let update = (!self.tickets.is_empty()).then(|| deliveries.update(std::mem::take(&mut self.tickets)));
        let runs = [Run { frames: feed.reader.frames(), origin: feed.origin.clone() }];
        let bytes = Arc::new(std::mem::take(&mut self.bytes));
        match (feed.reader.decode(bytes, &runs), update) {
            (Some(mut batch), update) => {
                self.store_values(&mut batch);
                feed.reader.deliver(batch, update);
            }
            (None, Some(update)) => update.complete(Outcome::Done),
            (None, None) => {}
        }
    }

    fn store_values(&self, batch: &mut Batch) {
        // Neighbours mostly share names, and many values: each is stored once for those in a row that have it at the same place.
        let mut last: Vec<(&Field, Span, Span)> = Vec::new();
        let (mut place, mut message, count) = (0, 0, batch.len());
        for field in self.fields.iter().filter(|field| field.message < count) {
            if field.message != message {
                (place, message) = (0, field.message);
            }
            let known = last.get(place).copied();
            let is_same = |a: &Range<usize>, b: &Range<usize>| self.texts[a.clone()] == self.texts[b.clone()];
            let name = match known {
                Some((other, name, _)) if is_same(&other.name, &field.name) => name,
                _ => batch.add_extra(&self.texts[field.name.clone()]),
            };
            let value = match known {
                Some((other, _, value)) if is_same(&other.value, &field.value) => value,
                _ => batch.add_extra(&self.texts[field.value.clone()]),
            };
            match last.get_mut(place) {
                Some(entry) => *entry = (field, name, value),
                None => last.push((field, name, value)),
            }
            batch.push_value(field.message, name, value, field.kind);
            place += 1;
        }
    }
}
