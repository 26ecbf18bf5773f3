//! The writer of the values that parsers find in a message.
//!
//! In: names and values. Out: pairs of the message; a name such as `HOST` sets the field of that name.
//! A value within the text being read becomes a span of it; a computed value is copied once. Messages of a
//! batch mostly share their names: a name with a prefix is written once and found again.
//! Limits: [`VALUES_MAX`] values per message, names of [`FIELD_NAME_BYTES_MAX`] bytes, [`EXTRA_BYTES_MAX`] made bytes
//! per batch: the rest is left out, and the message is marked.

use message::{Batch, FIELD_NAME_BYTES_MAX, Field, FieldName, Mark, Span, Stamp, ValueKind};

/// Most values that one parser sets on one message: the names of a message are compared one by one.
pub const VALUES_MAX: usize = 4096;
/// Most bytes that parsers make in a batch; spans address less than 2 GiB.
const EXTRA_BYTES_MAX: usize = 1 << 30;
/// Slots of the table of names, a power of two.
const SLOTS: usize = 128;

/// The names that a parser has used in a batch so far.
pub(super) struct NameCache {
    prefix: Vec<u8>,
    /// True when a name may be that of a field: fields begin with a capital letter.
    may_be_fields: bool,
    /// Spans of full names, by a rough hash of what follows the prefix.
    slots: [Span; SLOTS],
}

impl NameCache {
    pub(super) fn new(prefix: &str) -> NameCache {
        let may_be_fields = prefix.bytes().next().is_none_or(|first| first.is_ascii_uppercase());
        NameCache { prefix: prefix.as_bytes().to_vec(), may_be_fields, slots: [Span::EMPTY; SLOTS] }
    }
}

/// The message that is being read.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) index: usize,
    /// Address of the text.
    pub(super) text_at: usize,
    /// Its span in the batch.
    pub(super) span: Span,
}

