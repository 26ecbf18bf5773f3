//! The threads on which sources read: one reactor per core, and one for files.
//!
//! In: tasks. Out: their work, done on the thread they were given to. Holds: single-threaded runtimes, so that a
//! connection stays on one core, its buffers stay in that core's cache, and no task is moved.
//! Files have a thread of their own: reading them can wait for a disk.
//! Limits: [`REACTORS_MAX`] reactors.

use std::{
    future::Future,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::JoinHandle,
};
use tokio::{
    runtime::{Builder, Handle},
    sync::watch,
};

/// Most reactors: more cores than this do not make sockets faster.
const REACTORS_MAX: usize = 16;

/// The running reactors. Clones share them; they end when the last clone is dropped.
#[derive(Clone)]
pub struct Reactors(Arc<Shared>);

struct Shared {
    sockets: Vec<Handle>,
    files: Handle,
    next: AtomicUsize,
    stop: watch::Sender<bool>,
    threads: Vec<JoinHandle<()>>,
}

impl Reactors {
    /// Starts `count` reactors (0: one per core) and the one for files.
    pub fn start(count: usize) -> io::Result<Reactors> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let count = if count == 0 { cores } else { count }.min(REACTORS_MAX);
        let (stop, stopped) = watch::channel(false);
        let mut sockets = Vec::new();
        let mut threads = Vec::new();
        for index in 0..=count {
            let name = if index == count { "files".to_owned() } else { format!("reactor {index}") };
            let runtime = Builder::new_current_thread().enable_all().build()?;
            sockets.push(runtime.handle().clone());
            let mut stopped = stopped.clone();
            let run = move || {
                // The sender is dropped only with the reactors.
                let _ = runtime.block_on(stopped.wait_for(|stop| *stop));
            };
            threads.push(std::thread::Builder::new().name(name).spawn(run)?);
        }
        let files = sockets.pop().expect("the reactor for files was pushed last");
        Ok(Reactors(Arc::new(Shared { sockets, files, next: AtomicUsize::new(0), stop, threads })))
    }

    /// Returns the number of reactors for sockets.
    pub fn count(&self) -> usize {
        self.0.sockets.len()
    }

    /// Runs a task on the next reactor.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        // In turns, not by load: connections of log senders live long, and which of them will be busy is not known yet.
        let turn = self.0.next.fetch_add(1, Ordering::Relaxed);
        self.0.sockets[turn % self.0.sockets.len()].spawn(task);
    }

    /// Runs a task on the thread for files.
    pub fn spawn_on_files(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.files.spawn(task);
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        let this = std::thread::current().id();
        for thread in self.threads.drain(..).filter(|thread| thread.thread().id() != this) {
            // A reactor that panicked has said so on the console.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
