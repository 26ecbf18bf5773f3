//! The batch of one file, appended.
//!
//! In: rows of one group. Out: one verdict over them, or over those that an attempt before had written. Holds: the files.
//! Limits: `timeout()` for a request.
//!
//! The rows are delivered when the DataNode has answered: then the file is closed, and its bytes are on as many DataNodes as
//! the NameNode wants at least. Appending is not idempotent: after an answer that was lost, the length of the file says what
//! of the batch is there, and only the rest is sent. The length is exact only when no writer has the file, which an append of
//! nothing proves: the NameNode refuses it until it has taken the file away from a writer that died.

use super::{
    files::{Doubt, Files, OpenFile, Remainder},
    operations::{Lanes, NameNodes, OperationError},
    options::{HdfsAppend, HdfsCompression},
    verdict,
};
use crate::identity::hex;
use delivery::{Cell, Connection, Exchange, Heartbeat, Judgement, Row, Verdict, Wait, failure::Failure};
use flate2::write::GzEncoder;
use hyper::body::Bytes;
use std::{
    io::Write,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{task::spawn_blocking, time::timeout};

/// Longest work of a sign of life.
const HEARTBEAT_MAX: Duration = Duration::from_secs(1);

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) name_nodes: NameNodes,
    pub(super) archive: Option<String>,
    pub(super) append: HdfsAppend,
    pub(super) file_bytes_max: Option<u64>,
    pub(super) reap_after: Option<Duration>,
    pub(super) compression: HdfsCompression,
    pub(super) compression_level: u32,
}

impl Shared {
    /// Returns the end of names.
    fn suffix(&self) -> &'static str {
        match self.compression {
            HdfsCompression::None => "",
            HdfsCompression::Gzip => ".gz",
            HdfsCompression::Zstd => ".zst",
        }
    }
}

/// A connection, or room for one.
pub(super) struct HdfsConnection {
    shared: Arc<Shared>,
    lanes: Lanes,
    files: Files,
}

impl HdfsConnection {
    pub(super) fn new(shared: Arc<Shared>) -> HdfsConnection {
        HdfsConnection { shared, lanes: Lanes::default(), files: Files::default() }
    }

    /// Appends rows. Returns how many are delivered; the others are sent again.
    async fn exchange(&mut self, group: &str, rows: &[Row]) -> Result<usize, Failure> {
        let mut file = match self.files.take(group) {
            Some(file) => file,
            None => self.begun(group).await?,
        };
        let done = self.append(&mut file, rows).await;
        match &done {
            // The next attempt begins another file.
            Err(AppendError::Gone(_)) => {}
            _ if self.is_full(&file) => self.finish(file).await,
            _ => {
                if let Some(forgotten) = self.files.put(group, file) {
                    self.finish(forgotten).await;
                }
            }
        }
        done.map_err(|error| match error {
            AppendError::Gone(failure) | AppendError::Failed(failure) => failure,
        })
    }

    /// Returns a new file for a group, or the one that is continued.
    async fn begun(&mut self, group: &str) -> Result<OpenFile, Failure> {
        let nodes = &self.shared.name_nodes;
        let path = match self.shared.append {
            HdfsAppend::Continue => format!("{group}{}", self.shared.suffix()),
            HdfsAppend::NewFiles => format!("{group}.{}{}", own_id()?, self.shared.suffix()),
        };
        match self.lanes.create(nodes, &path).await {
            Ok(()) => return Ok(OpenFile::new(path, 0)),
            Err(OperationError::Refused(error)) if !error.is_there() => return Err(error.failure()),
            Err(OperationError::NotSent(failure)) => return Err(failure),
            // It is there, now or from before.
            Err(OperationError::Refused(_) | OperationError::InDoubt(_)) => {}
        }
        self.lanes.append(nodes, &path, Bytes::new()).await.map_err(failure)?;
        let length = self.lanes.length(nodes, &path).await.map_err(failure)?;
        Ok(OpenFile::new(path, length))
    }

    async fn append(&mut self, file: &mut OpenFile, rows: &[Row]) -> Result<usize, AppendError> {
        if file.doubt.is_some() {
            self.look(file).await?;
            let there = file.settle(rows.iter().map(|row| row.id));
            if there > 0 {
                return Ok(there);
            }
        }
        let (text, compression, level) =
            (texts(rows), self.shared.compression, self.shared.compression_level);
        // Other connections of this thread go on meanwhile.
        let bytes = spawn_blocking(move || packed(text, compression, level)).await;
        let bytes = bytes.map_err(|error| AppendError::Failed(verdict::busy(error.to_string())))?;
        file.doubt = Some(Doubt { ids: rows.iter().map(|row| row.id).collect(), bytes });
        self.send_rest(file, 0).await?;
        Ok(file.settle(rows.iter().map(|row| row.id)))
    }

