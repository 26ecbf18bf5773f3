//! The messages of one read: one buffer, one list of records, one acknowledgement.
//!
//! In: a buffer and decoded records. Out: their fields; changed copies of them. Cloning a batch copies the
//! records and the bytes made by processing, and shares the received bytes: this is the copy-on-write of log paths.
//! Holds: the ack token. Limits: [`BATCH_BYTES_MAX`] of received bytes.

use crate::{
    Ack, Field, FieldName, Message, Numbering, Origin, Selection, Span, Stamp, Value, ValueKind,
    sdata::{SdParam, sd_params},
};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Most bytes a batch may hold; spans address less than 2 GiB.
pub const BATCH_BYTES_MAX: usize = 1 << 30;
/// Most origins of a batch: a message refers to its origin with 16 bits, and the codec reserves the largest number
/// for "no origin".
pub const ORIGINS_MAX: usize = u16::MAX as usize;

/// Name of the value that holds a message's own received time: seconds since 1970, and its zone.
pub const OWN_RECEIVED: &str = ".received";

/// Messages that were received together.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The bytes as received. The source reuses the buffer when it is the last holder.
    pub received_bytes: Arc<Vec<u8>>,
    /// Bytes that decoding and processing made.
    pub extra: Vec<u8>,
    /// The messages in the order they were received.
    pub messages: Vec<Message>,
    pub(crate) values: Vec<Value>,
    /// Senders of the messages; `Message::origin` is an index into this list. Never empty when there are messages.
    pub origins: Vec<Arc<Origin>>,
    /// Received time, by our clock.
    pub received: Stamp,
    /// `${RCPTID}` of the first message; the others follow. 0 when no ids are given.
    pub rcptid: u64,
    /// The numbers that the sender gave the messages; `None` when it gave none.
    pub numbering: Option<Numbering>,
    /// The token to hold while the batch is being processed.
    pub ack: Ack,
}

impl Batch {
    /// Makes a batch over received bytes, without messages.
    pub fn new(received_bytes: Arc<Vec<u8>>, origins: Vec<Arc<Origin>>, received: Stamp, ack: Ack) -> Batch {
        assert!(received_bytes.len() <= BATCH_BYTES_MAX, "batch of {} bytes", received_bytes.len());
        assert!(origins.len() <= ORIGINS_MAX, "batch of {} origins", origins.len());
        Batch { received_bytes, origins, received, ack, ..Batch::default() }
    }

    /// Returns a dense copy of the selected messages, without the token; it keeps none of this batch's bytes alive.
    /// `${RCPTID}`s are not carried over: a batch only knows its first.
    pub fn copy_of(&self, selection: &Selection) -> Batch {
        let mut copy = Batch { origins: self.origins.clone(), received: self.received, ..Batch::default() };
        let mut received_bytes = Vec::new();
        for index in selection.iter() {
            let raw = self.messages[index].raw;
            let start = received_bytes.len();
            if !raw.is_extra() {
                received_bytes.extend_from_slice(self.bytes(raw));
            }
            let moved = |span: Span, copy: &mut Batch| {
                let inside = !raw.is_extra()
                    && !span.is_extra()
                    && span.start() >= raw.start()
                    && span.start() + span.len() <= raw.start() + raw.len();
                if inside {
                    Span::received(start + span.start() - raw.start(), span.len())
                } else {
                    copy.add_extra(self.bytes(span))
                }
            };
            copy.push_moved(self, index, moved);
        }
        copy.received_bytes = Arc::new(received_bytes);
        copy.numbering = self.numbering.as_ref().map(|numbering| numbering.of_some(selection.iter()));
        copy
    }

    /// Appends a copy of a message of any batch, with all its bytes, and returns its index. `${RCPTID}` is not
    /// carried over.
    pub fn push_copy(&mut self, other: &Batch, index: usize) -> usize {
        let last = self.push_moved(other, index, |span, own| own.add_extra(other.bytes(span)));
        let origin = self.messages[last].origin;
        self.messages[last].origin = self.push_origin(&other.origins[usize::from(origin)]);
        last
    }

