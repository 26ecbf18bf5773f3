//! Threads that compress and hash full blocks, for all segments of the process.
//!
//! In: full blocks and the dictionary of their segment. Out: each compressed, with the hashes of its messages; the
//! caller collects the results later and puts them back in order. The work does not depend on the order of blocks,
//! and is a third of the work of building a segment.
//! Holds: [`WAITING_MAX`] blocks that wait; a dictionary with its tables for each thread.
//! Limits: a caller waits while that many blocks wait; without threads it does the work itself.

use super::received::Received;
use evidence::Digest;
use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
};
use zstd::zstd_safe::{CCtx, CDict, CParameter, Strategy, compress_bound};

/// Most blocks that wait for a thread: two megabytes, enough to keep every thread busy.
const WAITING_MAX: usize = 16;
/// Most threads. More than these write faster than one builder reads.
const THREADS_MAX: usize = 8;
/// Blocks of one dictionary that a thread takes before others, so that it rarely changes its tables.
const IN_A_ROW_MAX: usize = 32;
/// Level of compression with a dictionary. Measured with `segment_bench`; levels above gain little.
const LEVEL: i32 = 3;
/// Parameters without a dictionary: those of the level, with the window of a block and tables that fit the L1 cache.
const PLAIN: [CParameter; 6] = [
    CParameter::CompressionLevel(LEVEL),
    CParameter::Strategy(Strategy::ZSTD_dfast),
    CParameter::WindowLog(18),
    CParameter::HashLog(15),
    CParameter::ChainLog(14),
    CParameter::MinMatch(6),
];
/// A block is compressed in pieces of about this many bytes, one after the other, so that a reader of one message
/// decompresses only up to its piece. It costs 0.06 bytes more per message.
const PIECE_BYTES: u32 = 8 << 10;
/// Memory for a block after its dictionary.
const BUFFER_BYTES: usize = 256 << 10;

/// A block, compressed, and the hashes of its messages.
pub(super) struct CompressedBlock {
    pub(super) bytes: Vec<u8>,
    pub(super) plain_bytes: u32,
    /// Hashes of its messages.
    pub(super) leaves: Vec<Digest>,
}

/// Holds a compressed block once a thread has made it; `None` when the thread failed.
#[derive(Clone, Default)]
pub(super) struct PendingBlock(Arc<OnceLock<Option<CompressedBlock>>>);

impl PendingBlock {
    pub(super) fn is_ready(&self) -> bool {
        self.0.get().is_some()
    }

    /// Waits for the compressed block; `None` when the work failed.
    pub(super) fn wait(&self) -> Option<&CompressedBlock> {
        self.0.wait().as_ref()
    }
}

/// A block to be compressed and hashed.
struct Job {
    received: Option<Arc<Received>>,
    dictionary: Arc<Vec<u8>>,
    pending: PendingBlock,
}

impl Drop for Job {
    /// Wakes the waiters when the work has ended, whatever the result.
    fn drop(&mut self) {
        let _ = self.pending.0.set(None);
    }
}

/// Passes a block to the threads, waiting while they are busy.
pub(super) fn send(received: &Arc<Received>, dictionary: &Arc<Vec<u8>>) -> PendingBlock {
    if threads() == 0 {
        return compress(received, dictionary);
    }
    let (job, pending) = Job::new(received, dictionary);
    POOL.put(job);
    pending
}

/// Does the work at once.
pub(super) fn compress(received: &Arc<Received>, dictionary: &Arc<Vec<u8>>) -> PendingBlock {
    let (job, pending) = Job::new(received, dictionary);
    serve(job, |_| None);
    pending
}

/// The blocks that wait, of all segments.
struct CompressPool {
    waiting: Mutex<VecDeque<Job>>,
    filled: Condvar,
    emptied: Condvar,
}

static POOL: CompressPool =
    CompressPool { waiting: Mutex::new(VecDeque::new()), filled: Condvar::new(), emptied: Condvar::new() };

/// Returns the number of threads; they are started when the first block is full.
fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| {
        let wanted = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
        let begin = |_: &usize| thread::Builder::new().name("segment-press".to_owned()).spawn(work).is_ok();
        (0..wanted).filter(begin).count()
    })
}

