//! Starts and ends the threads that notify.
//!
//! In: the file of channels and routes, at the start and at each reload. Out: one thread that decides, and one for each channel.
//! Holds: the threads. Without channels there is neither a thread nor a table that is written.

use crate::{
    channel::Sender,
    dispatch::{self, FollowUp, Next, Pass},
    options::NotifierOptions,
    outbox::{self, Courier},
    setup::{self, Routes, Setup, SetupProblem},
};
use alerts::StoreError;
use std::{
    collections::BTreeMap,
    fmt, io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use transport::InternalLog;

/// Time between two looks for transitions.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Time between two looks for what no transition says.
const FOLLOW_UP_EVERY: Duration = Duration::from_secs(1);

/// The threads.
pub struct Notifier {
    options: NotifierOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Faults of the file.
    problems: Vec<String>,
    /// The text in force.
    text: String,
    dispatcher: Option<Dispatcher>,
    couriers: Arc<Mutex<Couriers>>,
}

type Couriers = BTreeMap<Arc<str>, Courier>;

impl Notifier {
    /// Names the database; nothing is opened before there are channels.
    pub fn new(options: NotifierOptions) -> Notifier {
        Notifier { options, state: Mutex::default() }
    }

    /// Brings the channels and routes of a file into force. A file with errors changes nothing: as long as there are some, what
    /// was in force stays so, across a restart as well.
    pub fn follow(&self, read: Result<Option<Setup>, Vec<SetupProblem>>, log: &InternalLog) {
        let mut state = self.locked();
        state.problems.clear();
        let done = match read {
            Ok(Some(setup)) => self.adopt(&mut state, setup, log),
            Ok(None) => self.retire(&mut state),
            Err(problems) => {
                state.problems = problems.iter().map(ToString::to_string).collect();
                if state.dispatcher.is_some() { Ok(()) } else { self.keep(&mut state, log) }
            }
        };
        if let Err(error) = done {
            state.problems.push(error.to_string());
        }
    }

    /// Goes on with what was in force before the restart.
    fn keep(&self, state: &mut State, log: &InternalLog) -> Result<(), StartError> {
        if !self.options.store.exists() {
            return Ok(());
        }
        let text = setup::kept(&self.options.store).map_err(StartError::Store)?;
        // A later version may refuse what an earlier one has read; that is among the problems already.
        match text.map(Setup::of) {
            Some(Ok(setup)) => self.adopt(state, setup, log),
            Some(Err(_)) | None => Ok(()),
        }
    }

    fn adopt(&self, state: &mut State, setup: Setup, log: &InternalLog) -> Result<(), StartError> {
        if state.dispatcher.is_some() && state.text == setup.text {
            return Ok(());
        }
        let NotifierOptions { store, server, authorities, clock } = &self.options;
        setup::adopt(store, &setup.text).map_err(StartError::Store)?;
        let names: Vec<&str> = setup.channels.iter().map(|channel| &*channel.id).collect();
        outbox::refuse_others(store, &names, clock()).map_err(StartError::Store)?;
        let mut couriers = state.couriers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut old = std::mem::take(&mut *couriers);
        for channel in &setup.channels {
            let definition = format!("{:?}", channel.kind);
            let kept = old.remove(&channel.id).filter(|courier| courier.definition == definition);
            let courier = match kept {
                Some(courier) => courier,
                None => {
                    let sender = Sender::new(Arc::clone(channel), server, authorities.clone());
                    let started =
                        sender.and_then(|sender| Courier::start(sender, definition, store, clock, log));
                    started.map_err(StartError::Thread)?
                }
            };
            couriers.insert(Arc::clone(&channel.id), courier);
        }
        drop(couriers);
        stop_all(old);
        state.dispatcher = None;
        let shared = Arc::clone(&state.couriers);
        let started = Dispatcher::start(&self.options, &setup, shared);
        state.dispatcher = Some(started.map_err(StartError::Thread)?);
        state.text = setup.text;
        Ok(())
    }

    fn retire(&self, state: &mut State) -> Result<(), StartError> {
        state.dispatcher = None;
        state.text.clear();
        stop_all(take(&state.couriers));
        if !self.options.store.exists() {
            return Ok(());
        }
        match setup::kept(&self.options.store).map_err(StartError::Store)? {
            Some(_) => setup::retire(&self.options.store, (self.options.clock)()).map_err(StartError::Store),
            None => Ok(()),
        }
    }

    /// Returns what is wrong with the file itself, one sentence each.
    pub fn problems(&self) -> Vec<String> {
        self.locked().problems.clone()
    }

    /// Returns what is wrong, one sentence each.
    pub fn troubles(&self) -> Vec<String> {
        let state = self.locked();
        let now_us = (self.options.clock)();
        let couriers = state.couriers.lock().unwrap_or_else(PoisonError::into_inner);
        let of_channels = couriers.iter().flat_map(|(id, courier)| courier.state().troubles(id, now_us));
        let stuck = state.dispatcher.as_ref().and_then(Dispatcher::trouble);
        state.problems.iter().cloned().chain(stuck).chain(of_channels).collect()
    }

    /// Ends the threads; what waits is sent after the next start.
    pub fn stop(&self) {
        let mut state = self.locked();
        state.dispatcher = None;
        stop_all(take(&state.couriers));
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        self.stop();
    }
}

fn take(couriers: &Mutex<Couriers>) -> Couriers {
    std::mem::take(&mut *couriers.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Ends threads: all at once, then waits for one after the other.
fn stop_all(couriers: Couriers) {
    couriers.values().for_each(Courier::ask_to_stop);
    drop(couriers);
}

/// The reason why notifications do not start.
enum StartError {
    /// The database cannot be used.
    Store(StoreError),
    /// There is no thread to be had.
    Thread(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Store(error) => error.fmt(f),
            StartError::Thread(error) => write!(f, "cannot start a thread for notifications: {error}"),
        }
    }
}

/// The thread that decides.
struct Dispatcher {
    stop: Arc<AtomicBool>,
    trouble: Arc<Mutex<Option<String>>>,
    handle: Option<JoinHandle<()>>,
}

impl Dispatcher {
    fn start(
        options: &NotifierOptions,
        setup: &Setup,
        couriers: Arc<Mutex<Couriers>>,
    ) -> io::Result<Dispatcher> {
        let (stop, trouble) = (Arc::<AtomicBool>::default(), Arc::<Mutex<Option<String>>>::default());
        let mut routes = Routes::of(setup);
        let (store, clock) = (Arc::clone(&options.store), Arc::clone(&options.clock));
        let server = options.server.clone();
        let (asked, published) = (Arc::clone(&stop), Arc::clone(&trouble));
        let handle = thread::Builder::new().name("notify".to_owned()).spawn(move || {
            let mut followed: Option<Instant> = None;
            while !asked.load(Ordering::Acquire) {
                let is_due = followed.is_none_or(|last| last.elapsed() >= FOLLOW_UP_EVERY);
                let follow_up = if is_due { FollowUp::Due } else { FollowUp::NotDue };
                if is_due {
                    followed = Some(Instant::now());
                }
                let mut pass = Pass { routes: &mut routes, server: &server, now_us: clock(), follow_up };
                let done = dispatch::run(&store, &mut pass);
                *published.lock().unwrap_or_else(PoisonError::into_inner) = done
                    .as_ref()
                    .err()
                    .map(|error| format!("notifications wait until it can be written: {error}"));
                if matches!(done, Ok(Next::More)) {
                    continue;
                }
                couriers.lock().unwrap_or_else(PoisonError::into_inner).values().for_each(Courier::wake);
                thread::park_timeout(LOOK_EVERY);
            }
        })?;
        Ok(Dispatcher { stop, trouble, handle: Some(handle) })
    }

    fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Dispatcher {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(handle) = self.handle.take() {
            handle.thread().unpark();
            // A thread that panicked has reported it.
            let _ = handle.join();
        }
    }
}