    /// Looks what a file has of the bytes in doubt, and sends the rest of them.
    async fn look(&mut self, file: &mut OpenFile) -> Result<(), AppendError> {
        let nodes = &self.shared.name_nodes;
        self.lanes.append(nodes, &file.path, Bytes::new()).await.map_err(AppendError::of)?;
        let length = self.lanes.length(nodes, &file.path).await.map_err(AppendError::of)?;
        match file.remainder(length) {
            Remainder::From(start) => self.send_rest(file, start).await,
            Remainder::Foreign => {
                let known = file.length;
                let answer = format!(
                    "the file has {length} bytes where {known} were written: another program changed it"
                );
                Err(AppendError::Gone(verdict::busy(answer)))
            }
        }
    }

    async fn send_rest(&mut self, file: &mut OpenFile, start: usize) -> Result<(), AppendError> {
        let rest = file.doubt.as_ref().and_then(|doubt| doubt.bytes.get(start..)).unwrap_or_default();
        if rest.is_empty() {
            return Ok(());
        }
        let bytes = Bytes::copy_from_slice(rest);
        let sent = self.lanes.append(&self.shared.name_nodes, &file.path, bytes).await;
        file.last = Instant::now();
        match sent {
            Ok(()) => Ok(()),
            Err(OperationError::InDoubt(failure)) => Err(AppendError::Failed(failure)),
            Err(error) => {
                // Nothing was written. What was in the file before stays in doubt.
                if start == 0 {
                    file.doubt = None;
                }
                Err(AppendError::of(error))
            }
        }
    }

    fn is_full(&self, file: &OpenFile) -> bool {
        file.doubt.is_none() && self.shared.file_bytes_max.is_some_and(|max| file.length >= max)
    }

    /// Finishes a file: it goes to the archive, or gets another name if the next one would continue it.
    async fn finish(&mut self, file: OpenFile) {
        let nodes = &self.shared.name_nodes;
        // The messages are delivered whatever the file is called: it stays where it is if this fails.
        let _ = match (&self.shared.archive, self.shared.append) {
            (Some(folder), HdfsAppend::NewFiles) => self.lanes.move_into(nodes, &file.path, folder).await,
            (archive, HdfsAppend::Continue) => {
                let suffix = self.shared.suffix();
                let bare = file.path.strip_suffix(suffix).unwrap_or(&file.path);
                let Ok(id) = own_id() else { return };
                let aside = format!("{bare}.{id}{suffix}");
                match (self.lanes.rename(nodes, &file.path, &aside).await, archive) {
                    (Ok(()), Some(folder)) => self.lanes.move_into(nodes, &aside, folder).await,
                    (done, _) => done,
                }
            }
            (None, HdfsAppend::NewFiles) => Ok(()),
        };
    }
}

/// The reason why rows are not appended.
enum AppendError {
    /// The file is not there any more, or is not ours any more: another one is begun.
    Gone(Failure),
    /// Anything else.
    Failed(Failure),
}

impl AppendError {
    fn of(error: OperationError) -> AppendError {
        match error {
            OperationError::Refused(error) if error.is_missing() => {
                AppendError::Gone(Failure { verdict: Verdict::Later(Wait::BackOff), ..error.failure() })
            }
            error => AppendError::Failed(failure(error)),
        }
    }
}

fn failure(error: OperationError) -> Failure {
    match error {
        OperationError::Refused(error) => error.failure(),
        OperationError::NotSent(failure) | OperationError::InDoubt(failure) => failure,
    }
}

/// Returns the texts of rows, one after the other.
fn texts(rows: &[Row]) -> Vec<u8> {
    let mut text = Vec::with_capacity(rows.iter().map(Row::payload).sum());
    for row in rows {
        if let Some(Cell::Bytes(bytes)) = row.cells.first() {
            text.extend_from_slice(bytes);
        }
    }
    text
}

fn packed(text: Vec<u8>, compression: HdfsCompression, level: u32) -> Vec<u8> {
    let packed = match compression {
        HdfsCompression::None => Ok(text),
        HdfsCompression::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::new(level));
            encoder.write_all(&text).and_then(|()| encoder.finish())
        }
        HdfsCompression::Zstd => {
            zstd::stream::encode_all(text.as_slice(), i32::try_from(level).unwrap_or_default())
        }
    };
    packed.expect("memory takes what is written to it")
}

/// Returns what makes the name of a file its own.
fn own_id() -> Result<String, Failure> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| verdict::busy(error.to_string()))?;
    Ok(hex(&bytes))
}

impl Connection for HdfsConnection {
    fn send<'a>(&'a mut self, group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(async move {
            match self.exchange(group, rows).await {
                // Rows without a judgement are sent again.
                Ok(count) => Judgement::delivered(count),
                Err(Failure { verdict, answer }) => Judgement::of_all(rows.len(), verdict, answer),
            }
        })
    }

    fn close(&mut self) {
        self.lanes.close();
    }

    fn next_heartbeat(&self) -> Option<Instant> {
        self.shared.reap_after.and_then(|reap_after| self.files.next_reap(reap_after))
    }

    fn heartbeat(&mut self) -> Heartbeat<'_> {
        Box::pin(async move {
            let idle = self.shared.reap_after.and_then(|reap| self.files.take_idle(reap, Instant::now()));
            if let Some(file) = idle {
                // A file whose move takes longer stays where it is.
                let _ = timeout(HEARTBEAT_MAX, self.finish(file)).await;
            }
        })
    }
}