/// Runs a thread. A block that fails is left to its owner, and the next one is taken.
fn work() {
    loop {
        let mut job = Some(POOL.take(None));
        while let Some(next) = job.take() {
            let mut in_a_row = 0;
            let next_for = |dictionary: &Arc<Vec<u8>>| {
                in_a_row += 1;
                Some(POOL.take(Some(dictionary).filter(|_| in_a_row < IN_A_ROW_MAX)))
            };
            job = catch_unwind(AssertUnwindSafe(|| serve(next, next_for))).unwrap_or(None);
        }
    }
}

impl CompressPool {
    fn locked(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, job: Job) {
        let mut waiting = self.locked();
        while waiting.len() >= WAITING_MAX {
            waiting = self.emptied.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        waiting.push_back(job);
        self.filled.notify_one();
    }

    /// The first block that waits, or the first with the preferred dictionary.
    fn take(&self, preferred: Option<&Arc<Vec<u8>>>) -> Job {
        let mut waiting = self.locked();
        loop {
            let is_preferred = |job: &Job| preferred.is_some_and(|known| Arc::ptr_eq(known, &job.dictionary));
            let at = waiting.iter().position(is_preferred).unwrap_or(0);
            if let Some(job) = waiting.remove(at) {
                self.emptied.notify_one();
                return job;
            }
            waiting = self.filled.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Works on a block and on those that `next` gives until one has another dictionary, which is returned.
fn serve(job: Job, mut next: impl FnMut(&Arc<Vec<u8>>) -> Option<Job>) -> Option<Job> {
    let dictionary = Arc::clone(&job.dictionary);
    // The block is placed right after the dictionary: then both are contiguous memory for the compressor, for which
    // it has a loop that is a tenth faster and finds slightly more matches.
    let mut memory = vec![0; dictionary.len() + BUFFER_BYTES];
    let (front, buffer) = memory.split_at_mut(dictionary.len());
    front.copy_from_slice(&dictionary);
    let tables = CDict::create_by_reference(front, LEVEL);
    let mut context = CCtx::create();
    let set = if dictionary.is_empty() {
        PLAIN.into_iter().try_for_each(|parameter| context.set_parameter(parameter).map(|_| ()))
    } else {
        context.ref_cdict(&tables).map(|_| ())
    };
    let set = set.and_then(|()| context.set_parameter(CParameter::TargetCBlockSize(PIECE_BYTES)));
    set.expect("a compressor takes these parameters and any dictionary");
    let (mut job, mut plain) = (job, Vec::new());
    loop {
        job.work(&mut context, buffer, &mut plain);
        drop(job);
        job = next(&dictionary)?;
        if !Arc::ptr_eq(&job.dictionary, &dictionary) {
            return Some(job);
        }
    }
}

impl Job {
    fn new(received: &Arc<Received>, dictionary: &Arc<Vec<u8>>) -> (Job, PendingBlock) {
        let pending = PendingBlock::default();
        let (received, dictionary) = (Some(Arc::clone(received)), Arc::clone(dictionary));
        (Job { received, dictionary, pending: pending.clone() }, pending)
    }

    fn work(&mut self, context: &mut CCtx<'_>, buffer: &mut [u8], plain: &mut Vec<u8>) {
        let Some(received) = self.received.take() else { return };
        plain.clear();
        received.frames.encode(plain);
        let block = match buffer.get_mut(..plain.len()) {
            Some(buffer) => {
                buffer.copy_from_slice(plain);
                buffer
            }
            None => plain.as_mut_slice(),
        };
        let mut bytes = Vec::with_capacity(compress_bound(block.len()));
        let size = context.compress2(&mut bytes, block);
        size.expect("the buffer has the size that compression may need");
        bytes.shrink_to_fit();
        let pressed = CompressedBlock { plain_bytes: block.len() as u32, leaves: received.leaves(), bytes };
        // From now on only the owner has the block, and reuses its memory.
        drop(received);
        let _ = self.pending.0.set(Some(pressed));
    }
}

#[cfg(test)]
mod tests;