    /// Appends a message of another batch with its values; `moved` copies their bytes here and returns their spans.
    fn push_moved(&mut self, other: &Batch, index: usize, moved: impl Fn(Span, &mut Batch) -> Span) -> usize {
        let mut message = other.messages[index].clone();
        for span in message.spans_mut().into_iter().filter(|span| !span.is_empty()) {
            *span = moved(*span, self);
        }
        message.values = 0;
        self.messages.push(message);
        let last = self.messages.len() - 1;
        let mut values: Vec<Value> = other.list(index).copied().collect();
        values.reverse();
        for value in values {
            let (name, bytes) = (moved(value.name, self), moved(value.value, self));
            self.push_value(last, name, bytes, value.kind);
        }
        last
    }

    /// Returns the index of an origin in the batch's list, adding the origin if it is not there.
    ///
    /// # Panics
    /// When the batch already has [`ORIGINS_MAX`] origins: a wrong index would attribute its messages to another
    /// sender.
    pub fn push_origin(&mut self, origin: &Arc<Origin>) -> u16 {
        let known = self.origins.iter().position(|known| Arc::ptr_eq(known, origin));
        let place = known.unwrap_or_else(|| {
            assert!(self.origins.len() < ORIGINS_MAX, "a batch has at most {ORIGINS_MAX} origins");
            self.origins.push(origin.clone());
            self.origins.len() - 1
        });
        // It is below the limit, which is checked above and when the batch is made.
        place as u16
    }

    /// Copies a message, with its changes, from another copy of this batch.
    pub fn adopt(&mut self, index: usize, other: &Batch) {
        assert!(Arc::ptr_eq(&self.received_bytes, &other.received_bytes), "copies of one batch");
        let mut message = other.messages[index].clone();
        for span in message.spans_mut().into_iter().filter(|span| span.is_extra()) {
            *span = self.add_extra(other.bytes(*span));
        }
        message.values = 0;
        self.messages[index] = message;
        let mut values: Vec<Value> = other.list(index).copied().collect();
        values.reverse();
        for value in values {
            let [name, bytes] = [value.name, value.value].map(|span| match span.is_extra() {
                true => self.add_extra(other.bytes(span)),
                false => span,
            });
            self.push_value(index, name, bytes, value.kind);
        }
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Returns true when the batch holds no message.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Returns the bytes of a span.
    #[inline]
    pub fn bytes(&self, span: Span) -> &[u8] {
        let area: &[u8] = if span.is_extra() { &self.extra } else { &self.received_bytes };
        area.get(span.start()..span.start() + span.len()).unwrap_or_default()
    }

    /// Stores bytes that processing made, and returns their span.
    pub fn add_extra(&mut self, bytes: &[u8]) -> Span {
        let offset = self.extra.len();
        self.extra.extend_from_slice(bytes);
        Span::extra(offset, bytes.len())
    }

    /// Returns the origin of a message.
    pub fn origin(&self, index: usize) -> &Origin {
        &self.origins[self.messages[index].origin as usize]
    }

    /// Returns the `${RCPTID}` of a message; 0 when no ids are given.
    pub fn rcptid_of(&self, index: usize) -> u64 {
        if self.rcptid == 0 { 0 } else { self.rcptid + index as u64 }
    }

    /// Returns the value of a field; `None` when the message does not have it.
    pub fn field(&self, index: usize, name: &FieldName) -> Option<Cow<'_, [u8]>> {
        match name {
            FieldName::Fixed(field) => Some(Cow::Borrowed(self.fixed(index, *field))),
            FieldName::Sdata(name) => match self.find(index, name) {
                Some(value) => self.shown(value),
                None => self.sdata_value(index, name),
            },
            FieldName::Named(name) => match self.find(index, name) {
                Some(value) => self.shown(value),
                None => self.origin_value(index, name).map(Cow::Borrowed),
            },
        }
    }

    /// Returns the received time of a message: its own if it has one, otherwise that of the batch.
    pub fn received_of(&self, index: usize) -> Stamp {
        let own = self.find(index, OWN_RECEIVED).filter(|value| value.kind == ValueKind::Datetime);
        own.and_then(|value| Stamp::from_text(self.bytes(value.value))).unwrap_or(self.received)
    }

