//! The threads that searches run on.
//!
//! In: work. Out: its results. Holds: [`SEARCHES_MAX`] threads, started with the first search. They stand behind the
//! threads that take messages in: when the processor is short, a search takes longer and no source waits for it.
//! Limits: as many searches at once as there are threads; whoever comes then waits in the order of coming, and a
//! search gets more cores than one only while others leave them free.

use crate::error::ApiError;
use axum::http::StatusCode;
use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};
use tokio::sync::{Semaphore, oneshot};

/// Searches that run at once; further ones wait for their turn. They share the cores.
pub const SEARCHES_MAX: usize = 8;

/// How far searches stand behind: with 5 a busy search thread gets a third of what a busy intake thread gets.
const NICE: i32 = 5;

type Work = Box<dyn FnOnce() + Send>;

/// The threads, and who may use them.
pub(crate) struct Workers {
    turns: Arc<Semaphore>,
    /// Never holds more work than there are turns.
    work: OnceLock<Sender<Work>>,
}

impl Workers {
    pub(crate) fn new() -> Workers {
        Workers { turns: Arc::new(Semaphore::new(SEARCHES_MAX)), work: OnceLock::new() }
    }

    /// Waits for a turn and runs a user's work on one of the threads. It is told how many cores it may use.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        _user: &str,
        work: impl FnOnce(usize) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let gone = |_| ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "internal", "shutting down");
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(gone)?;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let running = SEARCHES_MAX - self.turns.available_permits();
        let share = (cores / running.max(1)).max(1);
        let (result, done) = oneshot::channel();
        let ended = |_| ApiError::internal("the search ended by a bug");
        let queue = self.work.get_or_init(start);
        let work: Work = Box::new(move || {
            // Who asked may have gone away; the turn ends with the work all the same.
            let _ = result.send(work(share));
            drop(turn);
        });
        queue.send(work).map_err(|_| ApiError::internal("there is no thread to search on"))?;
        done.await.map_err(ended)
    }
}

/// Starts the threads; they end when the sender is dropped.
fn start() -> Sender<Work> {
    let (sender, receiver) = channel();
    let receiver = Arc::new(Mutex::new(receiver));
    for number in 0..SEARCHES_MAX {
        let receiver = Arc::clone(&receiver);
        // Without any thread the receiver is gone, which every search is told.
        let _ = spawn(&format!("search {number}"), move || serve(&receiver));
    }
    sender
}

fn serve(receiver: &Mutex<Receiver<Work>>) {
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = next else { return };
        // A bug in one search must not take the thread from the others; its caller finds the channel closed.
        let _ = catch_unwind(AssertUnwindSafe(work));
    }
}

/// A thread that stands behind those that take messages in.
pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        // Where it is not allowed, searches are as quick as everybody else.
        let _ = rustix::process::setpriority_process(None, NICE);
        work();
    })?;
    Ok(())
}