/// Takes the values of one message.
pub struct Writer<'a> {
    batch: &'a mut Batch,
    names: &'a mut NameCache,
    target: Target,
    count: usize,
    /// True when names get no prefix.
    is_unprefixed: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(batch: &'a mut Batch, names: &'a mut NameCache, target: Target) -> Writer<'a> {
        Writer { batch, names, target, count: 0, is_unprefixed: false }
    }

    /// Returns the number of values written.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Writes a value. The prefix is put before its name.
    #[inline]
    pub fn set(&mut self, name: &[u8], value: &[u8], kind: ValueKind) {
        if self.is_full() {
            return self.cut();
        }
        let name = self.full_name(name);
        let value = self.span_of(value);
        self.push(name, value, kind);
    }

    /// Writes a value that `make` appends to the buffer it gets.
    pub fn set_made(&mut self, name: &[u8], kind: ValueKind, make: impl FnOnce(&mut Vec<u8>)) {
        if self.is_full() {
            return self.cut();
        }
        let name = self.full_name(name);
        let start = self.batch.extra.len();
        make(&mut self.batch.extra);
        let value = Span::extra(start, self.batch.extra.len() - start);
        self.push(name, value, kind);
    }

    /// Writes a value under a name without the prefix.
    pub fn set_unprefixed(&mut self, name: &[u8], value: &[u8], kind: ValueKind) {
        if self.is_full() {
            return self.cut();
        }
        let name_span = self.batch.add_extra(cut_name(name));
        let value = self.span_of(value);
        match Field::from_name(name) {
            Some(field) => self.batch.set_typed(self.target.index, field, value, kind),
            None => self.batch.push_value(self.target.index, name_span, value, kind),
        }
        self.count += 1;
    }

    /// Writes later names without the prefix: they are numbers, like those of the results of a match.
    pub(in crate::parser) fn begin_numbers(&mut self) {
        self.is_unprefixed = true;
    }

    /// Returns the time of receiving.
    pub(in crate::parser) fn received(&self) -> Stamp {
        self.batch.received_of(self.target.index)
    }

    /// Sets the time of the message.
    pub(in crate::parser) fn set_event(&mut self, stamp: Stamp) {
        self.batch.messages[self.target.index].event = stamp;
    }

    /// Returns true when the message has a value of this name.
    pub(in crate::parser) fn has(&self, name: &str) -> bool {
        self.batch.field(self.target.index, &FieldName::Named(name.to_owned())).is_some()
    }

    /// Removes a value whose name takes no prefix.
    pub(in crate::parser) fn unset_unprefixed(&mut self, name: &str) {
        if self.has(name) {
            self.batch.unset_field(self.target.index, &FieldName::Named(name.to_owned()));
        }
    }

    /// Removes the values of a match from a number on.
    pub(in crate::parser) fn unset_numbered(&mut self, from: usize) {
        for number in self.batch.numbered(self.target.index, from) {
            self.batch.unset_field(self.target.index, &FieldName::Named(number.to_string()));
        }
    }

    /// Adds a tag to the message.
    pub fn add_tag(&mut self, tag: &str) {
        self.batch.add_tag(self.target.index, tag);
    }

    /// Marks the message: some of its values were left out.
    pub fn cut(&mut self) {
        self.batch.messages[self.target.index].marks.add(Mark::ValuesCut);
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.count >= VALUES_MAX || self.batch.extra.len() >= EXTRA_BYTES_MAX
    }

    #[inline]
    fn push(&mut self, name: Span, value: Span, kind: ValueKind) {
        self.count += 1;
        let index = self.target.index;
        if self.names.may_be_fields
            && let Some(field) = Field::from_name(self.batch.bytes(name))
        {
            return self.batch.set_typed(index, field, value, kind);
        }
        self.batch.push_value(index, name, value, kind);
    }

    /// Returns the span of bytes: in the text when they are part of it, else among the made bytes.
    #[inline]
    fn span_of(&mut self, bytes: &[u8]) -> Span {
        self.inside(bytes).unwrap_or_else(|| self.batch.add_extra(bytes))
    }

    #[inline]
    fn inside(&self, bytes: &[u8]) -> Option<Span> {
        let offset = (bytes.as_ptr() as usize).checked_sub(self.target.text_at)?;
        let end = offset.checked_add(bytes.len())?;
        (end <= self.target.span.len()).then(|| self.target.span.part(offset, end))
    }

    #[inline]
    fn full_name(&mut self, name: &[u8]) -> Span {
        if self.is_unprefixed {
            return self.batch.add_extra(cut_name(name));
        }
        let prefix = &self.names.prefix;
        let limit = FIELD_NAME_BYTES_MAX.saturating_sub(prefix.len());
        let name = if name.len() > limit { self.shortened(name, limit) } else { name };
        let prefix = &self.names.prefix;
        if prefix.is_empty()
            && let Some(span) = self.inside(name)
        {
            return span;
        }
        let slot = slot(name);
        let known = self.names.slots[slot];
        if known.len() == prefix.len() + name.len() && self.batch.bytes(known)[prefix.len()..] == *name {
            return known;
        }
        let start = self.batch.extra.len();
        self.batch.extra.extend_from_slice(prefix);
        self.batch.extra.extend_from_slice(name);
        let span = Span::extra(start, prefix.len() + name.len());
        self.names.slots[slot] = span;
        span
    }

    #[cold]
    fn shortened<'n>(&mut self, name: &'n [u8], limit: usize) -> &'n [u8] {
        self.cut();
        shorten(name, limit)
    }
}

fn slot(name: &[u8]) -> usize {
    let byte = |at: usize| name.get(at).copied().unwrap_or_default() as usize;
    let last = name.len().wrapping_sub(1);
    (name.len() + byte(0) * 3 + byte(last) * 17 + byte(name.len() / 2) * 29) % SLOTS
}

fn cut_name(name: &[u8]) -> &[u8] {
    if name.len() > FIELD_NAME_BYTES_MAX { shorten(name, FIELD_NAME_BYTES_MAX) } else { name }
}

/// Returns the start of a name, without a partial character at its end.
fn shorten(name: &[u8], limit: usize) -> &[u8] {
    let is_inside = |at: usize| name.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let mut end = limit.min(name.len());
    while end > 0 && is_inside(end) {
        end -= 1;
    }
    &name[..end]
}
