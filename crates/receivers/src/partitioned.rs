//! `worker-partition-key()`: messages with the same key go through in order, although several connections are used.
//!
//! In: a receiver, and a template for the key. Out: the same receiver, which also knows the key of each message.
//! Holds: both. Limits: the keys share out the connections; two keys may have the same one.

use crate::{
    contract::{Batches, Cell, Chore, Connection, Receiver, RequestLimits, RowError},
    staging::{StagedBefore, Staging},
};
use message::{Batch, RecordId, Render, Stamp};
use std::{
    hash::{DefaultHasher, Hasher},
    io,
    sync::Arc,
    time::{Duration, Instant},
};
use transport::InternalLog;

/// A receiver whose messages have keys.
pub struct Partitioned {
    receiver: Box<dyn Receiver>,
    key: Box<dyn Render>,
    text: Vec<u8>,
}

impl Partitioned {
    /// Gives the messages of a receiver keys.
    pub fn new(receiver: Box<dyn Receiver>, key: Box<dyn Render>) -> Partitioned {
        Partitioned { receiver, key, text: Vec::new() }
    }
}

impl Receiver for Partitioned {
    fn log_to(&mut self, log: &InternalLog) {
        self.receiver.log_to(log);
    }

    fn begin(&mut self, now: Stamp) {
        self.key.begin(now);
        self.receiver.begin(now);
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        self.receiver.row(batch, index, sequence, group)
    }

    fn partition(&mut self, batch: &Batch, index: usize, sequence: u64) -> Option<u64> {
        self.text.clear();
        self.key.render(batch, index, sequence, &mut self.text);
        let mut hasher = DefaultHasher::new();
        hasher.write(&self.text);
        Some(hasher.finish())
    }

    fn connection(&self) -> Box<dyn Connection> {
        self.receiver.connection()
    }

    fn batches(&self) -> Batches {
        self.receiver.batches()
    }

    fn limits(&self) -> RequestLimits {
        self.receiver.limits()
    }

    fn workers(&self) -> usize {
        self.receiver.workers()
    }

    fn instance(&self) -> String {
        self.receiver.instance()
    }

    fn stage_at(&mut self, staging: Arc<Staging>) -> io::Result<StagedBefore> {
        self.receiver.stage_at(staging)
    }

    fn end_stages(&mut self) {
        self.receiver.end_stages();
    }

    fn settled(&mut self, ids: &[RecordId]) {
        self.receiver.settled(ids);
    }

    fn next_chore(&self) -> Option<Instant> {
        self.receiver.next_chore()
    }

    fn chore(&self, reopen_after: Duration) -> Option<Chore> {
        self.receiver.chore(reopen_after)
    }

    fn trouble(&self) -> Option<String> {
        self.receiver.trouble()
    }

    fn settings(&self) -> Vec<String> {
        let mut settings = self.receiver.settings();
        settings.push("worker-partition-key".to_owned());
        settings
    }

    fn describe(&self, group: &str, cells: &[Cell]) -> String {
        self.receiver.describe(group, cells)
    }
}
