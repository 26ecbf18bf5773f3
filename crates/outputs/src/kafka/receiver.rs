//! Records of messages.
//!
//! In: messages. Out: the topic, the key and the text of each. Holds: the producer, between two.
//! Limits: a topic that has no legal name makes a dead letter, unless `fallback-topic()` takes it; so does a text of more than
//! [`TEXT_BYTES_MAX`].

use super::{
    connection::{KafkaConnection, Shared},
    options::KafkaTarget,
    topic,
    transaction::TransactionConnection,
};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Render, Stamp};
use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};
use transport::InternalLog;

/// Longest text: librdkafka takes no more.
const TEXT_BYTES_MAX: usize = 1_000_000_000;
/// Longest wait for the reports of a request.
const REPORTS_WITHIN: Duration = Duration::from_secs(10);

/// The receiver of `kafka()`.
pub struct KafkaReceiver {
    target: KafkaTarget,
    shared: Arc<Shared>,
}

impl KafkaReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: KafkaTarget) -> KafkaReceiver {
        let records = target.batches.lines.saturating_mul(target.batches.workers).saturating_mul(2);
        let shared = Arc::new(Shared::new(target.properties.clone(), records, REPORTS_WITHIN));
        KafkaReceiver { target, shared }
    }
}

fn render(template: &mut Box<dyn Render>, (batch, index, sequence): (&Batch, usize, u64)) -> Vec<u8> {
    let mut out = Vec::new();
    template.render(batch, index, sequence, &mut out);
    out
}

impl Receiver for KafkaReceiver {
    fn log_to(&mut self, log: &InternalLog) {
        *self.shared.log.lock().unwrap_or_else(PoisonError::into_inner) = log.clone();
    }

    fn begin(&mut self, now: Stamp) {
        self.target.topic.begin(now);
        self.target.text.begin(now);
        if let Some(key) = &mut self.target.key {
            key.begin(now);
        }
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        let place = (batch, index, sequence);
        let name = render(&mut self.target.topic, place);
        match (topic::check(&name), &self.target.fallback_topic) {
            (Ok(name), _) => group.push_str(name),
            (Err(_), Some(fallback)) => group.push_str(fallback),
            (Err(error), None) => {
                group.push_str("topics");
                return Err(RowError::bad_name(error));
            }
        }
        let text = render(&mut self.target.text, place);
        if text.len() > TEXT_BYTES_MAX {
            return Err(RowError::too_large("text", TEXT_BYTES_MAX));
        }
        let key = self.target.key.as_mut().map(|key| render(key, place)).filter(|key| !key.is_empty());
        Ok(vec![key.map_or(Cell::Null, Cell::Bytes), Cell::Bytes(text)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        match &self.target.transactional_id {
            Some(id) => Box::new(TransactionConnection::new(self.shared.clone(), id.clone())),
            None => Box::new(KafkaConnection::new(self.shared.clone())),
        }
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        let brokers = self.target.properties.get("bootstrap.servers").unwrap_or_default();
        format!("kafka,{brokers},{}", self.target.topic.constant().unwrap_or("a template"))
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        vec![
            target.properties.shown(),
            format!("{:?} {} {:?}", target.fallback_topic, target.batches.workers, target.batches.retries),
            format!("{:?}", target.transactional_id),
        ]
    }

    fn describe(&self, topic: &str, cells: &[Cell]) -> String {
        let [_, Cell::Bytes(text)] = cells else { return self.instance() };
        format!("kafka {topic}: {}", String::from_utf8_lossy(text))
    }
}
