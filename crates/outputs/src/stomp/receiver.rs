//! Frames of messages.
//!
//! In: messages. Out: headers and text of each. Holds: nothing between two.
//! Limits: a header with a NUL, and a text of more than [`BODY_BYTES_MAX`], make a dead letter. Headers that the protocol has itself
//! are left out.

use super::{
    connection::StompConnection,
    options::{Shared, StompTarget},
};
use crate::link::size_limit::SizeLimit;
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Stamp};
use std::sync::Arc;
use transport::stomp::header;

/// Longest text. Brokers have limits of their own.
const BODY_BYTES_MAX: usize = 64 << 20;
/// Names that mean something to the protocol.
const OWN_HEADERS: [&str; 6] =
    ["destination", "receipt", "transaction", "content-length", "persistent", "duramen-id"];

/// The receiver of `stomp()`.
pub struct StompReceiver {
    target: StompTarget,
    shared: Arc<Shared>,
}

impl StompReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: StompTarget) -> StompReceiver {
        let shared = Shared {
            server: target.server.clone(),
            login: target.login.clone(),
            destination: target.destination.clone(),
            durability: target.durability,
            receipts: target.receipts,
            timeout: target.timeout,
            limit: SizeLimit::default(),
        };
        StompReceiver { target, shared: Arc::new(shared) }
    }
}

impl Receiver for StompReceiver {
    fn begin(&mut self, now: Stamp) {
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
        group.push_str(&self.target.destination);
        let (mut headers, mut has_nul) = (Vec::new(), false);
        self.target.headers.pairs(batch, index, sequence, &mut |name, value| {
            has_nul |= name.contains('\0') || value.contains(&0);
            if !OWN_HEADERS.contains(&name) {
                header(name.as_bytes(), value, &mut headers);
            }
        });
        if has_nul {
            return Err(RowError::bad_name("a header has a NUL, which STOMP cannot send"));
        }
        let mut body = Vec::new();
        self.target.body.render(batch, index, sequence, &mut body);
        if body.len() > BODY_BYTES_MAX {
            return Err(RowError::too_large("body", BODY_BYTES_MAX));
        }
        Ok(vec![Cell::Bytes(headers), Cell::Bytes(body)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(StompConnection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        let StompTarget { server, destination, .. } = &self.target;
        format!("stomp,{},{},{destination}", server.host, server.port)
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        vec![
            format!("{:?} {:?}", target.login, target.server.tls.is_some()),
            format!("{:?} {:?}", target.durability, target.receipts),
            format!("{:?} {} {:?}", target.timeout, target.batches.workers, target.batches.retries),
        ]
    }

    fn describe(&self, group: &str, cells: &[Cell]) -> String {
        match cells {
            [_, Cell::Bytes(body)] => format!("stomp {group}: {}", String::from_utf8_lossy(body)),
            _ => self.instance(),
        }
    }
}