    /// Sets the received time of one message. Storage and order still use that of the batch.
    pub fn set_received(&mut self, index: usize, stamp: Stamp) {
        let text = self.add_extra(stamp.to_text().as_bytes());
        self.set_value(index, OWN_RECEIVED, text, ValueKind::Datetime);
    }

    /// Returns the span of a field's value. `None` when the value is not in the batch's bytes as it is shown: it
    /// belongs to the origin, or must be unescaped first.
    pub fn span(&self, index: usize, name: &FieldName) -> Option<Span> {
        match name {
            FieldName::Fixed(field) => self.fixed_span(index, *field),
            FieldName::Sdata(name) | FieldName::Named(name) => {
                self.find(index, name).filter(|value| value.kind != ValueKind::Unset).map(|value| value.value)
            }
        }
    }

    /// Returns the span of a field that every message has; `None` for the fields of the origin.
    #[inline]
    pub fn fixed_span(&self, index: usize, field: Field) -> Option<Span> {
        let message = &self.messages[index];
        Some(match field {
            Field::Host => message.host,
            Field::Program => message.program,
            Field::Pid => message.pid,
            Field::Msgid => message.msgid,
            Field::Message => message.text,
            Field::LegacyMsghdr => message.msghdr,
            Field::Raw => message.raw,
            Field::HostFrom | Field::Source | Field::Transport | Field::FileName => return None,
        })
    }

    /// Returns the type that a field was set with; text for fields without one.
    pub fn kind(&self, index: usize, name: &FieldName) -> ValueKind {
        match name {
            FieldName::Fixed(field) => self.fixed_kind(index, *field),
            FieldName::Sdata(name) | FieldName::Named(name) => {
                self.find(index, name).map_or(ValueKind::String, |value| value.kind)
            }
        }
    }

    /// Returns the value of a field and the type that it was set with; text for fields without one.
    pub fn typed_field(&self, index: usize, name: &FieldName) -> Option<(Cow<'_, [u8]>, ValueKind)> {
        if let FieldName::Sdata(name) | FieldName::Named(name) = name
            && let Some(value) = self.find(index, name)
        {
            return self.shown(value).map(|shown| (shown, value.kind));
        }
        let kind = if let FieldName::Fixed(field) = name {
            self.fixed_kind(index, *field)
        } else {
            ValueKind::String
        };
        self.field(index, name).map(|value| (value, kind))
    }

    /// Returns the type of a field that every message has: text, unless it was set with another one.
    #[inline]
    pub fn fixed_kind(&self, index: usize, field: Field) -> ValueKind {
        if !self.has_values(index) {
            return ValueKind::String;
        }
        let typed = self.find(index, field.as_str()).filter(|typed| {
            let is_set = field.is_of_origin() && typed.kind != ValueKind::Unset;
            is_set || self.is_type(index, typed)
        });
        typed.map_or(ValueKind::String, |typed| typed.kind)
    }

    /// Returns the value of a field that every message has; empty when unknown.
    #[inline]
    pub fn fixed(&self, index: usize, field: Field) -> &[u8] {
        let message = &self.messages[index];
        match field {
            Field::Host => self.bytes(message.host),
            // A rewritten origin field of one message is among its pairs.
            Field::HostFrom | Field::Source | Field::Transport | Field::FileName
                if message.values != 0 && self.find(index, field.as_str()).is_some() =>
            {
                let set = self.find(index, field.as_str()).filter(|set| set.kind != ValueKind::Unset);
                set.map_or(b"", |set| self.bytes(set.value))
            }
            Field::HostFrom => self.origin(index).host_from.as_bytes(),
            Field::Program => self.bytes(message.program),
            Field::Pid => self.bytes(message.pid),
            Field::Msgid => self.bytes(message.msgid),
            Field::Message => self.bytes(message.text),
            Field::LegacyMsghdr => self.bytes(message.msghdr),
            Field::Source => self.origin(index).source_name().as_bytes(),
            Field::Raw => self.bytes(message.raw),
            Field::Transport => self.origin(index).transport_name.as_bytes(),
            Field::FileName => self.origin(index).file_name.as_bytes(),
        }
    }

