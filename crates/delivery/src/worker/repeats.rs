//! `suppress()`: a repeated message is written once, followed by how often it came.
//!
//! In: deliveries. Out: the messages to write, in order, with summaries between them. Holds: the last message.
//! Two messages are the same when host, program, PID and text are. Limits: one message is remembered, and only
//! for the time that the option says, from when it first came.

use super::{marks, part::BatchPart};
use message::{Ack, Batch, Field, Message, Origin, Priority, Selection, Stamp};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Bytes of the text in a summary, as in syslog-ng.
const QUOTED_BYTES: usize = 20;
const FIELDS: [Field; 4] = [Field::Host, Field::Program, Field::Pid, Field::Message];

/// The sieve of one destination.
pub(super) struct Repeats {
    within: Duration,
    own_name: String,
    last: Option<Last>,
}

struct Last {
    fields: [Vec<u8>; 4],
    priority: Priority,
    received_us: i64,
    /// How often it came again; the summary is due at `tell_at`.
    count: u64,
    tell_at: Instant,
}

impl Repeats {
    pub(super) fn new(within: Duration, own_name: String) -> Repeats {
        Repeats { within, own_name, last: None }
    }

    /// Returns the messages to write, with summaries, and how many were held back.
    pub(super) fn sift(&mut self, batch: &Arc<Batch>, selection: &Selection) -> (Vec<BatchPart>, usize) {
        let mut parts = Vec::new();
        let mut open = Selection::none(batch.len());
        let mut held = 0;
        for index in selection.iter() {
            if self.repeats(batch, index) {
                held += 1;
                continue;
            }
            if let Some(summary) = self.summary(batch.received) {
                let done = std::mem::replace(&mut open, Selection::none(batch.len()));
                parts.push(BatchPart { batch: batch.clone(), selection: done });
                parts.push(summary);
            }
            self.last = Some(Last {
                fields: FIELDS.map(|field| batch.fixed(index, field).to_vec()),
                priority: batch.messages[index].pri,
                received_us: batch.received.unix_us,
                count: 0,
                tell_at: Instant::now(),
            });
            open.add(index);
        }
        parts.push(BatchPart { batch: batch.clone(), selection: open });
        parts.retain(|part| !part.selection.is_empty());
        (parts, held)
    }

    fn repeats(&mut self, batch: &Batch, index: usize) -> bool {
        let Some(last) = &mut self.last else { return false };
        let age_us = batch.received.unix_us.saturating_sub(last.received_us);
        let is_near = age_us.max(0) as u128 <= self.within.as_micros();
        let mut fields = FIELDS.iter().zip(&last.fields);
        let is_same = fields.all(|(field, known)| batch.fixed(index, *field) == known);
        if !is_near || !is_same || last.fields[3] == marks::TEXT {
            return false;
        }
        if last.count == 0 {
            last.tell_at = Instant::now() + self.within;
        }
        last.count += 1;
        true
    }

    /// When the next summary is due.
    pub(super) fn due_at(&self) -> Option<Instant> {
        self.last.as_ref().filter(|last| last.count > 0).map(|last| last.tell_at)
    }

    /// The summary of what was held back. The message is forgotten.
    pub(super) fn summary(&mut self, now: Stamp) -> Option<BatchPart> {
        let last = self.last.take_if(|last| last.count > 0)?;
        let text = &last.fields[3];
        let quoted = String::from_utf8_lossy(&text[..text.len().min(QUOTED_BYTES)]).into_owned();
        let text = format!(
            "Last message '{quoted}' repeated {} times, suppressed by syslog-ng on {}",
            last.count, self.own_name
        );
        let mut batch = Batch::new(Arc::default(), vec![Arc::new(Origin::default())], now, Ack::none());
        let mut message = Message::default();
        (message.pri, message.event) = (last.priority, now);
        message.host = batch.add_extra(&last.fields[0]);
        message.program = batch.add_extra(&last.fields[1]);
        message.text = batch.add_extra(text.as_bytes());
        batch.messages.push(message);
        Some(BatchPart { batch: Arc::new(batch), selection: Selection::all(1) })
    }
}

#[cfg(test)]
mod tests {
    //! Rows of messages, and what is written of them.

    use super::*;

    fn batch(texts: &[&str], received_us: i64) -> Arc<Batch> {
        let received = Stamp::known(received_us, 0);
        let mut batch = Batch::new(Arc::default(), vec![Arc::new(Origin::default())], received, Ack::none());
        for text in texts {
            let mut message = Message::default();
            message.text = batch.add_extra(text.as_bytes());
            batch.messages.push(message);
        }
        Arc::new(batch)
    }

    fn show(parts: &[BatchPart]) -> Vec<String> {
        let texts = |part: &BatchPart| -> Vec<String> {
            let text = |index| String::from_utf8_lossy(part.batch.fixed(index, Field::Message)).into_owned();
            part.selection.iter().map(text).collect()
        };
        parts.iter().flat_map(texts).collect()
    }

    #[track_caller]
    fn check(batches: &[(&[&str], i64)], want: &[&str]) {
        let mut repeats = Repeats::new(Duration::from_secs(5), "gate".to_owned());
        let mut got = Vec::new();
        for (texts, second) in batches {
            let batch = batch(texts, second * 1_000_000);
            got.extend(show(&repeats.sift(&batch, &Selection::all(batch.len())).0));
        }
        got.extend(show(&repeats.summary(Stamp::default()).into_iter().collect::<Vec<_>>()));
        assert_eq!(got, want);
    }

    #[test]
    fn repeated_messages_are_told_once() {
        let told = |text: &str, count| {
            format!("Last message '{text}' repeated {count} times, suppressed by syslog-ng on gate")
        };
        check(&[(&["a", "b", "a"], 0)], &["a", "b", "a"]);
        check(&[(&["a", "a", "a", "b"], 0)], &["a", &told("a", 2), "b"]);
        check(&[(&["a"], 0), (&["a", "a"], 4)], &["a", &told("a", 2)]);
        check(&[(&["a"], 0), (&["a"], 6)], &["a", "a"]);
        check(&[(&["a", "a"], 0), (&["a"], 6)], &["a", &told("a", 1), "a"]);
        check(&[(&["-- MARK --", "-- MARK --"], 0)], &["-- MARK --", "-- MARK --"]);
        let long = "a text of more than twenty bytes";
        check(&[(&[long, long], 0)], &[long, &told(&long[..20], 1)]);
    }
}
