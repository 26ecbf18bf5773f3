//! Records become the frames of a batch, with their places as values.
//!
//! In: records of several partitions. Out: a batch of messages, and which records it has of each partition. Holds: them until
//! they are forwarded. Limits: of a value no more is kept than a message can have; a value that is empty, and one that was
//! deleted (a tombstone), is counted and makes no message.

use super::offsets::{Place, Range};
use intake::BatchReader;
use message::{Batch, Span, ValueKind};

/// One record.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) topic: &'a str,
    pub(super) partition: i32,
    pub(super) offset: i64,
    pub(super) key: Option<&'a [u8]>,
    pub(super) value: Option<&'a [u8]>,
}

/// The records of a batch.
#[derive(Default)]
pub(super) struct Records {
    pub(super) bytes: Vec<u8>,
    pub(super) ranges: Vec<(Place, Range)>,
    pub(super) count: usize,
    /// Those without a message.
    pub(super) empty: usize,
    /// The record of each message.
    found: Vec<RecordPlace>,
    keys: Vec<u8>,
}

struct RecordPlace {
    /// Index of its partition in `ranges`.
    range: usize,
    offset: i64,
    /// End of its key in `keys`, which begins where that of the message before ends.
    key: Option<usize>,
}

impl Records {
    /// Adds a record, and its frame to those of the reader.
    pub(super) fn push(&mut self, record: Record<'_>, reader: &mut BatchReader) {
        let range = self.range(record);
        self.count += 1;
        if !record.value.is_some_and(|value| reader.add_value(value, &mut self.bytes)) {
            self.empty += 1;
            return;
        }
        let key = record.key.map(|key| {
            self.keys.extend_from_slice(key);
            self.keys.len()
        });
        self.found.push(RecordPlace { range, offset: record.offset, key });
    }

    /// Returns the index of the partition of a record, whose range it extends. Neighbours are mostly of one partition.
    fn range(&mut self, record: Record<'_>) -> usize {
        let is_its = |((topic, partition), _): &(Place, Range)| {
            *partition == record.partition && topic.as_ref() == record.topic
        };
        let end = record.offset.saturating_add(1);
        match self.ranges.iter().rposition(is_its) {
            Some(index) => {
                self.ranges[index].1.end = end;
                index
            }
            None => {
                let place = (record.topic.into(), record.partition);
                self.ranges.push((place, Range { first: record.offset, end }));
                self.ranges.len() - 1
            }
        }
    }

    /// Sets `.kafka.topic`, `.kafka.partition`, `.kafka.offset` and `.kafka.key` of each message.
    pub(super) fn store_metadata(&self, batch: &mut Batch) {
        let places: Vec<(Span, Span)> = self
            .ranges
            .iter()
            .map(|((topic, partition), _)| {
                (batch.add_extra(topic.as_bytes()), batch.add_extra(partition.to_string().as_bytes()))
            })
            .collect();
        let mut start = 0;
        for (index, found) in self.found.iter().enumerate().take(batch.len()) {
            let (topic, partition) = places[found.range];
            let offset = batch.add_extra(found.offset.to_string().as_bytes());
            batch.set_value(index, ".kafka.topic", topic, ValueKind::String);
            batch.set_value(index, ".kafka.partition", partition, ValueKind::Integer);
            batch.set_value(index, ".kafka.offset", offset, ValueKind::Integer);
            let Some(end) = found.key else { continue };
            let key = &self.keys[start..end];
            let kind = if std::str::from_utf8(key).is_ok() { ValueKind::String } else { ValueKind::Bytes };
            let key = batch.add_extra(key);
            batch.set_value(index, ".kafka.key", key, kind);
            start = end;
        }
    }
}