    /// Sets a field. Setting `PROGRAM` or `PID` drops the tag as received, so that it is rebuilt from them.
    pub fn set_field(&mut self, index: usize, name: &FieldName, bytes: &[u8], kind: ValueKind) {
        match name {
            FieldName::Fixed(field) => {
                let span = self.add_extra(bytes);
                self.set_typed(index, *field, span, kind);
            }
            FieldName::Sdata(name) | FieldName::Named(name) => {
                let value = self.add_extra(bytes);
                self.set_value(index, name, value, kind);
            }
        }
    }

    /// Sets a fixed field to a span. Fields of the origin (`SOURCE`, ...) become pairs of this message only.
    pub fn set_fixed(&mut self, index: usize, field: Field, span: Span) {
        let message = &mut self.messages[index];
        match field {
            Field::Host => message.host = span,
            Field::Program => {
                message.program = span;
                message.msghdr = Span::EMPTY;
            }
            Field::Pid => {
                message.pid = span;
                message.msghdr = Span::EMPTY;
            }
            Field::Msgid => message.msgid = span,
            Field::Message => message.text = span,
            Field::LegacyMsghdr => message.msghdr = span,
            Field::Raw => message.raw = span,
            Field::HostFrom | Field::Source | Field::Transport | Field::FileName => {
                self.set_value(index, field.as_str(), span, ValueKind::String);
            }
        }
    }

    /// Sets a fixed field to a span, and its type.
    pub fn set_typed(&mut self, index: usize, field: Field, span: Span, kind: ValueKind) {
        let name = field.as_str();
        if field.is_of_origin() {
            return self.set_value(index, name, span, kind);
        }
        self.set_fixed(index, field, span);
        if kind != ValueKind::String {
            self.set_value(index, name, span, kind);
        } else if self.has_values(index)
            && self.find(index, name).is_some_and(|typed| self.is_type(index, typed))
        {
            self.set_value(index, name, Span::EMPTY, ValueKind::Unset);
        }
    }

    /// Sets a name-value pair; an older one of the same name is hidden.
    pub fn set_value(&mut self, index: usize, name: &str, value: Span, kind: ValueKind) {
        let name = self.add_extra(name.as_bytes());
        self.push_value(index, name, value, kind);
    }

    /// Reserves memory for pairs that will be set.
    pub fn reserve_values(&mut self, count: usize) {
        self.values.reserve(count);
    }

    /// Like [`Batch::set_value`] for a name that is already in the batch's bytes.
    #[inline]
    pub fn push_value(&mut self, index: usize, name: Span, value: Span, kind: ValueKind) {
        let next = self.messages[index].values;
        self.values.push(Value { name, value, kind, next });
        self.messages[index].values = self.values.len() as u32;
    }

    /// Removes a field: fixed ones become empty.
    pub fn unset_field(&mut self, index: usize, name: &FieldName) {
        match name {
            FieldName::Fixed(field) => self.set_fixed(index, *field, Span::EMPTY),
            FieldName::Sdata(name) | FieldName::Named(name) => {
                self.set_value(index, name, Span::EMPTY, ValueKind::Unset);
            }
        }
    }

    /// Adds a tag.
    pub fn add_tag(&mut self, index: usize, tag: &str) {
        if !self.has_tag(index, tag) {
            self.set_value(index, tag, Span::extra(0, 0), ValueKind::Tag);
        }
    }

    /// Removes a tag of any kind: set with [`Batch::add_tag`], of the origin, or of a mark.
    pub fn clear_tag(&mut self, index: usize, tag: &str) {
        if self.has_tag(index, tag) {
            // A tag pair with a value marks a tag that was removed.
            let gone = self.add_extra(b"-");
            self.set_value(index, tag, gone, ValueKind::Tag);
        }
    }

    /// Returns true when a message has a tag: one that was set on it, one of its origin, or that of a mark.
    pub fn has_tag(&self, index: usize, tag: &str) -> bool {
        let set = self.list(index).find(|v| v.kind == ValueKind::Tag && self.bytes(v.name) == tag.as_bytes());
        match set {
            Some(value) => value.value.is_empty(),
            None => {
                self.origin(index).tags.iter().any(|known| known == tag)
                    || self.messages[index].marks.tags().any(|known| known == tag)
            }
        }
    }

