//! Publications of messages.
//!
//! In: messages. Out: the subject and the text of each. Holds: nothing between two.
//! Limits: a subject that cannot be published to, and a text of more than [`TEXT_BYTES_MAX`], make a dead letter.

use super::{
    connection::{NatsConnection, Shared},
    options::NatsTarget,
    subject,
};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Stamp};
use std::sync::Arc;

/// Longest text: no server takes more.
const TEXT_BYTES_MAX: usize = 64 << 20;

/// The receiver of `nats()`.
pub struct NatsReceiver {
    target: NatsTarget,
    shared: Arc<Shared>,
}

impl NatsReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: NatsTarget) -> NatsReceiver {
        let shared = Shared {
            server: target.server.clone(),
            login: target.login.clone(),
            storage: target.storage,
            timeout: target.timeout,
        };
        NatsReceiver { target, shared: Arc::new(shared) }
    }
}

impl Receiver for NatsReceiver {
    fn begin(&mut self, now: Stamp) {
        self.target.subject.begin(now);
        self.target.text.begin(now);
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        // All subjects share batches, so the name of their group is none of theirs.
        group.push_str(self.target.subject.constant().unwrap_or("subjects"));
        let mut name = Vec::new();
        self.target.subject.render(batch, index, sequence, &mut name);
        subject::check(&name).map_err(RowError::bad_name)?;
        let mut text = Vec::new();
        self.target.text.render(batch, index, sequence, &mut text);
        if text.len() > TEXT_BYTES_MAX {
            return Err(RowError::too_large("text", TEXT_BYTES_MAX));
        }
        Ok(vec![Cell::Bytes(name), Cell::Bytes(text)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(NatsConnection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        let server = &self.target.server;
        let subject = self.target.subject.constant().unwrap_or("a template");
        format!("nats,{},{},{subject}", server.host, server.port)
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        vec![
            format!("{:?} {:?} {:?}", target.storage, target.login, target.server.tls.is_some()),
            format!("{:?} {} {:?}", target.timeout, target.batches.workers, target.batches.retries),
        ]
    }

    fn describe(&self, _group: &str, cells: &[Cell]) -> String {
        let [Cell::Bytes(subject), Cell::Bytes(text)] = cells else { return self.instance() };
        let text = String::from_utf8_lossy(text);
        format!("nats {}: {text}", String::from_utf8_lossy(subject))
    }
}

#[cfg(test)]
mod tests;
