//! The request for an object, and its repeats.
//!
//! In: rows of one group. Out: one verdict over all of them. Holds: a connection; the objects that are larger than a batch. Limits: `timeout()` for a request; one that
//! breaks is sent a second time at once, over a new connection.
//!
//! The rows are delivered when the server has answered that it stored the object. `If-None-Match: *` makes it refuse an object
//! that it has: then an earlier attempt, whose answer was lost, was successful. A server that does not know this header gets
//! the same object again, under the same name.

use super::{
    body::{self, Content},
    key,
    multipart::{StageOutcome, Uploads},
    shared::{Object, Shared},
    verdict,
};
use crate::{
    http::{Lane, Reply},
    url::encoded,
};
use delivery::{Connection, Exchange, Judgement, Row, Verdict, Wait, failure::Failure};
use jiff::Timestamp;
use std::sync::{Arc, atomic::Ordering};
use tokio::task::spawn_blocking;

/// The status of a server that does not know a header.
const NOT_IMPLEMENTED: u16 = 501;

/// A connection, or room for one.
pub(super) struct S3Connection {
    shared: Arc<Shared>,
    /// The objects that are larger than a batch.
    uploads: Uploading,
    lane: Lane,
}

/// The objects of a connection.
#[derive(Clone)]
pub(super) enum Uploading {
    /// Each batch is one.
    Batches,
    /// They may be larger than a batch.
    Parts(Arc<Uploads>),
    /// They are to be larger than a batch, and there is no record of them.
    NoRecord,
}

impl S3Connection {
    pub(super) fn new(shared: Arc<Shared>, uploads: Uploading) -> S3Connection {
        S3Connection { shared, uploads, lane: Lane::default() }
    }

    /// Brings rows to an object. Returns what that makes of them.
    async fn store(&mut self, group: &str, rows: &[Row]) -> Result<Verdict, Failure> {
        let uploads = match &self.uploads {
            Uploading::Batches => return self.exchange(group, rows).await.map(|()| Verdict::Delivered),
            Uploading::NoRecord => return Err(Failure::unreachable("the record of uploads is not open")),
            Uploading::Parts(uploads) => uploads.clone(),
        };
        if uploads.stage(group, rows, &mut self.lane).await? == StageOutcome::Staged {
            return Ok(Verdict::Staged);
        }
        self.exchange(group, rows).await?;
        if !uploads.is_empty() {
            // The queue may be kept from an earlier message on.
            uploads.settle_rows(rows);
        }
        Ok(Verdict::Delivered)
    }

    async fn exchange(&mut self, group: &str, rows: &[Row]) -> Result<(), Failure> {
        let shared = self.shared.clone();
        let name = encoded(&key::name(group, rows, &shared.suffix));
        let (text, compression, level) = (body::texts(rows), shared.compression, shared.compression_level);
        // Other connections of this thread go on meanwhile.
        let content = spawn_blocking(move || Content::of(text, compression, level)).await;
        let content = content.map_err(|error| Failure {
            verdict: Verdict::Later(Wait::BackOff),
            answer: format!("the object could not be made: {error}"),
        })?;
        let object = Object { url: format!("{}/{name}", shared.address), content };
        let mut reply = self.put(&object).await;
        if matches!(reply, Reply::Status { status: NOT_IMPLEMENTED, .. })
            && shared.is_conditional.swap(false, Ordering::Relaxed)
        {
            reply = self.put(&object).await;
        }
        verdict::of_reply(reply)
    }

    async fn put(&mut self, object: &Object) -> Reply {
        let request = self.shared.request(object, Timestamp::now());
        self.lane.exchange_twice(&object.url, &request, &self.shared.settings).await
    }
}

impl Connection for S3Connection {
    fn send<'a>(&'a mut self, group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(async move {
            match self.store(group, rows).await {
                Ok(verdict) => Judgement::of_all(rows.len(), verdict, ""),
                Err(Failure { verdict, answer }) => Judgement::of_all(rows.len(), verdict, answer),
            }
        })
    }

    fn close(&mut self) {
        self.lane.close();
    }
}
