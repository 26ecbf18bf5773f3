//! Helpers shared by the tests of transport, sources and destinations: an intake that remembers, a template that is
//! easy to read, certificates.
//!
//! In: batches. Out: their messages as text, waited for. Holds: them, and tokens when asked to.
//! Limits: waiting ends after [`PATIENCE`].
#![allow(clippy::unwrap_used)]

mod peer;
mod pki;

pub use peer::{SecurePeer, check_read, output};
pub use pki::{Pki, params};

use message::{Ack, Batch, Delivery, Field, Intake, Render, Selection, Stamp, WriteBudget};
use std::{
    sync::{Arc, Condvar, Mutex},
    time::{Duration, Instant},
};

/// Longer than any test should take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// An intake that remembers the batches it received.
#[derive(Default)]
pub struct Collected {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    lines: Vec<String>,
    batches: Vec<Batch>,
    /// Keep the tokens.
    holding: bool,
    tokens: Vec<Ack>,
}

impl Collected {
    /// One that has taken nothing.
    pub fn new() -> Arc<Collected> {
        Arc::default()
    }

    /// Keeps tokens until `release` from now on.
    pub fn hold(&self) {
        self.state.lock().unwrap().holding = true;
    }

    /// Releases them, and those of later batches at once.
    pub fn release(&self) {
        let mut state = self.state.lock().unwrap();
        state.holding = false;
        let tokens = std::mem::take(&mut state.tokens);
        drop(state);
        drop(tokens);
    }

    /// Waits for `count` messages and shows all there are.
    #[track_caller]
    pub fn wait(&self, count: usize) -> Vec<String> {
        let state = self.state.lock().unwrap();
        let (state, timeout) =
            self.changed.wait_timeout_while(state, PATIENCE, |state| state.lines.len() < count).unwrap();
        assert!(!timeout.timed_out(), "waited for {count} messages, got {:?}", state.lines);
        state.lines.clone()
    }

    /// Returns the number of messages received.
    pub fn count(&self) -> usize {
        self.state.lock().unwrap().lines.len()
    }

    /// Looks at the batches.
    pub fn batches<T>(&self, look: impl FnOnce(&[Batch]) -> T) -> T {
        look(&self.state.lock().unwrap().batches)
    }
}

impl Intake for Collected {
    fn take(&self, mut batch: Batch, _budget: &WriteBudget) {
        let ack = std::mem::take(&mut batch.ack);
        let mut state = self.state.lock().unwrap();
        for index in 0..batch.len() {
            let shown = |field| String::from_utf8_lossy(batch.fixed(index, field)).into_owned();
            let line = format!("{}|{}|{}", shown(Field::Host), shown(Field::Program), shown(Field::Message));
            state.lines.push(line);
        }
        state.batches.push(batch);
        if state.holding {
            state.tokens.push(ack);
        }
        drop(state);
        self.changed.notify_all();
    }
}

/// Waits until a condition holds that gives no notification: effects of other threads, programs and the system.
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A template: `$HOST` and `$MSG` are replaced, all else is text.
pub struct Text(/** The template. */ pub String);

impl Text {
    /// Returns a template in the form that destinations need.
    pub fn boxed(text: &str) -> Box<dyn Render> {
        Box::new(Text(text.to_owned()))
    }

    fn append(&self, batch: &Batch, index: usize, out: &mut Vec<u8>, clean: impl Fn(Vec<u8>) -> Vec<u8>) {
        let mut rest = self.0.as_str();
        while let Some(at) = rest.find('$') {
            out.extend_from_slice(&rest.as_bytes()[..at]);
            rest = &rest[at..];
            let (field, size) =
                if rest.starts_with("$HOST") { (Field::Host, 5) } else { (Field::Message, 4) };
            out.extend(clean(batch.fixed(index, field).to_vec()));
            rest = &rest[size..];
        }
        out.extend_from_slice(rest.as_bytes());
    }
}

impl Render for Text {
    fn begin(&mut self, _now: Stamp) {}

    fn render(&mut self, batch: &Batch, index: usize, _sequence: u64, out: &mut Vec<u8>) {
        self.append(batch, index, out, |value| value);
    }

    fn render_name(&mut self, batch: &Batch, index: usize, _sequence: u64, out: &mut Vec<u8>) {
        let clean =
            |value: Vec<u8>| value.iter().map(|byte| if *byte == b'/' { b'_' } else { *byte }).collect();
        self.append(batch, index, out, clean);
    }

    fn constant(&self) -> Option<&str> {
        (!self.0.contains('$')).then_some(self.0.as_str())
    }
}

/// A batch of messages, each `HOST|TEXT`.
pub fn batch(messages: &[&str]) -> Batch {
    let mut batch =
        Batch::new(Arc::default(), vec![Arc::default()], Stamp::known(1_795_000_000_000_000, 0), Ack::none());
    for message in messages {
        let (host, text) = message.split_once('|').unwrap();
        let mut record = message::Message::default();
        record.host = batch.add_extra(host.as_bytes());
        record.text = batch.add_extra(text.as_bytes());
        batch.messages.push(record);
    }
    batch
}

/// A delivery of all messages of a batch.
pub fn delivery(messages: &[&str], ack: Ack, controlled: bool) -> Delivery {
    let batch = batch(messages);
    let selection = Selection::all(batch.len());
    Delivery { batch: Arc::new(batch), selection, controlled, ack, first: None }
}

/// A token and whether it was given back, and how.
pub fn token() -> (Ack, Arc<Mutex<Option<message::Outcome>>>) {
    struct Sink(Arc<Mutex<Option<message::Outcome>>>);
    impl message::AckSink for Sink {
        fn acknowledge(&self, outcome: message::Outcome) {
            *self.0.lock().unwrap() = Some(outcome);
        }
    }
    let seen = Arc::new(Mutex::new(None));
    (Ack::new(Box::new(Sink(seen.clone()))), seen)
}
