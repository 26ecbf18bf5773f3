//! Names and texts of messages.
//!
//! In: messages. Out: the path of the file that each goes to, which is its group, and its text. Holds: nothing between two.
//! Limits: a path that would be too long, and a text of more than [`TEXT_BYTES_MAX`], make a dead letter.

use super::{
    connection::{HdfsConnection, Shared},
    operations::NameNodes,
    options::HdfsTarget,
    path,
};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Stamp};
use std::sync::Arc;

/// Longest text of a message.
const TEXT_BYTES_MAX: usize = 64 << 20;
/// Most bytes that follow the path that the configuration writes.
const ENDING_BYTES_MAX: usize = 64;

/// The receiver of `hdfs()`.
pub struct HdfsReceiver {
    target: HdfsTarget,
    shared: Arc<Shared>,
    /// A path before it is cleaned.
    rendered: Vec<u8>,
}

impl HdfsReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: HdfsTarget) -> HdfsReceiver {
        let name_nodes =
            NameNodes::new(&target.name_nodes, &target.username, target.timeout, target.tls.clone());
        let shared = Shared {
            name_nodes,
            archive: target.archive.clone(),
            append: target.append,
            file_bytes_max: target.file_bytes_max,
            reap_after: target.reap_after,
            compression: target.compression,
            compression_level: target.compression_level,
        };
        HdfsReceiver { target, shared: Arc::new(shared), rendered: Vec::new() }
    }
}

impl Receiver for HdfsReceiver {
    fn begin(&mut self, now: Stamp) {
        self.target.file.begin(now);
        self.target.text.begin(now);
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        self.rendered.clear();
        self.target.file.render_name(batch, index, sequence, &mut self.rendered);
        group.push_str(&path::cleaned(&self.rendered, self.target.name_bytes_max));
        if group.len() > path::PATH_BYTES_MAX - ENDING_BYTES_MAX {
            return Err(RowError::too_large("path", path::PATH_BYTES_MAX - ENDING_BYTES_MAX));
        }
        let mut text = Vec::new();
        self.target.text.render(batch, index, sequence, &mut text);
        if text.len() > TEXT_BYTES_MAX {
            return Err(RowError::too_large("text", TEXT_BYTES_MAX));
        }
        Ok(vec![Cell::Bytes(text)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(HdfsConnection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        let file = self.target.file.constant().unwrap_or("a template");
        format!("hdfs,{},{file}", self.target.name_nodes.first().map_or("", String::as_str))
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        vec![
            format!("{:?} {} {:?}", target.name_nodes, target.username, target.file.constant()),
            format!("{:?} {} {:?}", target.archive, target.name_bytes_max, target.append),
            format!("{:?} {:?}", target.file_bytes_max, target.reap_after),
            format!("{:?} {} {:?}", target.compression, target.compression_level, target.timeout),
        ]
    }

    fn describe(&self, group: &str, cells: &[Cell]) -> String {
        let [Cell::Bytes(text)] = cells else { return self.instance() };
        format!("hdfs {group}: {}", String::from_utf8_lossy(text))
    }
}
