//! Builds a segment in memory: frames, columns and words of the messages as they arrive.
//!
//! In: messages of batches, or stored documents. Out: everything a query or a seal needs, always complete.
//! Holds: the whole segment: about 250 bytes per message. Learns frequent tokens and a compression dictionary from its
//! own first messages unless the segment before did.
//! Limits: [`DOCUMENTS_MAX`], [`BYTES_MAX`]; the owner asks [`Builder::is_full`] before it adds.

use super::{
    blocks::{Blocks, FoundBlock},
    capacity_hint::CapacityHint,
    columns::{Columns, zone_number},
    index::Index,
    learned::{Learned, train},
};
use crate::terms::frequent::Frequent;
use crate::{
    answers::column::Fixed,
    documents::text::{APART, Header},
    format::list::{self, Entry},
};
use message::{Stamp, ValueKind};
use std::{ops::Range, sync::Arc};

/// Most documents of a segment.
pub const DOCUMENTS_MAX: u32 = 1 << 22;
/// Most bytes of frames, texts and values of a segment: offsets within it have 32 bits.
pub const BYTES_MAX: u64 = 2 << 30;
/// Messages to learn from: enough to see what is frequent, few enough to hold uncompressed.
pub(super) const LEARN_DOCUMENTS: u32 = 40_000;
/// The same in bytes of frames.
const LEARN_BYTES: usize = 16 << 20;
/// Samples that a dictionary is trained from. More samples take longer to train and gain little.
const SAMPLE_BYTES: usize = 4096;
const SAMPLES_BYTES_MAX: usize = 2 << 20;

/// Priorities with a cached value id: those of syslog.
const PRIORITIES: usize = 192;

/// One message to add. Its values, tags and origin's values are added before it (see `Builder::add_value`).
pub(crate) struct Record<'a> {
    pub(crate) raw: &'a [u8],
    pub(crate) text: Text<'a>,
    pub(crate) host: &'a [u8],
    pub(crate) program: &'a [u8],
    pub(crate) pid: &'a [u8],
    pub(crate) msgid: &'a [u8],
    pub(crate) pri: u16,
    pub(crate) event: Stamp,
    pub(crate) received_us: i64,
    pub(crate) sender: Sender,
}

/// The text of a message.
pub(crate) enum Text<'a> {
    /// A part of the frame.
    Inside(Range<usize>),
    /// The text was made by processing.
    Apart(&'a [u8]),
}

/// Value ids that successive messages share.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sender {
    pub(crate) source: u32,
    pub(crate) peer: u32,
    pub(crate) tags: u32,
}

/// A segment being built.
pub(crate) struct Builder {
    pub(crate) first_sequence: u64,
    pub(crate) length: u32,
    /// Bytes of frames, texts and values so far.
    bytes: u64,
    pub(crate) learned: Option<Learned>,
    /// Messages after which to learn, when nothing was learned before.
    learn_documents: u32,
    pub(crate) index: Index,
    pub(crate) columns: Columns,
    pub(crate) blocks: Blocks,
    list: Vec<u8>,
    digits: Vec<u8>,
    /// Value ids of the priorities in their column; 0 for those that have not occurred yet.
    pri_ids: [u32; PRIORITIES],
}

impl Builder {
    /// An empty segment whose first message has this sequence number.
    pub(crate) fn new(first_sequence: u64, learned: Option<Learned>) -> Builder {
        let frequent =
            learned.as_ref().map_or_else(|| Arc::new(Frequent::none()), |known| known.frequent.clone());
        let dictionary = learned.as_ref().map(|learned| Arc::clone(&learned.dictionary));
        let capacity = learned.as_ref().map_or_else(CapacityHint::default, |learned| learned.capacity);
        Builder {
            first_sequence,
            length: 0,
            bytes: 0,
            index: Index::new(frequent, &capacity),
            columns: Columns::new(capacity.documents),
            blocks: Blocks::new(first_sequence, dictionary, capacity.block_bytes),
            learned,
            learn_documents: LEARN_DOCUMENTS,
            list: Vec::new(),
            digits: Vec::new(),
            pri_ids: [0; PRIORITIES],
        }
    }

