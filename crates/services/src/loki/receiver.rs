//! Rows of messages.
//!
//! In: messages. Out: the labels of each, as a selector of Loki, its time in microseconds and its line. Holds: nothing between two.
//! Limits: none of its own. Labels without a value are left out.

use super::connection::{LokiConnection, Shared};
use crate::grpc::{GrpcSettings, RenderedHeaders};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Render, Stamp};
use std::sync::Arc;

/// `timestamp()`: the time of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LokiTime {
    /// The time of sending.
    Current,
    /// The time of reception.
    Received,
    /// The time in the message.
    Message,
}

/// `loki()` over gRPC.
pub struct LokiTarget {
    /// The server, and what all requests share.
    pub settings: GrpcSettings,
    /// `headers()` whose values depend on the message.
    pub headers: Vec<(String, Box<dyn Render>)>,
    /// `labels()`
    pub labels: Vec<(String, Box<dyn Render>)>,
    /// `template()`
    pub line: Box<dyn Render>,
    /// `timestamp()`
    pub time: LokiTime,
    /// How messages are gathered in requests.
    pub batches: Batches,
}

/// The receiver of `loki()` over gRPC.
pub struct LokiReceiver {
    headers: RenderedHeaders,
    labels: Vec<(String, Box<dyn Render>)>,
    line: Box<dyn Render>,
    time: LokiTime,
    batches: Batches,
    shared: Arc<Shared>,
    now: Stamp,
    /// A value before it is written.
    text: Vec<u8>,
}

impl LokiReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: LokiTarget) -> LokiReceiver {
        let LokiTarget { settings, headers, labels, line, time, batches } = target;
        let headers = RenderedHeaders(headers);
        let shared = Shared { settings: Arc::new(settings), header_names: headers.names() };
        let (now, text) = (Stamp::default(), Vec::new());
        LokiReceiver { headers, labels, line, time, batches, shared: Arc::new(shared), now, text }
    }

    /// Returns `{name="value", ...}`.
    fn selector(&mut self, (batch, index): (&Batch, usize), sequence: u64) -> Vec<u8> {
        let mut out = b"{".to_vec();
        for (name, value) in &mut self.labels {
            self.text.clear();
            value.render(batch, index, sequence, &mut self.text);
            if self.text.is_empty() {
                continue;
            }
            if out.len() > 1 {
                out.extend_from_slice(b", ");
            }
            out.extend_from_slice(name.as_bytes());
            out.push(b'=');
            // The quoted text of JSON is one of Go, too.
            let text = String::from_utf8_lossy(&self.text);
            serde_json::to_writer(&mut out, &text).expect("memory takes what is written to it");
        }
        out.push(b'}');
        out
    }
}

impl Receiver for LokiReceiver {
    fn begin(&mut self, now: Stamp) {
        self.now = now;
        self.headers.begin(now);
        self.line.begin(now);
        self.labels.iter_mut().for_each(|(_, value)| value.begin(now));
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        self.headers.render((batch, index), sequence, group);
        let labels = self.selector((batch, index), sequence);
        let stamp = match self.time {
            LokiTime::Current => self.now,
            LokiTime::Received => batch.received_of(index),
            LokiTime::Message => batch.messages[index].event,
        };
        self.text.clear();
        self.line.render(batch, index, sequence, &mut self.text);
        let line = String::from_utf8_lossy(&self.text).into_owned().into_bytes();
        Ok(vec![Cell::Bytes(labels), Cell::Integer(stamp.unix_us), Cell::Bytes(line)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(LokiConnection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        self.batches
    }

    fn instance(&self) -> String {
        format!("loki,{}", self.shared.settings.authority())
    }

    fn settings(&self) -> Vec<String> {
        let labels: Vec<&str> = self.labels.iter().map(|(name, _)| name.as_str()).collect();
        vec![
            format!("{:?} {labels:?} {:?}", self.shared.settings, self.time),
            self.shared.header_names.join(" "),
        ]
    }

    fn describe(&self, _group: &str, cells: &[Cell]) -> String {
        let labels = match cells.first() {
            Some(Cell::Bytes(labels)) => String::from_utf8_lossy(labels),
            _ => "{}".into(),
        };
        format!("a line of {labels} for {}", self.shared.settings.authority())
    }
}
