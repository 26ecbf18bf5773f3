//! Requests that are not answered with success.
//!
//! In: messages. Out: requests in the order they were begun. Holds: bodies, until their messages are settled.
//! Limits: `batch-lines()` and `batch-bytes()` of a body, of which the first message always fits; the worker flushes
//! before more than a few bodies are gathered.

use super::{
    super::options::{Render, Rendering},
    options::{Compression, HttpTarget},
};
use flate2::write::{GzEncoder, ZlibEncoder};
use message::{Batch, Field, Stamp};
use std::{io::Write, sync::Arc, time::Instant};

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
}

/// Where a request is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Waiting,
    Sent,
}

/// A request that may still grow.
struct Open {
    urls: Vec<String>,
    body: Vec<u8>,
    messages: usize,
    headers: Vec<(&'static str, String)>,
    since: Instant,
}

/// All requests of a destination.
pub(super) struct Pending {
    body: Box<dyn Render>,
    open: Vec<Open>,
    closed: Vec<(Arc<Request>, State, u32)>,
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
                self.open.push(Open { urls, body, messages: 0, headers, since: Instant::now() });
                self.open.len() - 1
            }
        };
        let open = &mut self.open[place];
        if open.messages > 0 {
            open.body.extend_from_slice(target.delimiter.as_bytes());
        }
        open.body.extend_from_slice(&self.text);
        open.messages += 1;
        if open.messages >= target.batch_lines.max(1) {
            self.close(place, target);
        }
        true
    }

    fn close(&mut self, place: usize, target: &HttpTarget) {
        let Open { urls, mut body, messages, headers, .. } = self.open.remove(place);
        body.extend_from_slice(target.body_suffix.as_bytes());
        let body = packed(body, target.settings.compression);
        self.next += 1;
        let request = Request { number: self.next, urls, body, messages, headers };
        self.closed.push((Arc::new(request), State::Waiting, 0));
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
        open + self.closed.iter().map(|(request, ..)| request.body.len().max(1)).sum::<usize>()
    }

    /// The oldest request that waits; it counts as sent.
    pub(super) fn next_waiting(&mut self) -> Option<Arc<Request>> {
        let (request, state, _) = self.closed.iter_mut().find(|(_, state, _)| *state == State::Waiting)?;
        *state = State::Sent;
        Some(request.clone())
    }

    fn entry(&mut self, request: &Request) -> Option<&mut (Arc<Request>, State, u32)> {
        self.closed.iter_mut().find(|(known, ..)| known.number == request.number)
    }

    /// It is to be sent again.
    pub(super) fn put_back(&mut self, request: &Request) {
        if let Some(entry) = self.entry(request) {
            entry.1 = State::Waiting;
        }
    }

    /// All that were sent are to be sent again.
    pub(super) fn put_all_back(&mut self) {
        self.closed.iter_mut().for_each(|entry| entry.1 = State::Waiting);
    }

    /// How often it was tried, this time included.
    pub(super) fn count_try(&mut self, request: &Request) -> u32 {
        self.entry(request).map_or(0, |entry| {
            entry.2 += 1;
            entry.2
        })
    }

    /// Its messages are settled.
    pub(super) fn done(&mut self, request: &Request) {
        self.closed.retain(|(known, ..)| known.number != request.number);
    }

    /// Forgets all, and says how many messages that was.
    pub(super) fn clear(&mut self) -> usize {
        let open: usize = self.open.drain(..).map(|open| open.messages).sum();
        open + self.closed.drain(..).map(|(request, ..)| request.messages).sum::<usize>()
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

/// What syslog-ng tells of a message that is sent alone.
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
