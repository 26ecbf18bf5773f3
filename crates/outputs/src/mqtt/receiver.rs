//! Publications of messages.
//!
//! In: messages. Out: the topic and the text of each. Holds: a name of a topic between two.
//! Limits: a name that no topic can have is replaced by `fallback-topic()`, and makes a dead letter without it; so does a
//! text that is longer than a packet.

use super::{
    connection::{MqttConnection, Shared},
    options::MqttTarget,
};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Stamp};
use std::sync::Arc;
use transport::mqtt::{REST_BYTES_MAX, check_topic};

/// Longest text: less than a packet could hold, for both sides have to.
const TEXT_BYTES_MAX: usize = 64 << 20;
const _: () = assert!(TEXT_BYTES_MAX < REST_BYTES_MAX);

/// The receiver of `mqtt()`.
pub struct MqttReceiver {
    target: MqttTarget,
    shared: Arc<Shared>,
}

impl MqttReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: MqttTarget) -> MqttReceiver {
        let shared = Shared {
            server: target.server.clone(),
            login: target.login.clone(),
            qos: target.qos,
            timeout: target.timeout,
        };
        MqttReceiver { target, shared: Arc::new(shared) }
    }
}

impl Receiver for MqttReceiver {
    fn begin(&mut self, now: Stamp) {
        self.target.topic.begin(now);
        self.target.text.begin(now);
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        // All topics share batches, so the name of their group is none of theirs.
        group.push_str(self.target.topic.constant().unwrap_or("topics"));
        let mut name = Vec::new();
        self.target.topic.render(batch, index, sequence, &mut name);
        if let Err(error) = check_topic(&name) {
            match &self.target.fallback_topic {
                Some(fallback) => name = fallback.clone().into_bytes(),
                None => return Err(RowError::bad_name(error)),
            }
        }
        let mut text = Vec::new();
        self.target.text.render(batch, index, sequence, &mut text);
        if text.len() > TEXT_BYTES_MAX {
            return Err(RowError::too_large("text", TEXT_BYTES_MAX));
        }
        Ok(vec![Cell::Bytes(name), Cell::Bytes(text)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(MqttConnection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        // One connection: messages stay in their order.
        Batches { workers: 1, ..self.target.batches }
    }

    fn instance(&self) -> String {
        let server = &self.target.server;
        let topic = self.target.topic.constant().unwrap_or("a template");
        format!("mqtt,{},{},{topic}", server.host, server.port)
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        vec![
            format!("{:?} {:?}", target.qos, target.fallback_topic),
            format!("{:?} {:?}", target.login, target.server.tls.is_some()),
            format!("{:?} {:?}", target.timeout, target.batches.retries),
        ]
    }

    fn describe(&self, _group: &str, cells: &[Cell]) -> String {
        let [Cell::Bytes(topic), Cell::Bytes(text)] = cells else { return self.instance() };
        let text = String::from_utf8_lossy(text);
        format!("mqtt {}: {text}", String::from_utf8_lossy(topic))
    }
}

#[cfg(test)]
mod tests;