    /// Returns all tags of a message: its marks, its origin's, then those set, oldest first.
    pub fn tags(&self, index: usize) -> Vec<Cow<'_, str>> {
        let mut set: Vec<&Value> = Vec::new();
        let mut seen: HashSet<&[u8]> = HashSet::new();
        for value in self.list(index).filter(|value| value.kind == ValueKind::Tag) {
            if seen.insert(self.bytes(value.name)) {
                set.push(value);
            }
        }
        let fixed = self.messages[index].marks.tags().map(|tag: &str| Cow::Borrowed(tag));
        let (sources, given): (Vec<&String>, Vec<&String>) =
            self.origin(index).tags.iter().partition(|tag| tag.starts_with(".source."));
        let is_unseen = |tag: &Cow<'_, str>| !seen.contains(tag.as_bytes());
        let mut tags: Vec<Cow<'_, str>> =
            fixed.chain(given.into_iter().map(|tag| Cow::Borrowed(tag.as_str()))).filter(is_unseen).collect();
        let kept = set.iter().rev().filter(|value| value.value.is_empty());
        tags.extend(kept.map(|value| String::from_utf8_lossy(self.bytes(value.name))));
        // The tag of the source comes last, as in syslog-ng, which numbers it when the source starts.
        tags.extend(sources.into_iter().map(|tag| Cow::Borrowed(tag.as_str())).filter(is_unseen));
        tags
    }

    /// Returns the name-value pairs of a message (without tags, fixed fields, structured data and the origin's), newest
    /// first, each name once.
    pub fn values(&self, index: usize) -> Vec<(&[u8], &[u8], ValueKind)> {
        let mut seen: HashSet<&[u8]> = HashSet::new();
        let mut pairs = Vec::new();
        for value in self.list(index).filter(|value| value.kind != ValueKind::Tag) {
            let name = self.bytes(value.name);
            if seen.insert(name) && value.kind != ValueKind::Unset && !self.is_type(index, value) {
                pairs.push((name, self.bytes(value.value), value.kind));
            }
        }
        pairs
    }

    /// Returns the parameters of the structured data as received, in order, each with its current value: the value
    /// that was set since, or `None` when it was unset. Each occurrence of a repeated name keeps its own value.
    /// Elements without parameters have an empty name.
    pub fn sd_params_now(&self, index: usize) -> Vec<(SdParam<'_>, Option<Cow<'_, [u8]>>)> {
        let mut set: HashMap<&[u8], &Value> = HashMap::new();
        for value in self.list(index).filter(|value| value.kind != ValueKind::Tag) {
            if let Some(path) = self.bytes(value.name).strip_prefix(b".SDATA.") {
                set.entry(path).or_insert(value);
            }
        }
        let mut path = Vec::new();
        let mut value_of = |param: &SdParam<'_>| {
            path.clear();
            path.extend([param.id, b".", param.name].iter().copied().flatten());
            set.get(path.as_slice()).copied()
        };
        let params = sd_params(self.bytes(self.messages[index].sdata));
        params
            .map(|param| match value_of(&param) {
                Some(value) => (param, self.shown(value)),
                None => (param, Some(param.value())),
            })
            .collect()
    }

    /// Calls `each` with the name and the value of every pair as received that was neither set nor unset since: those
    /// of the structured data in order, which may repeat a name, then those of the origin.
    pub fn each_received(&self, index: usize, mut each: impl FnMut(&str, &[u8])) {
        let sdata = self.bytes(self.messages[index].sdata);
        let origin = &self.origin(index).values;
        if sdata.is_empty() && origin.is_empty() {
            return;
        }
        // There may be thousands of both: each name is looked up once.
        let set: HashSet<&[u8]> = self.set_names(index).collect();
        let mut name = String::new();
        for param in sd_params(sdata).filter(|param| !param.name.is_empty()) {
            name.clear();
            name.push_str(".SDATA.");
            name.push_str(&String::from_utf8_lossy(param.id));
            name.push('.');
            name.push_str(&String::from_utf8_lossy(param.name));
            if !set.contains(name.as_bytes()) {
                each(&name, &param.value());
            }
        }
        for (name, value) in origin.iter().filter(|(name, _)| !set.contains(name.as_bytes())) {
            each(name, value);
        }
    }

    /// Returns the names of all pairs of a message, including pairs that unset a received value; tags are left out.
    pub fn set_names(&self, index: usize) -> impl Iterator<Item = &[u8]> {
        let pairs = self.list(index).filter(|value| value.kind != ValueKind::Tag);
        pairs.map(|value| self.bytes(value.name))
    }

    /// Returns the memory of the batch in bytes: received bytes, bytes made by processing, and the records of
    /// messages and values.
    pub fn held_bytes(&self) -> usize {
        let records = size_of_val(self.messages.as_slice()) + size_of_val(self.values.as_slice());
        self.received_bytes.len() + self.extra.len() + records
    }

    /// Returns the numbers of the values `$0` to `$255` that a message has, starting at `from`.
    pub fn numbered(&self, index: usize, from: usize) -> impl Iterator<Item = u8> + use<> {
        let (mut seen, mut present) = ([0u64; 4], [0u64; 4]);
        for value in self.list(index) {
            let Some(number) = number_of(self.bytes(value.name)).map(usize::from) else { continue };
            let (word, bit) = (number / 64, 1 << (number % 64));
            if value.kind != ValueKind::Tag && seen[word] & bit == 0 {
                seen[word] |= bit;
                present[word] |= if value.kind == ValueKind::Unset { 0 } else { bit };
            }
        }
        (0..=u8::MAX)
            .skip(from)
            .filter(move |number| present[usize::from(number / 64)] >> (number % 64) & 1 == 1)
    }

    /// Returns true when a name-value pair or a tag was set on the message.
    #[inline]
    pub fn has_values(&self, index: usize) -> bool {
        self.messages[index].values != 0
    }

    /// Returns every pair of a message, hidden ones too, newest first.
    pub(crate) fn list(&self, index: usize) -> impl Iterator<Item = &Value> {
        let mut at = self.messages[index].values;
        std::iter::from_fn(move || {
            let value = self.values.get((at as usize).checked_sub(1)?)?;
            at = value.next;
            Some(value)
        })
    }

    fn find(&self, index: usize, name: &str) -> Option<&Value> {
        // Most names differ in length: then their bytes, which are elsewhere in memory, are not read.
        self.list(index).find(|value| {
            value.name.len() == name.len()
                && value.kind != ValueKind::Tag
                && self.bytes(value.name) == name.as_bytes()
        })
    }

    /// Returns true when a pair only records the type of a fixed field: it has the name and the value of that
    /// field.
    fn is_type(&self, index: usize, value: &Value) -> bool {
        let is_typed = !matches!(value.kind, ValueKind::String | ValueKind::Unset | ValueKind::Tag);
        let field = if is_typed { Field::from_name(self.bytes(value.name)) } else { None };
        field
            .is_some_and(|field| !field.is_of_origin() && self.bytes(value.value) == self.fixed(index, field))
    }

    fn shown(&self, value: &Value) -> Option<Cow<'_, [u8]>> {
        (value.kind != ValueKind::Unset).then(|| Cow::Borrowed(self.bytes(value.value)))
    }

    fn origin_value(&self, index: usize, name: &str) -> Option<&[u8]> {
        self.origin(index).value(name)
    }

    fn sdata_value(&self, index: usize, name: &str) -> Option<Cow<'_, [u8]>> {
        let path = name.strip_prefix(".SDATA.")?.as_bytes();
        let sdata = self.bytes(self.messages[index].sdata);
        let found = sd_params(sdata).find(|param| {
            let id = param.id.len();
            !param.name.is_empty()
                && path.len() == id + 1 + param.name.len()
                && path[..id] == *param.id
                && path[id] == b'.'
                && path[id + 1..] == *param.name
        });
        found.map(|param| param.value())
    }
}

/// Returns the number, `0` to `255`, when the name is that of a match value.
fn number_of(name: &[u8]) -> Option<u8> {
    let is_number = matches!(name, [b'0'] | [b'1'..=b'9', ..]);
    if is_number { std::str::from_utf8(name).ok()?.parse().ok() } else { None }
}

#[cfg(test)]
mod tests;