    /// Learns after this many messages.
    #[cfg(test)]
    pub(crate) fn learn_after(&mut self, documents: u32) {
        self.learn_documents = documents;
    }

    /// Returns true when the segment must be sealed before more is added.
    pub(crate) fn is_full(&self) -> bool {
        self.length >= DOCUMENTS_MAX || self.bytes >= BYTES_MAX
    }

    /// Estimates the bytes of memory that the segment uses, without memory reserved in advance.
    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.index.memory_bytes() + self.columns.memory_bytes() + self.blocks.size()) as u64
    }

    /// Adds a name-value pair to the next message.
    pub(crate) fn add_value(&mut self, name: &str, kind: ValueKind, value: &[u8]) {
        if self.columns.add_value(self.length, name, kind, value) {
            self.index.add_value(value);
            self.bytes += (name.len() + value.len()) as u64;
        }
    }

    /// Returns the value id of a list of tags; 0 for none.
    pub(crate) fn tags_id<'a>(&mut self, tags: impl Iterator<Item = &'a str>) -> u32 {
        self.list.clear();
        for tag in tags {
            let entry = Entry { name: tag.as_bytes(), kind: ValueKind::Tag, value: b"" };
            list::push(&mut self.list, entry);
        }
        if self.list.is_empty() { 0 } else { self.columns.of(Fixed::Tags).intern(&self.list) }
    }

    /// Returns the value id of a text in a column; 0 for an empty one.
    pub(crate) fn value_id(&mut self, fixed: Fixed, text: &[u8]) -> u32 {
        if text.is_empty() { 0 } else { self.columns.of(fixed).intern(text) }
    }

    /// Adds a message. It is found when its batch ends.
    pub(crate) fn add(&mut self, record: &Record<'_>) {
        let document = self.length;
        assert!(document < DOCUMENTS_MAX, "a segment of {DOCUMENTS_MAX} documents is full");
        self.add_columns(document, record);
        self.add_frame(record);
        let text = match &record.text {
            Text::Inside(range) => &record.raw[range.clone()],
            Text::Apart(text) => {
                self.blocks.push_text(text);
                text
            }
        };
        self.index.add_text(text);
        self.bytes += record.raw.len() as u64;
        self.length += 1;
        self.blocks.end_document(document);
        if self.learned.is_none()
            && (self.length == self.learn_documents || self.blocks.size() >= LEARN_BYTES)
        {
            self.learn();
        }
    }

    fn add_columns(&mut self, document: u32, record: &Record<'_>) {
        let &Record { host, program, pid, msgid, pri, event, .. } = record;
        let columns = &mut self.columns;
        columns.set(Fixed::Host, document, host);
        columns.set(Fixed::Program, document, program);
        columns.set(Fixed::Pid, document, pid);
        columns.set(Fixed::Msgid, document, msgid);
        let id = match self.pri_ids.get(usize::from(pri)) {
            Some(id) if *id > 0 => *id,
            _ => {
                self.digits.clear();
                put_decimal(&mut self.digits, pri);
                let id = columns.of(Fixed::Pri).intern(&self.digits);
                if let Some(known) = self.pri_ids.get_mut(usize::from(pri)) {
                    *known = id;
                }
                id
            }
        };
        columns.of(Fixed::Pri).push(document, id);
        columns.of(Fixed::Source).push(document, record.sender.source);
        columns.of(Fixed::Peer).push(document, record.sender.peer);
        columns.of(Fixed::Tags).push(document, record.sender.tags);
        let header = Header { host, program, pid, msgid, pri };
        let (start, tail) = match &record.text {
            Text::Inside(range) => header.numbers(range.clone(), record.raw.len()),
            Text::Apart(_) => (0, APART),
        };
        let times = &mut columns.times;
        // Our clock never goes back within a segment: a range of time is a range of documents.
        let received = times.received.last().map_or(record.received_us, |last| record.received_us.max(*last));
        times.received.push(received);
        times.event.push(event.unix_us);
        times.zone.push(zone_number(event));
        times.text_start.push(start);
        times.text_tail.push(tail);
        debug_assert_eq!(
            columns.times.received.len(),
            document as usize + 1,
            "a received time for each message"
        );
        columns.end(document);
    }

    fn add_frame(&mut self, record: &Record<'_>) {
        let received_us = self.columns.times.received.last().copied().unwrap_or(record.received_us);
        let id = record.sender.peer;
        let peer = self.columns.fixed[Fixed::Peer as usize].string(id);
        self.blocks.push(record.raw, received_us, id, peer);
    }

    /// Prefetches the slot of a process id that will be looked up soon: there are many of them, spread over memory.
    #[inline]
    pub(crate) fn prefetch_lookup(&self, pid: &[u8]) {
        self.columns.fixed[Fixed::Pid as usize].values.prefetch_lookup(pid);
    }

    /// Ends a batch of messages: from now on all of them can be searched.
    pub(crate) fn end_batch(&mut self) {
        self.index.post();
    }

    /// Waits for blocks being compressed, and compresses the rest; nothing may be added afterwards.
    pub(crate) fn finish(&mut self) {
        self.blocks.finish(self.length);
    }

    /// Learns from the messages so far, and redoes the work that needed this knowledge from the start.
    fn learn(&mut self) {
        self.index.post();
        let documents = self.index.terms.documents();
        let counted =
            documents.iter().enumerate().map(|(id, count)| (self.index.terms.string(id as u32), *count));
        let frequent = Frequent::choose(counted, self.length);
        let dictionary = train(&self.blocks.samples(SAMPLE_BYTES, SAMPLES_BYTES_MAX));
        let learned = Learned::new(frequent, dictionary);
        let mut index = Index::new(Arc::clone(&learned.frequent), &CapacityHint::default());
        for document in 0..self.length {
            for named in &self.columns.named {
                if named.column.value_id_of(document) > 0 {
                    index.add_value(named.column.value_of(document));
                }
            }
            let rest = self.columns.fixed[Fixed::Rest as usize].value_of(document);
            list::entries(rest).flatten().for_each(|entry| index.add_value(entry.value));
            index.add_text(self.text_of(document));
        }
        index.post();
        self.index = index;
        self.blocks.learn(&learned.dictionary);
        self.learned = Some(learned);
    }

    /// The text of a document whose block is not compressed yet.
    fn text_of(&self, document: u32) -> &[u8] {
        let (FoundBlock::Plain(frames), first) = self.blocks.find(document) else { return b"" };
        let frame = frames.frame((document - first) as usize);
        let times = &self.columns.times;
        let (start, tail) = (times.text_start[document as usize], times.text_tail[document as usize]);
        if tail == APART {
            let before = &times.text_tail[first as usize..document as usize];
            return frames.text(before.iter().filter(|tail| **tail == APART).count());
        }
        let range = self.header_of(document).range(start, tail, frame.len());
        range.map_or(b"", |range| &frame[range])
    }

    /// Returns the sizes of the segment, and a little more: successive segments are similar, not equal.
    pub(super) fn capacity_hint(&self) -> CapacityHint {
        let more = |size: usize| size + size / 8;
        let terms = &self.index.terms;
        CapacityHint {
            documents: more(self.length as usize),
            pairs: more(self.index.flat.len()),
            pairs_again: more(self.index.again.len()),
            terms: terms.len(),
            term_bytes: more(terms.size()),
            block_bytes: more(self.blocks.bytes.len()),
        }
    }

    /// The header's values of a document.
    pub(crate) fn header_of(&self, document: u32) -> Header<'_> {
        let value = |fixed: Fixed| self.columns.fixed[fixed as usize].value_of(document);
        Header {
            host: value(Fixed::Host),
            program: value(Fixed::Program),
            pid: value(Fixed::Pid),
            msgid: value(Fixed::Msgid),
            pri: decimal(value(Fixed::Pri)),
        }
    }
}

fn put_decimal(out: &mut Vec<u8>, number: u16) {
    use std::io::Write;
    write!(out, "{number}").expect("writing to memory works");
}

/// The number that [`put_decimal`] wrote.
pub(crate) fn decimal(digits: &[u8]) -> u16 {
    std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests;
