//! What a destination needs to render templates, and remembers between messages.
//!
//! In: options, the time, a message. Out: bytes, appended. Holds: printed times and the sequence number.
//! Limits: none of its own.

use super::{
    Escape, Template, call,
    clock::Clocks,
    context::{self, Context},
    machine::Machine,
    macros::{self, Macro, TagOrder},
    parse::Part,
};
use jiff::tz::TimeZone;
use message::{Batch, FieldName, Span, Stamp, ValueKind};
use std::{borrow::Cow, sync::Arc};
use wire::StampFormat;

/// The treatment of values that cannot be cast to their type hint: `on-error()`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnError {
    /// The whole output is dropped.
    #[default]
    DropMessage,
    /// The one value is left out.
    DropProperty,
    /// The value stays, as a string.
    FallbackToString,
}

impl OnError {
    /// Returns the behaviour of a name in `on-error()`, `silently-` included.
    pub fn from_name(name: &str) -> Option<OnError> {
        let name = name.replace('_', "-");
        Some(match name.strip_prefix("silently-").unwrap_or(&name) {
            "drop-message" => OnError::DropMessage,
            "drop-property" => OnError::DropProperty,
            "fallback-to-string" => OnError::FallbackToString,
            _ => return None,
        })
    }
}

/// Options of templates: global ones or a destination's own.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// `time-zone()`: shows the sender's time in this zone and not in the message's own.
    pub zone: Option<TimeZone>,
    /// `frac-digits()`.
    pub fraction_digits: u8,
    /// `ts-format()`.
    pub stamp_format: StampFormat,
    /// `on-error()`.
    pub on_error: OnError,
    /// The order of `$TAGS`.
    pub tags: TagOrder,
}

impl Default for RenderOptions {
    fn default() -> Self {
        RenderOptions {
            zone: None,
            fraction_digits: 0,
            stamp_format: StampFormat::Bsd,
            on_error: OnError::default(),
            tags: TagOrder::default(),
        }
    }
}

/// The values that do not change while the program runs.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// `$LOGHOST`: the name of this machine.
    pub loghost: String,
    /// `$HOSTID`, kept over restarts.
    pub host_id: u32,
    /// `$RUNID`, counts starts.
    pub run_id: u32,
    /// Start of the program, in microseconds since 1970.
    pub started_us: i64,
    /// The environment, for `$(env NAME)`.
    pub environment: Vec<(String, String)>,
    /// Its zone; UTC when it is not set.
    pub zone: Option<TimeZone>,
    /// The answers to `$(uuid)`, `$(dns-resolve-ip ...)` and `$(getent ...)`; `None` in checks.
    pub machine: Option<Arc<dyn Machine>>,
}

/// The state of rendering for one destination.
#[derive(Clone, Debug)]
pub struct Renderer {
    pub(super) options: RenderOptions,
    pub(super) site: Arc<Site>,
    /// The present time: `$C_` macros. Set it once a batch.
    pub now: Stamp,
    /// `$SEQNUM` of the next message; 0 takes the sequence id in the message.
    pub seqnum: u32,
    /// The messages before the present one in its correlation; mostly none.
    pub context: Context,
    /// `$_`: the element that `$(map ...)` and its kin are at, or the old value of `groupset()`.
    pub item: Option<Vec<u8>>,
    /// `${CONTEXT_ID}`: the id of the correlation; empty outside of one.
    pub context_id: Vec<u8>,
    pub(super) clocks: Clocks,
}

impl Renderer {
    /// Makes a renderer with empty caches.
    pub fn new(options: RenderOptions, site: Arc<Site>) -> Renderer {
        let clocks = Clocks::new(&options);
        Renderer {
            options,
            site,
            now: Stamp::default(),
            seqnum: 0,
            context: Context::new(),
            item: None,
            context_id: Vec::new(),
            clocks,
        }
    }

