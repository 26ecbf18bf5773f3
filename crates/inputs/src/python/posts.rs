//! Messages of the process become batches.
//!
//! In: frames of messages: texts that are read as the source is configured, or messages that user code made. Out: batches in the
//! same order. Holds: the reader, and the origin of the messages. Limits: a text is cut at `log-msg-size()`; one that is empty is left out.

use super::acknowledged::Acknowledged;
use ::python::{Post, PostsError, Values, posts};
use intake::{BatchReader, Run, SettingsCell};
use message::{Batch, Message, Origin, Priority, Transport};
use std::sync::Arc;
use transport::own_name;

pub(super) struct Posts {
    pub(super) reader: BatchReader,
    origin: Arc<Origin>,
    /// `set_transport_name()`
    transport: Option<String>,
    /// Number of the next message of the process.
    next: u64,
    pub(super) book: Acknowledged,
    pub(super) values: Box<dyn Values>,
}

impl Posts {
    pub(super) fn new(cell: &Arc<SettingsCell>, values: Box<dyn Values>) -> Posts {
        let mut reader = BatchReader::new(cell);
        // A destination that waits for a disk must not keep the class waiting for an answer.
        reader.disable_inline_writes();
        let (origin, book) = (Arc::default(), Acknowledged::default());
        let mut posts = Posts { reader, origin, transport: None, next: 0, book, values };
        posts.name();
        posts
    }

    /// Begins with the messages of a new process.
    pub(super) fn restart(&mut self) {
        self.next = 0;
        self.transport = None;
        self.book = Acknowledged::default();
        self.name();
    }

    /// Takes new settings over after a reload.
    pub(super) fn refresh(&mut self) {
        if self.reader.refresh() {
            self.name();
        }
    }

    pub(super) fn set_transport(&mut self, name: String) {
        self.transport = Some(name);
        self.name();
    }

    fn name(&mut self) {
        let settings = self.reader.settings();
        let mut origin: Origin = settings.origin(Transport::Local, None, own_name(&settings.options.hosts));
        if let Some(name) = &self.transport {
            origin.transport_name.clone_from(name);
        }
        self.origin = Arc::new(origin);
    }

    /// Forwards the messages of a frame.
    pub(super) fn forward(&mut self, frame: &[u8]) -> Result<(), PostsError> {
        self.refresh();
        let mut posts = posts(frame)?.into_iter().peekable();
        while let Some(post) = posts.next() {
            let is_text = post.text.is_some();
            let mut run = vec![post];
            while let Some(post) = posts.next_if(|post| post.text.is_some() == is_text) {
                run.push(post);
            }
            let completion = self.book.run(self.next, run.len());
            self.next += run.len() as u64;
            if is_text {
                if let Some(batch) = self.read(run) {
                    self.reader.deliver(batch, Some(completion));
                } else {
                    completion.complete(message::Outcome::Done);
                }
            } else {
                let batch = self.made(run);
                let origin = self.origin.clone();
                self.reader.forward_decoded(batch, &origin, Some(completion));
            }
        }
        Ok(())
    }

    /// Reads texts.
    fn read(&mut self, run: Vec<Post<'_>>) -> Option<Batch> {
        let mut bytes = Vec::new();
        let mut changes = Vec::with_capacity(run.len());
        for post in run {
            if self.reader.add_value(post.text.unwrap_or_default(), &mut bytes) {
                changes.push(post.change);
            }
        }
        let mut batch = self.decode(bytes)?;
        for (index, change) in changes.into_iter().enumerate() {
            change.apply(&mut batch, index, &|name| self.values.is_macro(name));
        }
        Some(batch)
    }

    fn decode(&mut self, bytes: Vec<u8>) -> Option<Batch> {
        let runs = [Run { frames: self.reader.frames(), origin: self.origin.clone() }];
        self.reader.decode(Arc::new(bytes), &runs)
    }

    /// Reads a text for user code.
    pub(super) fn answer(&mut self, text: &[u8]) -> Option<Batch> {
        let mut bytes = Vec::new();
        if !self.reader.add_value(text, &mut bytes) {
            return None;
        }
        self.decode(bytes)
    }

    fn made(&mut self, run: Vec<Post<'_>>) -> Batch {
        let now = self.reader.clock().now();
        let mut batch = self.reader.batch(Arc::default(), &self.origin);
        let priority = self.reader.settings().options.decode.default_pri.unwrap_or(Priority::DEFAULT);
        for (index, post) in run.into_iter().enumerate() {
            let mut message = Message::default();
            (message.event, message.pri) = (now, priority);
            batch.messages.push(message);
            post.change.apply(&mut batch, index, &|name| self.values.is_macro(name));
        }
        batch
    }
}
