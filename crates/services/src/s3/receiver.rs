//! Names and texts of messages.
//!
//! In: messages. Out: the beginning of the name of the object that each goes to, which is its group, and its text. Holds:
//! nothing between two. Limits: a name that would be too long, and a text of more than [`TEXT_BYTES_MAX`], make a dead letter.

use super::{
    body,
    connection::{S3Connection, Shared},
    key,
    options::S3Target,
};
use crate::http::{Compression, RequestSettings};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Stamp};
use std::sync::{Arc, atomic::AtomicBool};

/// Longest text of a message.
const TEXT_BYTES_MAX: usize = 64 << 20;

/// The receiver of `s3()`.
pub struct S3Receiver {
    target: S3Target,
    shared: Arc<Shared>,
    /// The beginning of a name before it is cleaned.
    rendered: Vec<u8>,
}

impl S3Receiver {
    /// Makes the receiver of a target.
    pub fn new(target: S3Target) -> S3Receiver {
        let settings = RequestSettings {
            method: "PUT".to_owned(),
            headers: Vec::new(),
            compression: Compression::None,
            timeout: target.timeout,
            follows_redirects: false,
            proxy: None,
            tls: target.tls.clone(),
        };
        let shared = Shared {
            address: target.address.clone(),
            login: target.login.clone(),
            region: target.region.clone(),
            suffix: format!("{}{}", target.key_suffix, body::suffix(target.compression)),
            compression: target.compression,
            compression_level: target.compression_level,
            checksum: target.checksum,
            headers: target.headers.clone(),
            settings,
            is_conditional: AtomicBool::new(true),
        };
        S3Receiver { target, shared: Arc::new(shared), rendered: Vec::new() }
    }
}

impl Receiver for S3Receiver {
    fn begin(&mut self, now: Stamp) {
        self.target.key.begin(now);
        self.target.text.begin(now);
        if let Some(timestamp) = &mut self.target.key_timestamp {
            timestamp.begin(now);
        }
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        self.rendered.clear();
        self.target.key.render_name(batch, index, sequence, &mut self.rendered);
        if let Some(timestamp) = &mut self.target.key_timestamp {
            self.rendered.push(b'-');
            timestamp.render_name(batch, index, sequence, &mut self.rendered);
        }
        group.push_str(&key::cleaned(&self.rendered));
        key::check_size(group, &self.shared.suffix).map_err(RowError::bad_name)?;
        let mut text = Vec::new();
        self.target.text.render(batch, index, sequence, &mut text);
        if text.len() > TEXT_BYTES_MAX {
            return Err(RowError::too_large("text", TEXT_BYTES_MAX));
        }
        Ok(vec![Cell::Bytes(text)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(S3Connection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        let key = self.target.key.constant().unwrap_or("a template");
        format!("s3,{},{key}", self.target.bucket)
    }

    fn settings(&self) -> Vec<String> {
        let (target, shared) = (&self.target, &self.shared);
        vec![
            format!("{} {} {:?}", target.address, target.region, target.login),
            format!("{:?} {:?} {}", target.key.constant(), target.key_timestamp.is_some(), shared.suffix),
            format!("{:?} {} {:?}", target.compression, target.compression_level, target.checksum),
            format!("{:?}", target.headers),
            format!("{:?} {} {:?}", target.timeout, target.batches.workers, target.batches.retries),
        ]
    }

    fn describe(&self, group: &str, cells: &[Cell]) -> String {
        let [Cell::Bytes(text)] = cells else { return self.instance() };
        format!("s3 {}/{group}: {}", self.target.bucket, String::from_utf8_lossy(text))
    }
}
