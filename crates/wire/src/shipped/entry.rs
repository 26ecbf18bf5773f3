//! Builds the messages of a body, field by field.
//!
//! In: fields with names and types. Out: messages in a batch. Holds: the message in progress.
//! Limits: [`FIELDS_MAX`] pairs per message, further ones are only in its raw bytes.

pub(super) mod known;
pub(super) mod moment;

use super::{
    encoding::json::{Text, Token, unescape},
    reader::{OtlpNames, ShippedReader},
};
use known::KnownField;
use message::{
    Batch, FIELD_NAME_BYTES_MAX, Facility, Field, FieldName, Format, Message, Priority, Severity, Span,
    Stamp, ValueKind, ZoneQuality,
};

/// Most name-value pairs of one message.
pub(super) const FIELDS_MAX: usize = 1_000;
/// Names of what we know about a message that came: no sender sets them.
const IS_OURS: [&str; 6] = ["", "SOURCE", "TRANSPORT", "FILE_NAME", "RAWMSG", ".received"];

/// A value and its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Datum {
    pub(super) span: Span,
    pub(super) kind: ValueKind,
}

impl Datum {
    pub(super) fn text(span: Span) -> Datum {
        Datum { span, kind: ValueKind::String }
    }
}

/// The parts that the message in progress has already.
#[derive(Default)]
struct Has {
    time: bool,
    severity: bool,
    facility: bool,
    fields: usize,
}

/// Writes the messages of one body.
pub(super) struct Entries<'a> {
    pub(super) batch: &'a mut Batch,
    reader: &'a mut ShippedReader,
    origin: u16,
    index: usize,
    has: Has,
}

impl ShippedReader {
    /// Begins a body that lies in the received bytes of the batch.
    pub(super) fn entries<'a>(&'a mut self, batch: &'a mut Batch, origin: u16) -> Entries<'a> {
        self.names.clear();
        Entries::new(batch, self, origin)
    }
}

