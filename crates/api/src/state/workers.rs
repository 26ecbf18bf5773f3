//! The threads that searches run on.
//!
//! In: work of users. Out: its results. Holds: threads, started as they are needed. They have a lower
//! priority than the threads that receive messages: when the processor is short, a search takes longer and no
//! source waits for it.
//! Limits: those of [`turns`]: a search that is over within [`SLICE`] waits for no long one, a user's searches take turns
//! with those of others, and a search gets more cores than one only while others leave them free.

mod turns;

use crate::error::ApiError;
use lookup::{Pace, Stop};
use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};
use tokio::sync::oneshot;
use turns::{BEGUN_MAX, Start, Turns};

pub use turns::SEARCHES_MAX;

/// Running time after which a search counts as long: it may then be held, so that others have their turn.
const SLICE: Duration = Duration::from_millis(100);
/// Nice value of searches: with 5 a busy search thread gets a third of what a busy intake thread gets.
const NICE: i32 = 5;
/// Nice value of exports: they take long, and no one waits for them.
pub(crate) const NICE_OF_EXPORTS: i32 = 10;
/// Interval at which a held search checks whether its client has gone.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Delay before a user with too many searches should try again.
const RETRY_AFTER: Duration = Duration::from_secs(5);

type Work = Box<dyn FnOnce(SearchResources) + Send>;

/// The resources that a search gets at its start.
pub(crate) struct SearchResources {
    /// Cores that it may use.
    pub(crate) cores: usize,
    /// The pace that its cancel token must ask.
    pub(crate) pace: Arc<dyn Pace>,
}

/// The threads, and the order in which searches use them.
pub(crate) struct Workers(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Notified when a search may begin, or when the threads are to end.
    startable: Condvar,
    /// Notified when held searches may continue.
    released: Condvar,
    cores: usize,
}

struct State {
    turns: Turns<Work>,
    threads: usize,
    idle: usize,
    is_over: bool,
}

impl Workers {
    pub(crate) fn new() -> Workers {
        Workers::with_cores(thread::available_parallelism().map_or(1, usize::from))
    }

    fn with_cores(cores: usize) -> Workers {
        let state = State { turns: Turns::new(cores), threads: 0, idle: 0, is_over: false };
        let (startable, released) = (Condvar::new(), Condvar::new());
        Workers(Arc::new(Shared { state: Mutex::new(state), startable, released, cores }))
    }

    /// Waits for a turn and runs a user's work on one of the threads.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        user: &str,
        work: impl FnOnce(SearchResources) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let (result, done) = oneshot::channel();
        let work: Work = Box::new(move |turn| {
            // The client may have disconnected while the search waited.
            if !result.is_closed() {
                let _ = result.send(work(turn));
            }
        });
        self.push(user, work)?;
        done.await.map_err(|_| ApiError::internal("the search ended by a bug"))
    }

    fn push(&self, user: &str, work: Work) -> Result<(), ApiError> {
        let mut state = self.0.locked();
        if state.turns.push(user, work).is_err() {
            let text = format!("too many searches of {user} wait for their turn");
            return Err(ApiError::busy(text, RETRY_AFTER));
        }
        self.0.wake(&mut state);
        match state.threads {
            0 => Err(ApiError::internal("there is no thread to search on")),
            _ => Ok(()),
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.0.locked().is_over = true;
        self.0.startable.notify_all();
    }
}

impl Shared {
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sees to it that there is a thread for every search that may begin.
    fn wake(self: &Arc<Self>, state: &mut State) {
        let startable = state.turns.startable();
        (0..startable.min(state.idle)).for_each(|_| self.startable.notify_one());
        for _ in state.idle..startable {
            if state.threads >= BEGUN_MAX {
                return;
            }
            let shared = Arc::clone(self);
            // If that fails the search waits for another thread.
            if spawn("search", NICE, move || shared.serve()).is_err() {
                return;
            }
            state.threads += 1;
        }
    }

    /// One thread: searches as long as there are some.
    fn serve(self: Arc<Self>) {
        let mut state = self.locked();
        while !state.is_over {
            let Some(start) = state.turns.start() else {
                state.idle += 1;
                state = self.startable.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
                if state.threads > SEARCHES_MAX && state.turns.startable() == 0 {
                    break;
                }
                continue;
            };
            drop(state);
            let id = start.id;
            self.run(start);
            state = self.locked();
            state.turns.end(id);
            self.wake(&mut state);
            self.released.notify_all();
            if state.threads > SEARCHES_MAX && state.turns.startable() == 0 {
                break;
            }
        }
        state.threads -= 1;
    }

    fn run(self: &Arc<Self>, start: Start<Work>) {
        let Start { id, work, is_held, running } = start;
        let share = (self.cores / running.max(1)).max(1);
        let ends = Instant::now() + SLICE;
        let pace = Slice { id, shared: Arc::clone(self), ends, is_long: AtomicBool::new(false), is_held };
        // A bug in one search must not take the thread from the others; its caller finds the channel closed.
        let turn = SearchResources { cores: share, pace: Arc::new(pace) };
        let _ = catch_unwind(AssertUnwindSafe(move || work(turn)));
    }
}

/// The pace of one search.
struct Slice {
    id: u64,
    shared: Arc<Shared>,
    ends: Instant,
    is_long: AtomicBool,
    is_held: Arc<AtomicBool>,
}

impl std::fmt::Debug for Slice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Slice({})", self.id)
    }
}

impl Pace for Slice {
    fn pause(&self, check: &dyn Fn() -> Result<(), Stop>) -> Result<(), Stop> {
        if !self.is_long.load(Relaxed) {
            if Instant::now() < self.ends || self.is_long.swap(true, Relaxed) {
                return Ok(());
            }
            let mut state = self.shared.locked();
            state.turns.is_long(self.id);
            self.shared.wake(&mut state);
        }
        if !self.is_held.load(Relaxed) {
            return Ok(());
        }
        let mut state = self.shared.locked();
        while self.is_held.load(Relaxed) && !state.is_over {
            check()?;
            let wait = self.shared.released.wait_timeout(state, LOOK_EVERY);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }

    fn block(&self) {
        self.shared.locked().turns.is_blocked(self.id);
        self.shared.released.notify_all();
    }

    fn unblock(&self) {
        self.shared.locked().turns.is_unblocked(self.id);
    }
}

/// Starts a thread with a lower priority than those that receive messages, the lower the larger `nice` is.
pub(crate) fn spawn(name: &str, nice: i32, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        // If that is not permitted, searches run at the usual priority.
        let _ = rustix::process::setpriority_process(None, nice);
        work();
    })?;
    Ok(())
}

#[cfg(test)]
mod tests;
