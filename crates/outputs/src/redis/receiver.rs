//! Commands of messages.
//!
//! In: messages. Out: the arguments of each. Holds: nothing between two. Limits: a command is no longer than
//! [`COMMAND_BYTES_MAX`]; a longer one is a dead letter.

use super::{
    connection::{RedisConnection, Shared},
    options::RedisTarget,
};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Stamp};
use std::sync::Arc;

/// Longest command: Redis takes 512 MB for an argument, but a connection's buffers on both sides have to hold it.
const COMMAND_BYTES_MAX: usize = 64 << 20;

/// The receiver of `redis()`.
pub struct RedisReceiver {
    target: RedisTarget,
    shared: Arc<Shared>,
}

impl RedisReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: RedisTarget) -> RedisReceiver {
        let shared = Shared {
            server: target.server.clone(),
            login: target.login.clone(),
            command: target.command.clone(),
            timeout: target.timeout,
        };
        RedisReceiver { target, shared: Arc::new(shared) }
    }
}

impl Receiver for RedisReceiver {
    fn begin(&mut self, now: Stamp) {
        self.target.arguments.iter_mut().for_each(|argument| argument.begin(now));
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        group.push_str(&self.target.command);
        let mut size = 0;
        let mut cells = Vec::with_capacity(self.target.arguments.len());
        for argument in &mut self.target.arguments {
            let mut text = Vec::new();
            argument.render(batch, index, sequence, &mut text);
            size += text.len();
            cells.push(Cell::Bytes(text));
        }
        if size > COMMAND_BYTES_MAX {
            return Err(RowError::too_large("command", COMMAND_BYTES_MAX));
        }
        Ok(cells)
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(RedisConnection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        let server = &self.target.server;
        match server.host.starts_with('/') {
            true => format!("redis,{}", server.host),
            false => format!("redis,{},{}", server.host, server.port),
        }
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        let arguments: Vec<_> = target.arguments.iter().map(|argument| argument.constant()).collect();
        vec![
            format!("{} {arguments:?}", target.command),
            format!("{:?} {:?}", target.login, target.server.tls.is_some()),
            format!("{:?} {} {:?}", target.timeout, target.batches.workers, target.batches.retries),
        ]
    }

    fn describe(&self, group: &str, cells: &[Cell]) -> String {
        let mut text = format!("{}: {group}", self.instance());
        for cell in cells {
            if let Cell::Bytes(bytes) = cell {
                text.push(' ');
                text.push_str(&String::from_utf8_lossy(bytes));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests;