    /// Prints in another way for a while.
    pub fn with_options(&mut self, options: &RenderOptions, print: impl FnOnce(&mut Renderer)) {
        let before = (std::mem::replace(&mut self.clocks, Clocks::new(options)), self.options.clone());
        self.options = options.clone();
        print(self);
        (self.clocks, self.options) = before;
    }

    /// Returns the options.
    #[inline]
    pub fn options(&self) -> &RenderOptions {
        &self.options
    }
}

impl Template {
    /// Appends the template's text for a message.
    #[inline]
    pub fn render(&self, batch: &Batch, index: usize, renderer: &mut Renderer, out: &mut Vec<u8>) {
        self.render_escaped(batch, index, renderer, self.escape, out);
    }

    /// Does the work of [`Template::render`] with another escaping of values than that of the template.
    pub fn render_escaped(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
        escape: Escape,
        out: &mut Vec<u8>,
    ) {
        if escape != Escape::None {
            for part in &self.parts {
                append(part, batch, index, renderer, escape, out);
            }
            return;
        }
        // The parts of nearly every template: slices to copy and times that are printed once a second.
        let mut stretch = Stretch::default();
        for part in &self.parts {
            match part {
                Part::Text(text) => stretch.text(text, batch, out),
                Part::Fixed(field) => match batch.fixed_span(index, *field) {
                    Some(span) => stretch.span(span, batch, out),
                    None => {
                        stretch.end(batch, out);
                        out.extend_from_slice(batch.fixed(index, *field));
                    }
                },
                // The tag as received is a slice, too.
                Part::Macro { id: Macro::Msghdr, default: None }
                    if !batch.messages[index].msghdr.is_empty() =>
                {
                    stretch.span(batch.messages[index].msghdr, batch, out);
                }
                Part::Macro { id, default: None } => {
                    stretch.end(batch, out);
                    macros::append(*id, batch, index, renderer, out);
                }
                _ => {
                    stretch.end(batch, out);
                    append(part, batch, index, renderer, escape, out);
                }
            }
        }
        stretch.end(batch, out);
    }

    /// Appends the template's text and returns its type: the hint's, or that of its only macro.
    pub fn render_typed(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
        out: &mut Vec<u8>,
    ) -> ValueKind {
        let mut kind = ValueKind::String;
        for part in &self.parts {
            kind = append(part, batch, index, renderer, self.escape, out);
        }
        match self.hint {
            Some(hint) => hint.kind(),
            None => self.kind(kind, batch, index),
        }
    }

    /// Appends an argument of a function. Nothing in it is escaped: the result of the outermost function is, once.
    pub(super) fn render_inner(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
        out: &mut Vec<u8>,
    ) -> ValueKind {
        let mut kind = ValueKind::String;
        for part in &self.parts {
            kind = append(part, batch, index, renderer, Escape::None, out);
        }
        self.kind(kind, batch, index)
    }

    /// Returns the type of the rendered text: that of the only part.
    fn kind(&self, rendered: ValueKind, batch: &Batch, index: usize) -> ValueKind {
        match self.parts.as_slice() {
            [Part::Fixed(field)] if self.typed => batch.fixed_kind(index, *field),
            [_] if self.typed => rendered,
            _ => ValueKind::String,
        }
    }

    /// Returns the text for a message, without copying where the template is constant or one field.
    #[inline]
    pub fn value<'a>(&'a self, batch: &'a Batch, index: usize, renderer: &mut Renderer) -> Cow<'a, [u8]> {
        match self.parts.as_slice() {
            [] => Cow::Borrowed(b""),
            [Part::Text(text)] => Cow::Borrowed(text),
            [Part::Field { name, default: None, bytes: true }] if self.escape == Escape::None => {
                batch.field(index, name).unwrap_or_default()
            }
            [Part::Fixed(field)] if self.escape == Escape::None => Cow::Borrowed(batch.fixed(index, *field)),
            _ => {
                let mut out = Vec::new();
                self.render(batch, index, renderer, &mut out);
                Cow::Owned(out)
            }
        }
    }
}

