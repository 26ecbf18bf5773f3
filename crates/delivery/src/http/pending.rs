//! Requests that are not answered with success.
//!
//! In: messages. Out: requests in the order they were begun. Holds: bodies, until their messages are settled.
//! Limits: `batch-lines()` and `batch-bytes()` of a body, of which the first message always fits; the worker flushes
//! before more than a few bodies are gathered.

use crate::options::{Compression, HttpTarget, Rendering};
use flate2::write::{GzEncoder, ZlibEncoder};
use message::{Batch, Field, Render, Stamp};
use std::{
    io::Write,
    ops::Range,
    sync::Arc,
    time::{Duration, Instant},
};

/// Pause before messages that a server postponed are sent again: the first one, and how it grows while none is taken.
const POSTPONED_FIRST: Duration = Duration::from_millis(if cfg!(test) { 2 } else { 250 });
const POSTPONED_GROWS: u32 = 4;
const POSTPONED_MOST: Duration = Duration::from_secs(30);

/// A request that can be sent.
#[derive(Debug)]
pub(super) struct Request {
    number: u64,
    /// Its address at each target.
    pub(super) urls: Vec<String>,
    pub(super) body: Vec<u8>,
    pub(super) messages: usize,
    /// Headers of a request for one message: whose it is.
    pub(super) headers: Vec<(&'static str, String)>,
    /// Range of each message in the body before it was packed, when an answer has a result for each; else empty.
    pub(super) items: Vec<Range<usize>>,
    /// The body before it was packed, when `items` needs it and it was.
    plain: Option<Vec<u8>>,
}

impl Request {
    fn size(&self) -> usize {
        self.body.len().max(1) + self.plain.as_ref().map_or(0, Vec::len)
    }
}

/// Progress of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Waiting,
    /// Like `Waiting`, but not before this time.
    Postponed(Instant),
    Sent,
}

/// A request that is not settled.
struct Entry {
    request: Arc<Request>,
    state: State,
    /// How often it was tried since one of its messages was taken last.
    tries: u32,
    /// How often it was postponed since then.
    pauses: u32,
    /// Others of its first messages are settled: it is here because of what it holds, not because of the server.
    is_rest: bool,
    /// A try broke off: its messages may be stored already.
    may_be_stored: bool,
}

/// A request that may still grow.
struct Open {
    urls: Vec<String>,
    body: Vec<u8>,
    messages: usize,
    headers: Vec<(&'static str, String)>,
    items: Vec<Range<usize>>,
    has_items: bool,
    since: Instant,
}

impl Open {
    fn push(&mut self, text: &[u8], target: &HttpTarget) {
        if self.messages > 0 {
            self.body.extend_from_slice(target.delimiter.as_bytes());
        }
        if self.has_items {
            self.items.push(self.body.len()..self.body.len() + text.len());
        }
        self.body.extend_from_slice(text);
        self.messages += 1;
    }
}

/// All requests of a destination.
pub(super) struct Pending {
    body: Box<dyn Render>,
    open: Vec<Open>,
    closed: Vec<Entry>,
    next: u64,
    /// The text of one message, and of its addresses.
    text: Vec<u8>,
}

impl Pending {
    pub(super) fn new(rendering: Rendering) -> Pending {
        Pending { body: rendering.template, open: Vec::new(), closed: Vec::new(), next: 0, text: Vec::new() }
    }

    pub(super) fn set_rendering(&mut self, rendering: Rendering) {
        self.body = rendering.template;
    }

    pub(super) fn begin(&mut self, now: Stamp) {
        self.body.begin(now);
    }

