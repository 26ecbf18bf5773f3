//! A destination from its start to its end or crash, with the messages of a queue that the test plays.

use super::bucket::{Bucket, listen};
use crate::s3::{
    MultipartLimits, S3Receiver,
    tests::{rows, target},
};
use crate::testing::{asked_again, delivered, runtime, settled_below, staging};
use delivery::{Receiver, Staging, Verdict};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{net::TcpListener, runtime::Runtime, sync::Notify};
use transport::testing::Text;

/// Messages of the queue.
pub(super) const MESSAGES: u64 = 26;
/// Most bytes of an object, which has about twelve messages, and of a part, which has three or more.
pub(super) const OBJECT_BYTES: usize = 48;
const CHUNK_BYTES: usize = 10;
const BATCH: usize = 2;

/// Everything that outlives a crash of ours.
pub(super) struct World {
    pub(super) bucket: Arc<Mutex<Bucket>>,
    address: String,
    folder: tempfile::TempDir,
    cursor: Mutex<u64>,
    end: Arc<Notify>,
}

impl World {
    pub(super) fn new() -> World {
        let bucket = Arc::new(Mutex::new(Bucket::new()));
        let (shared, end) = (bucket.clone(), Arc::new(Notify::new()));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/logs", listener.local_addr().unwrap());
        listener.set_nonblocking(true).unwrap();
        let ended = end.clone();
        std::thread::spawn(move || {
            runtime().block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                tokio::select! {
                    () = listen(listener, shared) => {}
                    () = ended.notified() => {}
                }
            });
        });
        World { bucket, address, folder: tempfile::tempdir().unwrap(), cursor: Mutex::new(0), end }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.end.notify_one();
    }
}

/// A running destination.
pub(super) struct Life {
    runtime: Runtime,
    receiver: S3Receiver,
    staging: Arc<Staging>,
    /// Messages in memory, and such as the queue has not passed on.
    waiting: BTreeSet<u64>,
}

impl Life {
    /// Begins one; `uploads_max` is the number of objects at a time, 0 without parts.
    pub(super) fn begin(world: &World, uploads_max: usize) -> Life {
        let mut target = target(Text::boxed("k"), Text::boxed("$MSG\n"));
        target.address.clone_from(&world.address);
        target.multipart = (uploads_max > 0).then_some(MultipartLimits {
            chunk_bytes: CHUNK_BYTES,
            object_bytes_max: OBJECT_BYTES as u64,
            wait: Duration::from_secs(3600),
            uploads_max,
        });
        let cursor = *world.cursor.lock().unwrap();
        let staging = staging(world.folder.path(), 0xab, cursor);
        let mut receiver = S3Receiver::new(target);
        let before = receiver.stage_at(staging.clone()).unwrap();
        let waiting = (cursor..MESSAGES).filter(|place| !before.known.has(*place)).collect();
        Life { runtime: runtime(), receiver, staging, waiting }
    }

    /// Sends everything. Returns false when the test says that we crash.
    pub(super) fn run(&mut self, world: &World) -> bool {
        let crash = world.bucket.lock().unwrap().crash.clone();
        let Life { runtime, receiver, staging, waiting } = self;
        runtime.block_on(async {
            tokio::select! {
                () = send_all(receiver, staging, waiting, world) => true,
                () = crash.notified() => false,
            }
        })
    }
}

async fn send_all(
    receiver: &mut S3Receiver,
    staging: &Arc<Staging>,
    waiting: &mut BTreeSet<u64>,
    world: &World,
) {
    let mut connection = receiver.connection();
    loop {
        for again in asked_again(staging) {
            waiting.extend(again.inside(0..MESSAGES).into_iter().flatten());
        }
        let batch: Vec<u64> = waiting.iter().copied().take(BATCH).collect();
        if !batch.is_empty() {
            let judgements = connection.send("k", &rows(&batch)).await;
            if matches!(judgements[0].verdict, Verdict::Delivered | Verdict::Staged) {
                waiting.retain(|place| !batch.contains(place));
            }
        }
        if let Some(uploads) = receiver.uploads() {
            uploads.hurry();
        }
        if let Some(chore) = receiver.chore(Duration::ZERO) {
            chore.await;
        }
        delivered(staging);
        let left = waiting.first().copied().unwrap_or(MESSAGES);
        *world.cursor.lock().unwrap() = settled_below(staging, left);
        let is_done = receiver.uploads().is_none_or(|uploads| uploads.has_nothing_to_do());
        if waiting.is_empty() && is_done {
            let more = asked_again(staging);
            if more.is_empty() {
                return;
            }
            more.iter().for_each(|again| waiting.extend(again.inside(0..MESSAGES).into_iter().flatten()));
        }
    }
}