/// Received bytes that are yet to be copied: a line that is written as it came, but for its time, is one copy and not
/// one for each of its fields and of the blanks between them.
#[derive(Default)]
struct Stretch {
    start: usize,
    end: usize,
}

impl Stretch {
    #[inline]
    fn text(&mut self, text: &[u8], batch: &Batch, out: &mut Vec<u8>) {
        if let [byte] = text {
            // Blanks and line ends: no call to compare or to copy one byte.
            if self.start < self.end && batch.received_bytes.get(self.end) == Some(byte) {
                self.end += 1;
            } else {
                self.end(batch, out);
                out.push(*byte);
            }
            return;
        }
        let next = batch.received_bytes.get(self.end..self.end + text.len());
        if self.start < self.end && next == Some(text) {
            self.end += text.len();
        } else {
            self.end(batch, out);
            out.extend_from_slice(text);
        }
    }

    #[inline]
    fn span(&mut self, span: Span, batch: &Batch, out: &mut Vec<u8>) {
        if span.is_empty() {
            return;
        }
        if span.is_extra() {
            self.end(batch, out);
            out.extend_from_slice(batch.bytes(span));
            return;
        }
        if self.end != span.start() {
            self.end(batch, out);
            self.start = span.start();
        } else if self.start == self.end {
            self.start = span.start();
        }
        self.end = span.start() + span.len();
    }

    /// Copies what is to be copied.
    #[inline]
    fn end(&mut self, batch: &Batch, out: &mut Vec<u8>) {
        if self.start < self.end {
            out.extend_from_slice(batch.received_bytes.get(self.start..self.end).unwrap_or_default());
        }
        self.start = self.end;
    }
}

/// Appends one part; the result is its type.
#[inline]
fn append(
    part: &Part,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    escape: Escape,
    out: &mut Vec<u8>,
) -> ValueKind {
    let start = out.len();
    let (kind, default) = match part {
        Part::Text(text) => {
            out.extend_from_slice(text);
            return ValueKind::String;
        }
        Part::Fixed(field) => {
            out.extend_from_slice(batch.fixed(index, *field));
            if escape != Escape::None {
                escape.apply(out, start);
            }
            return ValueKind::String;
        }
        Part::Field { name, default, bytes } => {
            let kind = match batch.typed_field(index, name) {
                Some((_, ValueKind::Bytes)) if !bytes => ValueKind::Null,
                Some((value, kind)) => {
                    out.extend_from_slice(&value);
                    kind
                }
                None => ValueKind::Null,
            };
            (kind, default)
        }
        Part::Item { default } => {
            match &renderer.item {
                Some(item) => out.extend_from_slice(item),
                None => out.extend_from_slice(&batch.field(index, &item_name()).unwrap_or_default()),
            }
            (ValueKind::String, default)
        }
        Part::Back { back, part } => {
            let run = |batch: &Batch, index: usize, renderer: &mut Renderer| {
                append(part, batch, index, renderer, escape, out)
            };
            return context::referred(*back, batch, index, renderer, run).unwrap_or(ValueKind::Null);
        }
        Part::Macro { id, default } => (macros::append(*id, batch, index, renderer, out), default),
        Part::Call(call) => {
            let kind = call::append(call, batch, index, renderer, out);
            if escape != Escape::None {
                escape.apply(out, start);
            }
            return kind;
        }
    };
    let default = default.as_ref().filter(|_| out.len() == start);
    // In the name of a file the default is a part of the path; elsewhere it replaces the value.
    if escape == Escape::FileName {
        escape.apply(out, start);
    }
    if let Some(default) = default {
        out.extend_from_slice(default);
    }
    if escape == Escape::Quotes {
        escape.apply(out, start);
    }
    if default.is_some() { ValueKind::String } else { kind }
}

/// Returns the pair that `$_` names outside `$(map ...)` and similar functions.
fn item_name() -> FieldName {
    FieldName::Named("_".to_owned())
}