    /// Adds a message to the request for its address. False: its template gives nothing to send.
    pub(super) fn add(
        &mut self,
        target: &mut HttpTarget,
        (batch, index): (&Batch, usize),
        sequence: u64,
    ) -> bool {
        let urls: Vec<String> =
            target.urls.iter_mut().map(|url| address(&mut **url, (batch, index), sequence)).collect();
        self.text.clear();
        self.body.render(batch, index, sequence, &mut self.text);
        if self.text.is_empty() {
            return false;
        }
        let place = match self.open.iter().position(|open| open.urls == urls) {
            Some(place) if fits(&self.open[place], self.text.len(), target) => place,
            full => {
                if let Some(full) = full {
                    self.close(full, target);
                }
                let headers = if target.batch_lines <= 1 { whose(batch, index) } else { Vec::new() };
                let body = target.body_prefix.clone().into_bytes();
                let has_items = urls.iter().any(|url| target.item_results.are_expected(url));
                let (items, since) = (Vec::new(), Instant::now());
                self.open.push(Open { urls, body, messages: 0, headers, items, has_items, since });
                self.open.len() - 1
            }
        };
        let open = &mut self.open[place];
        open.push(&self.text, target);
        if open.messages >= target.batch_lines.max(1) {
            self.close(place, target);
        }
        true
    }

    fn close(&mut self, place: usize, target: &HttpTarget) {
        let open = self.open.remove(place);
        let request = self.request(open, target);
        self.closed.push(Entry {
            request,
            state: State::Waiting,
            tries: 0,
            pauses: 0,
            is_rest: false,
            may_be_stored: false,
        });
    }

    fn request(&mut self, open: Open, target: &HttpTarget) -> Arc<Request> {
        let Open { urls, mut body, messages, headers, items, .. } = open;
        body.extend_from_slice(target.body_suffix.as_bytes());
        self.next += 1;
        let is_packed = target.settings.compression != Compression::None;
        let plain = (is_packed && !items.is_empty()).then(|| body.clone());
        let body = packed(body, target.settings.compression);
        Arc::new(Request { number: self.next, urls, body, messages, headers, items, plain })
    }

    /// Makes every request one that can be sent.
    pub(super) fn close_all(&mut self, target: &HttpTarget) {
        while !self.open.is_empty() {
            self.close(0, target);
        }
    }

    /// Since when the oldest request that may grow does so; `None` when one is ready to be sent, or none grows.
    pub(super) fn oldest_open(&self) -> Option<Instant> {
        if !self.closed.is_empty() {
            return None;
        }
        self.open.iter().map(|open| open.since).min()
    }

    pub(super) fn size(&self) -> usize {
        let open: usize = self.open.iter().map(|open| open.body.len()).sum();
        open + self.closed.iter().map(|entry| entry.request.size()).sum::<usize>()
    }

    /// The oldest request that may be sent now; it counts as sent.
    pub(super) fn next_waiting(&mut self, now: Instant) -> Option<Arc<Request>> {
        let entry = self.closed.iter_mut().find(|entry| match entry.state {
            State::Waiting => true,
            State::Postponed(until) => until <= now,
            State::Sent => false,
        })?;
        entry.state = State::Sent;
        Some(entry.request.clone())
    }

    /// When the first postponed request may be sent, if there is one.
    pub(super) fn next_postponed(&self) -> Option<Instant> {
        let until = |entry: &Entry| match entry.state {
            State::Postponed(until) => Some(until),
            _ => None,
        };
        self.closed.iter().filter_map(until).min()
    }

    fn entry(&mut self, request: &Request) -> Option<&mut Entry> {
        self.closed.iter_mut().find(|entry| entry.request.number == request.number)
    }

    /// It is to be sent again.
    pub(super) fn put_back(&mut self, request: &Request) {
        if let Some(entry) = self.entry(request) {
            entry.state = State::Waiting;
        }
    }

    /// All that were sent are to be sent again.
    pub(super) fn put_all_back(&mut self) {
        for entry in self.closed.iter_mut().filter(|entry| entry.state == State::Sent) {
            entry.state = State::Waiting;
            entry.may_be_stored = true;
        }
    }

    /// It is to be sent again after a pause that grows from time to time.
    pub(super) fn postpone(&mut self, request: &Request, now: Instant) {
        if let Some(entry) = self.entry(request) {
            let pause = POSTPONED_FIRST.saturating_mul(POSTPONED_GROWS.saturating_pow(entry.pauses));
            entry.pauses = entry.pauses.saturating_add(1);
            entry.state = State::Postponed(now + pause.min(POSTPONED_MOST));
        }
    }

