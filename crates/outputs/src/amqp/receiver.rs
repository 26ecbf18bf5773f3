//! Publications of messages.
//!
//! In: messages. Out: routing key, headers and text of each. Holds: nothing between two.
//! Limits: a routing key or a name of a header that the protocol cannot hold, and a text of more than [`BODY_BYTES_MAX`], make
//! a dead letter.

use super::{
    connection::AmqpConnection,
    options::{AmqpTarget, Shared},
};
use crate::link::size_limit::SizeLimit;
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Stamp};
use std::sync::Arc;
use transport::{
    DeadReason,
    amqp::{NAME_BYTES_MAX, frame},
};

/// Longest text. Brokers have limits of their own, mostly 128 MiB or less.
const BODY_BYTES_MAX: usize = 64 << 20;
/// Most characters of a name that cannot be used, in the text about it.
const SHOWN_MAX: usize = 40;

/// The receiver of `amqp()`.
pub struct AmqpReceiver {
    target: AmqpTarget,
    shared: Arc<Shared>,
}

impl AmqpReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: AmqpTarget) -> AmqpReceiver {
        let shared = Shared {
            server: target.server.clone(),
            vhost: target.vhost.clone(),
            login: target.login.clone(),
            exchange: target.exchange.clone(),
            durability: target.durability,
            unroutable: target.unroutable,
            frame_bytes: target.frame_bytes,
            heartbeat: target.heartbeat,
            timeout: target.timeout,
            limit: SizeLimit::default(),
        };
        AmqpReceiver { target, shared: Arc::new(shared) }
    }

    fn headers(&mut self, batch: &Batch, index: usize, sequence: u64) -> Result<Vec<u8>, RowError> {
        let (mut entries, mut fault) = (Vec::new(), None);
        self.target.headers.pairs(batch, index, sequence, &mut |name, value| match fault_of(
            name.as_bytes(),
            "the name of a header",
        ) {
            None => frame::text_entry(name.as_bytes(), value, &mut entries),
            found => fault = fault.take().or(found),
        });
        match fault {
            Some(fault) => Err(fault),
            None => Ok(entries),
        }
    }
}

/// Returns why a short text cannot be sent (specification, section 4.2.5.3).
fn fault_of(text: &[u8], what: &str) -> Option<RowError> {
    let fault = match std::str::from_utf8(text) {
        _ if text.len() > NAME_BYTES_MAX => format!("has {} bytes; AMQP takes 255", text.len()),
        Err(_) => "is not UTF-8".to_owned(),
        Ok(text) if text.contains('\0') => "has a NUL".to_owned(),
        Ok(_) => return None,
    };
    let shown: String = String::from_utf8_lossy(text).chars().take(SHOWN_MAX).collect();
    Some(RowError { reason: DeadReason::BadName, text: format!("{what} {fault}\n{shown}") })
}

impl Receiver for AmqpReceiver {
    fn begin(&mut self, now: Stamp) {
        self.target.routing_key.begin(now);
        self.target.headers.begin(now);
        self.target.body.begin(now);
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        // All routing keys share batches: what holds one message holds the exchange.
        let exchange = self.target.exchange.name.as_str();
        group.push_str(if exchange.is_empty() { "the default exchange" } else { exchange });
        let mut key = Vec::new();
        self.target.routing_key.render(batch, index, sequence, &mut key);
        if let Some(fault) = fault_of(&key, "the routing key") {
            return Err(fault);
        }
        let headers = self.headers(batch, index, sequence)?;
        let mut body = Vec::new();
        self.target.body.render(batch, index, sequence, &mut body);
        if body.len() > BODY_BYTES_MAX {
            return Err(RowError::too_large("body", BODY_BYTES_MAX));
        }
        Ok(vec![Cell::Bytes(key), Cell::Bytes(headers), Cell::Bytes(body)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(AmqpConnection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        let AmqpTarget { server, vhost, exchange, .. } = &self.target;
        format!("amqp,{vhost},{},{},{}", server.host, server.port, exchange.name)
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        let key = target.routing_key.constant().unwrap_or("a template");
        vec![
            format!("{:?} {key}", target.exchange),
            format!("{:?} {:?}", target.login, target.server.tls.is_some()),
            format!("{:?} {:?}", target.durability, target.unroutable),
            format!("{} {}", target.frame_bytes, target.heartbeat),
            format!("{:?} {} {:?}", target.timeout, target.batches.workers, target.batches.retries),
        ]
    }

    fn describe(&self, group: &str, cells: &[Cell]) -> String {
        let [Cell::Bytes(key), _, Cell::Bytes(body)] = cells else { return self.instance() };
        let (key, body) = (String::from_utf8_lossy(key), String::from_utf8_lossy(body));
        format!("amqp {group} {key}: {body}")
    }
}

#[cfg(test)]
mod tests;
