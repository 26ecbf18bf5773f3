//! Threads for `parallelize()`, and for log paths with parsers that wait: each does its jobs one after the other.
//!
//! In: jobs. Out: nothing; jobs have their own effects. Holds: the threads, started with the first job.
//! The threads end when their owner is dropped, after all jobs sent so far.
//! Limits: [`WAITING_MAX`] jobs wait for a thread; the sender of one more waits. For the thread of a log path nobody waits: a batch that waits
//! there holds its acknowledgement, so the windows of the sources bound what waits.

use pipeline::route::{Job, Lanes};
use std::{
    sync::{
        OnceLock,
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    thread::{self, JoinHandle},
};

/// Most jobs that wait for one thread: each holds a batch, and the sources' windows bound the rest.
const WAITING_MAX: usize = 64;

/// The threads of one `parallelize()`, or that of a log path.
pub(crate) struct LaneThreads {
    count: usize,
    backlog: Backlog,
    threads: OnceLock<Vec<Lane>>,
}

/// The bound of what waits for a thread.
#[derive(Clone, Copy)]
enum Backlog {
    /// [`WAITING_MAX`] jobs.
    Jobs,
    /// The windows of the sources.
    Windows,
}

/// The entrance of a thread.
enum Jobs {
    Bounded(SyncSender<Job>),
    Windowed(Sender<Job>),
}

struct Lane {
    /// None when no more jobs will come.
    jobs: Option<Jobs>,
    /// None when it could not be started: its jobs then run on the sender's thread.
    thread: Option<JoinHandle<()>>,
}

impl LaneThreads {
    /// Makes `count` threads, at least one; they start with the first job.
    pub(crate) fn new(count: usize) -> LaneThreads {
        LaneThreads { count: count.max(1), backlog: Backlog::Jobs, threads: OnceLock::new() }
    }

    /// Makes the thread of a log path, for which no sender waits.
    pub(crate) fn of_path() -> LaneThreads {
        LaneThreads { count: 1, backlog: Backlog::Windows, threads: OnceLock::new() }
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
    fn start(number: usize, backlog: Backlog) -> Lane {
        let (jobs, waiting) = Jobs::channel(backlog);
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

impl Jobs {
    fn channel(backlog: Backlog) -> (Jobs, Receiver<Job>) {
        match backlog {
            Backlog::Jobs => {
                let (jobs, waiting) = sync_channel(WAITING_MAX);
                (Jobs::Bounded(jobs), waiting)
            }
            Backlog::Windows => {
                let (jobs, waiting) = channel();
                (Jobs::Windowed(jobs), waiting)
            }
        }
    }

    /// Sends a job. Returns it when the thread has ended.
    fn send(&self, job: Job) -> Option<Job> {
        match self {
            Jobs::Bounded(jobs) => jobs.send(job).err().map(|unsent| unsent.0),
            Jobs::Windowed(jobs) => jobs.send(job).err().map(|unsent| unsent.0),
        }
    }
}

impl Lanes for LaneThreads {
    fn count(&self) -> usize {
        self.count
    }

    fn send(&self, lane: usize, job: Job) {
        let start = |number| Lane::start(number, self.backlog);
        let threads = self.threads.get_or_init(|| (0..self.count).map(start).collect());
        let left = match &threads[lane % self.count].jobs {
            Some(jobs) => jobs.send(job),
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
        check_order(LaneThreads::new(3));
        let one = LaneThreads::of_path();
        let (held, release) = sync_channel::<()>(0);
        one.send(0, Box::new(move || held.send(()).unwrap_or_default()));
        // Nobody waits for the thread of a path, however much waits there.
        (0..10 * WAITING_MAX).for_each(|_| one.send(0, Box::new(|| ())));
        release.recv().unwrap();
        one.drain();
    }

    #[track_caller]
    fn check_order(lanes: LaneThreads) {
        let seen = Arc::new(Mutex::new(vec![Vec::new(); 3]));
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
