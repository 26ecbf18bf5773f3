//! Names and texts of messages.
//!
//! In: messages. Out: the beginning of the name of the object that each goes to, which is its group, and its text. Holds:
//! nothing between two. Limits: a name that would be too long, and a text of more than [`TEXT_BYTES_MAX`], make a dead letter.

use super::{
    body,
    connection::{S3Connection, Uploading},
    key,
    multipart::Uploads,
    options::S3Target,
    shared::Shared,
};
use crate::http::{Compression, RequestSettings};
use delivery::{Batches, Cell, Chore, Connection, Receiver, RowError, StagedBefore, Staging};
use message::{Batch, RecordId, Stamp};
use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};
use transport::InternalLog;

/// Longest text of a message.
const TEXT_BYTES_MAX: usize = 64 << 20;

/// The receiver of `s3()`.
pub struct S3Receiver {
    target: S3Target,
    shared: Arc<Shared>,
    /// The beginning of a name before it is cleaned.
    rendered: Vec<u8>,
    uploads: Uploading,
    log: Option<InternalLog>,
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
        let uploads = if target.multipart.is_some() { Uploading::NoRecord } else { Uploading::Batches };
        S3Receiver { target, shared: Arc::new(shared), rendered: Vec::new(), uploads, log: None }
    }
}

impl S3Receiver {
    pub(super) fn uploads(&self) -> Option<&Arc<Uploads>> {
        match &self.uploads {
            Uploading::Parts(uploads) => Some(uploads),
            Uploading::Batches | Uploading::NoRecord => None,
        }
    }
}

impl Receiver for S3Receiver {
    fn log_to(&mut self, log: &InternalLog) {
        self.log = Some(log.clone());
    }

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
        let prefix_bytes = self.rendered.len();
        if let Some(timestamp) = &mut self.target.key_timestamp {
            self.rendered.push(b'-');
            timestamp.render_name(batch, index, sequence, &mut self.rendered);
        }
        group.push_str(&key::cleaned(&self.rendered));
        key::check_size(group, &self.shared.suffix).map_err(RowError::bad_name)?;
        if let (Uploading::Parts(uploads), Some(_)) = (&self.uploads, &self.target.key_timestamp) {
            uploads.note_time(&key::cleaned(&self.rendered[..prefix_bytes]), group);
        }
        let mut text = Vec::new();
        self.target.text.render(batch, index, sequence, &mut text);
        if text.len() > TEXT_BYTES_MAX {
            return Err(RowError::too_large("text", TEXT_BYTES_MAX));
        }
        Ok(vec![Cell::Bytes(text)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(S3Connection::new(self.shared.clone(), self.uploads.clone()))
    }

    fn partition(&mut self, _batch: &Batch, _index: usize, _sequence: u64) -> Option<u64> {
        // One batch of a group after the other: that is their order in its object.
        self.target.multipart.map(|_| 0)
    }

    fn stage_at(&mut self, staging: Arc<Staging>) -> io::Result<StagedBefore> {
        let log = self.log.clone().unwrap_or_else(|| InternalLog::new("s3", None));
        let opened = Uploads::open(&self.shared, self.target.multipart, &staging, &log)?;
        let Some((uploads, before)) = opened else { return Ok(StagedBefore::default()) };
        self.uploads = Uploading::Parts(Arc::new(uploads));
        Ok(before)
    }

    fn end_stages(&mut self) {
        if let Uploading::Parts(uploads) = std::mem::replace(&mut self.uploads, Uploading::NoRecord) {
            uploads.end_all();
        }
    }

    fn settled(&mut self, ids: &[RecordId]) {
        if let Some(uploads) = self.uploads() {
            uploads.settle_ids(ids.iter().copied());
        }
    }

    fn next_chore(&self) -> Option<Instant> {
        self.uploads().and_then(|uploads| uploads.next_due())
    }

    fn chore(&self, reopen_after: Duration) -> Option<Chore> {
        let uploads = self.uploads()?.clone();
        Some(Box::pin(uploads.finish_due(reopen_after)))
    }

    fn trouble(&self) -> Option<String> {
        self.uploads().and_then(|uploads| uploads.trouble())
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
        [
            format!("{} {} {:?}", target.address, target.region, target.login),
            format!("{:?} {:?} {}", target.key.constant(), target.key_timestamp.is_some(), shared.suffix),
            format!("{:?} {} {:?}", target.compression, target.compression_level, target.checksum),
            format!("{:?}", target.headers),
            format!("{:?} {} {:?}", target.timeout, target.batches.workers, target.batches.retries),
        ]
        .into_iter()
        .chain(target.multipart.map(|limits| format!("{limits:?}")))
        .collect()
    }

    fn describe(&self, group: &str, cells: &[Cell]) -> String {
        let [Cell::Bytes(text)] = cells else { return self.instance() };
        format!("s3 {}/{group}: {}", self.target.bucket, String::from_utf8_lossy(text))
    }
}