impl<'a> Entries<'a> {
    fn new(batch: &'a mut Batch, reader: &'a mut ShippedReader, origin: u16) -> Entries<'a> {
        let index = batch.len();
        Entries { batch, reader, origin, index, has: Has::default() }
    }

    /// Begins a message.
    pub(super) fn begin(&mut self, raw: Span) {
        self.index = self.batch.len();
        self.has = Has::default();
        let mut message = Message::default();
        message.raw = raw;
        message.origin = self.origin;
        message.format = Format::Raw;
        message.pri = self.reader.options.default_pri.unwrap_or(Priority::DEFAULT);
        message.event = Stamp { quality: ZoneQuality::Absent, ..self.batch.received };
        self.batch.messages.push(message);
    }

    /// Ends a message: without a text its raw bytes are the text.
    pub(super) fn end(&mut self) {
        let message = &mut self.batch.messages[self.index];
        if message.text.is_empty() {
            message.text = message.raw;
        }
    }

    /// Removes the message in progress.
    pub(super) fn forget(&mut self) {
        self.batch.messages.truncate(self.index);
    }

    /// Reads a line as syslog.
    pub(super) fn decode(&mut self, raw: Span) {
        self.index = self.batch.len();
        self.has = Has { time: true, severity: true, facility: true, fields: 0 };
        self.reader.decoder.decode(self.batch, raw, message::Marks::NONE, self.origin);
    }

    pub(super) fn message(&mut self) -> &mut Message {
        &mut self.batch.messages[self.index]
    }

    /// Sets the time, if it has none yet.
    pub(super) fn set_time(&mut self, stamp: Stamp) {
        if self.reader.options.keep_timestamp && !std::mem::replace(&mut self.has.time, true) {
            self.message().event = stamp;
        }
    }

    /// Sets the severity, if it has none yet.
    pub(super) fn set_severity(&mut self, severity: Severity) {
        if !std::mem::replace(&mut self.has.severity, true) {
            let message = self.message();
            message.pri = Priority::new(message.pri.facility(), severity);
        }
    }

    /// Sets the facility, if it has none yet.
    pub(super) fn set_facility(&mut self, facility: Facility) {
        if !std::mem::replace(&mut self.has.facility, true) {
            let message = self.message();
            message.pri = Priority::new(facility, message.pri.severity());
        }
    }

    /// Adds a field under a name that may mean a field of the message; otherwise it becomes a pair.
    pub(super) fn field(&mut self, name: &[u8], datum: Datum) {
        let placed = known::field(name).is_some_and(|field| self.put(field, datum));
        if !placed {
            self.value(name, datum);
        }
    }

    /// Adds a pair.
    pub(super) fn value(&mut self, name: &[u8], datum: Datum) {
        if self.has.fields >= FIELDS_MAX {
            return;
        }
        self.has.fields += 1;
        let name = self.reader.names.span(&self.reader.prefix, name, self.batch);
        self.batch.push_value(self.index, name, datum.span, datum.kind);
    }

    /// Sets a field of the message. Returns false when the field is set already, the value does not fit it, or the value
    /// has more information.
    pub(super) fn put(&mut self, field: KnownField, datum: Datum) -> bool {
        if matches!(datum.kind, ValueKind::Json | ValueKind::Null | ValueKind::Boolean)
            || datum.span.is_empty()
        {
            return false;
        }
        match field {
            KnownField::Time => self.put_time(datum),
            KnownField::Host => self.put_span(Field::Host, datum),
            KnownField::Program => self.put_span(Field::Program, datum),
            KnownField::Pid => self.put_span(Field::Pid, datum),
            KnownField::Msgid => self.put_span(Field::Msgid, datum),
            KnownField::Text => self.put_span(Field::Message, datum),
            KnownField::Severity => {
                let found = known::severity(self.batch.bytes(datum.span)).filter(|_| !self.has.severity);
                found.is_some_and(|(severity, is_all)| {
                    self.set_severity(severity);
                    is_all
                })
            }
            KnownField::Facility => {
                let found = known::facility(self.batch.bytes(datum.span)).filter(|_| !self.has.facility);
                found.is_some_and(|(facility, is_all)| {
                    self.set_facility(facility);
                    is_all
                })
            }
            KnownField::Priority => self.put_priority(datum),
            KnownField::Tag => self.put_tag(datum),
        }
    }

    /// Returns how the pairs of OpenTelemetry's records are named.
    pub(super) fn otlp_names(&self) -> OtlpNames {
        self.reader.otlp_names
    }

    /// Sets a field or a pair under the name that the message had at its sender, unless it is about how it came here.
    pub(super) fn set(&mut self, name: &str, value: Span, kind: ValueKind) {
        if self.has.fields >= FIELDS_MAX || IS_OURS.contains(&name) {
            return;
        }
        self.has.fields += 1;
        match FieldName::parse(shortened(name)) {
            FieldName::Fixed(field) => self.batch.set_typed(self.index, field, value, kind),
            FieldName::Sdata(name) | FieldName::Named(name) => {
                self.batch.set_value(self.index, &name, value, kind);
            }
        }
    }

    /// Adds a tag.
    pub(super) fn tag(&mut self, tag: &str) {
        if self.has.fields < FIELDS_MAX && !tag.is_empty() {
            self.has.fields += 1;
            self.batch.add_tag(self.index, shortened(tag));
        }
    }

    /// Sets the received time.
    pub(super) fn set_received(&mut self, stamp: Stamp) {
        self.batch.set_received(self.index, stamp);
    }

    fn put_time(&mut self, datum: Datum) -> bool {
        if self.has.time {
            return false;
        }
        let Some(stamp) = moment::read(self.batch.bytes(datum.span), &mut self.reader.stamps) else {
            return false;
        };
        self.set_time(stamp);
        true
    }

    fn put_span(&mut self, field: Field, datum: Datum) -> bool {
        let is_free = self.batch.fixed(self.index, field).is_empty();
        if is_free {
            self.batch.set_fixed(self.index, field, datum.span);
        }
        is_free
    }

    fn put_priority(&mut self, datum: Datum) -> bool {
        let text = std::str::from_utf8(self.batch.bytes(datum.span)).ok();
        let Some(pri) = text.and_then(|text| text.parse().ok()).filter(|pri| *pri <= Priority::MAX) else {
            return false;
        };
        let is_free = !self.has.severity && !self.has.facility;
        if is_free {
            self.set_severity(Priority(pri).severity());
            self.set_facility(Priority(pri).facility());
        }
        is_free
    }

    /// Splits `prog[pid]:` into its parts.
    fn put_tag(&mut self, datum: Datum) -> bool {
        let tag = self.batch.bytes(datum.span);
        let name = tag.iter().position(|byte| matches!(byte, b'[' | b':' | b' ')).unwrap_or(tag.len());
        let end = memchr::memchr(b']', tag).filter(|end| tag.get(name) == Some(&b'[') && *end > name);
        if name == 0 || !self.batch.fixed(self.index, Field::Program).is_empty() {
            return false;
        }
        self.batch.set_fixed(self.index, Field::Program, datum.span.part(0, name));
        if let Some(end) = end {
            self.put_span(Field::Pid, Datum::text(datum.span.part(name + 1, end)));
        }
        true
    }

    /// Returns the span of a string of the body.
    pub(super) fn text(&mut self, bytes: &[u8], text: Text) -> Span {
        if !text.escaped {
            return Span::received(text.start, text.end - text.start);
        }
        let start = self.batch.extra.len();
        unescape(&bytes[text.start..text.end], &mut self.batch.extra);
        Span::extra(start, self.batch.extra.len() - start)
    }

    /// Returns the value of a token that is neither object nor array.
    pub(super) fn scalar(&mut self, bytes: &[u8], token: Token) -> Datum {
        match token {
            Token::Text(text) => Datum::text(self.text(bytes, text)),
            Token::Number { start, end } => {
                let has_fraction = bytes[start..end].iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
                let kind = if has_fraction { ValueKind::Double } else { ValueKind::Integer };
                Datum { span: Span::received(start, end - start), kind }
            }
            Token::True => Datum { span: self.batch.add_extra(b"true"), kind: ValueKind::Boolean },
            Token::False => Datum { span: self.batch.add_extra(b"false"), kind: ValueKind::Boolean },
            Token::Null | Token::Object | Token::Array => Datum { span: Span::EMPTY, kind: ValueKind::Null },
        }
    }
}

/// Cuts a name between characters.
fn shortened(name: &str) -> &str {
    let mut end = name.len().min(FIELD_NAME_BYTES_MAX);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}
