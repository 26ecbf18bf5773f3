//! Publications become the frames of a batch, with the names of their topics as values.
//!
//! In: publications. Out: a batch of messages. Holds: them until they are forwarded. Limits: of a text no more is kept than a
//! message can have; an empty one is counted and makes no message.

use super::{Deliveries, Forwarder, Ticket};
use crate::batch_reader::Run;
use message::{Batch, Outcome, Span, ValueKind};
use std::sync::Arc;
use transport::stats;

/// The values that say where a message was published.
#[derive(Clone, Copy)]
pub(crate) struct ValueNames {
    /// The name of its topic.
    pub(crate) topic: &'static str,
    /// The number that the broker gave it.
    pub(crate) sequence: &'static str,
}

/// The publications of a batch.
#[derive(Default)]
pub(crate) struct Messages {
    bytes: Vec<u8>,
    topics: Vec<u8>,
    found: Vec<MessageTopic>,
    tickets: Vec<Ticket>,
    /// Those without a message.
    empty: usize,
}

struct MessageTopic {
    /// End of its topic in `topics`, which begins where that of the message before ends.
    topic_end: usize,
    sequence: Option<u64>,
}

impl Messages {
    /// Adds a publication.
    pub(crate) fn push(&mut self, feed: &mut Forwarder, topic: &[u8], sequence: Option<u64>, text: &[u8]) {
        if feed.reader.add_value(text, &mut self.bytes) {
            self.topics.extend_from_slice(topic);
            self.found.push(MessageTopic { topic_end: self.topics.len(), sequence });
        } else {
            self.empty += 1;
        }
    }

    /// Adds a delivery that is acknowledged with the batch.
    pub(crate) fn add_ticket(&mut self, ticket: Ticket) {
        self.tickets.push(ticket);
    }

    /// Forwards the messages, if there are any.
    pub(crate) fn forward(mut self, feed: &mut Forwarder, names: ValueNames, deliveries: &Deliveries) {
        if self.empty > 0 {
            stats::add(&feed.reader.settings().counters.frame_errors, self.empty);
        }
        let update = (!self.tickets.is_empty()).then(|| deliveries.update(std::mem::take(&mut self.tickets)));
        let runs = [Run { frames: feed.reader.frames(), origin: feed.origin.clone() }];
        let bytes = Arc::new(std::mem::take(&mut self.bytes));
        match (feed.reader.decode(bytes, &runs), update) {
            (Some(mut batch), update) => {
                self.store_places(&mut batch, names);
                feed.reader.deliver(batch, update);
            }
            (None, Some(update)) => update.complete(Outcome::Done),
            (None, None) => {}
        }
    }

    fn store_places(&self, batch: &mut Batch, names: ValueNames) {
        let (mut start, mut last) = (0, None::<(&[u8], Span)>);
        for (index, place) in self.found.iter().enumerate().take(batch.len()) {
            let topic = &self.topics[start..place.topic_end];
            start = place.topic_end;
            // Neighbours mostly share a topic.
            let span = match last {
                Some((name, span)) if name == topic => span,
                _ => batch.add_extra(topic),
            };
            last = Some((topic, span));
            let kind = if std::str::from_utf8(topic).is_ok() { ValueKind::String } else { ValueKind::Bytes };
            batch.set_value(index, names.topic, span, kind);
            if let Some(sequence) = place.sequence {
                let number = batch.add_extra(sequence.to_string().as_bytes());
                batch.set_value(index, names.sequence, number, ValueKind::Integer);
            }
        }
    }
}
