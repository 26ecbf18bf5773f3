//! Threads for `parallelize()`: each does its jobs one after the other.
//!
//! In: jobs. Out: nothing; jobs have their own effects. Holds: the threads, started with the first job.
//! The threads end when their owner is dropped, after all jobs sent so far.
//! Limits: [`WAITING_MAX`] jobs wait for a thread; the sender of one more waits.

use pipeline::route::{Job, Lanes};
use std::{
    sync::{
        OnceLock,
        mpsc::{SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

/// Most jobs that wait for one thread: each holds a batch, and the sources' windows bound the rest.
const WAITING_MAX: usize = 64;

/// The threads of one `parallelize()`.
pub(crate) struct LaneThreads {
    count: usize,
    threads: OnceLock<Vec<Lane>>,
}

struct Lane {
    /// None when no more jobs will come.
    jobs: Option<SyncSender<Job>>,
    /// None when it could not be started: its jobs then run on the sender's thread.
    thread: Option<JoinHandle<()>>,
}

impl LaneThreads {
    /// Makes `count` threads, at least one; they start with the first job.
    pub(crate) fn new(count: usize) -> LaneThreads {
        LaneThreads { count: count.max(1), threads: OnceLock::new() }
    }

    /// Waits until all jobs sent so far are done.
    pub(crate) fn drain(&self) {
        let Some(threads) = self.threads.get() else { return };
        let (done, all_done) = sync_channel(threads.len());
        for lane in 0..threads.len() {
            let done = done.clone();
            // The receiver is dropped only when this thread ends.
            self.send(lane, Box::new(move || done.send(()).unwrap_or_default()));
        }
        drop(done);
        while all_done.recv().is_ok() {}
    }
}

impl Lane {
    fn start(number: usize) -> Lane {
        let (jobs, waiting) = sync_channel::<Job>(WAITING_MAX);
        let run = move || {
            while let Ok(job) = waiting.recv() {
                job();
            }
        };
        match thread::Builder::new().name(format!("lane {number}")).spawn(run) {
            Ok(thread) => Lane { jobs: Some(jobs), thread: Some(thread) },
            Err(_) => Lane { jobs: None, thread: None },
        }
    }
}

impl Lanes for LaneThreads {
    fn count(&self) -> usize {
        self.count
    }

    fn send(&self, lane: usize, job: Job) {
        let threads = self.threads.get_or_init(|| (0..self.count).map(Lane::start).collect());
        let left = match &threads[lane % self.count].jobs {
            Some(jobs) => jobs.send(job).err().map(|unsent| unsent.0),
            None => Some(job),
        };
        if let Some(job) = left {
            job();
        }
    }
}

impl Drop for LaneThreads {
    fn drop(&mut self) {
        let mut threads = self.threads.take().unwrap_or_default();
        threads.iter_mut().for_each(|lane| lane.jobs = None);
        for lane in threads {
            if let Some(thread) = lane.thread.filter(|thread| thread.thread().id() != thread::current().id())
            {
                // A job that panicked has reported that; the others are done.
                let _ = thread.join();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! Tests order within a lane, and that nothing is left over.

    use super::*;
    use std::sync::{Arc, Mutex};

    #[test]
    fn each_lane_keeps_its_order_and_ends_its_work() {
        let seen = Arc::new(Mutex::new(vec![Vec::new(); 3]));
        let lanes = LaneThreads::new(3);
        for number in 0..3 * 2 * WAITING_MAX {
            let seen = seen.clone();
            lanes.send(number % 3, Box::new(move || seen.lock().unwrap()[number % 3].push(number)));
        }
        lanes.drain();
        assert_eq!(seen.lock().unwrap().iter().map(Vec::len).sum::<usize>(), 3 * 2 * WAITING_MAX);
        drop(lanes);
        for (lane, numbers) in seen.lock().unwrap().iter().enumerate() {
            let want: Vec<usize> = (0..2 * WAITING_MAX).map(|number| number * 3 + lane).collect();
            assert_eq!(*numbers, want);
        }
    }
}