    /// A try of it broke off.
    pub(super) fn mark_unsure(&mut self, request: &Request) {
        if let Some(entry) = self.entry(request) {
            entry.may_be_stored = true;
        }
    }

    /// Says whether an earlier try of it may have been stored.
    pub(super) fn may_be_stored(&mut self, request: &Request) -> bool {
        self.entry(request).is_some_and(|entry| entry.may_be_stored)
    }

    /// Says whether it is what a server left of a larger one.
    pub(super) fn is_rest(&mut self, request: &Request) -> bool {
        self.entry(request).is_some_and(|entry| entry.is_rest)
    }

    /// Keeps only some messages of a request, at its place, as a new one. The others are settled.
    pub(super) fn keep(
        &mut self,
        request: &Request,
        kept: &[usize],
        target: &HttpTarget,
    ) -> Option<Arc<Request>> {
        let plain = request.plain.as_deref().unwrap_or(&request.body);
        let mut open = Open {
            urls: request.urls.clone(),
            body: target.body_prefix.clone().into_bytes(),
            messages: 0,
            headers: request.headers.clone(),
            items: Vec::with_capacity(kept.len()),
            has_items: true,
            since: Instant::now(),
        };
        for text in kept.iter().filter_map(|index| plain.get(request.items.get(*index)?.clone())) {
            open.push(text, target);
        }
        debug_assert_eq!(open.items.len(), kept.len());
        let rest = self.request(open, target);
        let entry = self.entry(request)?;
        (entry.tries, entry.pauses, entry.is_rest) = (0, 0, true);
        entry.request = rest.clone();
        Some(rest)
    }

    /// How often it was tried, this time included.
    pub(super) fn count_try(&mut self, request: &Request) -> u32 {
        self.entry(request).map_or(0, |entry| {
            entry.tries += 1;
            entry.tries
        })
    }

    /// Its messages are settled.
    pub(super) fn done(&mut self, request: &Request) {
        self.closed.retain(|entry| entry.request.number != request.number);
    }

    /// Forgets all, and says how many messages that was.
    pub(super) fn clear(&mut self) -> usize {
        let open: usize = self.open.drain(..).map(|open| open.messages).sum();
        open + self.closed.drain(..).map(|entry| entry.request.messages).sum::<usize>()
    }
}

fn fits(open: &Open, size: usize, target: &HttpTarget) -> bool {
    let whole = open.body.len() + target.delimiter.len() + size + target.body_suffix.len();
    target.batch_bytes == 0 || whole <= target.batch_bytes
}

fn address(url: &mut dyn Render, (batch, index): (&Batch, usize), sequence: u64) -> String {
    if let Some(constant) = url.constant() {
        return constant.to_owned();
    }
    let mut bytes = Vec::new();
    url.render(batch, index, sequence, &mut bytes);
    // What a message contributes must not end the line of the request.
    bytes.retain(|byte| !byte.is_ascii_control());
    String::from_utf8_lossy(&bytes).replace(' ', "%20")
}

/// Returns the headers with which syslog-ng describes a message that is sent alone.
fn whose(batch: &Batch, index: usize) -> Vec<(&'static str, String)> {
    let text = |field| String::from_utf8_lossy(batch.fixed(index, field)).into_owned();
    let pri = batch.messages[index].pri;
    vec![
        ("X-Syslog-Host", text(Field::Host)),
        ("X-Syslog-Program", text(Field::Program)),
        ("X-Syslog-Facility", pri.facility().name().unwrap_or("user").to_owned()),
        ("X-Syslog-Level", pri.severity().name().to_owned()),
    ]
}

fn packed(body: Vec<u8>, compression: Compression) -> Vec<u8> {
    let level = flate2::Compression::fast();
    let done = match compression {
        Compression::None => return body,
        Compression::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), level);
            encoder.write_all(&body).and_then(|()| encoder.finish())
        }
        Compression::Deflate => {
            let mut encoder = ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(&body).and_then(|()| encoder.finish())
        }
    };
    done.expect("memory takes what is written to it")
}
